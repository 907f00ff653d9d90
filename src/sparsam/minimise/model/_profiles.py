"""What a model answers about some people with every value of an attribute in turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam.minimise.model._oracle import Answers, Oracle

_APART, _FEWEST_STEPS = 4, 4  # values in an order that are asked about first; where it pays


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
    for grid, found in zip(grids, _split(oracle, first), strict=True):
        grid.start(found, len(people))
    step = _APART
    while step > 1:
        step //= 2
        asked = [grid.ask(people, grid.between(step)) for grid in grids]
        for grid, found in zip(grids, _split(oracle, asked), strict=True):
            grid.answers[grid.waiting] = found
    points = _as_points(oracle, np.concatenate([grid.flat for grid in grids]))
    ends = np.cumsum([len(grid.flat) for grid in grids])[:-1]
    return [
        part.reshape(len(values), -1) / np.sqrt(len(people))
        for part, values in zip(np.split(points, ends), groups, strict=True)
    ]


def _split(oracle: Oracle, asked: Sequence[NDArray[np.uint16]]) -> list[Answers]:
    """Ask about several sets of records at once."""
    answers = oracle(np.concatenate(asked))
    ends = np.cumsum([len(one) for one in asked])
    return [answers[end - len(one) : end] for one, end in zip(asked, ends, strict=True)]


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

    def start(self, found: Answers, n_people: int) -> None:
        """Take in the answers at the first places."""
        self.answers = np.zeros((len(self._values), n_people, *found.shape[1:]), found.dtype)
        self.answers[self.waiting] = found

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
