"""Search all combinations of levels for the one that loses least and keeps the promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.anonymise._classes import Classes, Demand
from sparsam.anonymise.kernels._packed_rows import Floats, Ints
from sparsam.anonymise.methods._full_domain_ladder import Ladder
from sparsam.anonymise.methods._full_domain_tables import Tables, generalized, generalized_keys
from sparsam.anonymise.privacy._base import PrivacyModel

MOST_NODES = 4_000_000
# What is known of a node: nothing; that too many rows are in classes that are too small; that this
# is not so; or all there is to know.
UNKNOWN, FAILS, PASSES, DONE = range(4)
_AHEAD = 4096
Levels = tuple[int, ...]


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

    levels: Levels
    loss: float
    classes: Classes
    records: NDArray[np.uint16]
    checked: int = 0


def search_lattice(
    codes: NDArray[np.uint16], ladders: Sequence[Ladder], demand: Demand, budget: float = 0.0
) -> Node:
    """Find the levels that lose least of all those which satisfy a demand.

    Nodes are visited from the least loss that they could have upwards, until none that is left
    could lose less than the best one found. Rows in classes that are too small only become more
    towards finer levels: on the way up from a node the border is found by halving the way, and all
    nodes below one that fails are never looked at (after Kohlmayer et al. 2012).

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    ladders : sequence of Ladder
        The levels of each attribute.
    demand : Demand
    budget : float, default=0.0
        The largest share of rows that may be suppressed.

    Returns
    -------
    Node

    Raises
    ------
    DataError
        No combination of levels satisfies the demand, or there are too many of them.
    """
    return _Search(codes, ladders, demand, budget).run()


class _Search:
    def __init__(
        self,
        codes: NDArray[np.uint16],
        ladders: Sequence[Ladder],
        demand: Demand,
        budget: float,
    ) -> None:
        self.codes, self.ladders, self.demand = codes, ladders, demand
        self.allowed = int(np.floor(budget * len(codes)))
        plain_k: int | None = getattr(demand, "plain_k", None)
        self.plain = plain_k is not None
        fewest = plain_k if plain_k is not None else getattr(demand, "least_rows", 1)
        self.fewest = max(1, int(fewest))
        # Without suppression, what holds for the classes of a node holds for coarser ones.
        self.monotone = not self.allowed and (self.plain or isinstance(demand, PrivacyModel))
        self.shape = tuple(ladder.n_levels for ladder in ladders)
        self.bound = self._bounds()
        self.state = np.full(self.shape, UNKNOWN, dtype=np.uint8)
        self.tables = Tables(codes, ladders)
        self.best: Levels | None = None
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

    def _climb(self, levels: Levels) -> None:
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

    def _way(self, levels: Levels) -> list[Levels]:
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

    def _rule_out_below(self, levels: Levels) -> None:
        self.state[tuple(slice(level + 1) for level in levels)] = FAILS

    def _sizes_allow(self, levels: Levels) -> bool:
        """Whether few enough rows are in classes that are too small."""
        self.checked += 1
        counts = self.tables.at(levels).counts
        return int(counts[counts < self.fewest].sum()) <= self.allowed

    def _measure(self, levels: Levels) -> None:
        """Find what a node loses whose classes are large enough; keep the best node."""
        self.state[levels] = DONE
        if self.plain:
            found = self.tables.at(levels)
            small = found.counts < self.fewest
            if small.all():
                return
            loss = self._loss(levels, found.codes[small], found.counts[small])
        else:
            kept = self._kept(self._classes(levels))
            if not self._allows(kept):
                if self.monotone:
                    self._rule_out_below(levels)
                return
            gone = self.codes[kept.of_row < 0]
            loss = self._loss(levels, gone, np.ones(len(gone), dtype=np.int64))
        if self.monotone:
            self.state[tuple(slice(level, None) for level in levels)] = DONE
        if loss < self.least:
            self.best, self.least = levels, loss

    def _loss(self, levels: Levels, codes: NDArray[np.uint16], counts: Ints) -> float:
        """Add what is lost by suppressing some records."""
        lost = 0.0
        for ladder, level, column in zip(self.ladders, levels, codes.T, strict=True):
            lost += float(counts @ (1.0 - ladder.losses[level][column]))
        return float(self.bound[levels]) + lost / self.codes.size

    def _node(self, levels: Levels) -> Node:
        """Make the classes of the best node."""
        of_row = self._kept(self._classes(levels)).of_row
        alive, number = np.unique(of_row[of_row >= 0], return_inverse=True)
        renumbered = np.full(len(of_row), -1, dtype=np.int64)
        renumbered[of_row >= 0] = number
        found = self.tables.at(levels).codes[alive]
        records = generalized(found, self.ladders, levels)
        return Node(levels, self.least, Classes(renumbered, len(alive)), records, self.checked)

    def _classes(self, levels: Levels) -> Classes:
        keys = generalized_keys(self.codes, self.ladders, levels)
        found, of_row = np.unique(keys, return_inverse=True)
        return Classes(of_row, len(found))

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
