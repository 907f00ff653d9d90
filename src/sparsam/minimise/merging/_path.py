"""Split and merge buckets at one price of risk after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sparsam.minimise.merging._merge_search import Step
from sparsam.minimise.merging._people import People
from sparsam.minimise.merging._position import Position
from sparsam.minimise.merging._proposals import Proposal, Proposals

# From dear to cheap risk: what a point of risk may cost in points of loss.
PRICES = tuple(np.geomspace(1.5, 0.003, 28).tolist())
_FEWEST_SAVED = 1.0  # a bucket must spare the loss of so many people, in the mean
_FEWEST_SAVED_BY_BIT = 0.1  # and so must each bit that says which category is in which bucket
_MOST_STEPS = 100  # at one price
_ALWAYS_TRIED = 2
_MOST_TRIED = 8  # of the proposals, when those before did not hold what they promised


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
    found, position = [], start
    for price in prices:
        reached = [_step(position)]
        while len(reached) <= _MOST_STEPS:
            better = _improved(position, proposals, price)
            if better is None:
                break
            position.forget()
            position = better
            reached.append(_step(position))
        found.append(reached)
    return found


def _step(position: Position) -> Step:
    return Step(position.people.of_codes(position.lookups), position.score)


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
    return float(saved / people.n_rows)
