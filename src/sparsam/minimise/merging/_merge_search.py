"""Merge the buckets of a generalization one after the other, at the least price of risk first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsam.minimise.merging._moves import Lookups, Move, Moves
from sparsam.minimise.merging._tables import MergeTables, Score

_LEAST_RISK = 1e-9  # keeps the price of a merge finite that takes no risk away


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


def unbeaten(steps: Sequence[Step], most: int, n_rows: int | None = None) -> list[Step]:
    """Steps that no other one beats on both loss and risk, the riskiest first.

    Parameters
    ----------
    steps : sequence of Step
    most : int
        When there are more, those most alike their neighbours are left out.
    n_rows : int, optional
        How many people the scores come from. Then those are kept too, as far as there is room and
        the coarsest first, whose loss is not beaten by more than two standard errors: which of
        them is better, these people cannot tell, so the simplest deserve a look.
    """
    ranked = sorted(steps, key=lambda step: (step.score.risk, step.score.loss))
    kept, beaten, least = list[Step](), list[tuple[int, float, int]](), np.inf
    for place, step in enumerate(ranked):
        loss = step.score.loss
        if loss < least:
            kept.append(step)
            least = loss
        elif n_rows and loss - least <= 2 * np.sqrt(least * (1 - least) / n_rows):
            beaten.append((_n_buckets(step), loss - least, place))
    kept = _spread_out(kept, most)
    kept += [ranked[place] for _, _, place in sorted(beaten)[: most - len(kept)]]
    return sorted(kept, key=lambda step: (-step.score.risk, -step.score.loss))


def _n_buckets(step: Step) -> int:
    return sum(int(lookup.max()) + 1 for lookup in step.lookups)


def _spread_out(steps: Sequence[Step], most: int) -> list[Step]:
    """Leave out one after the other whose neighbours are nearest to each other, never an end."""
    kept = list(steps)
    if len(kept) <= most:
        return kept
    scores = np.array([[step.score.loss, step.score.risk] for step in kept])
    places = np.abs(np.diff(scores, axis=0)) / np.maximum(np.ptp(scores, axis=0), _LEAST_RISK)
    where = np.concatenate([[0.0], np.cumsum(places.sum(axis=1))]).tolist()
    while len(kept) > most:
        gaps = np.array(where[2:]) - np.array(where[:-2])
        least = int(gaps.argmin()) + 1 if len(gaps) else 0
        del kept[least], where[least]
    return kept
