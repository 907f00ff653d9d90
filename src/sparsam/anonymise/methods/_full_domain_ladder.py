"""The levels of one attribute: which values have one label, and how much detail that loses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.anonymise.kernels._packed_rows import Floats, Ints, scales_of
from sparsam.anonymise.publish._labels import Levels
from sparsam.anonymise.publish._ranges import interval_label
from sparsam.data import Attribute, NumericDomain
from sparsam.generalization._labels import category_label, numeric_labels

ALL_VALUES = "*"
# Numbers without a hierarchy are published as at most 2**4 intervals, or as they are.
MOST_HALVINGS = 4


@dataclass(frozen=True, eq=False, repr=False)
class Ladder:
    """The levels of one attribute, from fine to coarse.

    Parameters
    ----------
    attribute : Attribute
    labels : sequence of sequence
        For each level the label of every code, missing (where it may occur) last.

    Attributes
    ----------
    groups : list of ndarray of uint16
        For each level the number of the label of every code.
    losses : list of ndarray of float
        For each level how much detail every code loses, from 0 to 1: (max - min) / range, for
        categories (values - 1) / (all values - 1), among the values with its label; 1 where numbers
        and missing values have one label.
    """

    attribute: Attribute
    labels: Levels
    groups: list[NDArray[np.uint16]] = field(init=False)
    losses: list[Floats] = field(init=False)

    def __post_init__(self) -> None:
        name, size = self.attribute.name, self.attribute.size
        if not len(self.labels):
            raise DataError(f"The hierarchy of '{name}' must have at least one level. Got none.")
        for level in self.labels:
            if len(level) != size:
                raise DataError(
                    f"Every level of the hierarchy of '{name}' must have a label for each of its "
                    f"{size:,} values. One has {len(level):,}."
                )
        groups = [_numbered(level) for level in self.labels]
        for number, (fine, coarse) in enumerate(pairwise(groups)):
            if len(np.unique(np.column_stack([fine, coarse]), axis=0)) > fine.max() + 1:
                raise DataError(
                    f"Values of '{name}' with one label on level {number} of its hierarchy must "
                    "have one label on the next. Some have several."
                )
        object.__setattr__(self, "groups", groups)
        losses = [_losses(self.attribute, group.astype(np.int64)) for group in groups]
        object.__setattr__(self, "losses", losses)

    @property
    def n_levels(self) -> int:
        """The number of levels."""
        return len(self.groups)


def _numbered(labels: Sequence[Any]) -> NDArray[np.uint16]:
    place: dict[Any, int] = {}
    return np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.uint16)


def _losses(attribute: Attribute, group: Ints) -> Floats:
    sizes = np.bincount(group)
    if not attribute.ordered:
        return ((sizes - 1) / max(1, attribute.size - 1))[group]
    scale, n_values = scales_of([attribute]), attribute.n_values
    low, high = np.ones(len(sizes)), np.zeros(len(sizes))
    np.minimum.at(low, group[:n_values], scale.lows[:n_values])
    np.maximum.at(high, group[:n_values], scale.highs[:n_values])
    width = np.where(sizes > 1, high - low, 0.0)
    single = sizes[group[:n_values]] == 1
    # A code of its own loses no more than the bin that it stands for.
    found = np.where(single, (scale.highs - scale.lows)[:n_values], width[group[:n_values]])
    if not attribute.missing:
        return found
    with_missing = group[n_values]
    if sizes[with_missing] > 1:
        found = np.where(group[:n_values] == with_missing, 1.0, found)
        return np.append(found, 1.0)
    return np.append(found, 0.0)


@dataclass(frozen=True, eq=False)
class Halves:
    """A hierarchy for an attribute without one: intervals, halves of intervals, and so on.

    Ordered values are parted where half of the people lie on either side, and each half again;
    other categories have no level between themselves and all values.

    Parameters
    ----------
    cuts : tuple of tuple
        For each level from fine to coarse, where its intervals begin, all but the first: numbers,
        or ranks of ordered categories. Values themselves and all values are further levels.

    Examples
    --------
    >>> from sparsam.data import read
    >>> age = read({"age": [20, 30, 40, 50]}).attributes[0]
    >>> halves = Halves.of(age, np.array([1, 1, 1, 1]))
    >>> halves.levels(age)
    [[20, 30, 40, 50], ['under 35', 'under 35', '35 and over', '35 and over'], ['*', '*', '*', '*']]
    """

    cuts: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, attribute: Attribute, counts: NDArray[np.integer]) -> Halves:
        """Halve the values of an attribute, and each half again.

        Parameters
        ----------
        attribute : Attribute
        counts : ndarray of int of shape (n_codes,)
            How many people have each code.
        """
        if not attribute.ordered:
            return cls(())
        parts = [(0, attribute.n_values)]
        found: list[tuple[int, ...]] = []
        for _ in range(MOST_HALVINGS):
            parts = [half for part in parts for half in _halved(*part, counts)]
            starts = tuple(start for start, _ in parts[1:])
            if not starts or len(parts) == attribute.n_values or starts in found:
                break
            found.append(starts)
        begins = _begins(attribute)
        return cls(tuple(tuple(begins[at] for at in level) for level in reversed(found)))

    def levels(self, attribute: Attribute) -> list[list[Any]]:
        """Return the label of every code of an attribute on each level, missing last.

        Parameters
        ----------
        attribute : Attribute
        """
        gone: list[Any] = [None] if attribute.missing else []
        first = _values(attribute)
        middle = [_intervals(attribute, cuts) for cuts in self.cuts]
        last = [[ALL_VALUES] * attribute.size] if attribute.size > 1 else []
        return [[*level, *gone] for level in (first, *middle)] + last


def _begins(attribute: Attribute) -> list[float]:
    """Return where an interval begins that begins with a code.

    Halfway from the code before, as new numbers between two codes are led to the nearer one.
    """
    if not isinstance(attribute.domain, NumericDomain):
        return [float(code) for code in range(attribute.n_values)]
    before, after = attribute.highs[:-1], attribute.lows[1:]
    halfway = before + (after / 2 - before / 2)
    if attribute.domain.integer:
        halfway = np.ceil(halfway)
    halfway = np.where(halfway > before, halfway, after)
    return [float(attribute.lows[0]), *halfway.tolist()]


def _halved(start: int, stop: int, counts: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Part codes so that the people on either side are as many as can be."""
    if stop - start < 2:
        return [(start, stop)]
    left = np.cumsum(counts[start : stop - 1])
    total = int(counts[start:stop].sum())
    at = start + 1 + int(np.argmax(np.minimum(left, total - left)))
    return [(start, at), (at, stop)]


def _values(attribute: Attribute) -> list[Any]:
    if not isinstance(attribute.domain, NumericDomain):
        return list(attribute.domain.categories)
    if not attribute.binned:
        values: list[Any] = attribute.decode(np.arange(attribute.n_values)).tolist()
        return values
    ends = zip(attribute.lows.tolist(), attribute.highs.tolist(), strict=True)
    return [interval_label(low, high, attribute.domain) for low, high in ends]


def _intervals(attribute: Attribute, cuts: tuple[float, ...]) -> list[str]:
    if isinstance(attribute.domain, NumericDomain):
        words = numeric_labels(attribute.domain, cuts)
        place = np.searchsorted(cuts, attribute.lows, side="right")
        if (place != np.searchsorted(cuts, attribute.highs, side="right")).any():
            raise DataError(
                f"The numbers of '{attribute.name}' were cut into bins, and every bin must lie in "
                "one interval. Some lie in two.\n\nHint: round the numbers before reading."
            )
        return [words[i] for i in place.tolist()]
    names = [category_label(category) for category in attribute.domain.categories]
    edges = [0, *(int(cut) for cut in cuts), len(names)]
    found: list[str] = []
    for start, stop in pairwise(edges):
        inside = names[start:stop]
        label = inside[0] if len(inside) == 1 else f"{inside[0]} – {inside[-1]}"
        found += [label] * len(inside)
    return found
