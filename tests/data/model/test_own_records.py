"""The user's own rows: encoded once, and made again in their own types."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError, RoleError
from sparsam.data import NumericDomain, Roles, load_example, read
from sparsam.data._domain import CategoricalDomain
from sparsam.data.model._own_records import OwnRecords

from .own_table import ROLES, people


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=9))
def test_any_codes_make_the_rows_they_stand_for(rows):
    frame = pd.DataFrame({"a": [5, 1, 9, 2, 7], "b": ["x", "y", "z", "x", None]})
    own = OwnRecords.open(frame)
    made = own.frame(np.array(rows, dtype=np.uint16))
    assert made["a"].tolist() == [[1, 2, 5, 7, 9][a] for a, _ in rows]
    assert made["b"].fillna("-").tolist() == [["x", "y", "z"][b] for _, b in rows]
    assert made.dtypes.tolist() == frame.dtypes.tolist()
    assert own.encode(made).tolist() == [list(row) for row in rows]


def test_the_bundled_example_keeps_its_attributes():
    table = load_example()
    own = OwnRecords.open(table, roles=Roles("employed") if "employed" in table.names else None)
    assert own.table.attributes == tuple(a for a in table.attributes if a.name in own.table.names)
    made = own.frame(own.table.codes)
    pd.testing.assert_frame_equal(made, table.select(own.table.names).to_frame())
    assert own.encode(made).tolist() == own.table.codes.tolist()


def test_a_part_of_a_table_can_still_be_missing():
    table = read({"age": [30, 41, None], "sex": ["f", None, "m"], "id": [1, 2, 3]})
    own = OwnRecords.open(table.take([0]), roles=Roles(identifiers=["id"]))
    made = own.frame(np.array([[2, 2], [1, 1]], dtype=np.uint16))
    assert made.isna().to_numpy().tolist() == [[True, True], [False, False]]
    assert made.iloc[1].tolist() == [41, "m"]
    read_before = read({"a": [1, 2], "id": [1, 2]}, roles=Roles(identifiers=["id"]))
    assert OwnRecords.open(read_before, roles=Roles(identifiers=["id"])).table.names == ("a",)


def test_texts_that_mean_missing_come_back_as_they_were():
    frame = pd.DataFrame({"job": ["?", "clerk", "?"], "age": ["30", "?", "41"]})
    own = OwnRecords.open(frame, roles=Roles(missing_values=["?"], numeric=["age"]))
    assert own.table.attribute("job").missing
    pd.testing.assert_frame_equal(own.frame(own.table.codes), frame)
    assert own.encode(frame).tolist() == own.table.codes.tolist()


def test_many_numbers_are_binned_and_stand_for_the_middle_row():
    rng = np.random.default_rng(0)
    values = rng.normal(size=70_000)
    frame = pd.DataFrame({"x": values, "y": rng.integers(0, 3, 70_000)})
    frame.loc[::1000, "x"] = np.nan
    own = OwnRecords.open(frame)
    attribute, codes = own.table.attribute("x"), own.table.column("x")
    assert attribute.binned
    assert any(note.startswith("x: ") and "bins" in note for note in own.table.notes)
    made = own.frame(own.table.codes)["x"].to_numpy()
    assert np.isnan(made[::1000]).all()
    known = ~np.isnan(made)
    assert np.isin(made[known], frame["x"]).all()
    assert (made[known] >= attribute.lows[codes[known]]).all()
    assert (made[known] <= attribute.highs[codes[known]]).all()
    wide = int(np.argmax(attribute.highs - attribute.lows))
    inside = frame["x"].to_numpy()[codes == wide]
    middle = (attribute.lows[wide] + attribute.highs[wide]) / 2
    assert abs(made[codes == wide][0] - middle) == np.abs(inside - middle).min()


def test_numbers_in_a_table_that_was_binned_stay_so():
    table = read({"x": np.arange(1000.0), "b": ["u", "v"] * 500}, max_codes=10)
    own = OwnRecords.open(table)
    assert own.table.attribute("x") == table.attribute("x")
    assert own.frame(own.table.codes)["x"].nunique() == 10


def test_codes_without_a_row_are_made_of_their_plain_value():
    frame = pd.DataFrame(
        {
            "grade": pd.Categorical(["b"] * 3, ["a", "b", "c"], ordered=True),
            "range": pd.cut([1.0, 1.5, 1.0], [0, 2, 4]),
            "sex": pd.array(["f", "m", "f"], "string"),
            "n": [1, 2, 1],
        }
    )
    roles = Roles(
        domains={"sex": CategoricalDomain(("f", "m", "x")), "n": CategoricalDomain((1, 2, 3))}
    )
    own = OwnRecords.open(frame, roles=roles)
    codes = np.array([[0, 1, 2, 2], [2, 0, 0, 0]], dtype=np.uint16)
    made = own.frame(codes)
    assert made["grade"].tolist() == ["a", "c"]
    assert [str(one) for one in made["range"]] == ["(2, 4]", "(0, 2]"]
    assert made["sex"].tolist() == ["x", "f"]
    assert made["n"].tolist() == [3, 1]
    assert made.dtypes.tolist() == frame.dtypes.tolist()


@pytest.mark.parametrize("library", ["polars", "enum", "pyarrow", "dictionary", "numpy", "mapping"])
def test_codes_without_a_row_in_every_library(library):
    column = np.array(["f", "m", "f"])
    source = {
        "polars": lambda: pl.DataFrame({"x0": column}),
        "enum": lambda: pl.DataFrame({"x0": column}, schema={"x0": pl.Enum(["f", "m", "longer"])}),
        "pyarrow": lambda: pa.table({"x0": column}),
        "dictionary": lambda: pa.table({"x0": pa.array(column).dictionary_encode()}),
        "numpy": lambda: column.reshape(-1, 1),
        "mapping": lambda: {"x0": column},
    }[library]()
    roles = Roles(domains={"x0": CategoricalDomain(("f", "m", "longer"))})
    own = OwnRecords.open(source, roles=roles)
    made = own.frame(np.array([[2], [1]], dtype=np.uint16))
    values = made if isinstance(made, np.ndarray) else made["x0"]
    flat = values.to_pylist() if hasattr(values, "to_pylist") else np.ravel(values).tolist()
    assert flat == ["longer", "m"]


def test_a_domain_that_the_type_cannot_hold_is_refused():
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y"])})
    roles = Roles(domains={"a": CategoricalDomain(("x", "y", "secret"))})
    with pytest.raises(DataError, match="must be of a type that holds every value") as caught:
        OwnRecords.open(frame, roles=roles)
    assert "secret" not in str(caught.value)


def test_bad_roles():
    frame = people()
    with pytest.raises(RoleError, match="'work' is not a column \\(role 'target'\\)"):
        OwnRecords.open(frame, roles=Roles("work", categorical=["day"]))
    with pytest.raises(RoleError, match="role 'identifiers'"):
        OwnRecords.open(frame, roles=Roles(identifiers=["nam"]))
    with pytest.raises(RoleError, match="the target or an identifier"):
        OwnRecords.open(frame, roles=ROLES, columns=["age", "works"])
    with pytest.raises(DataError, match="dates or times"):
        OwnRecords.open(frame)


def test_a_target_that_is_an_expression_is_left_out_too():
    own = OwnRecords.open(people(), roles=Roles("age>50", categorical=["day"]))
    assert "age" not in own.table.names


def test_columns_leave_the_others_out_and_keep_the_order():
    own = OwnRecords.open(people(), roles=ROLES, columns=["truth", "age"])
    assert own.frame(own.table.codes).columns.tolist() == ["age", "truth"]
    assert "income" in own.table.left_out


def test_bad_codes():
    own = OwnRecords.open({"a": [1, 2, 3], "b": ["x", "y", "x"]})
    with pytest.raises(DataError, match="must have 2 columns"):
        own.frame(np.zeros((3, 1), dtype=np.uint16))
    with pytest.raises(DataError, match="The codes of 'b' must be below 2"):
        own.frame(np.array([[0, 2]], dtype=np.uint16))
    assert len(own.frame(np.zeros((0, 2), dtype=np.uint16))["a"]) == 0


def test_new_rows_take_the_nearest_number_and_refuse_new_categories():
    own = OwnRecords.open(pd.DataFrame({"age": [30, 40], "sex": ["f", "m"]}))
    assert own.encode(pl.DataFrame({"sex": ["m"], "age": [33.0]})).tolist() == [[0, 1]]
    with pytest.raises(DataError, match="Got 1 unknown in 1 rows") as caught:
        own.encode({"age": [30], "sex": ["secret"]})
    assert "secret" not in str(caught.value)
    with pytest.raises(DataError, match="must have no missing values"):
        own.encode({"age": [None], "sex": ["f"]})
    with pytest.raises(RoleError, match="'sex' is not a column"):
        own.encode({"age": [30]})


def test_a_declared_range_without_values_is_kept():
    roles = Roles(domains={"pay": NumericDomain(0, 10)})
    frame = pd.DataFrame({"pay": [np.nan, np.nan], "b": ["x", "y"]})
    own = OwnRecords.open(frame, roles=roles)
    pd.testing.assert_frame_equal(own.frame(own.table.codes), frame)
    assert own.frame(np.array([[0, 0]]))["pay"].tolist() == [5]


def test_no_value_is_shown():
    own = OwnRecords.open({"name": ["secret", "other"]})
    assert repr(own) == "OwnRecords(2 rows, 1 attributes, mapping)"
