from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.explore._ranks import rank_scores


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=8),
    st.integers(0, 7),
    st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000),
    st.integers(-60, 60),
)
def test_a_row_more_moves_each_rank_score_by_its_sensitivity_at_most(
    counts: list[int], place: int, level: Fraction, shift: int
) -> None:
    before = np.array(counts, dtype=np.int64)
    after = before.copy()
    after[place % len(counts)] += 1
    moved = np.abs(rank_scores(after, level, shift) - rank_scores(before, level, shift))
    assert moved.max() <= max(level.numerator, level.denominator - level.numerator)
    assert rank_scores(before, level, shift).max() == 0  # some cell always has the rank


def test_rank_scores_are_best_at_the_quantile() -> None:
    values = np.array([0, 0, 0, 1, 1, 2, 5, 5, 5, 5])
    counts = np.bincount(values, minlength=6)
    for level in (Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)):
        best = np.flatnonzero(rank_scores(counts, level)[1:-1] == 0)
        assert int(np.quantile(values, float(level), method="inverted_cdf")) in best
    assert rank_scores(counts, Fraction(1, 2), -100).argmax() == 0
    assert rank_scores(counts, Fraction(1, 2), 100).argmax() == 7
