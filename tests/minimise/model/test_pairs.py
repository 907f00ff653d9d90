from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.minimise.model._pairs import AnyTwo, Neighbours


def _slow_pairs(alive, lone, ordered):
    """All pairs that may become one now, in the order in which equals are taken."""
    if not ordered:
        return list(combinations(alive, 2))
    runs = [one for one in alive if one != lone]
    with_missing = [(run, lone) for run in runs] if lone in alive else []
    return [*pairwise(runs), *with_missing]


@given(st.integers(1, 9), st.sampled_from(["any", "order", "missing"]), st.integers(0, 2**32 - 1))
@settings(max_examples=200)
def test_the_best_pair_is_that_of_all_pairs_after_every_merge(n, kind, seed):
    rng = np.random.default_rng(seed)
    lone = n - 1 if kind == "missing" else None
    pairs = AnyTwo(n) if kind == "any" else Neighbours(n, np.arange(n) == lone)
    ratios: dict[tuple[int, int], float] = {}

    def put(x, z):
        made = rng.integers(0, 4, len(x)) / 4  # with many equals
        pairs.put(x, z, made)
        ratios.update(zip(zip(x.tolist(), z.tolist(), strict=True), made.tolist(), strict=True))

    put(*pairs.all())
    alive = list(range(n))
    while len(alive) > 1:
        possible = _slow_pairs(alive, lone, kind != "any")
        first, second = pairs.best()
        assert (first, second) == min(possible, key=lambda pair: ratios[pair])
        x, z = pairs.merge(first, second)
        alive.remove(second)
        changed = [one for one in _slow_pairs(alive, lone, kind != "any") if first in one]
        assert sorted(zip(x.tolist(), z.tolist(), strict=True)) == sorted(changed)
        put(x, z)


@pytest.mark.parametrize("pairs", [AnyTwo(1), Neighbours(1, np.ones(1, bool))])
def test_one_bucket_has_no_pair(pairs):
    x, z = pairs.all()
    assert len(x) == len(z) == 0
    pairs.put(x, z, np.empty(0))
