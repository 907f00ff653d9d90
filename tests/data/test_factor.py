from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.data._factor import factorise, from_dictionary

small = st.integers(-5, 5)
wide = st.integers(-(2**52), 2**52)
floats = st.floats(allow_nan=True, allow_infinity=False)
texts = st.text(max_size=3)


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def oracle(values: list[Any]) -> tuple[list[Any], list[int]]:
    distinct = sorted({v for v in values if not is_missing(v)})
    return distinct, [-1 if is_missing(v) else distinct.index(v) for v in values]


def assert_as_oracle(values: list[Any], array: np.ndarray) -> None:
    found = factorise("x", array)
    distinct, codes = oracle(values)
    assert found.values.tolist() == distinct
    assert found.codes.tolist() == codes
    assert found.counts().tolist() == [values.count(v) for v in distinct]
    assert found.has_missing == (-1 in codes)


@settings(deadline=None)
@given(st.lists(st.one_of(small, wide), min_size=1))
def test_ints_against_the_oracle(values: list[int]):
    assert_as_oracle(values, np.array(values))
    assert_as_oracle(values, np.array(values, dtype=object))


@settings(deadline=None)
@given(st.lists(st.one_of(floats, small.map(float)), min_size=1))
def test_floats_against_the_oracle(values: list[float]):
    assert_as_oracle(values, np.array(values))
    assert_as_oracle(values, np.array(values, dtype=object))


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), texts, st.just(float("nan"))), min_size=1))
def test_texts_against_the_oracle(values: list[Any]):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    assert_as_oracle(values, array)


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), st.booleans()), min_size=1))
def test_truth_values_against_the_oracle(values: list[Any]):
    assert_as_oracle(values, np.array(values, dtype=object))


@settings(deadline=None)
@given(st.lists(st.tuples(small, st.booleans()), min_size=1))
def test_masked_entries_are_missing(pairs: list[tuple[int, bool]]):
    masked = np.ma.MaskedArray([v for v, _ in pairs], mask=[m for _, m in pairs])
    assert_as_oracle([None if m else v for v, m in pairs], masked)


def test_dictionary_positions_drop_what_no_row_has():
    dictionary = factorise("x", np.array(["c", "a", "b"], dtype=object))
    found = from_dictionary(dictionary, np.array([0, -1, 2], dtype=np.int8))
    assert found.values.tolist() == ["b", "c"]
    assert found.codes.tolist() == [1, -1, 0]


def test_texts_that_mean_missing():
    values = np.array(["?", "a", 3, "?"], dtype=object)
    with pytest.raises(DataError, match="mixture of int, str"):
        factorise("x", values, missing={"?"})
    found = factorise("x", np.array(["?", 2, 3], dtype=object), missing={"?"})
    assert (found.kind, found.codes.tolist()) == ("number", [-1, 0, 1])
    assert factorise("x", np.array(["?", "b"]), missing={"?"}).codes.tolist() == [-1, 0]


def test_numpy_nan_among_texts_is_missing():
    found = factorise("x", np.array(["a", np.float64("nan")], dtype=object))
    assert (found.kind, found.codes.tolist()) == ("text", [0, -1])


@pytest.mark.parametrize(
    "values",
    [
        np.array([1, "a"], dtype=object),
        np.array([True, 2], dtype=object),
        np.array([b"a", 1.5], "O"),
    ],
)
def test_a_mixture_is_refused_or_made_text(values: np.ndarray):
    with pytest.raises(DataError, match="'x' must hold one type of value"):
        factorise("x", values)
    found = factorise("x", values, as_text=True)
    assert found.values.tolist() == sorted(str(v) for v in values)


@pytest.mark.parametrize(
    "values",
    [
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.array([datetime.date(2020, 1, 1)], dtype=object),
        np.array([np.datetime64("2020-01-01")], dtype=object),
    ],
)
def test_dates_are_days_or_made_text(values: np.ndarray):
    found = factorise("x", values)
    assert (found.kind, found.values.tolist(), found.clock) == ("date", [18262], False)
    assert factorise("x", values, as_text=True).values.tolist() == ["2020-01-01"]


@pytest.mark.parametrize("unit", ["s", "ns"])
def test_a_moment_is_its_day_and_says_that_the_clock_is_lost(unit: str):
    texts = ["1969-12-31T23:59:59", "NaT", "1970-01-01T00:00:00"]
    found = factorise("x", np.array(texts, f"datetime64[{unit}]"))
    assert (found.kind, found.values.tolist(), found.codes.tolist()) == (
        "date",
        [-1, 0],
        [0, -1, 1],
    )
    assert found.clock
    objects = np.array([datetime.datetime(1969, 12, 31, 23), None, datetime.date(1970, 1, 1)])
    assert factorise("x", objects)[2].tolist() == [0, -1, 1]


def test_times_of_day_are_minutes():
    found = factorise("x", np.array([datetime.time(8, 30, 59), None, datetime.time(0)], object))
    assert (found.kind, found.values.tolist(), found.codes.tolist()) == (
        "time",
        [0, 510],
        [1, -1, 0],
    )


def test_only_nat_is_nothing():
    assert factorise("x", np.array(["NaT"], "datetime64[D]")).kind == "empty"
    assert factorise("x", np.array([np.datetime64("NaT", "D")], object)).kind == "empty"


@pytest.mark.parametrize(
    "values", [np.array([1], "timedelta64[D]"), np.array([datetime.timedelta(1)], object)]
)
def test_durations_are_refused_with_a_hint(values: np.ndarray):
    with pytest.raises(DataError, match=r"(?s)'x'.*durations.*Hint: convert"):
        factorise("x", values)


def test_years_that_no_calendar_here_has_are_refused():
    with pytest.raises(DataError, match=r"years 1 to 9999\. Got 1 others"):
        factorise("x", np.array(["12020-01-01", "2020-01-01"], "datetime64[D]"))


@pytest.mark.parametrize("values", [np.array([1j]), np.array([[1], None], dtype=object)])
def test_other_types_are_refused(values: np.ndarray):
    with pytest.raises(DataError, match="'x' must hold numbers, dates, text or truth values"):
        factorise("x", values)


@pytest.mark.parametrize("values", [[None, None], [], [float("nan")]])
def test_nothing_but_missing(values: list[Any]):
    found = factorise("x", np.array(values, dtype=object))
    assert found.kind == "empty"
    assert (found.codes == -1).all()


def test_infinities_are_refused():
    with pytest.raises(DataError, match=r"'x' must hold finite numbers. Some are infinite"):
        factorise("x", np.array([np.inf, 1.0, -np.inf, np.nan]))


def test_whole_numbers_too_large_to_be_exact():
    found = factorise("x", np.array([2**63, 1], dtype=np.uint64))
    assert found.codes.tolist() == [1, 0]


def test_negative_zero_is_zero():
    assert factorise("x", np.array([-0.0, 0.0, 0.5])).codes.tolist() == [0, 0, 1]
