"""The user's own rows: encoded once, and made again in their own types."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsam.data.model._own_frame
from sparsam._errors import DataError, ParameterError, RoleError
from sparsam.data import NumericDomain, Roles, load_example, read
from sparsam.data._domain import CategoricalDomain
from sparsam.data.model._own_records import OwnRecords

N_ROWS = 60


def people() -> pd.DataFrame:
    """A table with one column of every type that pandas users have."""
    rng = np.random.default_rng(3)
    gone = rng.random(N_ROWS) < 0.2
    letters = rng.choice(["a", "b", "c"], N_ROWS)
    frame = pd.DataFrame(
        {
            "age": rng.integers(15, 80, N_ROWS),
            "small": rng.integers(-5, 5, N_ROWS).astype(np.int8),
            "income": np.where(gone, np.nan, rng.normal(size=N_ROWS)),
            "single": rng.normal(size=N_ROWS).astype(np.float32),
            "level": pd.Categorical(np.where(gone, None, letters), ["d", "c", "b", "a"]),
            "grade": pd.Categorical.from_codes(rng.integers(0, 2, N_ROWS), [3, 1, 7], ordered=True),
            "whole": pd.array(np.where(gone, 0, rng.integers(1, 9, N_ROWS)), "Int64"),
            "text": pd.array(letters, "string"),
            "word": np.where(gone, None, letters),
            "thing": pd.Series(np.where(gone, None, letters), dtype=object),
            "truth": rng.random(N_ROWS) < 0.5,
            "maybe": pd.array(rng.random(N_ROWS) < 0.5, "boolean"),
            "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 5, N_ROWS), "D"),
            "empty": np.full(N_ROWS, np.nan),
            "name": [f"person {i}" for i in range(N_ROWS)],
            "works": rng.choice(["yes", "no"], N_ROWS),
        }
    )
    frame.loc[gone, ["whole", "text", "maybe"]] = pd.NA
    frame.index = pd.Index(rng.permutation(N_ROWS) + 100, name="row")
    return frame


ROLES = Roles("works", identifiers=["name"], categorical=["day"])
ATTRIBUTES = [name for name in people().columns if name not in ("name", "works")]


def test_pandas_comes_back_exactly():
    frame = people()
    own = OwnRecords.open(frame, roles=ROLES)
    made = own.frame(own.table.codes)
    pd.testing.assert_frame_equal(made, frame[ATTRIBUTES].reset_index(drop=True))
    assert type(made.index) is pd.RangeIndex
    assert own.table.names == tuple(name for name in ATTRIBUTES if name != "empty")
    assert set(own.table.left_out) == {"name", "works", "empty"}
    assert "empty: no values at all, left out" in own.table.notes
    assert own.encode(frame).tolist() == own.table.codes.tolist()


def test_polars_and_pyarrow_come_back_exactly():
    frame = people().drop(columns=["empty", "grade"])
    kept = [name for name in ATTRIBUTES if name in frame.columns]
    wide = pl.from_pandas(frame).with_columns(pl.col("text").cast(pl.Enum(["a", "b", "c", "d"])))
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    own = OwnRecords.open(wide, roles=ROLES)
    made = own.frame(own.table.codes)
    assert made.equals(wide.select(kept))
    assert made.schema == wide.select(kept).schema
    assert own.encode(wide).tolist() == own.table.codes.tolist()
    own = OwnRecords.open(pa.concat_tables([arrow[:20], arrow[20:]]), roles=ROLES)
    made = own.frame(own.table.codes)
    assert made.equals(arrow.select(kept))
    assert made.schema.equals(arrow.select(kept).schema)
    assert own.encode(arrow).tolist() == own.table.codes.tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64, bool, object, "U5"])
def test_arrays_come_back_exactly(dtype):
    matrix = np.random.default_rng(0).integers(0, 2, (30, 4)).astype(dtype)
    own = OwnRecords.open(matrix)
    made = own.frame(own.table.codes)
    assert made.dtype == matrix.dtype
    np.testing.assert_array_equal(made, matrix)
    np.testing.assert_array_equal(own.encode(matrix), own.table.codes)
    two = OwnRecords.open(matrix, columns=["x1", "x3"])
    np.testing.assert_array_equal(two.frame(two.table.codes), matrix[:, [1, 3]])


def test_mappings_come_back_with_their_own_columns():
    source = {
        "age": np.array([30, 41, 30], dtype=np.int16),
        "sex": np.array(["f", None, "m"], dtype=object),
        "list": [1.5, 2.5, None],
        "series": pd.Series(["x", "y", "x"], dtype="category"),
    }
    own = OwnRecords.open(source)
    made = own.frame(own.table.codes)
    assert list(made) == list(source)
    assert made["age"].dtype == np.int16
    assert made["age"].tolist() == [30, 41, 30]
    assert made["sex"].tolist() == ["f", None, "m"]
    assert made["list"].tolist() == [1.5, 2.5, None]
    pd.testing.assert_series_equal(made["series"].reset_index(drop=True), source["series"])
    assert own.encode(source).tolist() == own.table.codes.tolist()
    records = [{name: list(values)[row] for name, values in source.items()} for row in (2, 0)]
    assert own.encode(records).tolist() == own.table.codes[[2, 0]].tolist()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=9))
def test_any_codes_make_the_rows_they_stand_for(rows):
    frame = pd.DataFrame({"a": [5, 1, 9, 2, 7], "b": ["x", "y", "z", "x", None]})
    own = OwnRecords.open(frame)
    made = own.frame(np.array(rows, dtype=np.uint16))
    assert made["a"].tolist() == [[1, 2, 5, 7, 9][a] for a, _ in rows]
    assert made["b"].fillna("-").tolist() == [["x", "y", "z"][b] for _, b in rows]
    assert made.dtypes.tolist() == frame.dtypes.tolist()
    assert own.encode(made).tolist() == [list(row) for row in rows]


def test_files_become_what_pandas_would_read(tmp_path):
    text = "age,sex,zip,paid,works\n30,f,01,1.5,true\n,,02,,false\n52,m,01,2.5,true\n"
    (tmp_path / "people.csv").write_text(text)
    own = OwnRecords.open(tmp_path / "people.csv", roles=Roles("works"))
    made = own.frame(own.table.codes)
    expected = pd.read_csv(tmp_path / "people.csv", dtype={"zip": "str"}).drop(columns="works")
    pd.testing.assert_frame_equal(made, expected)
    assert own.encode(tmp_path / "people.csv").tolist() == own.table.codes.tolist()
    people().drop(columns=["grade", "empty"]).to_parquet(tmp_path / "people.parquet", index=False)
    stored = OwnRecords.open(tmp_path / "people.parquet", roles=ROLES)
    assert stored.frame(stored.table.codes)["age"].tolist() == people()["age"].tolist()


def test_relations_and_lazy_frames_are_collected():
    lazy = pl.DataFrame({"age": [30, 41], "sex": ["f", "m"]}).lazy()
    own = OwnRecords.open(lazy)
    assert own.frame(own.table.codes).equals(lazy.collect())
    own = OwnRecords.open(duckdb.sql("SELECT 1 AS a, 'x' AS b UNION ALL SELECT NULL, 'y'"))
    made = own.frame(own.table.codes).sort_values("b", ignore_index=True)
    pd.testing.assert_frame_equal(made, pd.DataFrame({"a": [1, np.nan], "b": ["x", "y"]}))


def test_without_pandas_a_file_is_a_mapping(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text("age,sex\n30,f\n,m\n")
    monkeypatch.setattr(sparsam.data.model._own_frame, "find_spec", lambda _: None)
    own = OwnRecords.open(tmp_path / "people.csv")
    made = own.frame(own.table.codes)
    assert {name: values.tolist() for name, values in made.items()} == {
        "age": [30, None],
        "sex": ["f", "m"],
    }


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


@pytest.mark.parametrize("roles", [Roles(identifiers=["sex"]), Roles("sex")])
def test_slices_of_the_target_or_an_identifier_are_left_out(roles):
    own = OwnRecords.open(HOT, roles=roles, slices=SLICES)
    assert own.table.names == ("age", "pay")
    assert own.frame(own.table.codes).columns.tolist() == ["age", "pay"]
    assert own.encode(HOT[["pay", "age"]]).tolist() == own.table.codes.tolist()


def test_columns_leave_the_others_out_and_keep_the_order():
    own = OwnRecords.open(people(), roles=ROLES, columns=["truth", "age"])
    assert own.frame(own.table.codes).columns.tolist() == ["age", "truth"]
    assert "income" in own.table.left_out


def test_numbered_columns_of_pandas_keep_their_labels():
    frame = pd.DataFrame(np.arange(6).reshape(3, 2))
    own = OwnRecords.open(frame)
    pd.testing.assert_frame_equal(own.frame(own.table.codes), frame)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (pd.DataFrame({"a": []}), "at least one attribute with values"),
        (pd.DataFrame({"a": pd.Categorical([], ["x"], ordered=True)}), "at least one"),
        ({"a": [1, 2], "b": [1]}, "same number of rows"),
        (np.zeros(3), "Got an array with 1 dimensions"),
        ("nowhere.csv", "Found none"),
        (3, "Got a int instead"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "more than one 'a'"),
    ],
)
def test_bad_sources(source, message):
    with pytest.raises(DataError, match=message):
        OwnRecords.open(source)


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
