"""Partitions: validation, reference semantics, codes, words."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import categorical_partition, numeric_partition

AGES = NumericDomain(0, 99, integer=True)
REALS = NumericDomain(-5, 5)
COLOURS = CategoricalDomain(("red", "green", "blue"))
GRADES = CategoricalDomain((1, 2, 3))


@pytest.mark.parametrize("value", [1, 1.0, np.int16(1), np.float64(1), Decimal(1)])
def test_an_integer_category_is_met_by_equal_numbers(value: Any) -> None:
    assert categorical_partition("g", GRADES, [[2, 3], [1]]).bucket(value) == 1


@pytest.mark.parametrize("value", ["1", True, 1.5, 4, np.True_])
def test_an_integer_category_is_met_by_nothing_else(value: Any) -> None:
    with pytest.raises(DataError, match="'g' is outside the domain"):
        categorical_partition("g", GRADES, [[2, 3], [1]]).bucket(value)


def test_a_category_of_no_known_type_is_refused_even_where_unseen_ones_are_not() -> None:
    partition = categorical_partition("g", GRADES, [[2, 3], [1]], unseen=0)
    with pytest.raises(DataError, match="wrong type"):
        partition.bucket([1])


def test_one_bucket_takes_everything() -> None:
    for partition in (
        numeric_partition("age", AGES, [], beyond="error"),
        categorical_partition("c", COLOURS, [["red", "green", "blue"]]),
    ):
        assert partition.n_buckets == 1
        assert not partition.collected
        assert partition.labels == ("not collected",)
        assert partition.missing == 0
        assert [partition.bucket(v) for v in (None, 5, "no", 1e9, True, [])] == [0] * 6


def test_cuts_of_whole_numbers_move_up_to_the_next() -> None:
    partition = numeric_partition("age", AGES, [16.2, 16.5, 62])
    assert partition.cuts == (17, 62)


@pytest.mark.parametrize(
    ("cuts", "options"),
    [
        ([2, 1], {}),
        ([1, 1.0], {}),
        ([float("nan")], {}),
        ([float("inf")], {}),
        ([-5], {}),
        ([5.5], {}),
        ([1], {"missing": 3}),
        ([1], {"missing": -1}),
        ([1], {"labels": ["a"]}),
        ([1], {"labels": ["a", "a"]}),
    ],
)
def test_bad_numeric_partitions_are_refused_by_name(cuts: Any, options: Any) -> None:
    with pytest.raises(ParameterError, match="'x'"):
        numeric_partition("x", REALS, cuts, **options)


@pytest.mark.parametrize(
    ("groups", "options"),
    [
        ([], {}),
        ([["red", "green"], ["blue"], []], {}),
        ([["red", "green"]], {}),
        ([["red", "green"], ["blue", "red"]], {}),
        ([["red", "green"], ["blue", "black"]], {}),
        ([["red", "green"], ["blue"]], {"missing": 3}),
        ([["red", "green"], ["blue"]], {"unseen": 3}),
        ([["red", "green"], ["blue"]], {"missing": 2, "unseen": 4}),
        ([["red", "green"], ["blue"]], {"labels": ["a", "b", "c"]}),
    ],
)
def test_bad_categorical_partitions_are_refused_by_name(groups: Any, options: Any) -> None:
    with pytest.raises(ParameterError, match="'c'"):
        categorical_partition("c", COLOURS, groups, **options)


def test_long_whole_numbers_must_be_text() -> None:
    domain = CategoricalDomain((1, 2**53))
    with pytest.raises(ParameterError, match=r"2\^53"):
        categorical_partition("code", domain, [[1], [2**53]])


@given(
    st.lists(st.floats(-4.99, 5), max_size=40, unique=True).map(sorted),
    st.lists(st.floats(-10, 10) | st.just(float("nan")), min_size=1),
    st.booleans(),
)
def test_arrays_agree_with_single_values(cuts: Any, values: Any, strict: bool) -> None:
    partition = numeric_partition("x", REALS, cuts, len(cuts) + 1, "error" if strict else "clamp")
    found = partition.number_slots(np.asarray(values))
    assert found.tolist() == [partition.slot(value) for value in values]


def test_more_than_255_buckets_work() -> None:
    domain = NumericDomain(0, 999, integer=True)
    partition = numeric_partition("n", domain, list(range(1, 1000)), missing=1000)
    assert partition.number_slots(np.array([0.0, 255, 256, 999, np.nan])).tolist() == [
        0,
        255,
        256,
        999,
        1000,
    ]
