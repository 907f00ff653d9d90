"""Read a table the way a saved generalization sees it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError, RoleError, hint
from sparsam.data import (
    CategoricalDomain,
    Roles,
    Source,
    Target,
    Task,
    carried_roles,
    open_as,
    plain,
    read,
    resolve,
)
from sparsam.generalization import CategoricalPartition, Generalization, NumericPartition


def task_for(
    generalization: Generalization,
    source: Any,
    roles: Roles | None = None,
    *,
    max_memory: int | str | None = None,
    random_state: int = 0,
) -> Task:
    """The task that a generalization was made for, on a table at full resolution.

    Parameters
    ----------
    generalization : Generalization
        Says what each attribute is, and what it was learned for.
    source : frame, path or mapping
        Has every attribute of the generalization, and the target. Other columns are left out.
    roles : Roles, optional
        What is given here wins over what was said when the generalization was learned, which it
        carries: target, personal attributes, texts that mean missing, the format of the file.
    max_memory : int or str, optional
        As for `read`: of a table that would take more, a sample is drawn.
    random_state : int, default=0
        The seed of that sample.

    Returns
    -------
    Task

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> tree = sp.PrivacyTree(sp.Roles("employed"), max_leaves=4).fit(people)
    >>> task = task_for(tree.generalization_, people.to_dict(), sp.Roles("employed"))
    >>> task.target_name, task.table.names
    ('employed', ('age', 'disability', 'sex'))
    """
    roles = roles if roles is not None else Roles()
    about = generalization.about
    told = roles.completed_by(carried_roles(about))
    target = roles.target or about.get("target")
    if target is None and about.get("targets"):
        raise _several(about["targets"])
    if target is None:
        raise RoleError(
            "The generalization does not say what it was learned for."
            + hint("name the target: Roles(target='...')", "name the target with --target")
        )
    source = open_as(source, told)
    names = source.names
    column = target if target in names else Target.parse(target).column
    _check_columns(generalization, names, column)
    known = {*generalization.names, column}
    numeric = [p for p in generalization if isinstance(p, NumericPartition)]
    categorical = [p for p in generalization if isinstance(p, CategoricalPartition)]
    personal = _personal(roles, generalization, column)
    # of several purposes each is judged on the people who have its target
    several = bool(about.get("targets"))
    settled = replace(
        told,
        target=target,
        targets=(),
        drop_missing_target=told.drop_missing_target or several,
        personal=personal,
        quasi_identifiers=_within(told.quasi_identifiers, known - {column}),
        sensitive=_within(told.sensitive, known),
        identifiers=tuple(name for name in names if name not in known),
        ignore=(),
        weights=_weights(roles, told, personal),
        numeric=_numeric(numeric, told, known),
        categorical=_within(told.categorical, known),
        dates=_dates(numeric, told, known),
        ages={**_within(told.ages, known), **_ages(numeric)},
        file=replace(told.file, date_order=told.file.date_order or _order(numeric)),
        missing_in=_within(told.missing_in, known),
        units=_within(told.units, known),
        special=_within(told.special, known),
        ordered={},
        domains=_domains(categorical, source, told),
    )
    cuts = {p.name: p.cuts for p in numeric if p.cuts}
    table = read(source, roles=settled, cuts=cuts, max_memory=max_memory, random_state=random_state)
    return resolve(table, settled)


def _several(targets: Sequence[str]) -> RoleError:
    listed = ", ".join(f"'{name}'" for name in targets)
    return RoleError(
        f"The generalization serves several purposes, and must be judged for one: {listed}."
        + hint(f"Roles(target='{targets[0]}')", f"--target '{targets[0]}'")
    )


def _within(said: Any, known: Collection[str]) -> Any:
    """What is said of the columns that there are: a list of names, or a mapping from names."""
    if isinstance(said, Mapping):
        return {name: value for name, value in said.items() if name in known}
    return tuple(name for name in said if name in known)


def _weights(roles: Roles, told: Roles, personal: Any) -> Mapping[str, float]:
    """The weights that were given, and those carried of attributes that are still personal."""
    if isinstance(personal, str):
        return told.weights
    return {**_within(told.weights, personal), **roles.weights}


def _numeric(
    partitions: Sequence[NumericPartition], told: Roles, known: Collection[str]
) -> tuple[str, ...]:
    names = dict.fromkeys((*told.numeric, *(part.name for part in partitions)))
    dates = {*_dates(partitions, told, known), *told.ages, *_ages(partitions)}
    return tuple(name for name in names if name in known and name not in dates)


def _dates(
    partitions: Sequence[NumericPartition], told: Roles, known: Collection[str]
) -> tuple[str, ...]:
    learned = [part.name for part in partitions if part.domain.unit is not None]
    return tuple(dict.fromkeys((*_within(told.dates, known), *learned)))


def _ages(partitions: Sequence[NumericPartition]) -> dict[str, str]:
    """The day of each age that is found from dates of birth."""
    return {part.name: part.domain.age_on for part in partitions if part.domain.age_on is not None}


def _order(partitions: Sequence[NumericPartition]) -> Any:
    """What dates such as 3/4/2020 meant where the generalization was learned."""
    return next((p.domain.order for p in partitions if p.domain.order is not None), None)


def _domains(
    partitions: Sequence[CategoricalPartition], source: Source, roles: Roles
) -> dict[str, CategoricalDomain]:
    """The domains, each with the table's new categories after it where these have a bucket."""
    domains = {partition.name: partition.domain for partition in partitions}
    wide = [partition.name for partition in partitions if partition.unseen is not None]
    text = [n for n in wide if any(isinstance(c, str) for c in domains[n].categories)]
    in_engine = source.lazy(wide, text=text) if wide else None
    if in_engine is None:
        columns = source.columns(wide, text)
    else:
        _, counted = in_engine.counted()
        columns = {name: column.values for name, column in counted.items()}
    for name, values in columns.items():
        texts = roles.missing_texts(name)
        new = _new_categories(values, {*domains[name].categories, *texts})
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
