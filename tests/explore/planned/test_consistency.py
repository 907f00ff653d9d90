from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.explore._bins import Bins
from sparsam.explore.planned._consistency import (
    Margin,
    Measured,
    cell_map,
    combine,
    common_total,
    fit_margins,
    margins_of,
    with_total,
)

AGE = Bins("age", "numeric", edges=(0, 10, 20, 30, 40), integer=True)
HALVES = Bins("age", "numeric", edges=(0, 20, 40), integer=True)
SEX = Bins("sex", "categorical", categories=("f", "m"))


def test_cells_map_to_the_coarser_cells_that_hold_them() -> None:
    assert cell_map(AGE, HALVES).tolist() == [0, 0, 1, 1, 2]
    assert cell_map(SEX, SEX).tolist() == [0, 1, 2, 3]
    with pytest.raises(ParameterError, match="joined finer cells"):
        cell_map(HALVES, AGE)


def test_combining_is_least_squares() -> None:
    rng = np.random.default_rng(1)
    fine = Measured((AGE,), rng.normal(100, 5, 5), 25.0)
    coarse = Measured((HALVES,), rng.normal(200, 2, 3), 4.0)
    margin = combine(AGE, [fine, coarse])
    # the slow way: one row of a regression for each count
    rows = [np.eye(5)[cell] / 5.0 for cell in range(5)]
    rows += [(cell_map(AGE, HALVES) == cell) / 2.0 for cell in range(3)]
    counts = np.concatenate([fine.counts / 5.0, coarse.counts / 2.0])
    expected, *_ = np.linalg.lstsq(np.array(rows, dtype=float), counts, rcond=None)
    np.testing.assert_allclose(margin.counts, expected)
    np.testing.assert_allclose(
        margin.covariance, np.linalg.inv(np.array(rows).T.astype(float) @ np.array(rows)), atol=1e-9
    )


def test_a_better_known_total_moves_noisy_counts_most() -> None:
    margin = Margin(SEX, np.array([10.0, 20, 0, 0]), np.diag([1.0, 3.0, 0, 0]))
    moved = with_total(margin, 34.0, 0.0)
    np.testing.assert_allclose(moved.counts, [11.0, 23.0, 0, 0])
    np.testing.assert_allclose(moved.covariance.sum(), 0.0, atol=1e-12)


def test_totals_count_by_their_precision() -> None:
    assert common_total([(10.0, 1.0), (20.0, 1.0)]) == (15.0, 0.5)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10_000))
def test_a_shifted_table_has_the_margins_and_is_the_nearest_one(
    n_rows: int, n_columns: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    table = rng.normal(0, 10, (n_rows, n_columns))
    rows = rng.normal(50, 5, n_rows)
    columns = rng.normal(50, 5, n_columns)
    columns += (rows.sum() - columns.sum()) / n_columns
    shifted = fit_margins(table, rows, columns)
    np.testing.assert_allclose(shifted.sum(axis=1), rows)
    np.testing.assert_allclose(shifted.sum(axis=0), columns)
    # nearest: what was added has no part that a table of zero margins could take away
    added = shifted - table
    centred = added - added.mean(axis=0) - added.mean(axis=1, keepdims=True) + added.mean()
    np.testing.assert_allclose(centred, 0, atol=1e-9)


def test_all_tables_together_know_more_than_the_one_way_table() -> None:
    rng = np.random.default_rng(3)
    true = np.outer([100, 300, 200, 50, 10], [0.4, 0.5, 0.02, 0.08]).round()
    own, joint = [], []
    for _ in range(300):
        tables = [
            Measured((AGE,), true.sum(axis=1) + rng.normal(0, 10, 5), 100.0),
            Measured((SEX,), true.sum(axis=0) + rng.normal(0, 10, 4), 100.0),
            Measured((AGE, SEX), true + rng.normal(0, 5, true.shape), 25.0),
        ]
        margins, (total, variance) = margins_of({"age": AGE, "sex": SEX}, tables)
        own.append(tables[0].counts - true.sum(axis=1))
        joint.append((margins["age"].counts - true.sum(axis=1)) / margins["age"].deviations)
        assert margins["age"].counts.sum() == pytest.approx(total)
        assert margins["sex"].counts.sum() == pytest.approx(total)
    assert np.std(joint) == pytest.approx(1.0, abs=0.08)  # the stated noise is the real one
    assert margins["age"].deviations.max() < 0.8 * np.std(own)
    assert abs(total - true.sum()) < 5 * variance**0.5


def test_joined_cells_add_up_with_their_noise() -> None:
    margin = Margin(AGE, np.arange(5.0), np.diag(np.arange(1.0, 6.0)))
    joined = margin.joined(HALVES)
    assert joined.counts.tolist() == [1.0, 5.0, 4.0]
    assert np.diag(joined.covariance).tolist() == [3.0, 7.0, 5.0]
