from __future__ import annotations

import pytest

from sparsam.explore import gaussian_cost, laplace_cost
from sparsam.explore.queries._counts import _ratio

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")


@pytest.mark.parametrize("rows", [-9, -1, 0, 1, 30])
def test_a_mean_lies_in_its_interval_whatever_the_noise(rows: int) -> None:
    for parts in ([laplace_cost(0.4), laplace_cost(2)], [gaussian_cost(0.01), gaussian_cost(1)]):
        for total in (-150_000, -300, 0, 4_000, 150_000):
            value, low, high = _ratio(total, rows, parts, 8192)
            assert -8192 <= low <= value <= high <= 8192
