from __future__ import annotations

import numpy as np
import pytest

from sparsam.data._coded import are_codes


@pytest.mark.parametrize(
    ("name", "counts", "codes"),
    [
        ("sex", {1: 50, 2: 50}, True),
        ("flag", {0: 90, 1: 10}, True),
        ("x", {1: 5, 2: 50, 3: 5}, True),
        ("x", {0: 9, 1: 2, 2: 50, 3: 40, 4: 45}, True),
        ("visits", {0: 50, 1: 60, 2: 20, 3: 5}, False),
        ("num_dependents", {1: 80, 2: 20}, False),
        ("hours", {1: 5, 2: 7, 3: 5}, False),
        ("x", dict.fromkeys(range(1, 30), 5), False),
        ("OCCP", dict.fromkeys(range(10, 500, 10), 5), True),
        ("x", {7: 90}, False),
    ],
)
def test_codes_counts_and_measures(name: str, counts: dict[int, int], codes: bool):
    values = np.array(list(counts))
    assert are_codes(name, values, np.array(list(counts.values()))) is codes
