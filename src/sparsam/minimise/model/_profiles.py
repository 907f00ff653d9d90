"""What a model answers about some people with every value of an attribute in turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam.minimise.model._oracle import Answers, Oracle

_APART, _FEWEST_STEPS = 4, 4  # values in an order that are asked about first; where it pays
Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


def profiles(
    oracle: Oracle,
    people: NDArray[np.uint16],
    groups: Sequence[NDArray[np.int64]],
    ordered: Sequence[int],
) -> list[NDArray[np.float64]]:
    """The model's answers for all people with each value; distances are shares of answers.

    Of an attribute in order only every few values are asked about at first. Where two of them get
    a person the same answer, so do those between; elsewhere the middle one is asked about next.

    Parameters
    ----------
    oracle : Oracle
    people : ndarray of uint16
    groups : sequence of ndarray of int
        The values of each attribute.
    ordered : sequence of int
        How many of them, from the first, are in order.
    """
    grids = [_Grid(a, values, n) for a, (values, n) in enumerate(zip(groups, ordered, strict=True))]
    first = [grid.ask(people, grid.first(len(people))) for grid in grids]
    for grid, answers in zip(grids, _split(oracle, first), strict=True):
        grid.start(answers, len(people))
    step = _APART
    while step > 1:
        step //= 2
        asked = [grid.ask(people, grid.between(step)) for grid in grids]
        for grid, answers in zip(grids, _split(oracle, asked), strict=True):
            grid.answers[grid.waiting] = answers
    points = _as_points(oracle, np.concatenate([grid.flat for grid in grids]))
    ends = np.cumsum([len(grid.flat) for grid in grids])[:-1]
    return [
        part.reshape(len(values), -1) / np.sqrt(len(people))
        for part, values in zip(np.split(points, ends), groups, strict=True)
    ]


def _split(oracle: Oracle, asked: Sequence[NDArray[np.uint16]]) -> list[Answers]:
    """Ask about several sets of records at once."""
    answers = oracle(np.concatenate(asked))
    ends = np.cumsum([len(records) for records in asked])
    return [answers[end - len(records) : end] for records, end in zip(asked, ends, strict=True)]


class _Grid:
    """What the model answers for each value of one attribute and each person."""

    def __init__(self, attribute: int, values: NDArray[np.int64], n_ordered: int) -> None:
        self._attribute, self._values = attribute, values
        self._n_ordered = n_ordered if n_ordered > _APART * _FEWEST_STEPS else 0
        self.answers: Answers = np.empty(0)
        self.waiting: tuple[NDArray[np.intp], ...] = ()

    @property
    def flat(self) -> Answers:
        """All answers, those for the first value first."""
        return self.answers.reshape(-1, *self.answers.shape[2:])

    def first(self, n_people: int) -> NDArray[np.bool_]:
        """The places to start with: all but those between two in an order."""
        n = self._n_ordered
        skipped = np.zeros((len(self._values), n_people), dtype=bool)
        skipped[:n] = (np.arange(n) % _APART > 0)[:, None]
        skipped[n - 1 : n] = False
        return ~skipped

    def start(self, answers: Answers, n_people: int) -> None:
        """Take in the answers at the first places."""
        self.answers = np.zeros((len(self._values), n_people, *answers.shape[1:]), answers.dtype)
        self.answers[self.waiting] = answers

    def between(self, step: int) -> NDArray[np.bool_]:
        """The places in the middle of two with other answers; the rest is filled in."""
        middle = np.arange(step, self._n_ordered - 1, 2 * step)
        before = self.answers[middle - step]
        after = self.answers[np.minimum(middle + step, self._n_ordered - 1)]
        self.answers[middle] = before
        wanted = np.zeros(self.answers.shape[:2], dtype=bool)
        other = before != after
        wanted[middle] = other.any(axis=2) if other.ndim > 2 else other
        return wanted

    def ask(self, people: NDArray[np.uint16], wanted: NDArray[np.bool_]) -> NDArray[np.uint16]:
        """The records at some places, which then wait for their answers."""
        self.waiting = np.nonzero(wanted)
        value, person = self.waiting
        records = people[person]
        records[:, self._attribute] = self._values[value]
        return records


def _as_points(oracle: Oracle, answers: Answers) -> NDArray[np.float64]:
    """Answers as points whose squared distance is 1 where two differ (on average, for numbers)."""
    if oracle.regression:
        spread = np.asarray(answers).std(axis=0)
        scaled = np.asarray(answers) / np.where(spread > 0, spread, 1.0)
        return np.asarray(scaled / np.sqrt(scaled.shape[1]))
    kinds, place = np.unique(answers, return_inverse=True)
    told = np.zeros((len(place), len(kinds)))
    told[np.arange(len(place)), place] = np.sqrt(0.5)
    return told


class AnyTwo:
    """Buckets without an order: any two may become one. Of equal pairs the first is the best.

    Parameters
    ----------
    n : int
        How many buckets there are at first.

    Examples
    --------
    >>> pairs = AnyTwo(3)
    >>> pairs.put(*pairs.all(), np.array([0.5, 0.2, 0.9]))
    >>> pairs.best()
    (0, 2)
    >>> pairs.merge(0, 2)
    (array([0]), array([1]))
    """

    def __init__(self, n: int) -> None:
        self._ratios = np.full((n, n), np.inf)
        self._alive = np.ones(n, dtype=bool)

    def all(self) -> Pairs:
        """Every pair, the one that comes first in either bucket's place first."""
        return np.triu_indices(len(self._alive), 1)

    def put(self, x: NDArray[np.int64], z: NDArray[np.int64], ratios: NDArray[np.float64]) -> None:
        """Note how good some pairs are, the lowest number being the best."""
        self._ratios[x, z] = ratios

    def best(self) -> tuple[int, int]:
        """The best pair."""
        x, z = divmod(int(self._ratios.argmin()), len(self._ratios))
        return x, z

    def merge(self, first: int, second: int) -> Pairs:
        """Let the first bucket take in the second, and give the pairs that are other ones now."""
        self._alive[second] = False
        self._ratios[second] = self._ratios[:, second] = np.inf
        others = np.flatnonzero(self._alive)
        others = others[others != first]
        return np.minimum(others, first), np.maximum(others, first)


class Neighbours:
    """Buckets in an order: neighbours may become one, and one of missing values goes anywhere.

    Of equal pairs those of neighbours come before those with missing values.

    Parameters
    ----------
    n : int
        How many buckets there are at first.
    missing : ndarray of bool
        Which is the one of missing values; the last, if there is one.

    Examples
    --------
    >>> pairs = Neighbours(4, np.array([False, False, False, True]))
    >>> pairs.put(*pairs.all(), np.array([0.5, 0.2, 0.9, 0.4, 0.7]))
    >>> pairs.best()
    (1, 2)
    >>> pairs.merge(1, 2)
    (array([0, 1]), array([1, 3]))
    """

    def __init__(self, n: int, missing: NDArray[np.bool_]) -> None:
        self._n = n
        self._lone = n - 1 if missing[-1] else None
        self._n_runs = n if self._lone is None else n - 1
        self._alive = np.ones(self._n_runs, dtype=bool)
        self._before = list(range(-1, self._n_runs - 1))
        self._after = list(range(1, self._n_runs + 1))
        # a line for the pairs with the next bucket, and one for those with missing values
        self._ratios = np.full((2, n), np.inf)

    def all(self) -> Pairs:
        """Every pair that there is now: neighbours, then those with missing values."""
        runs = np.flatnonzero(self._alive)
        if self._lone is None:
            return runs[:-1], runs[1:]
        lone = np.full(len(runs), self._lone)
        return np.concatenate([runs[:-1], runs]), np.concatenate([runs[1:], lone])

    def put(self, x: NDArray[np.int64], z: NDArray[np.int64], ratios: NDArray[np.float64]) -> None:
        """Note how good some pairs are, the lowest number being the best."""
        line = np.zeros(len(z), np.int64) if self._lone is None else (z == self._lone).astype(int)
        self._ratios[line, x] = ratios

    def best(self) -> tuple[int, int]:
        """The best pair."""
        line, x = divmod(int(self._ratios.argmin()), self._n)
        return x, self._n - 1 if line else self._after[x]

    def merge(self, first: int, second: int) -> Pairs:
        """Let the first bucket take in the second, and give the pairs that are other ones now."""
        if second == self._lone:
            self._lone = None
            self._ratios[1] = np.inf
        else:
            self._ratios[:, second] = self._ratios[0, first] = np.inf
            self._alive[second] = False
            self._after[first] = self._after[second]
            if self._after[first] < self._n_runs:
                self._before[self._after[first]] = first
        pairs = [(self._before[first], first)] if self._before[first] >= 0 else []
        if self._after[first] < self._n_runs:
            pairs.append((first, self._after[first]))
        if self._lone is not None:
            pairs.append((first, self._lone))
        x, z = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return x, z
