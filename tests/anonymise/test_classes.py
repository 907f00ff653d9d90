"""Which rows are published as one."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import DataError
from sparsam.anonymise._classes import Classes


def test_sizes_leave_suppressed_rows_out() -> None:
    classes = Classes(np.array([2, 0, -1, 2, -1]), 4)
    assert classes.sizes().tolist() == [1, 0, 2, 0]
    assert (len(classes), classes.n_suppressed) == (5, 2)


def test_rows_of_each_class_in_the_order_of_the_table() -> None:
    classes = Classes(np.array([2, 0, -1, 2, -1, 0]), 4)
    assert [rows.tolist() for rows in classes.rows()] == [[1, 5], [], [0, 3], []]


def test_no_rows_and_no_classes() -> None:
    classes = Classes(np.empty(0, np.int64), 0)
    assert (len(classes), classes.sizes().tolist(), classes.rows()) == (0, [], [])


def test_the_numbers_cannot_be_changed() -> None:
    given = np.array([0, 1])
    classes = Classes(given, 2)
    given[0] = 7
    assert classes.of_row.tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        classes.of_row[0] = 1


@pytest.mark.parametrize("of_row", [[0, 2], [-2, 0]])
def test_a_class_beyond_the_last_is_refused(of_row: list[int]) -> None:
    with pytest.raises(DataError, match="from 0 to 1"):
        Classes(np.array(of_row), 2)


def test_a_matrix_is_refused() -> None:
    with pytest.raises(DataError, match="one number per row"):
        Classes(np.zeros((2, 2), np.int64), 1)
