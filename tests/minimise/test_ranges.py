from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsam.minimise._ranges import MAX_RANGES, at_most, equal_runs

counts = st.lists(st.integers(0, 50), min_size=1, max_size=60).map(np.array)


@given(counts, st.integers(1, 40))
def test_runs_are_in_order_and_few_and_without_gaps(counts, most):
    runs = equal_runs(counts, most)
    assert len(runs) == len(counts)
    assert set(np.diff(runs).tolist()) <= {0, 1}
    assert runs[0] == 0
    assert runs[-1] < most


def test_runs_have_about_equally_many_people():
    people = np.random.default_rng(0).integers(0, 5, 10_000)
    each = np.bincount(equal_runs(people, 20), people)
    assert len(each) == 20
    assert each.max() - each.min() <= 2 * people.max()


@given(counts, st.integers(1, 40), st.integers(1, 6))
def test_ranges_are_put_together_and_never_cut(counts, most, wide):
    buckets = np.arange(len(counts)) // wide
    few = at_most(buckets, counts, most)
    assert few.max() < most
    assert (np.diff(few) >= 0).all()
    for bucket in np.unique(buckets):
        assert len(set(few[buckets == bucket].tolist())) == 1
    if buckets[-1] < most:
        assert (few == buckets).all()


def test_hundreds_of_ranges_become_a_few_dozen():
    assert len(np.unique(at_most(np.arange(2_431), np.ones(2_431, int)))) == MAX_RANGES
