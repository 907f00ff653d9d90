"""The planned exploration: a few tables once; all else is read off them, free."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparsam.explore._bins import Bins
from sparsam.explore._declared import Declared
from sparsam.explore._noise import noise_sd, noisy_counts
from sparsam.explore._private_table import PrivateTable
from sparsam.explore._ranks import grid_bins
from sparsam.explore.ledger._costs import Cost, sequential
from sparsam.explore.planned._cells import (
    Cells,
    Octiles,
    choose_cells,
    choose_octiles,
    first_bins,
    first_margins,
    without_empty,
)
from sparsam.explore.planned._consistency import Margin, Measured, fit_margins, margins_of
from sparsam.explore.planned._plan import Item, Plan

# (question, cost, compute) -> what was released
Ask = Callable[[dict[str, Any], Cost, Callable[[], Any]], Any]


@dataclass(frozen=True)
class Released:
    """All tables of a planned exploration, made consistent.

    Parameters
    ----------
    margins : dict of str to Margin
        The counts of each attribute in its finest cells.
    total : tuple of float
        The number of rows, and the variance of its noise.
    pairs : dict of (str, str) to Measured
        The two-way tables, shifted to the margins.
    measured : tuple of Measured
        The tables as they were released.
    """

    margins: dict[str, Margin]
    total: tuple[float, float]
    pairs: dict[tuple[str, str], Measured]
    measured: tuple[Measured, ...]


def run_planned(source: PrivateTable, plan: Plan, ask: Ask) -> Released:
    """Ask both stages of a plan and make their tables consistent.

    Each stage is one question: all its tables are computed after its whole cost is reserved.
    """
    declared = plan.declared
    first, second = plan.stage(1), plan.stage(2)
    own = {item.attributes[0]: _first_bins(declared, item) for item in first}
    answers = _ask_stage(source, plan, first, [(own[i.attributes[0]],) for i in first], ask)
    measured = [_measured(*answer) for answer in answers if answer[0].kind != "octiles"]
    octiles = {
        item.attributes[0]: Octiles(bins[0], tuple(answer))
        for item, bins, answer in answers
        if item.kind == "octiles"
    }
    margins = first_margins(declared, measured)
    pair_sds = [noise_sd(item.each) for item in second if item.kind == "number pair"]
    cells = choose_cells(declared, margins, octiles, pair_sds[0] if pair_sds else None)
    second = tuple(i for i in second if i.kind != "cells" or _needs_cells(cells[i.attributes[0]]))
    bins = [_second_bins(declared, item, cells) for item in second]
    measured += [_measured(*answer) for answer in _ask_stage(source, plan, second, bins, ask)]
    finest = {
        name: cells[name].finest if name in cells else first_bins(declared, name)
        for name in declared.names
    }
    released = consistent(finest, measured)
    clean = {name: without_empty(released.margins[name], own) for name, own in octiles.items()}
    return replace(released, margins={**released.margins, **clean})


def consistent(finest: Mapping[str, Bins], measured: Sequence[Measured]) -> Released:
    """Join one-way and two-way tables, and shift the two-way ones to the joined margins."""
    margins, total = margins_of(finest, measured)
    pairs = {}
    for table in measured:
        if len(table.bins) == 2:
            first, second = (margins[bins.name].joined(bins) for bins in table.bins)
            fitted = fit_margins(table.counts, first.counts, second.counts)
            pairs[(first.bins.name, second.bins.name)] = Measured(
                table.bins, fitted, table.variance
            )
    return Released(margins, total, pairs, tuple(measured))


def _needs_cells(cells: Cells) -> bool:
    """Whether a coarse one-way table tells more than what stage one counted."""
    return cells.coarse is cells.finest or cells.coarse.n_cells < cells.finest.n_cells


def _first_bins(declared: Declared, item: Item) -> Bins:
    name = item.attributes[0]
    return grid_bins(declared, name) if item.kind == "octiles" else first_bins(declared, name)


def _second_bins(declared: Declared, item: Item, cells: Mapping[str, Cells]) -> tuple[Bins, ...]:
    if item.kind == "cells":
        return (cells[item.attributes[0]].coarse,)
    return tuple(
        cells[name].paired if name in cells else first_bins(declared, name)
        for name in item.attributes
    )


def _ask_stage(
    table: PrivateTable,
    plan: Plan,
    items: Sequence[Item],
    bins: Sequence[tuple[Bins, ...]],
    ask: Ask,
) -> list[tuple[Item, tuple[Bins, ...], list[int]]]:
    """Ask all items of a stage as one question; give each with its cells and its noisy numbers."""
    if not items:
        return []
    question = {
        "ask": "planned exploration",
        "stage": items[0].stage,
        "budget": plan.amount,
        "mixed_pairs": plan.mixed_pairs,
        "domains": plan.declared.to_dict(),
        "items": [
            {
                "kind": item.kind,
                "attributes": list(item.attributes),
                "cost": item.cost.to_dict(),
                "cells": [_plain_cells(cells) for cells in own],
            }
            for item, own in zip(items, bins, strict=True)
        ],
    }
    cost = sequential(item.cost for item in items)
    answers = ask(question, cost, lambda: _compute(table, items, bins))
    return list(zip(items, bins, answers, strict=True))


def _plain_cells(bins: Bins) -> Any:
    return list(bins.edges) if bins.numeric else list(bins.categories)


def _compute(
    source: PrivateTable, items: Sequence[Item], bins: Sequence[tuple[Bins, ...]]
) -> list[list[int]]:
    """Count exactly, add noise, and give the noisy numbers alone."""
    exact = source.counts(bins)
    released: list[list[int]] = []
    for place, item in enumerate(items):
        if item.kind == "octiles":
            released.append(choose_octiles(exact[place][:-1], item.each))
        else:
            released.append(noisy_counts(exact[place], item.each).ravel().tolist())
    return released


def _measured(item: Item, bins: tuple[Bins, ...], answer: list[int]) -> Measured:
    counts = np.array(answer, dtype=float).reshape([axis.size for axis in bins])
    # a budget so large that no noise is left must not weigh infinitely
    return Measured(bins, counts, max(noise_sd(item.each) ** 2, 1e-6))
