"""What the partitions of numbers and of categories have in common."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sparsam._errors import DataError, SparsamError
from sparsam.data import Attribute, CategoricalDomain, NumericDomain
from sparsam.generalization import categorical_partition, numeric_partition

AGES = NumericDomain(0, 99, integer=True)


REALS = NumericDomain(-5, 5)
COLOURS = CategoricalDomain(("red", "green", "blue"))


GRADES = CategoricalDomain((1, 2, 3))


@pytest.mark.parametrize(
    "value",
    [
        17,
        17.0,
        np.int8(17),
        np.uint64(17),
        np.float32(17),
        Decimal("17"),
        Fraction(17),
        np.int64(17),
    ],
)
def test_a_number_is_a_number_whatever_its_type(value: Any) -> None:
    assert numeric_partition("age", AGES, [17]).bucket(value) == 1


@pytest.mark.parametrize(
    "value",
    [None, float("nan"), np.nan, pd.NA, pd.NaT, np.datetime64("NaT", "D"), np.float32("nan")],
)
def test_missing_is_missing_whatever_its_type(value: Any) -> None:
    assert numeric_partition("age", AGES, [17], missing=2).bucket(value) == 2
    assert categorical_partition("c", COLOURS, [["red"], ["green", "blue"]], 2).bucket(value) == 2


@pytest.mark.parametrize(
    "value", [True, np.True_, "17", "", b"17", [17], datetime.date(2020, 1, 1), object(), 1j]
)
def test_a_wrong_type_for_a_number_is_refused_without_showing_it(value: Any) -> None:
    with pytest.raises(DataError, match="'age' has the wrong type") as caught:
        numeric_partition("age", AGES, [17]).bucket(value)
    assert "17" not in str(caught.value)


def test_lookup_gives_the_bucket_of_every_code() -> None:
    ages = Attribute("age", AGES, np.array([0.0, 16, 17, 40, 99]), np.array([0.0, 16, 17, 40, 99]))
    partition = numeric_partition("age", AGES, [17, 62])
    assert partition.lookup(ages).tolist() == [0, 0, 1, 1, 2]
    assert partition.lookup(ages).dtype == np.uint16
    colours = Attribute("c", COLOURS, missing=True)
    assert categorical_partition("c", COLOURS, [["red", "blue"], ["green"]], 1).lookup(
        colours
    ).tolist() == [0, 1, 0, 1]


def test_lookup_crosses_kinds_where_values_allow_it() -> None:
    numbers = Attribute(
        "g", NumericDomain(1, 3, integer=True), np.arange(1.0, 4), np.arange(1.0, 4)
    )
    assert categorical_partition("g", GRADES, [[2, 3], [1]]).lookup(numbers).tolist() == [1, 0, 0]
    codes = Attribute("age", CategoricalDomain((16, 17)))
    assert numeric_partition("age", AGES, [17]).lookup(codes).tolist() == [0, 1]


def test_lookup_refuses_values_that_do_not_fit() -> None:
    split = numeric_partition("age", AGES, [17])
    bins = Attribute("age", AGES, np.array([0.0, 20]), np.array([18.0, 99]))
    with pytest.raises(DataError, match="'age' was read in bins"):
        split.lookup(bins)
    fine = Attribute("age", AGES, np.array([0.0, 17]), np.array([16.0, 99]))
    assert split.lookup(fine).tolist() == [0, 1]
    text = Attribute("age", COLOURS)
    with pytest.raises(DataError, match="3 values of 'age' have the wrong type"):
        split.lookup(text)
    holes = Attribute("age", AGES, np.array([0.0]), np.array([0.0]), missing=True)
    with pytest.raises(DataError, match="'age' is missing"):
        split.lookup(holes)
    more = Attribute("c", CategoricalDomain(("red", "black", "white")))
    with pytest.raises(DataError, match="2 values of 'c' are outside"):
        categorical_partition("c", COLOURS, [["red"], ["green", "blue"]]).lookup(more)
    wide = Attribute("age", NumericDomain(0, 200), np.array([0.0, 150]), np.array([0.0, 150]))
    with pytest.raises(DataError, match="outside"):
        numeric_partition("age", AGES, [17], beyond="error").lookup(wide)
    with pytest.raises(DataError, match="categories"):
        categorical_partition("age", GRADES, [[1], [2, 3]]).lookup(bins)


def test_errors_belong_to_one_tree() -> None:
    with pytest.raises(SparsamError):
        numeric_partition("", AGES, [17])


def test_words_say_it_on_one_line() -> None:
    assert (
        numeric_partition("age", AGES, [17, 62]).words()
        == "age: whole numbers 0 to 99 → under 17 | 17–61 | 62 and over"
    )
    assert numeric_partition("x", REALS, [0.5]).words() == (
        "x: numbers -5 to 5 → under 0.5 | 0.5 and over"
    )
    assert categorical_partition("c", COLOURS, [["red", "green", "blue"]]).words() == (
        "c: 3 categories → not collected"
    )
    many = numeric_partition("age", AGES, list(range(1, 100)))
    assert many.words().endswith("5 | 6 … and 93 more buckets")
