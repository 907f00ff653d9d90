"""Read a table the way a saved generalization sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError, RoleError
from sparsam.data import (
    CategoricalDomain,
    Roles,
    Target,
    Task,
    columns_of,
    open_source,
    plain,
    read,
    resolve,
)
from sparsam.generalization import CategoricalPartition, Generalization, NumericPartition


def task_for(generalization: Generalization, source: Any, roles: Roles | None = None) -> Task:
    """The task that a generalization was made for, on a table at full resolution.

    Parameters
    ----------
    generalization : Generalization
        Says what each attribute is, and what it was learned for.
    source : frame, path or mapping
        Has every attribute of the generalization, and the target. Other columns are left out.
    roles : Roles, optional
        Where its target or personal attributes are given, they win over the generalization's.

    Returns
    -------
    Task
    """
    roles = roles if roles is not None else Roles()
    about = generalization.about
    target = roles.target or about.get("target")
    if target is None:
        raise RoleError(
            "The generalization does not say what it was learned for.\n\n"
            "Hint: name the target (on the command line: --target)."
        )
    source = open_source(source)
    names = source.names
    column = target if target in names else Target.parse(target).column
    _check_columns(generalization, names, column)
    known = {*generalization.names, column}
    numeric = [p for p in generalization if isinstance(p, NumericPartition)]
    categorical = [p for p in generalization if isinstance(p, CategoricalPartition)]
    settled = replace(
        roles,
        target=target,
        personal=_personal(roles, generalization, column),
        identifiers=tuple(name for name in names if name not in known),
        numeric=tuple({*roles.numeric, *(p.name for p in numeric)}),
        domains=_domains(categorical, source, roles),
    )
    cuts = {p.name: p.cuts for p in numeric if p.cuts}
    return resolve(read(source, roles=settled, cuts=cuts), settled)


def _domains(
    partitions: Sequence[CategoricalPartition], source: Any, roles: Roles
) -> dict[str, CategoricalDomain]:
    """The domains, each with the table's new categories after it where these have a bucket."""
    domains = {partition.name: partition.domain for partition in partitions}
    wide = [partition.name for partition in partitions if partition.unseen is not None]
    text = [n for n in wide if any(isinstance(c, str) for c in domains[n].categories)]
    columns = columns_of(source, wide, text=text, missing=roles.missing_values)
    for name, values in columns.items():
        new = _new_categories(values, {*domains[name].categories, *roles.missing_values})
        known = domains[name].categories
        domains[name] = CategoricalDomain((*known, *new), ordered=domains[name].ordered)
    return domains


def _new_categories(values: NDArray[Any], known: set[Any]) -> list[Any]:
    """What a column holds beside known categories, in a fixed order; a text may come as number."""
    kinds = (str, bool, int, float, np.generic)
    categories = {plain(v) for v in set(values.tolist()) if isinstance(v, kinds) and v == v}  # noqa: PLR0124 - NaN
    new = [value for value in categories if value not in known and str(value) not in known]
    return sorted(new, key=lambda value: (type(value).__name__, value))


def _check_columns(generalization: Generalization, names: tuple[str, ...], target: str) -> None:
    check_names([target], names, "target")
    absent = [name for name in generalization.names if name not in names]
    if absent:
        raise DataError(
            f"The table must have every attribute of the generalization, at full resolution. "
            f"{absent} are absent."
        )


def _personal(roles: Roles, generalization: Generalization, target: str) -> Any:
    """What the roles say; where they say nothing, what it was learned for, less the target."""
    default = Roles().personal
    if roles.personal == default:
        learned = generalization.about.get("personal", default)
        return learned if isinstance(learned, str) else [n for n in learned if n != target]
    if not isinstance(roles.personal, str):
        known = [name for name in generalization.names if name != target]
        check_names(roles.personal, known, "personal", "an attribute of the generalization")
    return roles.personal
