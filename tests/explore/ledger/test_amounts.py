"""Exact amounts: what is written counts, and rounding is never in the analyst's favour."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.explore.ledger._amounts import NANO, exact, float_up, nano_down, nano_text, nano_up

AMOUNTS = st.one_of(
    st.floats(1e-12, 1e6),
    st.integers(1, 10**6),
    st.decimals("1e-12", "1e6", places=12),
    st.fractions(Fraction(1, 10**12), 10**6),
).filter(lambda x: x > 0)


def test_ten_times_a_tenth_is_one() -> None:
    assert sum([0.1] * 10) != 1  # what floats do
    assert 10 * nano_up(0.1) == nano_up(1) == nano_down(1) == NANO


@given(AMOUNTS)
def test_rounding_is_up_for_costs_and_down_for_budgets(x: float | int | Decimal | Fraction) -> None:
    true = x if isinstance(x, Fraction) else Fraction(str(x))
    assert Fraction(nano_up(x), NANO) >= true > Fraction(nano_up(x) - 1, NANO)
    assert Fraction(nano_down(x), NANO) <= true < Fraction(nano_down(x) + 1, NANO)


@pytest.mark.parametrize("x", ["0.1", 0.1, np.float64(0.1), Decimal("0.1"), Fraction(1, 10)])
def test_a_tenth_is_a_tenth_however_it_is_written(x: str | float | Decimal | Fraction) -> None:
    assert exact(x) == Fraction(1, 10)
    assert nano_up(x) == nano_down(x) == 100_000_000


def test_whole_numbers_of_numpy_count() -> None:
    assert nano_up(np.int64(2)) == 2 * NANO  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "x",
    [
        0,
        -1,
        -0.0,
        math.nan,
        math.inf,
        -math.inf,
        "nan",
        "Infinity",
        "a tenth",
        "",
        "1e999999999",
        "1e-999999999",
        10**10,
        True,
        None,
        [1],
    ],
)
def test_what_is_no_amount_is_refused(x: object) -> None:
    for rounded in (nano_up, nano_down):
        with pytest.raises(ParameterError, match="The 'epsilon' must be"):
            rounded(x, "epsilon")  # type: ignore[arg-type]


@given(st.integers(-(10**18), 10**18))
def test_text_is_exact(nano: int) -> None:
    text = nano_text(nano)
    assert Fraction(text) * NANO == nano
    assert "e" not in text.lower()


@given(st.fractions(Fraction(1, 10**9), 10**9))
def test_float_up_is_the_least_float_above(value: Fraction) -> None:
    up = float_up(value)
    assert Fraction(up) >= value > Fraction(math.nextafter(up, -math.inf))
