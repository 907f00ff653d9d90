"""Bins of published records that give nobody away."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from sparsam.report._release_sizes import size_bins, size_words


@given(st.lists(st.integers(1, 400), min_size=1, max_size=60))
@example([1, 1, 3])
def test_bins_hold_everyone_and_give_nobody_away(sizes):
    bins = size_bins(np.array(sizes, dtype=np.int64))
    if sum(sizes) < 5:
        assert bins == []
        return
    assert sum(bin_["rows"] for bin_ in bins) == sum(sizes)
    assert sum(bin_["records"] for bin_ in bins) == len(sizes)
    assert all(bin_["rows"] == 0 or bin_["rows"] >= 5 for bin_ in bins)
    assert bins[0]["low"] == 1 or bins[0]["low"] <= min(sizes)
    for bin_, after in pairwise(bins):
        assert bin_["high"] + 1 == after["low"]
        inside = [size for size in sizes if bin_["low"] <= size <= bin_["high"]]
        assert (len(inside), sum(inside)) == (bin_["records"], bin_["rows"])
    assert len(bins) <= 25
    assert all(not re.search(r"(?<!\d)[1-4](?!\d)", size_words(bin_)) for bin_ in bins)
