"""Cells read back: numbering, and texts that survive a file."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam.anonymise.proof._cells import cell_text, cells_hash, numbered, shared_records


@given(st.lists(st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.text(max_size=2))))
def test_objects_are_numbered_as_they_come(values: list[Any]) -> None:
    array = np.empty(len(values), object)
    array[:] = values
    number, cells = numbered(array)
    assert [(type(cells[i]), cells[i]) for i in number] == [(type(v), v) for v in values]
    assert len({(type(v), v) for v in cells}) == len(cells)
    assert list(dict.fromkeys(number.tolist())) == list(range(len(cells)))


@pytest.mark.parametrize("dtype", ["i8", "u4", "f4", "f8", "U7", "?", "M8[ns]", "m8[s]"])
def test_arrays_are_numbered_like_objects(dtype: str) -> None:
    values = (1_000_000 * np.array([3, 1, 2, 1, 3, 0])).astype(dtype)
    number, cells = numbered(values)
    plain = numbered(values.astype("M8[us]" if dtype[0] == "M" else dtype).astype(object))
    assert number.tolist() == plain[0].tolist()
    assert len(cells) == len(plain[1])


@pytest.mark.parametrize("dtype", ["f4", "f8", "M8[D]"])
def test_missing_is_one_value(dtype: str) -> None:
    values = np.array(["NaT", "2001", "NaT"] if dtype[0] == "M" else [np.nan, 2.0, np.nan], dtype)
    number, cells = numbered(values)
    assert number.tolist() == [0, 1, 0]
    assert cells[0] is None
    mixed = np.array([None, pd.NA, float("nan"), 1.0], dtype=object)
    assert numbered(mixed)[0].tolist() == [0, 0, 0, 1]


def test_cells_that_are_no_plain_values() -> None:
    values = np.empty(3, object)
    values[:] = [[1, 2], [1, 2], {"a": 1}]
    assert numbered(values)[0].tolist() == [0, 0, 1]
    assert len(cells_hash({"a": values})) == 64


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("xy"), st.integers(0, 1))))
def test_records_are_shared_when_all_cells_are(rows: list[tuple[Any, ...]]) -> None:
    columns = [np.array([row[i] for row in rows], object) for i in range(3)]
    records = shared_records(columns)
    for i in range(len(rows)):
        for j in range(len(rows)):
            assert (records[i] == records[j]) == (rows[i] == rows[j])
    assert set(records.tolist()) == set(range(len(set(rows))))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        ("", None),
        (5, "5"),
        (5.0, "5"),
        ("5", "5"),
        (" 5.0", "5"),
        ("05", "05"),
        (0.1, "0.1"),
        ("0.10", "0.1"),
        ("1e3", "1000"),
        (Decimal("2.50"), "2.5"),
        (-0.0, "0"),
        (1e300, "1e+300"),
        (True, "true"),
        ("True", "true"),
        ("nan", None),
        ("30–39", "30–39"),
        (datetime.date(2024, 5, 6), "2024-05-06"),
        (datetime.datetime(2024, 5, 6), "2024-05-06"),
        (datetime.datetime(2024, 5, 6, 7, 8), "2024-05-06 07:08:00"),
        (datetime.datetime(2024, 5, 6, 0, 0, 0, 500_000), "2024-05-06 00:00:00.5"),
        ("2024-05-06T00:00:00.000", "2024-05-06"),
    ],
)
def test_the_text_of_a_cell(value: Any, text: str | None) -> None:
    assert cell_text(value) == text


def test_the_hash_sees_names_and_cells_in_any_order_of_rows() -> None:
    base = {"a": np.array([1, 2]), "b": np.array(["x", "y"])}
    others = [
        {"a": np.array([2, 1]), "b": np.array(["x", "y"])},
        {"a": np.array([1, 2]), "c": np.array(["x", "y"])},
        {"b": np.array(["x", "y"]), "a": np.array([1, 2])},
        {"a": np.array([1, 2])},
        {"a": np.array([1, 2, 2]), "b": np.array(["x", "y", "y"])},
    ]
    assert len({cells_hash(columns) for columns in [base, *others]}) == 6
    same = {"a": np.array([1.0, 2.0], np.float32), "b": np.array(["x", "y"], object)}
    assert cells_hash(same) == cells_hash(base)
    turned = {"a": np.array([2, 1]), "b": np.array(["y", "x"])}
    assert cells_hash(turned) == cells_hash(base)


@given(st.permutations(range(12)), st.integers(0, 5))
def test_the_hash_does_not_depend_on_the_order_of_rows(order: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells: dict[str, Any] = {
        "n": rng.choice([0.0, -0.0, np.nan, 1.5], 12),
        "t": rng.choice(np.array(["x", "x ", "", None], object), 12),
    }
    turned = {name: values[list(order)] for name, values in cells.items()}
    assert cells_hash(turned) == cells_hash(cells)
    assert np.array_equal(
        np.sort(np.bincount(shared_records(list(turned.values())))),
        np.sort(np.bincount(shared_records(list(cells.values())))),
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([0.0, 1.0], [-0.0, 1.0]),
        ([None, 1.0], [float("nan"), None]),
        (["a", "b"], ["a ", "b"]),
        (["", "b"], [None, "b"]),
        (["1.5", "2.5"], ["1.50", "2.5"]),
        (["1", "2"], ["1", "2.0"]),
        (["true", "false"], ["true", "False"]),
        (["2024-01-02", "2024-01-03"], ["2024-01-02", "2024-01-03 00:00:00"]),
        (["2024-01-02 00:00:00.5", "2024-01-03 01:00:00"],
         ["2024-01-02 00:00:00.50", "2024-01-03 01:00:00"]),
        ([1, 2], [1, "2"]),
        ([1, "1"], [1, 1.0]),
    ],
)  # fmt: skip
def test_cells_that_differ_have_another_hash(one: list[Any], other: list[Any]) -> None:
    arrays = [np.empty(2, object), np.empty(2, object)]
    arrays[0][:], arrays[1][:] = one, other
    assert cells_hash({"a": arrays[0]}) != cells_hash({"a": arrays[1]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1.0, 2.0], [1, 2]),
        (["1.0", "2.5"], [1.0, 2.5]),
        (["7", "8"], [7, 8]),
        (["true", "false"], [True, False]),
        (["True", "False"], [True, False]),
        ([None, 1], [float("nan"), 1.0]),
        (["2024-01-02 00:00:00", "2024-01-03 01:00:00.5"],
         [datetime.datetime(2024, 1, 2), datetime.datetime(2024, 1, 3, 1, 0, 0, 500_000)]),
        (["2024-01-02T00:00:00.000", "2024-01-03T01:00:00.500"],
         ["2024-01-02 00:00:00", "2024-01-03 01:00:00.5"]),
        ([Decimal("1.50"), Decimal("2.25")], ["1.50", "2.25"]),
    ],
)  # fmt: skip
def test_types_that_hold_the_same_cells_have_one_hash(one: list[Any], other: list[Any]) -> None:
    arrays = [np.empty(2, object), np.empty(2, object)]
    arrays[0][:], arrays[1][:] = one, other
    assert cells_hash({"a": arrays[0]}) == cells_hash({"a": arrays[1]})


def test_the_hash_does_not_change_between_versions() -> None:
    cells = {"age": np.array([30.0, np.nan]), "job": np.array(["nurse", None], object)}
    assert cells_hash(cells).startswith("ebe13fb7dfd30e0d")


def test_times_are_the_same_cells_in_memory_and_in_a_file() -> None:
    times = [datetime.time(8, 30), None, datetime.time(9, 0, 1, 500_000)]
    stored = np.array(["08:30:00", None, "09:00:01.5"], object)
    assert cells_hash({"at": np.array(times, object)}) == cells_hash({"at": stored})
