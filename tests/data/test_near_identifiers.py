from __future__ import annotations

import numpy as np
import pytest

from sparsam.data._factor import factorise
from sparsam.data._near_identifiers import is_numbering, nearly_unique


@pytest.mark.parametrize(
    ("name", "values", "numbering"),
    [
        ("x", np.arange(100), True),
        ("x", np.arange(100)[::-1] * 1_000, True),
        ("x", np.random.default_rng(0).permutation(150)[:100], True),
        ("x", np.random.default_rng(0).choice(10**6, 100, replace=False), False),
        ("member_id", np.random.default_rng(0).choice(10**6, 100, replace=False), True),
        ("x", np.random.default_rng(0).choice(10**9, 100, replace=False) + 10**9, True),
        ("x", np.arange(100) / 7, False),
        ("x", np.arange(49), False),
        ("x", np.arange(100) // 2, False),
        ("x", np.where(np.arange(100) % 3 > 0, np.arange(100.0), np.nan), True),
        ("id", np.array([f"{i}" for i in range(100)], dtype=object), False),
    ],
)
def test_what_numbers_people(name: str, values: np.ndarray, numbering: bool):
    assert is_numbering(name, factorise(name, values)) is numbering


def test_more_than_half_of_the_rows_with_a_value_of_their_own():
    assert nearly_unique(np.array([1] * 11 + [9]))
    assert not nearly_unique(np.array([1] * 10 + [10]))
    assert not nearly_unique(np.array([1] * 19))
    assert not nearly_unique(np.array([], dtype=np.int64))
