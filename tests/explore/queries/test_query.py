from __future__ import annotations

from fractions import Fraction

import pytest

from sparsam.explore.queries._query import Payment

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")


def test_a_payment_is_shared_out_exactly() -> None:
    parts = Payment.of({"epsilon": "0.000000010"}).split(1, 1, 1)
    assert [part.nano for part in parts] == [4, 3, 3]
    for nano in (1, 2, 7, 12_345, 10**9):
        assert Payment("rho", nano).choice.rho <= nano
        assert Payment("rho", nano).counts.rho == nano
        assert Payment("epsilon", nano).choice.epsilon == nano
    assert Payment.of({"rho": Fraction(1, 3)}).nano == 333_333_334
