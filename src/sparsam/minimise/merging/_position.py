"""One generalization in the search: what it costs and reveals, and where it could be better."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sparsam.counting import distinct_records
from sparsam.minimise.merging._boosted import loss_of
from sparsam.minimise.merging._forecast import RIDGE, corrected, fit_additive, spread
from sparsam.minimise.merging._layout import Layout
from sparsam.minimise.merging._people import Floats, Lookup, People
from sparsam.minimise.merging._risk import PairRisk, record_risk
from sparsam.minimise.merging._tables import Score

_ROUNDS, _ROUNDS_FROM_NOTHING = 4, 12  # of fitting
_LEAST_SPREAD = 0.01  # a forecast is never so sure that nothing could change it


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
        found = distinct_records(buckets, self.layout.sizes)
        begin = _begin(people, self.layout, before)
        rounds = _ROUNDS if before else _ROUNDS_FROM_NOTHING
        additive = fit_additive(people.likely, found, self.layout, begin, rounds)
        self.effects = additive.effects
        self._spread = spread(additive.forecast)[found.index]
        self._forecast = corrected(people, self.layout, additive, found.index)
        known = None if before is None else before.pair_risk
        self.pair_risk: PairRisk = PairRisk(people, lookups, known, changed)
        records = found.records.astype(np.int64)
        risk = record_risk(people, self.layout, self.pair_risk, found.index, records)
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
