"""One generalization in the search: what it costs and reveals, and where it could be better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sparsam.counting import DistinctRecords, distinct_records
from sparsam.minimise.merging._merge_path import Score
from sparsam.minimise.merging._people import Floats, Layout, Lookup, People, loss_of

_ROUNDS, _ROUNDS_FROM_NOTHING = 4, 12  # of fitting
_LEAST_SPREAD = 0.01  # a forecast is never so sure that nothing could change it
RIDGE = 2.0  # as if so many average people more had been seen in each bucket
_MOST_IN_PAIRS = 7  # attributes whose interactions two by two are looked at
_CELL_STRENGTH = 20.0  # as if so many people more, without a correction, were in each cell
_LEAST = 0.002
_Runs = tuple[NDArray[np.int64], NDArray[np.int64]]
_SOFT = 0.3  # weight of the Gini value, which also sees what does not change the best guess yet
_STRENGTH = 5.0  # as if so many people more had been seen in each record, who are like the prior
_MOST_CELLS = 4_000_000  # to look at in one go


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


class PairRisk:
    """The risk from the own bucket of each personal attribute and one other attribute at a time.

    It needs tables of pairs only, so the effect of a change is found without a look at the people.
    What several attributes tell beyond the own bucket is added up as if at right angles.

    Parameters
    ----------
    people : People
    lookups : list of ndarray of int
    before : PairRisk, optional
        That of a generalization which differs in one attribute only.
    changed : int, optional
        This attribute.
    """

    def __init__(
        self,
        people: People,
        lookups: list[Lookup],
        before: PairRisk | None = None,
        changed: int | None = None,
    ) -> None:
        self._people, self._lookups = people, lookups
        personal, n_attributes = people.task.personal, len(lookups)
        if before is None or changed is None:
            self._runs = [_runs(lookup) for lookup in lookups]
        else:
            self._runs = [*before._runs]
            self._runs[changed] = _runs(lookups[changed])
        unknown = np.zeros((len(personal), n_attributes))
        self._hits: Floats = unknown if before is None else before._hits.copy()
        for q, p in enumerate(personal):
            stale = range(n_attributes) if before is None or p == changed else [changed]
            for b in stale:
                if b is not None:
                    self._hits[q, b] = self._hit(p, b)

    @property
    def value(self) -> float:
        """Share of personal values guessed, by the weights of the attributes."""
        personal = np.array(self._people.task.personal, dtype=np.int64)
        own = self._hits[np.arange(len(personal)), personal]
        more = np.maximum(self._hits - own[:, None], 0.0)
        together = np.minimum(own + np.sqrt((more**2).sum(axis=1)), 1.0)
        return float(together @ self._people.weights)

    def after(self, a: int, lookup: Lookup) -> float:
        """The value with another partition of one attribute."""
        lookups = [*self._lookups[:a], lookup, *self._lookups[a + 1 :]]
        return PairRisk(self._people, lookups, self, a).value

    def most_telling(self, q: int) -> int:
        """The attribute that tells most of a personal one, beside its own bucket."""
        return int(self._hits[q].argmax())

    def _joint_counts(self, p: int, b: int) -> NDArray[np.float32]:
        return joint_counts(self._people, self._lookups, p, b, self._runs[b])

    def _hit(self, p: int, b: int) -> float:
        """Share of the values of attribute p guessed from its own bucket and the bucket of b."""
        table = self._joint_counts(p, b)
        order, borders = self._runs[p]
        table = table[order]
        best = np.maximum.reduceat(table, borders, axis=0).sum()
        total = np.add.reduceat(table, borders, axis=0)
        squares = np.add.reduceat(table * table, borders, axis=0) / np.maximum(total, 1.0)
        return float((1 - _SOFT) * best + _SOFT * squares.sum()) / self._people.n_rows


def joint_counts(
    people: People, lookups: list[Lookup], p: int, b: int, runs: _Runs | None = None
) -> NDArray[np.float32]:
    """How many people have each atom of p and each bucket of b; in all, where b is p itself."""
    if b == p or not lookups[b].any():
        return people.counts[people.block(p)][:, None].astype(np.float32)
    order, borders = _runs(lookups[b]) if runs is None else runs
    table = people.pair_counts[people.block(p), people.block(b)]
    return np.asarray(np.add.reduceat(table[:, order], borders, axis=1))


def _runs(lookup: Lookup) -> _Runs:
    """The atoms sorted by bucket, and where each bucket begins."""
    order = np.argsort(lookup, kind="stable")
    ranked = lookup[order]
    return order, np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))


def record_risk(
    people: People, layout: Layout, pairs: PairRisk, cells: Lookup, records: Lookup
) -> float:
    """Share of personal values guessed from whole generalized records.

    The guess is the value most frequent among the others with the same record, as if a few more
    had been seen there who are like those with the same own and most telling other bucket. Where
    records are too rare for that, these two buckets alone may tell more.

    Parameters
    ----------
    people : People
    layout : Layout
    pairs : PairRisk
    cells : ndarray of int of shape (n_rows,)
        Which generalized record each person has.
    records : ndarray of int of shape (n_records, n_attributes)
    """
    risk = 0.0
    for q, p in enumerate(people.task.personal):
        if layout.sizes[p] == people.sizes[p]:
            risk += people.weights[q]
        elif people.weights[q] > 0:
            hits = _hits_in_records(people, layout, (p, pairs.most_telling(q)), cells, records)
            risk += people.weights[q] * hits / people.n_rows
    return float(risk)


def _hits_in_records(
    people: People, layout: Layout, pair: tuple[int, int], cells: Lookup, records: Lookup
) -> float:
    """How many values of the first attribute are guessed; the second is the most telling one."""
    p, b = pair
    size, own = people.sizes[p], layout.lookups[p]
    table = joint_counts(people, layout.lookups, p, b)
    in_bucket = np.zeros((layout.sizes[p], table.shape[1]), dtype=np.float32)
    np.add.at(in_bucket, own, table)
    prior = (_STRENGTH * table / np.maximum(in_bucket[own], 1.0)).T
    step = max(1, _MOST_CELLS // size)
    hits = 0.0
    for first in range(0, len(records), step):
        some = records[first : first + step]
        inside = np.flatnonzero((cells >= first) & (cells < first + step))
        keys = (cells[inside] - first) * size + people.columns[p][inside]
        counts = np.bincount(keys, minlength=len(some) * size).reshape(len(some), size)
        other = some[:, b] if len(prior) > 1 else np.zeros(len(some), dtype=np.int64)
        hits += _hits(counts, np.where(own == some[:, p : p + 1], prior[other], 0.0))
    order, borders = _runs(own)
    return max(hits, float(np.maximum.reduceat(table[order], borders, axis=0).sum()))


def _hits(counts: NDArray[np.int64], prior: Floats | NDArray[np.float32]) -> float:
    """How many people are guessed rightly by all others: the best guess must stand without them."""
    score = counts + prior
    lines, top = np.arange(len(score)), score.argmax(axis=1)
    best, people = score[lines, top], counts[lines, top]
    score[lines, top] = -1.0
    return float(people[best - 1 >= score.max(axis=1)].sum())
