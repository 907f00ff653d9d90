from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.data import Attribute, CategoricalDomain, NumericDomain, read

numbers = st.lists(
    st.one_of(st.integers(-20, 20), st.floats(-1e6, 1e6, allow_nan=False)), min_size=1, unique=True
)


def nearest(attribute: Attribute, value: float) -> int:
    """The slow way: the code whose bin is least far, the upper one of two."""
    distances = [
        max(low - value, value - high, 0.0)
        for low, high in zip(attribute.lows, attribute.highs, strict=True)
    ]
    return max(i for i, distance in enumerate(distances) if distance == min(distances))


def numeric(values: list[float]) -> Attribute:
    ordered = np.array(sorted(values), dtype=float)
    return Attribute("x", NumericDomain(ordered[0], ordered[-1]), ordered, ordered, missing=True)


# quarters, so that distances are exact and a tie is a tie
quarters = st.lists(st.integers(-400, 400).map(lambda n: n / 4), min_size=1, unique=True)


@settings(deadline=None)
@given(quarters, quarters)
def test_numbers_get_the_nearest_code(known: list[float], asked: list[float]):
    attribute = numeric([float(v) for v in known])
    codes = attribute.encode(np.array(asked, dtype=float))
    assert codes.tolist() == [nearest(attribute, float(v)) for v in asked]


@settings(deadline=None)
@given(quarters, quarters)
def test_binned_numbers_get_the_nearest_bin(known: list[float], asked: list[float]):
    attribute = read({"x": known}, max_codes=4).attributes[0]
    codes = attribute.encode(np.array(asked, dtype=float))
    assert codes.tolist() == [nearest(attribute, float(v)) for v in asked]


@settings(deadline=None)
@given(numbers)
def test_known_numbers_come_back(known: list[float]):
    attribute = numeric([float(v) for v in known])
    values = np.array([*known, np.nan], dtype=float)
    codes = attribute.encode(values)
    assert codes[-1] == attribute.n_values
    np.testing.assert_array_equal(attribute.decode(codes), values + 0.0)


def test_numbers_beyond_the_range_get_the_ends():
    attribute = numeric([1.0, 2.0, 5.0])
    assert attribute.encode(np.array([-9, 9, 3.5, 3.4])).tolist() == [0, 2, 2, 1]


@settings(deadline=None)
@given(
    st.lists(st.one_of(st.text(max_size=2), st.none()), min_size=1).filter(
        lambda values: any(v is not None for v in values)
    )
)
def test_categories_against_the_oracle(values: list[Any]):
    domain = sorted({v for v in values if v is not None})
    attribute = Attribute("x", CategoricalDomain(tuple(domain)), missing=True)
    array = np.array(values, dtype=object)
    codes = attribute.encode(array)
    assert codes.dtype == np.uint16
    assert codes.tolist() == [len(domain) if v is None else domain.index(v) for v in values]
    assert attribute.decode(codes).tolist() == values


def test_unseen_categories_are_counted_and_not_quoted():
    attribute = Attribute("sex", CategoricalDomain(("f", "m")))
    with pytest.raises(DataError, match=r"'sex'.*Got 2 unknown in 3 rows") as error:
        attribute.encode(np.array(["f", "secret1", "secret2", "secret1"]))
    assert "secret" not in str(error.value)


def test_missing_where_none_is_allowed():
    attribute = Attribute("sex", CategoricalDomain(("f", "m")))
    with pytest.raises(DataError, match=r"'sex' must have no missing values. Got 2 rows"):
        attribute.encode(np.array(["f", None, None], dtype=object))


def test_infinity_is_refused():
    with pytest.raises(DataError, match="'x' must hold finite numbers"):
        numeric([1.0, 2.0]).encode(np.array([np.inf]))


def test_text_for_a_number_is_read_or_refused():
    attribute = numeric([1.0, 2.0])
    assert attribute.encode(np.array(["2", "1.0", None], dtype=object)).tolist() == [1, 0, 2]
    with pytest.raises(DataError, match=r"'x' must hold numbers. Got 1 rows") as error:
        attribute.encode(np.array(["secret", "1"], dtype=object))
    assert "secret" not in str(error.value)


def test_numbers_and_text_meet_where_the_categories_are_text():
    attribute = Attribute("x", CategoricalDomain(("1", "a")))
    assert attribute.encode(np.array([1, "a"], dtype=object)).tolist() == [0, 1]
    assert attribute.encode(np.array([1, 1])).tolist() == [0, 0]


def test_number_categories():
    attribute = Attribute("x", CategoricalDomain((1, 2.5)), missing=True)
    assert attribute.encode(np.array([2.5, 1.0, np.nan])).tolist() == [1, 0, 2]
    assert attribute.decode(np.array([0, 2])).tolist() == [1, None]


def test_decode_types():
    whole = Attribute("x", NumericDomain(1, 3, True), np.array([1.0, 3.0]), np.array([1.0, 3.0]))
    assert whole.decode(np.array([1, 0])).dtype == np.int64
    binned = Attribute("x", NumericDomain(0, 9), np.array([0.0, 5.0]), np.array([4.0, 9.0]))
    assert binned.binned
    assert binned.decode(np.array([0, 1])).tolist() == [2.0, 7.0]
    truth = Attribute("x", CategoricalDomain((False, True)))
    assert truth.decode(np.array([1])).dtype == bool


def test_kinds_and_sizes():
    attribute = Attribute("x", CategoricalDomain(("a", "b"), ordered=True), missing=True)
    assert (attribute.numeric, attribute.ordered, attribute.binned) == (False, True, False)
    assert (attribute.n_values, attribute.size) == (2, 3)
    assert not Attribute("x", CategoricalDomain(("a", "b"))).ordered
    assert numeric([1.0]).ordered


def test_equal_by_value_and_immutable():
    one, two = numeric([1.0, 2.0]), numeric([1.0, 2.0])
    assert one == two
    assert hash(one) == hash(two)
    assert one != numeric([1.0, 3.0])
    assert one != "x"
    assert copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301
    with pytest.raises(ValueError, match="read-only"):
        one.lows[0] = 3
    with pytest.raises(AttributeError):
        one.name = "y"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("lows", "highs"), [([], []), ([1.0], []), ([2.0, 1.0], [2.0, 1.0]), ([1.0, 2.0], [3.0, 4.0])]
)
def test_refuses_bins_that_do_not_ascend(lows: list[float], highs: list[float]):
    with pytest.raises(DataError, match="'x'"):
        Attribute("x", NumericDomain(0, 9), np.array(lows), np.array(highs))


def test_repr_shows_no_value():
    attribute = Attribute("x", CategoricalDomain(("secret", "b")), missing=True)
    assert repr(attribute) == "Attribute('x', categorical, 2 values, missing)"
