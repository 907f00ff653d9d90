"""No combination of levels loses less than the one that is found."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.anonymise._classes import Classes, Division
from sparsam.anonymise._privacy_models import (
    AllOf,
    Closeness,
    DistinctDiversity,
    KAnonymity,
)
from sparsam.anonymise._settle import suppress
from sparsam.anonymise._tight_loss import tight_loss
from sparsam.anonymise.methods._full_domain import Halves
from sparsam.anonymise.methods._lattice import Ladder, search_lattice
from sparsam.data import Attribute, read


def random_ladder(rng: np.random.Generator, attribute: Attribute) -> Ladder:
    """Merge labels at random, level by level, not always up to one."""
    labels: list[Any] = list(range(attribute.size))
    levels = [labels]
    for _ in range(int(rng.integers(0, 3))):
        kept = max(1, len(set(labels)) - int(rng.integers(1, 4)))
        to = {label: int(rng.integers(0, kept)) for label in sorted(set(labels))}
        labels = [to[label] for label in labels]
        levels.append(labels)
    if rng.random() < 0.8:
        levels.append([0] * attribute.size)
    return Ladder(attribute, levels)


def slow_loss(classes: Classes, codes: Any, ladders: Any, levels: Any) -> float:
    """Every kept cell loses what all values with its label span; suppressed ones lose 1."""
    total = float(classes.n_suppressed * len(ladders))
    for place, (ladder, level) in enumerate(zip(ladders, levels, strict=True)):
        labels = ladder.labels[level]
        for row in np.flatnonzero(classes.of_row >= 0):
            same = [c for c, label in enumerate(labels) if label == labels[codes[row, place]]]
            whole = Classes(np.zeros(len(same), np.int64), 1)
            column = np.array(same, dtype=np.uint16)[:, None]
            total += tight_loss(whole, column, [ladder.attribute]).overall
    return total / codes.size


def slow_search(codes: Any, ladders: Any, demand: Any, budget: float) -> float | None:
    best = None
    for levels in product(*(range(ladder.n_levels) for ladder in ladders)):
        place: dict[Any, int] = {}
        named = zip(ladders, levels, strict=True)
        labels = [ladder.labels[level] for ladder, level in named]
        records = [tuple(lab[c] for lab, c in zip(labels, row, strict=True)) for row in codes]
        of_row = np.array([place.setdefault(record, len(place)) for record in records])
        # classes that are too small in any release go before the others are judged
        of_row[np.bincount(of_row)[of_row] < demand.least_rows] = -1
        try:
            kept = suppress(Classes(of_row, len(place)), demand, budget)
        except DataError:
            continue
        if kept.n_suppressed == len(codes):
            continue
        loss = slow_loss(kept, codes, ladders, levels)
        best = loss if best is None else min(best, loss)
    return best


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(1, 40),
    k=st.integers(2, 6),
    budget=st.sampled_from([0.0, 0.05, 0.2, 0.6]),
    what=st.sampled_from(["k", "entity", "diverse", "close"]),
)
def test_no_combination_of_levels_loses_less(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int, budget: float, what: str
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    rng = np.random.default_rng(seed)
    ladders = [random_ladder(rng, attribute) for attribute in attributes]
    table = read({"s": [f"v{v}" for v in rng.integers(0, 3, n_rows)]})
    people = {"p": rng.integers(0, max(2, n_rows // 2), n_rows)}
    demand: Any = {
        "k": KAnonymity(k),
        "entity": KAnonymity(k, entity="p").bound(None, people),
        "diverse": AllOf(KAnonymity(2), DistinctDiversity(2, "s")).bound(table),
        "close": AllOf(KAnonymity(2), Closeness(0.3, "s")).bound(table),
    }[what]
    best = slow_search(codes, ladders, demand, budget)
    if best is None:
        with pytest.raises(DataError, match=r"Some combination of levels|rows together"):
            search_lattice(Division(codes, attributes, demand, max_suppressed=budget), ladders)
        return
    node = search_lattice(Division(codes, attributes, demand, max_suppressed=budget), ladders)
    assert node.loss == pytest.approx(best)
    assert slow_loss(node.classes, codes, ladders, node.levels) == pytest.approx(best)
    assert node.classes.n_suppressed <= budget * n_rows
    kept = demand.among(np.flatnonzero(node.classes.of_row >= 0))
    assert all(len(rows) and kept.holds(rows) for rows in node.classes.rows())


def test_most_combinations_are_never_looked_at() -> None:
    rng = np.random.default_rng(0)
    table = read({f"x{j}": rng.integers(0, 60, 500) for j in range(5)})
    ladders = [
        Ladder(a, Halves.of(a, np.bincount(c, minlength=a.size)).levels(a))
        for a, c in zip(table.attributes, table.codes.T, strict=True)
    ]
    node = search_lattice(Division(table.codes, table.attributes, KAnonymity(10)), ladders)
    assert node.classes.sizes().min() >= 10
    assert node.checked < np.prod([ladder.n_levels for ladder in ladders]) / 10
