"""Search among the coarsenings of a generalization for the best at each price of risk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.minimise._merge_moves import Lookups, Move, Moves
from sparsam.minimise._merge_tables import MergeTables, Score

# From dear to cheap risk: what a point of risk may cost in points of loss.
PRICES = (1.5, 1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12, 0.08, 0.05, 0.03, 0.02)
_LEAST_GAIN = 2e-4  # a gain of less is noise, and not worth a bucket
_LEAST_WORTH = 5e-4  # the same where no price is set
_LEAST_RISK = 1e-9  # keeps the price of a merge finite that takes no risk away
_MOST_STEPS = 100  # at one price; each gains, so this is never reached but by very wide tables


@dataclass(frozen=True)
class Step:
    """A generalization on the way, and what it costs and reveals.

    Attributes
    ----------
    lookups : list of ndarray of int
        For each attribute the bucket of each code.
    score : Score
    """

    lookups: Lookups
    score: Score


def merge_path(tables: MergeTables, moves: Moves) -> list[Step]:
    """Merge buckets until there is nothing left to merge.

    The price of risk rises from zero. At each price the merge that lowers loss + price * risk
    most is made; when none lowers it, the price rises to the least at which one would.
    """
    price = 0.0
    steps = [Step(tables.lookups, tables.score)]
    while changes := {move: tables.change(move) for move in moves.merges(tables.lookups)}:
        price = max(price, min(_price(change) for change in changes.values()))
        tables = tables.after(_cheapest(changes, price))
        steps.append(Step(tables.lookups, tables.score))
    return steps


def _price(change: Score) -> float:
    """The price of risk at which a merge begins to pay."""
    return change.loss / max(-change.risk, _LEAST_RISK)


def _cheapest(changes: dict[Move, Score], price: float) -> Move:
    paying = {move: change for move, change in changes.items() if _price(change) <= price}
    return min(paying, key=lambda move: paying[move].priced(price))


def forward_backward(
    finest: MergeTables, moves: Moves, prices: Sequence[float] = PRICES
) -> list[list[Step]]:
    """From nothing collected, split and merge buckets at one price of risk after the other.

    Parameters
    ----------
    finest : MergeTables
        Buckets are split only where it splits them.
    moves : Moves
    prices : sequence of float

    Returns
    -------
    list of list of Step
        For each price the steps that were taken; the first is where it began.
    """
    tables = finest.coarsened(moves.nothing(finest.lookups))
    found = []
    for price in prices:
        steps = [Step(tables.lookups, tables.score)]
        while len(steps) < _MOST_STEPS:
            better = _improved(finest, tables, moves, price)
            if better is None:
                break
            tables = better
            steps.append(Step(tables.lookups, tables.score))
        found.append(steps)
    return found


def _improved(
    finest: MergeTables, tables: MergeTables, moves: Moves, price: float
) -> MergeTables | None:
    """The tables after the split or merge that gains most, None when none gains enough."""
    best, least = None, tables.score.priced(price) - _LEAST_GAIN
    for split in _splits(finest, tables, moves):
        value = split.score.priced(price)
        if value < least:
            best, least = split, value
    now = tables.score.priced(price)
    merge, change = None, least - now
    for move in moves.merges(tables.lookups):
        value = tables.change(move).priced(price)
        if value < change:
            merge, change = move, value
    return best if merge is None else tables.after(merge)


def split_path(finest: MergeTables, tables: MergeTables, moves: Moves, most: int) -> list[Step]:
    """Split buckets a few times, each time where the loss falls most for the risk it adds."""
    steps = [Step(tables.lookups, tables.score)]
    while len(steps) <= most:
        now = tables.score
        found = [
            (_worth(now, split.score), split)
            for split in _splits(finest, tables, moves)
            if now.loss - split.score.loss > _LEAST_WORTH
        ]
        if not found:
            break
        tables = max(found, key=lambda pair: pair[0])[1]
        steps.append(Step(tables.lookups, tables.score))
    return steps


def _worth(before: Score, after: Score) -> float:
    return (before.loss - after.loss) / max(after.risk - before.risk, 1e-3)


def _splits(finest: MergeTables, tables: MergeTables, moves: Moves) -> Iterator[MergeTables]:
    for a, fine in enumerate(finest.lookups):
        partitions = moves.splits(a, fine, tables.lookups[a])
        if not partitions:
            continue
        opened = finest.coarsened(_replaced(tables.lookups, a, fine))
        for partition in partitions:
            yield opened.coarsened(_replaced(tables.lookups, a, partition))


def _replaced(lookups: Lookups, a: int, lookup: NDArray[np.int64]) -> Lookups:
    return [*lookups[:a], lookup, *lookups[a + 1 :]]


def unbeaten(steps: Sequence[Step], most: int) -> list[Step]:
    """Steps that no other one beats on both loss and risk, the most detailed first.

    Parameters
    ----------
    steps : sequence of Step
    most : int
        When there are more, some are left out, evenly along the way.
    """
    kept: list[Step] = []
    for step in sorted(steps, key=lambda step: (step.score.risk, step.score.loss)):
        if not kept or step.score.loss < kept[-1].score.loss:
            kept.append(step)
    kept.reverse()
    places = np.linspace(0, len(kept) - 1, min(most, len(kept))).round().astype(int)
    return [kept[place] for place in np.unique(places)]
