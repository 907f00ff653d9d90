from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

from sparsam._errors import DataError, ParameterError, RoleError
from sparsam.data import Attribute, CategoricalDomain, Table, read

ROWS: dict[str, Any] = {
    "age": [30, 41, None, 30],
    "sex": ["f", "m", "m", None],
    "works": [True, False, True, True],
    "pay": [1.5, 2.25, 0.0, 1.5],
}


@pytest.fixture
def table() -> Table:
    return read(ROWS)


def test_shape_and_layout(table: Table):
    assert table.names == ("age", "sex", "works", "pay")
    assert (len(table), table.n_rows) == (4, 4)
    assert table.codes.dtype == np.uint16
    assert table.codes.flags.f_contiguous
    assert table.column("age").tolist() == [0, 1, 2, 0]
    assert table.index("works") == 2
    with pytest.raises(ValueError, match="read-only"):
        table.codes[0, 0] = 1


def test_a_wrong_name_gets_a_suggestion(table: Table):
    with pytest.raises(RoleError, match=r"'agee' is not a column. Did you mean 'age'?"):
        table.column("agee")


@pytest.mark.parametrize("rows", [[2, 0], np.array([True, False, True, False]), slice(1, 3), []])
def test_take(table: Table, rows: Any):
    taken = table.take(rows)
    at = rows if isinstance(rows, slice) else np.asarray(rows, dtype=None if len(rows) else int)
    np.testing.assert_array_equal(taken.codes, table.codes[at])
    assert taken.codes.flags.f_contiguous
    assert not taken.codes.flags.writeable
    assert taken.attributes == table.attributes


def test_select_and_drop(table: Table):
    assert table.select(["pay", "age"]).names == ("pay", "age")
    np.testing.assert_array_equal(table.select(["pay"]).codes[:, 0], table.column("pay"))
    assert table.drop(["sex"]).names == ("age", "works", "pay")
    assert not table.select(["pay"]).codes.flags.writeable


def test_most_columns_are_selected_without_a_copy(table: Table):
    most, few = table.drop(["pay"]), table.select(["age"])
    assert np.shares_memory(most.codes, table.codes)
    assert not np.shares_memory(few.codes, table.codes)  # or it would keep all of them in memory
    assert not most.codes.flags.writeable
    assert most.codes.flags.f_contiguous


def test_with_column_adds_or_replaces(table: Table):
    new = Attribute("sex", CategoricalDomain(("all",)))
    replaced = table.with_column(new, np.zeros(4))
    assert replaced.names == table.names
    assert replaced.attribute("sex") == new
    added = table.with_column(Attribute("more", CategoricalDomain(("all",))), np.zeros(4))
    assert added.names[-1] == "more"
    with pytest.raises(DataError, match="'sex' must have 4 rows"):
        table.with_column(new, np.zeros(3))


def test_fingerprint_changes_with_everything_that_matters(table: Table):
    prints = {
        table.fingerprint,
        table.take([0, 1, 2]).fingerprint,
        table.take([1, 0, 2, 3]).fingerprint,
        read({**ROWS, "age": [31, 41, None, 31]}).fingerprint,
        read({**ROWS, "sex": ["w", "m", "m", None]}).fingerprint,
        read({name + "2": values for name, values in ROWS.items()}).fingerprint,
        read({**ROWS, "works": [1, 0, 1, 1]}).fingerprint,
    }
    assert len(prints) == 7
    assert read(ROWS).fingerprint == table.fingerprint
    assert len(table.fingerprint) == 64


def test_round_trip_through_a_dict(table: Table):
    assert read(table.to_dict()).fingerprint == table.fingerprint


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_round_trip_through_a_frame(table: Table, backend: Literal["pandas", "polars", "pyarrow"]):
    pytest.importorskip(backend)
    frame = table.to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    assert read(frame).fingerprint == table.fingerprint


def test_an_unknown_backend(table: Table):
    with pytest.raises(ParameterError, match="backend"):
        table.to_frame("excel")  # type: ignore[arg-type]


def test_the_constructor_checks():
    attribute = Attribute("x", CategoricalDomain(("a",)))
    with pytest.raises(DataError, match="1 columns"):
        Table((attribute,), np.zeros((3, 2), dtype=np.uint16))
    with pytest.raises(DataError, match="more than one 'x'"):
        Table((attribute, attribute), np.zeros((3, 2), dtype=np.uint16))


def test_repr_shows_no_value(table: Table):
    assert repr(table) == (
        "Table(4 rows, 4 attributes: age (numeric, 2 values), sex (categorical, 2 values), "
        "works (categorical, 2 values), pay (numeric, 3 values))"
    )
