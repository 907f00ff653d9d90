from __future__ import annotations

import numpy as np

from sparsam.data import read
from sparsam.data._leaks import leaks

RNG = np.random.default_rng(1)
N = 1_500
Y = RNG.integers(0, 3, N)


def test_several_names_of_one_outcome_and_a_number_that_tells_it():
    table = read(
        {
            "noise": RNG.integers(0, 5, N),
            "word": np.array(["low", "middle", "high"])[Y],
            "amount": Y * 1_000 + RNG.normal(0, 50, N),
        }
    )
    assert leaks(table, Y, 3) == ["word", "amount"]


def test_what_only_works_together_is_no_leak():
    a, b = RNG.integers(0, 2, N), RNG.integers(0, 2, N)
    assert leaks(read({"a": a, "b": b}), a ^ b, 2) == []
    # each explains a good part, and all explain clearly more
    half = np.where(RNG.random(N) < 0.8, Y, RNG.integers(0, 3, N))
    other = np.where(half == Y, RNG.integers(0, 3, N), Y)
    assert leaks(read({"half": half, "other": other, "which": half == Y}), Y, 3) == []


def test_too_little_to_tell():
    assert leaks(read({"x": Y}), Y, 3) == []
    one = np.zeros(40, dtype=int)
    assert leaks(read({"x": Y[:40], "z": Y[:40]}), one, 2) == []
    assert leaks(read({"x": [1, 2], "z": [1, 2]}), np.array([0, 1]), 2) == []
