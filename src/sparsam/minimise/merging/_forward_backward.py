"""Split and merge buckets at one price of risk after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.minimise._constraints import Constraints
from sparsam.minimise._splits import numbered_by_first_code
from sparsam.minimise.merging._merge_path import Move, Moves, Step
from sparsam.minimise.merging._people import Floats, Lookup, People
from sparsam.minimise.merging._position import RIDGE, Position

# From dear to cheap risk: what a point of risk may cost in points of loss.
PRICES = tuple(np.geomspace(1.5, 0.003, 14).tolist())
_FEWEST_SAVED = 1.0  # a bucket must spare the loss of so many people, in the mean
_FEWEST_SAVED_BY_BIT = 0.1  # and so must each bit that says which category is in which bucket
_MOST_STEPS = 100  # at one price
_ALWAYS_TRIED = 2
_MOST_TRIED = 8  # of the proposals, when those before did not hold what they promised
_MOST_CUTS = 3  # of one bucket: so many of the best, and so many of the best of their surroundings
_MOST_LOOKED_AT = 30  # splits, and as many merges, whose risk is looked at
_SMALL = 1e-9


def forward_backward(
    start: Position, proposals: Proposals, prices: Sequence[float] = PRICES
) -> list[list[Step]]:
    """Make the split or merge that lowers loss + price * risk most, until none does.

    Parameters
    ----------
    start : Position
    proposals : Proposals
    prices : sequence of float
        One after the other; each begins where the one before ended.

    Returns
    -------
    list of list of Step
        For each price the generalizations that were reached, the first of them where it began.
    """
    steps, position = [], start
    for price in (start.people.spread * price for price in prices):
        reached = [position.step]
        while len(reached) <= _MOST_STEPS:
            better = _improved(position, proposals, price)
            if better is None:
                break
            position.forget()
            position = better
            reached.append(position.step)
        steps.append(reached)
    return steps


def _improved(position: Position, proposals: Proposals, price: float) -> Position | None:
    """The best of the most promising changes, None when none keeps its promise."""
    now, best, least = _value(position, price), None, np.inf
    for tried, proposal in enumerate(_promising(position, proposals, price)):
        if tried >= (_ALWAYS_TRIED if best is not None else _MOST_TRIED):
            break
        other = position.replaced(proposal.attribute, proposal.lookup)
        value = _value(other, price)
        if value < min(least, now - 1e-9):
            best, least = other, value
    return best


def _promising(position: Position, proposals: Proposals, price: float) -> Iterator[Proposal]:
    people, sizes = position.people, position.layout.sizes

    def promised(proposal: Proposal) -> float:
        a, size = proposal.attribute, int(proposal.lookup.max()) + 1
        longer = _description(people, a, size) - _description(people, a, sizes[a])
        return proposal.loss + price * proposal.risk + longer

    ranked = sorted(proposals.at(position), key=promised)
    yield from (proposal for proposal in ranked if promised(proposal) < 0)


def _value(position: Position, price: float) -> float:
    sizes = enumerate(position.layout.sizes)
    length = sum(_description(position.people, a, size) for a, size in sizes)
    return position.score.priced(price) + length


def _description(people: People, a: int, n_buckets: int) -> float:
    """What a partition must gain to be more than chance: the longer to describe, the more."""
    saved = _FEWEST_SAVED * (n_buckets - 1)
    if not people.attributes[a].ordered:
        n_seen = np.count_nonzero(people.counts[people.block(a)])
        saved += _FEWEST_SAVED_BY_BIT * n_seen * np.log2(n_buckets)
    return float(people.spread * saved / people.n_rows)


@dataclass(frozen=True)
class Proposal:
    """Another partition of one attribute, and what it should change.

    Attributes
    ----------
    attribute : int
    lookup : ndarray of int
    loss, risk : float
        What it should add to them.
    """

    attribute: int
    lookup: Lookup
    loss: float
    risk: float = 0.0


class Proposals:
    """The changes of one attribute that a generalization permits, the most promising ones.

    A split is judged by a score test: how far the sum of what is wrong in the forecasts on one
    side of the cut is from zero. A merge is judged by a Wald test: how far the effects of the
    buckets are apart. Categories are ordered by what is wrong in the forecasts for them.

    Parameters
    ----------
    people : People
    constraints : Constraints
    """

    def __init__(self, people: People, constraints: Constraints) -> None:
        names = people.task.names
        self._people = people
        fixed = {*constraints.must_drop, *constraints.must_keep}
        self._barred = {place for place, name in enumerate(names) if name in fixed}
        self._most = {names.index(n): most for n, most in constraints.max_buckets.items()}
        self._moves = Moves(people.task, constraints, people.atoms)

    def at(self, position: Position) -> list[Proposal]:
        """Those worth a look, with what they should change."""
        best = sorted(self._splits(position), key=lambda split: split.loss)[:_MOST_LOOKED_AT]
        best += sorted(self._merges(position), key=lambda merge: merge.loss)[:_MOST_LOOKED_AT]
        risk, now = position.pair_risk, position.pair_risk.value
        proposals = []
        for proposal in best:
            a, lookup = proposal.attribute, numbered_by_first_code(proposal.lookup)
            proposals.append(Proposal(a, lookup, proposal.loss, risk.after(a, lookup) - now))
        return proposals

    def _splits(self, position: Position) -> Iterator[Proposal]:
        for a, size in enumerate(position.layout.sizes):
            if a in self._barred or size >= self._most.get(a, size + 1):
                continue
            if self._moves.has_hierarchy(a):
                yield from self._opened(position, a)
                continue
            for bucket in range(size):
                yield from self._cuts(position, a, bucket)

    def _cuts(self, position: Position, a: int, bucket: int) -> Iterator[Proposal]:
        """The best ways to cut one bucket in two."""
        block, lookup = self._people.block(a), position.lookups[a]
        atoms = np.flatnonzero((lookup == bucket) & (self._people.counts[block] > 0))
        if len(atoms) < 2:
            return
        residuals, own = position.residuals[block], position.own_stiffness[block]
        if not self._people.attributes[a].ordered:
            speaking = (residuals[atoms] ** 2).sum(axis=0).argmax()
            score = residuals[atoms, speaking] / (own[atoms] + 2 * RIDGE)
            atoms = atoms[np.argsort(score, kind="stable")]
        wrong = np.cumsum(residuals[atoms], axis=0)[:-1]
        joint = np.cumsum(position.stiffness[block][atoms], axis=0)[:-1]
        room = np.cumsum(own[atoms])[:-1] + RIDGE - ((joint @ position.inverse) * joint).sum(axis=1)
        gains = (wrong**2).sum(axis=1) / np.maximum(room, _SMALL)
        for cut in _peaks(gains):
            part = atoms[: cut + 1]
            if self._people.attributes[a].ordered:
                inside = np.flatnonzero(lookup == bucket)
                part = inside[inside <= part[-1]]
            parted = lookup.copy()
            parted[part] = position.layout.sizes[a]
            gain = float(gains[cut]) / self._people.n_rows
            yield Proposal(a, parted, -gain)

    def _opened(self, position: Position, a: int) -> Iterator[Proposal]:
        """Each bucket that is a group of a hierarchy, opened into the parts of the group."""
        block = self._people.block(a)
        wrong, own = position.residuals[block], position.own_stiffness[block]
        for lookup in self._moves.openings(a, position.lookups[a]):
            if lookup.max() >= self._most.get(a, len(lookup)):
                continue
            sums = np.zeros((int(lookup.max()) + 1, wrong.shape[1]))
            room = np.full(len(sums), RIDGE)
            np.add.at(sums, lookup, wrong)
            np.add.at(room, lookup, own)
            gain = float(((sums**2).sum(axis=1) / room).sum()) / self._people.n_rows
            yield Proposal(a, lookup, -gain)

    def _merges(self, position: Position) -> Iterator[Proposal]:
        for move in self._moves.merges(position.lookups):
            lookup = position.lookups[move.attribute]
            same = np.arange(position.layout.sizes[move.attribute])
            same[list(move.buckets)] = move.buckets[0]
            cost = _distance(position, move) / self._people.n_rows
            yield Proposal(move.attribute, same[lookup], cost)


def _distance(position: Position, move: Move) -> float:
    """How much worse the fit gets when some buckets must have one effect."""
    places = int(position.layout.starts[move.attribute]) + np.array(move.buckets)
    effects, inverse = position.effects[places], position.inverse[np.ix_(places, places)]
    apart = effects[1:] - effects[0]
    spread = inverse[1:, 1:] - inverse[1:, :1] - inverse[:1, 1:] + inverse[0, 0]
    spread[np.diag_indices(len(spread))] += _SMALL
    return float((apart * np.linalg.solve(spread, apart)).sum())


def _peaks(gains: Floats) -> list[int]:
    """The best few places, and the best few of those that beat their neighbours."""
    order: NDArray[np.int64] = np.argsort(-gains, kind="stable")
    walls = np.concatenate([[-np.inf], gains, [-np.inf]])
    peaks = [i for i in order.tolist() if walls[i] <= gains[i] >= walls[i + 2]]
    return sorted({*order[:_MOST_CUTS].tolist(), *peaks[:_MOST_CUTS]})
