"""A target that is a threshold or bins of a number: only these are published, not the number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import rich_click as click
from numpy.typing import NDArray

from sparsam.cli._anonymise_sweep import gone

if TYPE_CHECKING:
    from sparsam.data import Roles, Target


def with_target(frame: Any, roles: Roles) -> tuple[Any, Roles, str | None]:
    """Add the column that an expression such as "income>50000" stands for, and make it the target.

    Parameters
    ----------
    frame : pandas frame or mapping of arrays
    roles : Roles

    Returns
    -------
    frame, Roles, str or None
        And the column to publish as the target; None where there is no target, and where it is
        about a quasi-identifier, which is published as one.
    """
    from sparsam._checks import check_names
    from sparsam.data import column_names, target_of

    names = column_names(frame)
    found = target_of(roles, names)
    if found is None:
        return frame, roles, None
    check_names([found.column], names)
    if found.column in roles.quasi_identifiers:
        return frame, roles, None
    if found.kind == "as is":
        return frame, roles, found.column
    name = target_name(found)
    if name in names:
        raise click.UsageError(
            f"--target: the table has a column '{name}' already. Name it as it is written there."
        )
    labels = _labels(frame, found)
    made = {**frame, name: labels} if isinstance(frame, Mapping) else frame.assign(**{name: labels})
    return made, replace(roles, target=name), name


def target_name(target: Target) -> str:
    """Name the column that is published.

    Examples
    --------
    >>> from sparsam.data import Target
    >>> target_name(Target.parse("income >= 50_000"))
    'income>=50000'
    >>> target_name(Target.parse("income in bins (1, 2.5)"))
    'income in bins(1, 2.5)'
    """
    edges = ", ".join(f"{edge:.15g}" for edge in target.edges)
    return (
        f"{target.column} in bins({edges})"
        if target.kind == "bins"
        else (f"{target.column}{target.kind}{edges}")
    )


def _labels(frame: Any, target: Target) -> NDArray[Any]:
    """Yes and no for a threshold, the names of bins for bins; missing stays missing."""
    from sparsam._errors import RoleError
    from sparsam.data import columns_of

    values = columns_of(frame, [target.column])[target.column].tolist()
    known = [not gone(value) for value in values]
    numbers = [value for value, there in zip(values, known, strict=True) if there]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
        raise RoleError(
            f"The target expression needs '{target.column}' to be numeric. It is categorical."
        )
    words: tuple[str, ...] = target.classes
    if target.kind != "bins":
        words = ("no", "yes") if target.kind in (">", ">=") else ("yes", "no")
    found = np.full(len(values), None, dtype=object)
    places = target.segments(np.array(numbers, np.float64))
    found[known] = np.array(words, dtype=object)[places]
    return found
