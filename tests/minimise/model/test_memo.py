from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.minimise.model._memo import Places, RecordKeys


@given(st.lists(st.lists(st.integers(-5, 30), max_size=8), max_size=6))
def test_places_number_keys_as_a_dictionary_would(batches):
    places, known = Places(), {}
    for batch in batches:
        keys = np.unique(np.array(batch, np.int64))
        found = places.find(keys)
        assert found.tolist() == [known.get(key, -1) for key in keys.tolist()]
        new = keys[found < 0]
        numbers = places.add(new)
        for key in new.tolist():
            known[key] = len(known)
        assert numbers.tolist() == [known[key] for key in new.tolist()]
        assert len(places) == len(known)


@given(st.integers(0, 2**32 - 1), st.sampled_from([(3, 1, 4), (65_536,) * 3, (65_536,) * 12]))
@settings(max_examples=50)
def test_keys_are_equal_for_equal_records_and_stay_so(seed, sizes):
    rng = np.random.default_rng(seed)
    pool = np.column_stack([rng.integers(0, size, 12) for size in sizes]).astype(np.uint16)
    pool[6:, : len(sizes) - 1] = pool[:6, : len(sizes) - 1]  # some differ in the last code only
    keys, known = RecordKeys(sizes), {}
    for _ in range(4):
        codes = pool[rng.integers(0, len(pool), 20)]
        for key, record in zip(keys(codes).tolist(), codes.tolist(), strict=True):
            assert known.setdefault(tuple(record), key) == key
    assert len(set(known.values())) == len(known)


def test_keys_are_in_the_order_of_the_records_where_one_integer_is_enough():
    codes = np.array([[1, 0], [0, 2], [0, 1]], np.uint16)
    assert np.argsort(RecordKeys((2, 3))(codes)).tolist() == [2, 1, 0]


def test_many_large_attributes_do_not_overflow():
    highest = np.full((1, 40), 65_535, np.uint16)
    with np.errstate(all="raise"):
        (key,) = RecordKeys((65_536,) * 40)(highest)
    assert 0 <= key < 2**62


@pytest.mark.parametrize("n_attributes", [0, 2])
def test_no_records_have_no_keys(n_attributes):
    keys = RecordKeys((65_536,) * n_attributes)(np.empty((0, n_attributes), np.uint16))
    assert keys.shape == (0,)
