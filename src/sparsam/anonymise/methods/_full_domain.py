"""Full-domain generalization: one level of its hierarchy for each attribute, for all people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError
from sparsam.anonymise._classes import Classes, Division, Method, checked_codes
from sparsam.anonymise._published_values import interval_label
from sparsam.anonymise.kernels._packed_rows import Ints
from sparsam.anonymise.methods._lattice import Ladder, Node, generalized, search_lattice
from sparsam.counting import record_keys
from sparsam.data import Attribute, NumericDomain, Table
from sparsam.generalization import Levels, category_label, numeric_labels

ALL_VALUES = "*"
# Numbers without a hierarchy are published as at most 2**4 intervals, or as they are.
MOST_HALVINGS = 4


class FullDomain(Method):
    """Publish every attribute on one level of its hierarchy, the same for all people.

    Of all combinations of levels that satisfy the demand within the suppression budget, the one
    that loses least: the loss of a label is (max - min) / range of its numbers, for categories
    (values - 1) / (all values - 1), and 1 for suppressed rows; mean over rows and attributes. The
    optimum is exact. Labels come out with ``publish="hierarchy"``.

    The anonymiser's `hierarchies` have for each attribute a `Hierarchy`, or levels of labels. An
    attribute without one gets its own: numbers and ordered categories as intervals that are halved
    again and again where half of the people lie on either side, other categories as they are or not
    at all. New people whose record was never seen are suppressed.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.anonymise import Anonymiser
    >>> people = {"age": np.array([20, 30, 40, 50]), "job": np.array(["cook", "vet", "nun", "dj"])}
    >>> full = Anonymiser(FullDomain(), k=2, publish="hierarchy")
    >>> full.fit_transform(people)["age"].tolist()
    ['under 35', 'under 35', '35 and over', '35 and over']
    >>> full.partition_.levels
    {'age': 1, 'job': 1}
    """

    def part(self, division: Division) -> FullDomainClasses:
        """Find the best levels; see `Method.part`."""
        attributes, known = division.attributes, dict(division.hierarchies or {})
        check_names(known, [a.name for a in attributes], what="an attribute with a hierarchy")
        hierarchies = {
            attribute.name: _hierarchy(attribute, known.get(attribute.name), column)
            for attribute, column in zip(attributes, division.codes.T, strict=True)
        }
        ladders = tuple(Ladder(a, hierarchies[a.name].levels(a)) for a in attributes)
        return FullDomainClasses(ladders, search_lattice(division, ladders), hierarchies)

    def labels(self, partition: FullDomainClasses, table: Table) -> Mapping[str, Levels]:
        """Return the labels of the levels that were found, and of coarser ones for joined classes.

        Parameters
        ----------
        partition : FullDomainClasses
        table : Table
        """
        return {
            attribute.name: partition.hierarchies[attribute.name].levels(attribute)[
                partition.levels[attribute.name] :
            ]
            for attribute in table.attributes
        }

    def facts(self, partition: FullDomainClasses) -> dict[str, Any]:
        """Return the level of each attribute, by name."""
        return {f"level of {name}": level for name, level in partition.levels.items()}


@dataclass(frozen=True, eq=False, repr=False)
class FullDomainClasses:
    """Classes of people whose generalized records are the same, and the way of a new row to one.

    Parameters
    ----------
    ladders : tuple of Ladder
    node : Node
        The levels that were found.
    hierarchies : dict
        The hierarchies that were used.
    """

    ladders: tuple[Ladder, ...]
    node: Node
    hierarchies: dict[str, Any]

    @property
    def classes(self) -> Classes:
        """The classes of the rows that were searched."""
        return self.node.classes

    @property
    def levels(self) -> dict[str, int]:
        """The level of each attribute, 0 the finest."""
        names = [ladder.attribute.name for ladder in self.ladders]
        return dict(zip(names, self.node.levels, strict=True))

    @property
    def loss(self) -> float:
        """The loss that was minimised."""
        return self.node.loss

    def route(self, codes: NDArray[Any]) -> Ints:
        """Find the class of each row; -1 where its generalized record belongs to none.

        Parameters
        ----------
        codes : ndarray of uint16 of shape (n_rows, n_attributes)
            Encoded as the rows that were searched.
        """
        sizes = tuple(ladder.attribute.size for ladder in self.ladders)
        records = generalized(checked_codes(codes, sizes), self.ladders, self.node.levels)
        # Keys of both together, since they may be ranks.
        keys = record_keys(np.concatenate([self.node.records, records]), sizes)
        known, own = np.split(keys, [len(self.node.records)])
        at = np.minimum(np.searchsorted(known, own), len(known) - 1)
        return np.where(known[at] == own, at, -1)

    def __repr__(self) -> str:
        return f"FullDomainClasses({self.classes.n_classes:,} classes)"


@dataclass(frozen=True, eq=False)
class _Fixed:
    """Labels of bins, which are known of one attribute only."""

    attribute: Attribute
    labels: Levels

    def levels(self, attribute: Attribute) -> Levels:
        """Return the labels, if the attribute is the one they are for."""
        if attribute != self.attribute:
            raise DataError(
                f"The hierarchy of '{attribute.name}' has labels of the bins that were fitted. "
                "New rows have other ones.\n\nHint: give a hierarchy of values."
            )
        return self.labels


def _hierarchy(attribute: Attribute, given: Any, codes: NDArray[np.uint16]) -> Any:
    """Return a hierarchy that finds labels by value, so that it also serves new rows."""
    if given is None:
        return Halves.of(attribute, np.bincount(codes, minlength=attribute.size))
    if hasattr(given, "levels"):
        return given
    return _Fixed(attribute, given)


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
        levels: list[tuple[int, ...]] = []
        for _ in range(MOST_HALVINGS):
            parts = [half for part in parts for half in _halved(*part, counts)]
            starts = tuple(start for start, _ in parts[1:])
            if not starts or len(parts) == attribute.n_values or starts in levels:
                break
            levels.append(starts)
        begins = _begins(attribute)
        return cls(tuple(tuple(begins[at] for at in level) for level in reversed(levels)))

    def levels(self, attribute: Attribute) -> list[list[Any]]:
        """Return the label of every code of an attribute on each level, missing last.

        Parameters
        ----------
        attribute : Attribute
        """
        missing: list[Any] = [None] if attribute.missing else []
        first = _values(attribute)
        middle = [_intervals(attribute, cuts) for cuts in self.cuts]
        last = [[ALL_VALUES] * attribute.size] if attribute.size > 1 else []
        return [[*level, *missing] for level in (first, *middle)] + last


def _begins(attribute: Attribute) -> list[float]:
    """Return where an interval begins that begins with a code.

    Halfway from the code before, as new numbers between two codes are led to the nearer one.
    """
    if not isinstance(attribute.domain, NumericDomain):
        return [float(code) for code in range(attribute.n_values)]
    before, after = attribute.highs[:-1], attribute.lows[1:]
    if attribute.domain.unit is not None:
        return [float(attribute.lows[0]), *attribute.borders.tolist()]
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
    if not attribute.binned and attribute.domain.unit is None:
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
    labels: list[str] = []
    for start, stop in pairwise(edges):
        inside = names[start:stop]
        label = inside[0] if len(inside) == 1 else f"{inside[0]} – {inside[-1]}"
        labels += [label] * len(inside)
    return labels
