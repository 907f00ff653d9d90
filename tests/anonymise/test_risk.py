"""Prosecutor, journalist and marketer, over records and not over classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.anonymise._risk import release_risk


@given(st.lists(st.integers(0, 30), min_size=1, max_size=30).filter(any), st.floats(0, 1))
def test_risks_are_means_over_the_records(sizes: list[int], threshold: float) -> None:
    records = [size for size in sizes for _ in range(size)]
    each = [1 / size for size in records]
    risks = release_risk(sizes, threshold=threshold)
    assert risks["prosecutor"].details["highest"] == max(each)
    assert risks["prosecutor"].value == pytest.approx(sum(each) / len(each))
    above = sum(risk > threshold for risk in each)
    assert risks["prosecutor"].details["share_above"] == pytest.approx(above / len(each))
    assert risks["journalist"].details == risks["prosecutor"].details
    assert risks["marketer"].value == risks["prosecutor"].value
    assert risks["prosecutor"].n == len(records)
    assert risks["prosecutor"].details["n_classes"] == sum(size > 0 for size in sizes)
    assert risks["prosecutor"].baseline <= risks["prosecutor"].value * (1 + 1e-9)


def test_an_average_over_classes_would_be_far_off() -> None:
    """A peer averages over classes: 22 times too much on one release."""
    risks = release_risk([2] * 10 + [2000])
    assert risks["prosecutor"].value == pytest.approx(11 / 2020)
    assert np.mean([1 / 2] * 10 + [1 / 2000]) / risks["prosecutor"].value > 22


def test_a_population_lowers_the_risk_of_those_who_are_sought_in_it() -> None:
    risks = release_risk([2, 8, 0], population=[10, 8, 5])
    assert risks["journalist"].details["highest"] == 1 / 8
    assert risks["journalist"].value == pytest.approx((2 / 10 + 8 / 8) / 10)
    assert risks["marketer"].value == risks["journalist"].value
    assert risks["prosecutor"].details["highest"] == 0.5
    assert risks["journalist"].details["population"]


def test_rows_of_one_person_hide_nobody() -> None:
    risks = release_risk([10, 10], people=[1, 5])
    assert risks["prosecutor"].details["highest"] == 1
    assert risks["prosecutor"].value == pytest.approx((10 * 1 + 10 / 5) / 20)
    assert risks["prosecutor"].details["share_above"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": []}, "There are none"),
        ({"sizes": [0, 0]}, "There are none"),
        ({"sizes": [1.5]}, "whole numbers"),
        ({"sizes": [[1]]}, "one for each class"),
        ({"sizes": [-1, 2]}, "at least 0"),
        ({"sizes": [2], "people": [3]}, "no more people than rows"),
        ({"sizes": [2], "people": [0]}, "at least one person"),
        ({"sizes": [2], "people": [1, 1]}, "for each of the 1 classes"),
        ({"sizes": [2], "population": [1]}, "smaller in 1 classes"),
    ],
)
def test_impossible_counts_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        release_risk(**arguments)


def test_a_threshold_is_a_risk() -> None:
    with pytest.raises(ParameterError, match="float in"):
        release_risk([2], threshold=2)
