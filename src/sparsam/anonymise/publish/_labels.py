"""Labels of a hierarchy that the user gave: the lowest level on which a class agrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sparsam._errors import DataError
from sparsam.anonymise.publish._tally import Places, Tally
from sparsam.data import Attribute

Levels = Sequence[Sequence[Any]]


def hierarchy_labels(attribute: Attribute, tally: Tally, levels: Levels) -> list[Any]:
    """Give every class the label of the lowest level on which all of its values have the same.

    Parameters
    ----------
    attribute : Attribute
    tally : Tally
    levels : sequence of sequence
        For each level, from fine to coarse, the label of every code, missing (where it may occur)
        last. Give one level only where a whole attribute is published on it.

    Returns
    -------
    list
        One label a record.

    Examples
    --------
    >>> from sparsam.anonymise._classes import Classes
    >>> from sparsam.anonymise.publish._tally import ReleasedRows
    >>> from sparsam.data import read
    >>> table = read({"place": ["Bonn", "Ulm", "Wien"]})
    >>> released = ReleasedRows.of(Classes(np.array([0, 0, 1]), 2))
    >>> tally = released.tally(table.codes[:, 0], table.attributes[0])
    >>> hierarchy_labels(table.attributes[0], tally, [["Bonn", "Ulm", "Wien"], ["D", "D", "A"]])
    ['D', 'Wien']
    """
    found: list[Any] = [None] * len(tally.starts)
    open_ = np.ones(len(found), dtype=bool)
    for labels in levels:
        _check(attribute, labels)
        number = _numbered([*labels, None][: attribute.n_values + 1])[tally.code]
        agrees = np.minimum.reduceat(number, tally.starts) == np.maximum.reduceat(
            number, tally.starts
        )
        for record in np.flatnonzero(open_ & agrees).tolist():
            code = int(tally.code[tally.starts[record]])
            found[record] = labels[code]
        open_ &= ~agrees
    if open_.any():
        raise DataError(
            f"The values of every class must have one label of '{attribute.name}' on some level. "
            f"{int(open_.sum()):,} of {len(found):,} classes have several on all "
            f"{len(levels)} levels.\n\nHint: add a level on which all values have one label."
        )
    return found


def _check(attribute: Attribute, labels: Sequence[Any]) -> None:
    if len(labels) != attribute.size:
        raise DataError(
            f"Every level of the hierarchy of '{attribute.name}' must have a label for each of its "
            f"{attribute.size:,} values. One has {len(labels):,}."
        )


def _numbered(labels: Sequence[Any]) -> Places:
    place: dict[Any, int] = {}
    return np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.int64)
