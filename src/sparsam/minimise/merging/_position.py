"""One generalization in the search: what it costs and reveals, and where it could be better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sparsam.counting import DistinctRecords, distinct_records
from sparsam.minimise.merging._boosted import loss_of
from sparsam.minimise.merging._merge_path import Score
from sparsam.minimise.merging._people import Floats, Layout, Lookup, People
from sparsam.minimise.merging._risk import PairRisk, record_risk

_ROUNDS, _ROUNDS_FROM_NOTHING = 4, 12  # of fitting
_LEAST_SPREAD = 0.01  # a forecast is never so sure that nothing could change it
RIDGE = 2.0  # as if so many average people more had been seen in each bucket
_MOST_IN_PAIRS = 7  # attributes whose interactions two by two are looked at
_CELL_STRENGTH = 20.0  # as if so many people more, without a correction, were in each cell
_LEAST = 0.002


class Position:
    """A generalization, and what the search knows of it.

    Parameters
    ----------
    people : People
    lookups : list of ndarray of int
        For each attribute the bucket of each atom.
    before : Position, optional
        One that differs in a single attribute: the model is then fitted from its model.
    changed : int, optional
        This attribute.

    Attributes
    ----------
    effects : ndarray of float of shape (n_buckets, n_classes)
        The effect of each bucket on each class in the additive model.
    pair_risk : PairRisk
    score : Score
        Loss and risk. The loss is the mean of the share of people whose class would be guessed
        wrongly and of the squared distance of the forecasts from the likely classes.
    """

    def __init__(
        self,
        people: People,
        lookups: list[Lookup],
        before: Position | None = None,
        changed: int | None = None,
    ) -> None:
        self.people = people
        self.layout = Layout(lookups)
        buckets = np.empty((people.n_rows, len(lookups)), dtype=np.uint16, order="F")
        for a, lookup in enumerate(lookups):
            buckets[:, a] = lookup[people.columns[a]]
        distinct = distinct_records(buckets, self.layout.sizes)
        begin = _begin(people, self.layout, before)
        rounds = _ROUNDS if before else _ROUNDS_FROM_NOTHING
        additive = fit_additive(people.likely, distinct, self.layout, begin, rounds)
        self.effects = additive.effects
        self._spread = spread(additive.forecast)[distinct.index]
        self._forecast = corrected(people, self.layout, additive, distinct.index)
        known = None if before is None else before.pair_risk
        self.pair_risk: PairRisk = PairRisk(people, lookups, known, changed)
        records = distinct.records.astype(np.int64)
        risk = record_risk(people, self.layout, self.pair_risk, distinct.index, records)
        self.score = Score(loss_of(self._forecast, people.likely), risk)
        self._tried: dict[tuple[int, bytes], Position] = {}

    @property
    def lookups(self) -> list[Lookup]:
        """For each attribute the bucket of each atom."""
        return self.layout.lookups

    def replaced(self, a: int, lookup: Lookup) -> Position:
        """The position with another partition of one attribute; kept, as it may be asked again."""
        key = (a, lookup.tobytes())
        if key not in self._tried:
            lookups = [*self.lookups[:a], lookup, *self.lookups[a + 1 :]]
            self._tried[key] = Position(self.people, lookups, self, a)
        return self._tried[key]

    def forget(self) -> None:
        """Drop what is only needed while the search stands here."""
        self._tried.clear()

    @cached_property
    def curvature(self) -> Floats:
        """Joint sums of the spread of the additive forecasts, by atom and atom."""
        return self.people.pairs(self._spread)

    @cached_property
    def residuals(self) -> Floats:
        """What is wrong in the forecasts, summed by atom and class, by how easily it is moved."""
        return self.people.class_sums(
            (self.people.likely - self._forecast) * self._weights[:, None]
        )

    @cached_property
    def stiffness(self) -> Floats:
        """Joint sums, by atom and bucket, of how much of the loss a change of effects moves."""
        return self.layout.columns(self.people.pairs(self._weights**2))

    @cached_property
    def inverse(self) -> Floats:
        """The inverse of the same by bucket and bucket."""
        matrix = self.layout.rows(self.stiffness)
        matrix[np.diag_indices(len(matrix))] += RIDGE
        return np.asarray(np.linalg.inv(matrix))

    @cached_property
    def own_stiffness(self) -> Floats:
        """The same for each atom alone."""
        return self.people.sums(self._weights**2)

    @cached_property
    def _weights(self) -> Floats:
        return np.maximum(spread(self._forecast), _LEAST_SPREAD)


def _begin(people: People, layout: Layout, before: Position | None) -> tuple[Floats, Floats]:
    """Effects and curvature to begin with: those of the position before, if there is one."""
    if before is None:
        flat = np.zeros((len(layout), people.likely.shape[1]))
        even = float(spread(people.likely.mean(axis=0, keepdims=True))[0])
        return flat, layout.rows(layout.columns(people.pair_counts.astype(float))) * even
    weights = people.counts + 1e-9
    of_atoms = before.effects[before.layout.places] * weights[:, None]
    effects = layout.rows(of_atoms) / layout.rows(weights[:, None])
    return effects, layout.rows(layout.columns(before.curvature))


@dataclass(frozen=True)
class Additive:
    """A logistic model with one effect for each bucket and class.

    Attributes
    ----------
    effects : ndarray of float of shape (n_buckets, n_classes)
        The buckets of all attributes side by side.
    forecast : ndarray of float of shape (n_records, n_classes)
        What it believes of each generalized record.
    """

    effects: Floats
    forecast: Floats


def fit_additive(
    likely: Floats,
    distinct: DistinctRecords,
    layout: Layout,
    begin: tuple[Floats, Floats],
    rounds: int,
) -> Additive:
    """Fit the model to the likely classes of the people by a few Newton steps.

    Parameters
    ----------
    likely : ndarray of float of shape (n_rows, n_classes)
    found : DistinctRecords
        The generalized records of the people.
    layout : Layout
    begin : tuple
        The effects to begin with, by bucket and class, and the joint sums of the spread of the
        forecasts, by bucket and bucket, from a model near the one sought.
    rounds : int
        How many steps.
    """
    total = np.stack([np.bincount(distinct.index, line) for line in likely.T], axis=1)
    places = distinct.records.astype(np.int64) + layout.starts[:-1]
    effects, matrix = begin[0], begin[1].copy()
    matrix[np.diag_indices(len(matrix))] += RIDGE
    inverse = np.linalg.inv(matrix)
    base = np.log(total.sum(axis=0) / total.sum())
    best = tried = Additive(effects, _softmax(base + effects[places].sum(axis=1)))
    least, rate = np.inf, 1.0
    for _ in range(rounds):
        surprise = -float((total * np.log(tried.forecast)).sum())
        if surprise <= least:
            best, least = tried, surprise
        else:
            rate /= 3
        wrong = total - distinct.counts[:, None] * best.forecast
        gradient = np.zeros_like(effects)
        for place in places.T:
            np.add.at(gradient, place, wrong)
        effects = best.effects + rate * (inverse @ (gradient - RIDGE * best.effects))
        tried = Additive(effects, _softmax(base + effects[places].sum(axis=1)))
    return tried


def spread(forecast: Floats) -> Floats:
    """How unsure each forecast is: the chance that two draws from it differ."""
    return np.asarray(1 - (forecast**2).sum(axis=1))


def corrected(people: People, layout: Layout, additive: Additive, cells: Lookup) -> Floats:
    """The additive forecast with what the buckets tell together added.

    In each cell of two attributes, and then in each generalized record, the mean of what is still
    wrong is added, shrunk where there are few people; nobody's own class is used for the person.
    """
    forecast = additive.forecast[cells]
    for a, b in combinations(_strongest(layout, additive), 2):
        first, second = (layout.lookups[c][people.columns[c]] for c in (a, b))
        _correct(forecast, people.likely, first * layout.sizes[b] + second)
    _correct(forecast, people.likely, cells)
    forecast = np.clip(forecast, _LEAST, 1.0)
    return np.asarray(forecast / forecast.sum(axis=1, keepdims=True))


def _strongest(layout: Layout, additive: Additive) -> Sequence[int]:
    effects = [np.abs(additive.effects[layout.block(a)]).max() for a in range(len(layout.sizes))]
    return sorted(layout.collected, key=lambda a: -effects[a])[:_MOST_IN_PAIRS]


def _correct(forecast: Floats, likely: Floats, cells: NDArray[np.int64]) -> None:
    others = np.bincount(cells)[cells] - 1 + _CELL_STRENGTH
    # The shares of two classes sum to one: the second follows.
    n_classes = forecast.shape[1]
    for k in range(1 if n_classes == 2 else n_classes):
        wrong = likely[:, k] - forecast[:, k]
        forecast[:, k] += (np.bincount(cells, wrong)[cells] - wrong) / others
    if n_classes == 2:
        forecast[:, 1] = 1 - forecast[:, 0]


def _softmax(scores: Floats) -> Floats:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
