"""Arrays of this folder: exact counts, the highest scores, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.individual._arrays import bits, generator, kept_count, labels, matrix, random_bits, top


@given(seed=st.integers(0, 99), count=st.integers(1, 24))
def test_counts_are_exact_and_the_highest_are_kept(seed: int, count: int) -> None:
    rng = generator(seed)
    assert random_bits(rng, np.ones((4, 6), bool), count).sum() == count
    score = rng.integers(0, 5, (4, 6)).astype(float)
    kept = top(score, count)
    assert kept.sum() == count
    assert score[kept].min() >= score[~kept].max(initial=-np.inf)


def test_a_share_is_at_least_one_value() -> None:
    assert [kept_count(share, 30) for share in (1e-9, 0.1, 0.55, 1)] == [1, 3, 16, 30]


@pytest.mark.parametrize("share", [0, -0.1, 1.1, "all", True, float("nan")])
def test_bad_shares(share: Any) -> None:
    with pytest.raises(ParameterError, match="'keep'"):
        kept_count(share, 30)


def test_bad_arrays() -> None:
    for rows in ([1.0, 2.0], [[np.nan]], np.empty((0, 2))):
        with pytest.raises(DataError, match="'X'"):
            matrix(rows)
    for truth in ([0, 1, 2], [0.5, 1], [-1, 0]):
        with pytest.raises(DataError, match="'y'"):
            labels(truth, 2)
    with pytest.raises(DataError, match="boolean"):
        bits([[0, 1]])
    with pytest.raises(DataError, match="shape"):
        bits([[True]], (2, 1))
