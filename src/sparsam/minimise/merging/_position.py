"""One generalization in the search: what it costs and reveals, and where it could be better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sparsam.counting import DistinctRecords, compiled, distinct_records
from sparsam.minimise.merging._merge_path import Score, Step
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
        self._buckets = _buckets(people, lookups, before, changed)
        distinct = distinct_records(self._buckets, self.layout.sizes)
        begin = _begin(people, self.layout, before, changed)
        rounds = _ROUNDS if before else _ROUNDS_FROM_NOTHING
        additive = fit_additive(people.likely, distinct, self.layout, begin, rounds)
        self.effects = additive.effects
        self._spread = spread(additive.forecast)[distinct.index]
        self._forecast = corrected(people, self.layout, additive, distinct.index, self._buckets)
        known = None if before is None else before.pair_risk
        self.pair_risk: PairRisk = PairRisk(people, lookups, known, changed)
        risk = record_risk(people, self.layout, self.pair_risk, distinct)
        self.score = Score(loss_of(self._forecast, people.likely), risk)
        self._n_records = len(distinct)
        self._tried: dict[tuple[int, bytes], Position] = {}

    @property
    def lookups(self) -> list[Lookup]:
        """For each attribute the bucket of each atom."""
        return self.layout.lookups

    @property
    def step(self) -> Step:
        """The generalization, with buckets of codes, and what was found of it."""
        return Step(self.people.of_codes(self.lookups), self.score, self._n_records)

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
    def _curvature(self) -> Floats:
        """Joint sums of the spread of the additive forecasts, by atom and bucket."""
        return self.people.pairs_with(self.layout, self._spread)

    @cached_property
    def _curvature_of_buckets(self) -> Floats:
        return self.layout.rows(self._curvature)

    @cached_property
    def _own_spread(self) -> Floats:
        return self.people.sums(self._spread[:, None])[:, 0]

    def curvature_with(self, layout: Layout, changed: int) -> Floats:
        """The same by bucket and bucket where one attribute has other buckets."""
        lookup, atoms = layout.lookups[changed], self.people.block(changed)
        matrix = np.zeros((len(layout), len(layout)))
        there, here = layout.others(changed), self.layout.others(changed)
        matrix[np.ix_(there, there)] = self._curvature_of_buckets[np.ix_(here, here)]
        order, borders = _runs(lookup)
        rows = np.add.reduceat(self._curvature[atoms][:, here][order], borders, axis=0)
        own = layout.block(changed)
        matrix[own, there] = rows
        matrix[there, own] = rows.T
        # nobody is in two buckets of one attribute
        places = np.arange(own.start, own.stop)
        matrix[places, places] = np.bincount(lookup, self._own_spread[atoms])
        return matrix

    @cached_property
    def residuals(self) -> Floats:
        """What is wrong in the forecasts, summed by atom and class, by how easily it is moved."""
        return self.people.sums((self.people.likely - self._forecast) * self._weights[:, None])

    @cached_property
    def stiffness(self) -> Floats:
        """Joint sums, by atom and bucket, of how much of the loss a change of effects moves."""
        return self.people.pairs_with(self.layout, self._weights**2)

    @cached_property
    def inverse(self) -> Floats:
        """The inverse of the same by bucket and bucket."""
        matrix = self.layout.rows(self.stiffness)
        matrix[np.diag_indices(len(matrix))] += RIDGE
        return np.asarray(np.linalg.inv(matrix))

    @cached_property
    def own_stiffness(self) -> Floats:
        """The same for each atom alone."""
        return self.people.sums((self._weights**2)[:, None])[:, 0]

    @cached_property
    def _weights(self) -> Floats:
        return np.maximum(spread(self._forecast), _LEAST_SPREAD)


def _buckets(
    people: People, lookups: list[Lookup], before: Position | None, changed: int | None
) -> NDArray[np.uint16]:
    """The bucket of each person and attribute."""
    if before is None or changed is None:
        buckets = np.empty((people.n_rows, len(lookups)), dtype=np.uint16, order="F")
        fresh: Sequence[int] = range(len(lookups))
    else:
        buckets, fresh = before._buckets.copy(order="F"), [changed]
    for a in fresh:
        buckets[:, a] = lookups[a].astype(np.uint16)[people.columns[a]]
    return buckets


def _begin(
    people: People, layout: Layout, before: Position | None, changed: int | None
) -> tuple[Floats, Floats]:
    """Effects and curvature to begin with: those of the position before, if there is one."""
    if before is None or changed is None:
        flat = np.zeros((len(layout), people.likely.shape[1]))
        even = float(spread(people.likely.mean(axis=0, keepdims=True))[0])
        return flat, layout.rows(people.pairs_with(layout, None)) * even
    weights = people.counts + 1e-9
    of_atoms = before.effects[before.layout.places] * weights[:, None]
    effects = layout.rows(of_atoms) / layout.rows(weights[:, None])
    return effects, before.curvature_with(layout, changed)


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
    best = tried = Additive(effects, forecast_of(places, effects, base))
    least, rate = np.inf, 1.0
    for _ in range(rounds):
        surprise = -float((total * np.log(tried.forecast)).sum())
        if surprise <= least:
            best, least = tried, surprise
        else:
            rate /= 3
        wrong = total - distinct.counts[:, None] * best.forecast
        gradient = sums_by_place(places, wrong, len(effects))
        effects = best.effects + rate * (inverse @ (gradient - RIDGE * best.effects))
        tried = Additive(effects, forecast_of(places, effects, base))
    return tried


@compiled(error_model="numpy")
def forecast_of(places: Lookup, effects: Floats, base: Floats) -> Floats:
    """The shares of the classes of each record, from the effects of its buckets."""
    n_classes = base.shape[0]
    forecast = np.empty((places.shape[0], n_classes))
    for line in range(places.shape[0]):
        highest = -np.inf
        for k in range(n_classes):
            score = base[k]
            for a in range(places.shape[1]):
                score += effects[places[line, a], k]
            forecast[line, k] = score
            highest = max(highest, score)
        total = 0.0
        for k in range(n_classes):
            forecast[line, k] = np.exp(forecast[line, k] - highest)
            total += forecast[line, k]
        for k in range(n_classes):
            forecast[line, k] /= total
    return forecast


@compiled()
def sums_by_place(places: Lookup, values: Floats, n_places: int) -> Floats:
    """The sums of the values of all records that have a bucket in each place."""
    sums = np.zeros((n_places, values.shape[1]))
    for line in range(places.shape[0]):
        for a in range(places.shape[1]):
            for k in range(values.shape[1]):
                sums[places[line, a], k] += values[line, k]
    return sums


def spread(forecast: Floats) -> Floats:
    """How unsure each forecast is: the chance that two draws from it differ."""
    return np.asarray(1 - (forecast**2).sum(axis=1))


def corrected(
    people: People,
    layout: Layout,
    additive: Additive,
    cells: Lookup,
    buckets: NDArray[np.uint16],
) -> Floats:
    """The additive forecast with what the buckets tell together added.

    In each cell of two attributes, and then in each generalized record, the mean of what is still
    wrong is added, shrunk where there are few people; nobody's own class is used for the person.
    """
    strongest = np.array(_strongest(layout, additive), dtype=np.int64)
    n_classes = people.likely.shape[1]
    # The shares of two classes sum to one: the second follows.
    n_told = 1 if n_classes == 2 else n_classes
    wrong = np.ascontiguousarray((people.likely - additive.forecast[cells]).T[:n_told])
    correct_pairs(wrong, buckets, np.array(layout.sizes), strongest)
    correct(wrong, cells, len(additive.forecast))
    forecast = people.likely.copy()
    forecast[:, :n_told] -= wrong.T
    if n_classes == 2:
        forecast[:, 1] = 1.0 - forecast[:, 0]
    normalise(forecast)
    return forecast


def _strongest(layout: Layout, additive: Additive) -> Sequence[int]:
    effects = [np.abs(additive.effects[layout.block(a)]).max() for a in range(len(layout.sizes))]
    return sorted(layout.collected, key=lambda a: -effects[a])[:_MOST_IN_PAIRS]


@compiled(error_model="numpy")
def correct(wrong: Floats, cells: Lookup | NDArray[np.uint32], n_cells: int) -> None:
    """Take from what is wrong in each forecast its mean over the others in the same cell.

    `wrong` has a line for each class, and the people in it.
    """
    worth, sums = np.zeros(n_cells), np.empty(n_cells)
    for row in range(cells.shape[0]):
        worth[cells[row]] += 1.0
    for cell in range(n_cells):
        worth[cell] = 1.0 / (worth[cell] - 1.0 + _CELL_STRENGTH)
    for k in range(wrong.shape[0]):
        line = wrong[k]
        for cell in range(n_cells):
            sums[cell] = 0.0
        for row in range(cells.shape[0]):
            sums[cells[row]] += line[row]
        for row in range(cells.shape[0]):
            line[row] -= (sums[cells[row]] - line[row]) * worth[cells[row]]


@compiled(error_model="numpy")
def correct_pairs(
    wrong: Floats,
    buckets: NDArray[np.uint16],
    sizes: NDArray[np.int64],
    strongest: NDArray[np.int64],
) -> None:
    """The same in the cells of each two of the strongest attributes, one pair after the other."""
    cells = np.empty(buckets.shape[0], dtype=np.uint32)  # what cannot be negative is found sooner
    for i in range(strongest.shape[0]):
        for j in range(i + 1, strongest.shape[0]):
            a, b = strongest[i], strongest[j]
            size = np.uint32(sizes[b])
            for row in range(buckets.shape[0]):
                cells[row] = np.uint32(buckets[row, a]) * size + np.uint32(buckets[row, b])
            correct(wrong, cells, sizes[a] * sizes[b])


@compiled(error_model="numpy")
def normalise(forecast: Floats) -> None:
    """Make shares of forecasts: none is too small, and all sum to one."""
    for row in range(forecast.shape[0]):
        total = 0.0
        for k in range(forecast.shape[1]):
            forecast[row, k] = min(max(forecast[row, k], _LEAST), 1.0)
            total += forecast[row, k]
        for k in range(forecast.shape[1]):
            forecast[row, k] /= total


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
        self._buckets = np.concatenate(lookups)
        personal = np.array(people.task.personal, dtype=np.int64)
        if before is None or changed is None:
            stale = np.ones((len(personal), len(lookups)), dtype=bool)
            self._hits: Floats = np.zeros(stale.shape)
            self._sizes = np.array([int(lookup.max()) + 1 for lookup in lookups])
        else:
            stale = np.zeros((len(personal), len(lookups)), dtype=bool)
            stale[:, changed] = stale[personal == changed] = True
            self._hits, self._sizes = before._hits.copy(), before._sizes.copy()
            self._sizes[changed] = int(lookups[changed].max()) + 1
        set_hits(
            people.pair_counts,
            people.starts,
            self._buckets,
            self._sizes,
            personal,
            stale,
            self._hits,
        )

    @property
    def value(self) -> float:
        """Share of personal values guessed, by the weights of the attributes."""
        personal = np.array(self._people.task.personal, dtype=np.int64)
        own = self._hits[np.arange(len(personal)), personal]
        more = np.maximum(self._hits - own[:, None], 0.0)
        together = np.minimum(own + np.sqrt((more**2).sum(axis=1)), self._people.n_rows)
        return float(together @ self._people.weights / self._people.n_rows)

    def after(self, a: int, lookup: Lookup) -> float:
        """The value with another partition of one attribute."""
        lookups = [*self._lookups[:a], lookup, *self._lookups[a + 1 :]]
        return PairRisk(self._people, lookups, self, a).value

    @property
    def most_telling(self) -> NDArray[np.int64]:
        """For each personal attribute the one that tells most of it, beside its own bucket."""
        return self._hits.argmax(axis=1) if len(self._hits) else np.zeros(0, dtype=np.int64)


@compiled(error_model="numpy")
def set_hits(
    pair_counts: NDArray[np.float32],
    starts: NDArray[np.int64],
    buckets: Lookup,
    sizes: NDArray[np.int64],
    personal: NDArray[np.int64],
    stale: NDArray[np.bool_],
    hits: Floats,
) -> None:
    """How many values of each personal attribute its own bucket and that of another tell.

    `buckets` and `sizes` are those of all atoms side by side and of all attributes; only what is
    `stale` is set.
    """
    for q in range(personal.shape[0]):
        p = personal[q]
        first, last = starts[p], starts[p + 1]
        for b in range(sizes.shape[0]):
            if not stale[q, b]:
                continue
            width = 1 if b == p else sizes[b]
            best = np.zeros((sizes[p], width))
            total = np.zeros((sizes[p], width))
            squares = np.zeros((sizes[p], width))
            line = np.zeros(width)
            for atom in range(first, last):
                for other in range(width):
                    line[other] = 0.0
                if width == 1:
                    line[0] = pair_counts[atom, atom]
                else:
                    for cell in range(starts[b], starts[b + 1]):
                        line[buckets[cell]] += pair_counts[atom, cell]
                own = buckets[atom]
                for other in range(width):
                    best[own, other] = max(best[own, other], line[other])
                    total[own, other] += line[other]
                    squares[own, other] += line[other] * line[other]
            hit = 0.0
            for own in range(sizes[p]):
                for other in range(width):
                    soft = squares[own, other] / max(total[own, other], 1.0)
                    hit += (1 - _SOFT) * best[own, other] + _SOFT * soft
            hits[q, b] = hit


def _runs(lookup: Lookup) -> _Runs:
    """The atoms sorted by bucket, and where each bucket begins."""
    order = np.argsort(lookup, kind="stable")
    ranked = lookup[order]
    return order, np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))


def record_risk(
    people: People, layout: Layout, pairs: PairRisk, distinct: DistinctRecords
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
    distinct : DistinctRecords
        The generalized records of the people.
    """
    personal = people.task.personal
    told = np.array([layout.sizes[p] == people.sizes[p] for p in personal], dtype=bool)
    asked = ~told & (people.weights > 0)
    hits = hits_in_records(
        people.pair_counts,
        people.starts,
        np.concatenate(layout.lookups),
        np.array(layout.sizes),
        np.array(personal, dtype=np.int64)[asked],
        pairs.most_telling[asked],
        people.matrix,
        distinct.records,
        distinct.index,
        distinct.counts,
    )
    shares = told.astype(float)
    shares[asked] = hits / people.n_rows
    return float(sum(people.weights * shares))


@compiled(error_model="numpy")
def hits_in_records(
    pair_counts: NDArray[np.float32],
    starts: NDArray[np.int64],
    buckets: Lookup,
    sizes: NDArray[np.int64],
    personal: NDArray[np.int64],
    telling: NDArray[np.int64],
    atoms: NDArray[np.uint16],
    records: NDArray[np.uint16],
    index: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> Floats:
    """How many values of each personal attribute are guessed from records.

    `buckets` and `sizes` are those of all atoms side by side and of all attributes; `telling` is
    the other attribute whose bucket backs the guess; `atoms` has those of each person, `index` the
    record of each, and `counts` the people of each record.
    """
    order, ends = _by_number(index, counts)
    hits = np.zeros(personal.shape[0])
    for q in range(personal.shape[0]):
        p, b = personal[q], telling[q]
        first, last = starts[p], starts[p + 1]
        width = 1 if b == p else sizes[b]
        table = np.zeros((last - first, width), dtype=np.float32)
        in_bucket = np.zeros((sizes[p], width), dtype=np.float32)
        most = np.zeros((sizes[p], width), dtype=np.float32)
        n_atoms = np.zeros(sizes[p], dtype=np.int64)
        for atom in range(first, last):
            line = table[atom - first]
            if width == 1:
                line[0] = pair_counts[atom, atom]
            else:
                for cell in range(starts[b], starts[b + 1]):
                    line[buckets[cell]] += pair_counts[atom, cell]
            own = buckets[atom]
            n_atoms[own] += 1
            for other in range(width):
                in_bucket[own, other] += line[other]
                most[own, other] = max(most[own, other], line[other])
        prior = np.empty((width, last - first), dtype=np.float32)
        for atom in range(last - first):
            own = buckets[first + atom]
            for other in range(width):
                people = max(in_bucket[own, other], np.float32(1.0))
                prior[other, atom] = np.float32(_STRENGTH) * table[atom, other] / people
        ranked, borders = _by_number(buckets[first:last], n_atoms)
        others = np.zeros(records.shape[0], dtype=np.int64)
        owns = np.empty(records.shape[0], dtype=np.int64)
        for record in range(records.shape[0]):
            owns[record] = records[record, p]
            if width > 1:
                others[record] = records[record, b]
        guessed = hits_of(order, ends, atoms[:, p], owns, others, prior, ranked, borders)
        by_buckets = 0.0
        for own in range(sizes[p]):
            for other in range(width):
                by_buckets += most[own, other]
        hits[q] = max(guessed, by_buckets)
    return hits


@compiled()
def _by_number(numbers: Lookup, counts: NDArray[np.int64]) -> tuple[Lookup, Lookup]:
    """Places sorted by their number, in order where it is the same, and where each number ends."""
    ends, following = np.empty_like(counts), np.empty_like(counts)
    before = 0
    for number in range(counts.shape[0]):
        following[number] = before
        before += counts[number]
        ends[number] = before
    order = np.empty(numbers.shape[0], dtype=np.int64)
    for place in range(numbers.shape[0]):
        order[following[numbers[place]]] = place
        following[numbers[place]] += 1
    return order, ends


@compiled()
def hits_of(
    order: Lookup,
    ends: Lookup,
    column: NDArray[np.uint16],
    own: Lookup,
    other: Lookup,
    prior: NDArray[np.float32],
    atoms: Lookup,
    borders: Lookup,
) -> float:
    """How many people are guessed rightly by all others: the best guess must stand without them.

    `order` lists the people record by record, those of record r up to `ends[r]`; `column` is the
    atom of each; `own` and `other` are the buckets of each record that its prior comes from.
    `atoms` are listed bucket by bucket, those of bucket u up to `borders[u]`.
    """
    counts = np.zeros(prior.shape[1])
    hits, first = 0.0, 0
    for record in range(ends.shape[0]):
        for place in range(first, ends[record]):
            counts[column[order[place]]] += 1.0
        begin, end = borders[own[record] - 1] if own[record] else 0, borders[own[record]]
        best, second, people = -1.0, -1.0, 0.0
        if end - begin < atoms.shape[0]:
            second = 0.0  # that of the atoms in other buckets
        for place in range(begin, end):
            atom = atoms[place]
            score = counts[atom] + prior[other[record], atom]
            if score > best:
                second = max(second, best)
                best, people = score, counts[atom]
            elif score > second:
                second = score
        if best - 1.0 >= second:
            hits += people
        for place in range(first, ends[record]):
            counts[column[order[place]]] = 0.0
        first = ends[record]
    return hits
