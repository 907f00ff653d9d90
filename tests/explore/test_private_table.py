"""What is counted before the noise: one row more moves every table by exactly one."""

from __future__ import annotations

import datetime
import os
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.explore import declared
from sparsam.explore._bins import Bins, equal_bins, full_bins
from sparsam.explore._private_table import PrivateTable
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

DOMAINS = declared(
    {
        "age": (0, 99, "integer"),
        "height": (0, 2.5),
        "sex": ["f", "m"],
        "grade": CategoricalDomain((1, 2, 3), ordered=True),
    },
    missing_values=["?"],
)
BINS = [
    full_bins(DOMAINS, "age"),
    equal_bins(DOMAINS, "height", 8),
    full_bins(DOMAINS, "sex"),
    full_bins(DOMAINS, "grade"),
]
NAMES = DOMAINS.names
CELLS = [(), *((name,) for name in NAMES), *combinations(NAMES, 2), NAMES[:3]]

anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=4),
    st.sampled_from(["f", "m", "?", "12", "inf", 1.0, Decimal("2"), datetime.date(2020, 1, 1)]),
    st.lists(st.integers(), max_size=2),
)
rows = st.fixed_dictionaries(dict.fromkeys(NAMES, anything))


@settings(deadline=None, max_examples=150)
@given(st.lists(rows, max_size=6), rows)
def test_a_row_more_moves_each_table_by_exactly_one(
    people: list[dict[str, Any]], more: dict[str, Any]
) -> None:
    def columns(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
        return {name: [record[name] for record in records] for name in NAMES}

    before = PrivateTable(columns(people), DOMAINS).tables(BINS, CELLS)
    after = PrivateTable(columns([*people, more]), DOMAINS).tables(BINS, CELLS)
    for cell in CELLS:
        moved = np.asarray(after[cell] - before[cell])
        assert moved.sum() == 1
        assert (moved >= 0).all()
        assert after[cell].dtype == np.int64


def test_odd_values_have_their_cells() -> None:
    ages = [30, 30.9, -4, 250, np.inf, -np.inf, np.nan, None, "?", "x", "41"]
    counts = PrivateTable({"age": ages}, DOMAINS.only(["age"])).tables([BINS[0]], [("age",)])[
        ("age",)
    ]
    filled = {i: int(c) for i, c in enumerate(counts) if c}
    assert filled == {30: 2, 0: 2, 99: 2, 41: 1, 100: 4}


def test_all_missing_one_row_and_no_row() -> None:
    for column, total in (([None] * 3, 3), ([np.nan], 1), ([], 0)):
        source = PrivateTable({"age": column, "sex": column}, DOMAINS.only(["age", "sex"]))
        tables = source.tables([BINS[0], BINS[2]], [(), ("age",), ("age", "sex")])
        assert tables[()] == total
        assert tables[("age",)][-1] == total
        assert tables[("age", "sex")][-1, -1] == total
        assert tables[("age", "sex")].shape == (101, 4)


def test_generalizing_first_and_counting_buckets_is_the_same() -> None:
    ages = NumericDomain(0, 99, integer=True)
    ways = CategoricalDomain(("car", "bus", "train"))
    generalization = Generalization(
        [
            numeric_partition("age", ages, [18, 65], missing=1),
            categorical_partition("way", ways, [["bus"], ["car", "train"]], missing=2, unseen=1),
        ]
    )
    data = {
        "age": [3, 18, 17, 64, 65, 99, None, 120],
        "way": ["car", "bus", "train", "tram", None, "car", "bus", "car"],
    }
    domains = declared(generalization)
    bins = [full_bins(domains, name) for name in ("age", "way")]
    counts = PrivateTable(data, domains).tables(bins, [("age", "way")])[("age", "way")]
    expected = np.zeros_like(counts)
    for age, way in zip(data["age"], data["way"], strict=True):
        buckets = generalization["way"].bucket(way)
        expected[generalization["age"].bucket(age), 3 if buckets == 2 else buckets] += 1
    assert np.array_equal(counts, expected)


def test_bins_are_asked_for_once_and_for_declared_attributes() -> None:
    source = PrivateTable({"age": [1], "name": ["x"]}, DOMAINS.only(["age"]))
    with pytest.raises(ParameterError, match="must have bins"):
        source.tables([], [("age",)])
    with pytest.raises(ParameterError, match="one set of bins"):
        source.tables([BINS[0], BINS[0]], [("age",)])
    name = Bins("name", "categorical", categories=("x",))
    with pytest.raises(ParameterError, match="'name' must be a declared attribute"):
        source.tables([name], [("name",)])


def test_nothing_about_the_rows_is_shown() -> None:
    source = PrivateTable({"age": [77] * 1234}, DOMAINS.only(["age"]))
    assert repr(source) == "PrivateTable(age)"


def test_a_changed_file_has_another_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age\n30\n", encoding="utf-8")
    source = PrivateTable(path, DOMAINS.only(["age"]))
    first = source.fingerprint("salt")
    assert source.fingerprint("salt") == first
    assert source.fingerprint("other") != first
    path.write_text("age\n31\n", encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert source.fingerprint("salt") != first
