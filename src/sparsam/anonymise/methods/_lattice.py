"""Search all combinations of levels for the one that loses least and keeps the promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.anonymise._classes import Classes, Demand, Division
from sparsam.anonymise._privacy_models import PrivacyModel
from sparsam.anonymise.kernels._packed_rows import Floats, Ints, scales_of
from sparsam.counting import record_keys
from sparsam.data import Attribute
from sparsam.generalization import Levels


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
    losses = np.where(single, (scale.highs - scale.lows)[:n_values], width[group[:n_values]])
    if not attribute.missing:
        return losses
    with_missing = group[n_values]
    if sizes[with_missing] > 1:
        losses = np.where(group[:n_values] == with_missing, 1.0, losses)
        return np.append(losses, 1.0)
    return np.append(losses, 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class Counted:
    """The distinct generalized records on some levels.

    Attributes
    ----------
    levels : tuple of int
    codes : ndarray of uint16 of shape (n_records, n_attributes)
        The codes of one row of each, in the order of the generalized records.
    counts : ndarray of int64 of shape (n_records,)
        How many rows are generalized to each.
    """

    levels: tuple[int, ...]
    codes: NDArray[np.uint16]
    counts: Ints


class Tables:
    """Counts records on any levels.

    What is counted once on finer levels is counted again from there, which is much less work than
    from the rows.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    ladders : sequence of Ladder
        The levels of each attribute.
    """

    def __init__(self, codes: NDArray[np.uint16], ladders: Sequence[Ladder]) -> None:
        self.ladders = ladders
        finest = (0,) * len(ladders)
        rows = Counted(finest, codes, np.ones(len(codes), dtype=np.int64))
        self.known = [self._counted(rows, finest)]
        self.room = 2 * len(codes)

    def at(self, levels: tuple[int, ...]) -> Counted:
        """Count the records on these levels.

        Parameters
        ----------
        levels : tuple of int
        """
        finer = (
            known
            for known in self.known
            if all(a <= b for a, b in zip(known.levels, levels, strict=True))
        )
        source = min(finer, key=lambda known: len(known.counts))
        if source.levels == levels:
            return source
        counted = self._counted(source, levels)
        if 2 * len(counted.counts) <= len(source.counts) and len(counted.counts) <= self.room:
            self.known.append(counted)
            self.room -= len(counted.counts)
        return counted

    def _counted(self, source: Counted, levels: tuple[int, ...]) -> Counted:
        keys = generalized_keys(source.codes, self.ladders, levels)
        order = np.argsort(keys, kind="stable")
        along = keys[order]
        starts = np.flatnonzero(np.append(True, along[1:] != along[:-1]))
        counts = np.add.reduceat(source.counts[order], starts)
        return Counted(levels, source.codes[order[starts]], counts)


def generalized(
    codes: NDArray[np.uint16], ladders: Sequence[Ladder], levels: tuple[int, ...]
) -> NDArray[np.uint16]:
    """Return the number of the label of every cell.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    ladders : sequence of Ladder
    levels : tuple of int
    """
    columns = zip(ladders, levels, codes.T, strict=True)
    numbers = [ladder.groups[level][column] for ladder, level, column in columns]
    return np.column_stack(numbers)


def generalized_keys(
    codes: NDArray[np.uint16], ladders: Sequence[Ladder], levels: tuple[int, ...]
) -> Ints:
    """Return a number for each row, equal for equal generalized records, in their order.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    ladders : sequence of Ladder
    levels : tuple of int
    """
    chosen = [ladder.groups[level] for ladder, level in zip(ladders, levels, strict=True)]
    sizes = [int(groups.max()) + 1 for groups in chosen]
    return record_keys(generalized(codes, ladders, levels), sizes)


MOST_NODES = 4_000_000
# What is known of a node: nothing; that too many rows are in classes that are too small; that this
# is not so; or all there is to know.
UNKNOWN, FAILS, PASSES, DONE = range(4)
_AHEAD = 4096
Combination = tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A level for each attribute.

    Attributes
    ----------
    levels : tuple of int
    loss : float
        The mean over rows and attributes; suppressed rows lose 1.
    classes : Classes
        Numbered in the order of their records; rows of classes that are refused are suppressed.
    records : ndarray of uint16 of shape (n_classes, n_attributes)
        The numbers of the labels of each class.
    checked : int
        How many nodes were looked at to find this one.
    """

    levels: Combination
    loss: float
    classes: Classes
    records: NDArray[np.uint16]
    checked: int = 0


def search_lattice(division: Division, ladders: Sequence[Ladder]) -> Node:
    """Find the levels that lose least of all those which satisfy a demand.

    Nodes are visited from the least loss that they could have upwards, until none that is left
    could lose less than the best one found. Rows in classes that are too small only become more
    towards finer levels: on the way up from a node the border is found by halving the way, and all
    nodes below one that fails are never looked at (after Kohlmayer et al. 2012).

    Parameters
    ----------
    division : Division
    ladders : sequence of Ladder
        The levels of each attribute.

    Returns
    -------
    Node

    Raises
    ------
    DataError
        No combination of levels satisfies the demand, or there are too many of them.
    """
    return _Search(division, ladders).run()


class _Search:
    def __init__(self, division: Division, ladders: Sequence[Ladder]) -> None:
        self.codes, self.ladders, self.demand = division.codes, ladders, division.demand
        self.allowed = int(np.floor(division.max_suppressed * division.n_rows))
        self.plain, self.fewest = division.plain_k is not None, division.fewest
        # Without suppression, what holds for the classes of a node holds for coarser ones.
        self.monotone = not self.allowed and (self.plain or isinstance(self.demand, PrivacyModel))
        self.shape = tuple(ladder.n_levels for ladder in ladders)
        self.bound = self._bounds()
        self.state = np.full(self.shape, UNKNOWN, dtype=np.uint8)
        self.tables = Tables(self.codes, ladders)
        self.best: Combination | None = None
        self.least = np.inf
        self.checked = 0

    def _bounds(self) -> Floats:
        """Return the loss of every node without suppression: no more can be lost less."""
        n_nodes = np.prod(self.shape, dtype=float)
        if n_nodes > MOST_NODES:
            raise DataError(
                f"At most {MOST_NODES:,} combinations of levels can be searched. "
                f"Got {n_nodes:,.0f}.\n\nHint: give hierarchies with fewer levels, or fewer "
                "quasi-identifiers."
            )
        total = np.zeros(self.shape)
        for place, ladder in enumerate(self.ladders):
            counts = np.bincount(self.codes[:, place], minlength=ladder.attribute.size)
            means = [float(counts @ losses) / len(self.codes) for losses in ladder.losses]
            along = [1] * len(self.shape)
            along[place] = -1
            total += np.reshape(means, along)
        return total / len(self.shape)

    def run(self) -> Node:
        order, at = np.argsort(self.bound, axis=None, kind="stable"), 0
        states = self.state.reshape(-1)
        while at < len(order):
            ahead = states[order[at : at + _AHEAD]]
            ready = np.flatnonzero((ahead == UNKNOWN) | (ahead == PASSES))
            at += int(ready[0]) if len(ready) else len(ahead)
            if not len(ready):
                continue
            levels = tuple(int(level) for level in np.unravel_index(order[at], self.shape))
            if self.bound[levels] >= self.least:
                break
            if self.state[levels] == UNKNOWN:
                self._climb(levels)
            if self.state[levels] == PASSES:
                self._measure(levels)
            at += 1
        if self.best is None:
            share = f" with at most {self.allowed:,} rows suppressed" if self.allowed else ""
            raise DataError(
                "Some combination of levels must satisfy what is demanded of every class. None of "
                f"{self.bound.size:,} does{share}.\n\nHint: add a level on which all values have "
                "one label, allow more suppression, or demand less."
            )
        return self._node(self.best)

    def _climb(self, levels: Combination) -> None:
        """Find the border between nodes that fail and nodes that pass on a way up."""
        way = self._way(levels)
        low, high = 0, len(way) - 1
        while low <= high:
            middle = (low + high) // 2
            if self._sizes_allow(way[middle]):
                above = self.state[tuple(slice(level, None) for level in way[middle])]
                above[above == UNKNOWN] = PASSES
                if self.bound[way[middle]] < self.least:
                    self._measure(way[middle])
                high = middle - 1
            else:
                self._rule_out_below(way[middle])
                low = middle + 1

    def _way(self, levels: Combination) -> list[Combination]:
        """List nodes, each a step up from the one before that loses as little as can be."""
        way = [levels]
        while True:
            nearest, least = None, self.least
            for place in range(len(levels)):
                up = (*way[-1][:place], way[-1][place] + 1, *way[-1][place + 1 :])
                if up[place] == self.shape[place] or self.state[up] != UNKNOWN:
                    continue
                if self.bound[up] < least:
                    nearest, least = up, float(self.bound[up])
            if nearest is None:
                return way
            way.append(nearest)

    def _rule_out_below(self, levels: Combination) -> None:
        self.state[tuple(slice(level + 1) for level in levels)] = FAILS

    def _sizes_allow(self, levels: Combination) -> bool:
        """Whether few enough rows are in classes that are too small."""
        self.checked += 1
        counts = self.tables.at(levels).counts
        return int(counts[counts < self.fewest].sum()) <= self.allowed

    def _measure(self, levels: Combination) -> None:
        """Find what a node loses whose classes are large enough; keep the best node."""
        self.state[levels] = DONE
        if self.plain:
            counted = self.tables.at(levels)
            small = counted.counts < self.fewest
            if small.all():
                return
            loss = self._loss(levels, counted.codes[small], counted.counts[small])
        else:
            allowed = self._kept(self._classes(levels))
            if not self._allows(allowed):
                if self.monotone:
                    self._rule_out_below(levels)
                return
            suppressed = self.codes[allowed.of_row < 0]
            loss = self._loss(levels, suppressed, np.ones(len(suppressed), dtype=np.int64))
        if self.monotone:
            self.state[tuple(slice(level, None) for level in levels)] = DONE
        if loss < self.least:
            self.best, self.least = levels, loss

    def _loss(self, levels: Combination, codes: NDArray[np.uint16], counts: Ints) -> float:
        """Add what is lost by suppressing some records."""
        lost = 0.0
        for ladder, level, column in zip(self.ladders, levels, codes.T, strict=True):
            lost += float(counts @ (1.0 - ladder.losses[level][column]))
        return float(self.bound[levels]) + lost / self.codes.size

    def _node(self, levels: Combination) -> Node:
        """Make the classes of the best node."""
        of_row = self._kept(self._classes(levels)).of_row
        alive, number = np.unique(of_row[of_row >= 0], return_inverse=True)
        renumbered = np.full(len(of_row), -1, dtype=np.int64)
        renumbered[of_row >= 0] = number
        codes = self.tables.at(levels).codes[alive]
        records = generalized(codes, self.ladders, levels)
        return Node(levels, self.least, Classes(renumbered, len(alive)), records, self.checked)

    def _classes(self, levels: Combination) -> Classes:
        keys = generalized_keys(self.codes, self.ladders, levels)
        records, of_row = np.unique(keys, return_inverse=True)
        return Classes(of_row, len(records))

    def _allows(self, classes: Classes) -> bool:
        return classes.n_suppressed <= min(self.allowed, len(classes) - 1)

    def _kept(self, classes: Classes) -> Classes:
        """Suppress classes until the demand holds for all others, or too many are suppressed."""
        of_row = classes.of_row.copy()
        refused = np.flatnonzero(classes.sizes() < self.fewest)
        while True:
            of_row[np.isin(of_row, refused)] = -1
            left = Classes(of_row, classes.n_classes)
            if self.plain or not self._allows(left):
                return left
            refused = self._refused(left)
            if not len(refused):
                return left

    def _refused(self, classes: Classes) -> Ints:
        """List classes that the demand refuses, until they are too many."""
        among = getattr(self.demand, "among", None)
        rest = np.flatnonzero(classes.of_row >= 0)
        demand: Demand = self.demand if among is None else among(rest)
        refused, n_rows = [], classes.n_suppressed
        for number, rows in enumerate(classes.rows()):
            if len(rows) and not demand.holds(rows):
                refused.append(number)
                n_rows += len(rows)
                if n_rows > self.allowed:
                    break
        return np.array(refused, dtype=np.int64)
