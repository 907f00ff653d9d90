"""Columns of zeros and ones are one attribute."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsam._errors import DataError, ParameterError, RoleError
from sparsam.data import Roles
from sparsam.data._domain import CategoricalDomain
from sparsam.data.model._own_records import OwnRecords

HOT = pd.DataFrame(
    {
        "age": [30, 41, 52, 63],
        "sex_female": np.array([1, 0, 0, 0], dtype=np.uint8),
        "pay": [1.5, 2.5, 1.5, 2.5],
        "sex_male": [False, True, False, True],
        "sex_other": [0.0, 0.0, 0.0, 0.0],
    }
)


SLICES = {"sex": ["sex_female", "sex_male", "sex_other"]}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "mapping"])
def test_slices_are_one_attribute(library):
    source = {
        "pandas": lambda: HOT,
        "polars": lambda: pl.from_pandas(HOT),
        "pyarrow": lambda: pa.Table.from_pandas(HOT),
        "mapping": lambda: {name: HOT[name].to_numpy() for name in HOT},
    }[library]()
    own = OwnRecords.open(source, slices=SLICES)
    assert own.table.names == ("age", "sex", "pay")
    sex = own.table.attribute("sex")
    assert sex.domain == CategoricalDomain(("female", "male", "other", "none of them"))
    assert sex.decode(own.table.column("sex")).tolist() == [
        "female",
        "male",
        "none of them",
        "male",
    ]
    made = own.frame(own.table.codes)
    back = (
        made
        if library == "pandas"
        else pd.DataFrame(made if library == "mapping" else made.to_pandas())
    )
    pd.testing.assert_frame_equal(back, HOT)
    other = own.frame(np.array([[0, 2, 0]], dtype=np.uint16))
    assert [float(np.asarray(other[name])[0]) for name in SLICES["sex"]] == [0, 0, 1]
    assert own.encode(source).tolist() == own.table.codes.tolist()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_a_slice_that_no_row_has_keeps_its_type(make):
    columns = {"a_x": [True, True], "a_y": [False, False], "a_z": [0, 0]}
    source = make({name: np.array(values) for name, values in columns.items()})
    own = OwnRecords.open(source, slices={"a": list(columns)})
    made = own.frame(np.array([[1], [2]], dtype=np.uint16))
    found = {name: list(np.asarray(made[name])) for name in columns}
    assert found == {"a_x": [False, False], "a_y": [True, False], "a_z": [0, 1]}
    assert np.asarray(made["a_x"]).dtype == bool
    assert np.asarray(made["a_z"]).dtype == np.int64


def test_slices_without_the_name_in_front_and_without_empty_rows():
    frame = pd.DataFrame({"f": [1, 0], "m": [0, 1], "x": [3, 4]})
    own = OwnRecords.open(frame, slices={"sex": ["m", "f"]}, columns=["f", "m"])
    assert own.table.attributes[0].domain == CategoricalDomain(("m", "f"))
    pd.testing.assert_frame_equal(own.frame(own.table.codes), frame[["f", "m"]])
    with pytest.raises(DataError, match="must hold only the 2 categories"):
        own.encode(pd.DataFrame({"f": [0], "m": [0]}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sex_male": [True] * 4}, "Got 1 rows with more"),
        ({"sex_male": [0, 2, 0, 2]}, "'sex_male' must hold only 0 and 1.* Got 2 rows"),
        ({"sex_male": ["0", "1", "0", "1"]}, "must hold only 0 and 1.* Got 4 rows"),
        ({"sex_other": [np.nan, 0, 0, 0]}, "'sex_other' must hold only 0 and 1.* Got 1 rows"),
    ],
)
def test_slices_must_be_one_hot(change, message):
    with pytest.raises(DataError, match=message):
        OwnRecords.open(HOT.assign(**change), slices=SLICES)


@pytest.mark.parametrize(
    ("slices", "columns", "error", "message"),
    [
        ({"sex": ["sex_femal"]}, None, RoleError, "Did you mean 'sex_female'"),
        ({"sex": []}, None, ParameterError, "at least one"),
        ({"sex": ["sex_male", "sex_male"]}, None, ParameterError, "name a column once"),
        ({"a": ["sex_male"], "b": ["sex_male"]}, None, ParameterError, "name a column once"),
        ({"age": ["sex_male", "sex_female"]}, None, ParameterError, "a name of its own"),
        (SLICES, ["age", "sex_male"], RoleError, "all slices of 'sex' or none. Got 1 of 3"),
        (None, ["agee"], RoleError, "Did you mean 'age'"),
    ],
)
def test_bad_slices_and_columns(slices, columns, error, message):
    with pytest.raises(error, match=message):
        OwnRecords.open(HOT, slices=slices, columns=columns)


@pytest.mark.parametrize("roles", [Roles(identifiers=["sex"]), Roles("sex")])
def test_slices_of_the_target_or_an_identifier_are_left_out(roles):
    own = OwnRecords.open(HOT, roles=roles, slices=SLICES)
    assert own.table.names == ("age", "pay")
    assert own.frame(own.table.codes).columns.tolist() == ["age", "pay"]
    assert own.encode(HOT[["pay", "age"]]).tolist() == own.table.codes.tolist()
