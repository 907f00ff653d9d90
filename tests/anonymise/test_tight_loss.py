"""How much detail classes lose, beside a loop over classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.anonymise._classes import Classes
from sparsam.anonymise._tight_loss import tight_loss
from sparsam.data import Attribute, CategoricalDomain, NumericDomain, read

VARIANTS = ("range", "share", "values")


def slow_cost(values: set[int], attribute: Attribute, variant: str) -> float:
    """What one class loses of one attribute, by the definitions."""
    if len(values) == 1 and not attribute.binned:
        return 0.0
    if not attribute.ordered:
        if variant == "range":
            return (len(values) - 1) / (attribute.size - 1)
        return len(values) / attribute.size
    if attribute.n_values in values:
        return 1.0 if len(values) > 1 else 0.0
    low, high = min(values), max(values)
    if variant == "values":
        return (high - low + 1) / attribute.size if high > low else 0.0
    if not attribute.numeric:
        return (high - low) / (attribute.n_values - 1)
    width = attribute.highs[-1] - attribute.lows[0]
    return float((attribute.highs[high] - attribute.lows[low]) / width) if width else 0.0


def slow_loss(classes: Classes, codes: Any, attributes: Any, variant: str) -> float:
    total = 0.0
    for column, attribute in enumerate(attributes):
        for number in range(-1, classes.n_classes):
            rows = np.flatnonzero(classes.of_row == number)
            if not len(rows):
                continue
            values = set(codes[rows, column].tolist())
            total += len(rows) * (1.0 if number < 0 else slow_cost(values, attribute, variant))
    return total / codes.size


@given(seed=st.integers(0, 10_000), n_rows=st.integers(1, 40), variant=st.sampled_from(VARIANTS))
def test_agrees_with_a_loop(
    random_codes: Callable[..., Any], seed: int, n_rows: int, variant: Any
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    of_row = np.random.default_rng(seed).integers(-1, 6, n_rows)
    loss = tight_loss(Classes(of_row, 6), codes, attributes, variant)
    expected = slow_loss(Classes(of_row, 6), codes, attributes, variant)
    assert loss.overall == pytest.approx(expected, abs=1e-12)
    assert loss.overall == pytest.approx(np.mean(list(loss.per_attribute.values())))


@given(seed=st.integers(0, 10_000), n_rows=st.integers(2, 40))
def test_parting_a_class_never_loses_more(
    random_codes: Callable[..., Any], seed: int, n_rows: int
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    coarse = np.random.default_rng(seed).integers(0, 3, n_rows)
    fine = 2 * coarse + np.random.default_rng(seed + 1).integers(0, 2, n_rows)
    for variant in VARIANTS:
        loss = tight_loss(Classes(coarse, 3), codes, attributes, variant)
        two = tight_loss(Classes(fine, 6), codes, attributes, variant)
        assert two.overall <= loss.overall + 1e-12


def test_variants_differ_and_say_what_they_are() -> None:
    table = read({"age": [0, 1, 2, 10], "town": ["a", "b", "c", "c"]})
    classes = Classes(np.array([0, 0, 1, 1]), 2)
    losses = {v: tight_loss(classes, table.codes, table.attributes, v) for v in VARIANTS}
    assert losses["range"].per_attribute == pytest.approx({"age": 0.45, "town": 0.25})
    assert losses["share"].per_attribute == pytest.approx({"age": 0.45, "town": 1 / 3})
    assert losses["values"].per_attribute == pytest.approx({"age": 0.5, "town": 1 / 3})
    assert len({loss.definition for loss in losses.values()}) == 3


def test_missing_among_numbers_is_not_the_largest_number() -> None:
    table = read({"age": [20.0, None, 30.0, None, None]})
    classes = Classes(np.array([0, 0, 1, 2, 2]), 3)
    assert tight_loss(classes, table.codes, table.attributes).overall == pytest.approx(2 / 5)


def test_suppressed_rows_lose_everything() -> None:
    table = read({"age": [20, 20, 30]})
    classes = Classes(np.array([0, 0, -1]), 1)
    for variant in VARIANTS:
        loss = tight_loss(classes, table.codes, table.attributes, variant)
        assert loss.overall == pytest.approx(1 / 3)


def test_a_bin_loses_its_own_width() -> None:
    binned = Attribute("x", NumericDomain(0, 10), np.array([0.0, 6.0]), np.array([4.0, 10.0]))
    codes = np.array([[0], [0], [1]], np.uint16)
    loss = tight_loss(Classes(np.array([0, 0, 1]), 2), codes, (binned,))
    assert loss.overall == pytest.approx(0.4)


def test_huge_numbers_do_not_overflow() -> None:
    ends = np.array([-1.7e308, 1.7e308])
    attribute = Attribute("x", NumericDomain(*ends), ends, ends)
    codes = np.array([[0], [1]], np.uint16)
    assert tight_loss(Classes(np.array([0, 0]), 1), codes, (attribute,)).overall == 1.0


def test_bad_input() -> None:
    attribute = Attribute("x", CategoricalDomain(("secret", "b")))
    codes = np.array([[0], [1]], np.uint16)
    with pytest.raises(ParameterError, match="'range', 'share', 'values'"):
        tight_loss(Classes(np.array([0, 0]), 1), codes, (attribute,), "ncp")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="one class for each row"):
        tight_loss(Classes(np.array([0]), 1), codes, (attribute,))
    with pytest.raises(DataError, match="at least one row"):
        tight_loss(Classes(np.empty(0, np.int64), 0), codes[:0], (attribute,))
    with pytest.raises(DataError, match="Got 1 that do not") as caught:
        tight_loss(Classes(np.array([0, 0]), 1), codes + 1, (attribute,))
    assert "secret" not in str(caught.value)
