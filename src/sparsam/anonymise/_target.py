"""What a release is to teach: its target as a column that can be published, and its labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError, RoleError
from sparsam.assess import labels_in
from sparsam.data import Roles, Target, column_names, columns_of, count_rows, read, target_of
from sparsam.data.source import take_rows

# A number with no more values than this is a label.
_FEW = 20


def with_target(frame: Any, roles: Roles) -> tuple[Any, Roles, str | None]:
    """Add the column that an expression such as "income>50000" stands for, and make it the target.

    Only the threshold, or the bins, are to be published then, and not the number.

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
    names = column_names(frame)
    target = target_of(roles, names)
    if target is None:
        return frame, roles, None
    check_names([target.column], names)
    if target.column in roles.quasi_identifiers:
        return frame, roles, None
    if target.kind == "as is":
        return frame, roles, target.column
    name = target_name(target)
    if name in names:
        raise RoleError(
            f"The target: the table has a column '{name}' already. Name it as it is written there."
        )
    labels = _cut(frame, target)
    wider = (
        {**frame, name: labels} if isinstance(frame, Mapping) else frame.assign(**{name: labels})
    )
    return wider, replace(roles, target=name), name


def with_known(frame: Any, target: str) -> Any:
    """Return the rows of a frame that have a target.

    Parameters
    ----------
    frame : pandas frame or mapping of arrays
    target : str
        The column.
    """
    values = columns_of(frame, [target])[target].tolist()
    known = [row for row, value in enumerate(values) if not is_missing(value)]
    if not known:
        raise DataError(f"The target '{target}' has no values at all.")
    return frame if len(known) == len(values) else take_rows(frame, np.array(known))


def target_name(target: Target) -> str:
    """Name the column that is published.

    Examples
    --------
    >>> target_name(Target.parse("income >= 50_000"))
    'income>=50000'
    >>> target_name(Target.parse("income in bins (1, 2.5)"))
    'income in bins(1, 2.5)'
    """
    edges = ", ".join(f"{edge:.15g}" for edge in target.edges)
    if target.kind == "bins":
        return f"{target.column} in bins({edges})"
    return f"{target.column}{target.kind}{edges}"


def _cut(frame: Any, target: Target) -> NDArray[Any]:
    """Yes and no for a threshold, the names of bins for bins; missing stays missing."""
    values = columns_of(frame, [target.column])[target.column].tolist()
    known = [not is_missing(value) for value in values]
    numbers = [value for value, there in zip(values, known, strict=True) if there]
    if not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
        raise RoleError(
            f"The target expression needs '{target.column}' to be numeric. It is categorical."
        )
    words: tuple[str, ...] = target.classes
    if target.kind != "bins":
        words = ("no", "yes") if target.kind in (">", ">=") else ("yes", "no")
    labels = np.full(len(values), None, dtype=object)
    labels[known] = np.array(words, dtype=object)[target.segments(np.array(numbers, np.float64))]
    return labels


def labels_from(frame: Any, roles: Roles) -> NDArray[Any] | None:
    """Return the true labels of all rows, see `target_labels`; None where there is no target.

    Parameters
    ----------
    frame : frame or mapping of arrays
    roles : Roles
    """
    labels = labels_in(frame, roles, np.arange(count_rows(frame)))
    return None if labels is None else target_labels(labels)


def target_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return a target as floats where it is a number with many values, as it is elsewhere.

    Parameters
    ----------
    labels : ndarray
    """
    if labels.dtype != object:
        return labels
    column = read({"target": labels}).attributes[0]
    return labels.astype(np.float64) if column.numeric and column.n_values > _FEW else labels


def training_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels to learn from, or to divide by: that one is missing is a label of its own.

    Parameters
    ----------
    labels : ndarray
        Floats are numbers, and none of them may be missing.
    """
    if labels.dtype.kind == "f":
        if np.isnan(labels).any():
            raise DataError(
                "A target of numbers must have one in every row. "
                f"{int(np.isnan(labels).sum()):,} of {len(labels):,} are missing."
            )
        return labels
    texts = ["missing" if is_missing(value) else f"= {value}" for value in labels.tolist()]
    return np.array(texts, dtype=object)


def is_missing(value: Any) -> bool:
    """Whether a value is missing."""
    return value is None or value != value  # noqa: PLR0124 - NaN differs from itself
