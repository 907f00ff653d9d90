"""Raw columns of anything that holds records."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, RoleError
from sparsam.data import (
    CategoricalDomain,
    FileFormat,
    NumericDomain,
    Roles,
    column_names,
    columns_of,
    count_rows,
    is_frame,
    open_source,
    read,
    resolve,
)


@pytest.fixture(params=["loaded", "in place"], autouse=True)
def where_csv_files_are_read(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """A large CSV file stays where it is: nothing else may change."""
    if request.param == "in place":
        monkeypatch.setattr("sparsam.data.source._source.LARGE_FILE", 0)


def one(folder: Path, *cells: str) -> object:
    path = folder / "x.csv"
    path.write_text("x,y\n" + "".join(f"{cell},1\n" for cell in cells))
    return read(path).attributes[0].domain


@pytest.mark.parametrize(
    ("cells", "domain"),
    [
        (["1", " 2 ", "+3", "-4"], NumericDomain(-5, 5, True)),
        (["1", "2.5", "1e3", ".5", "nan"], NumericDomain(0, 1000)),
        (["1.0", "2"], NumericDomain(0, 5, True)),
        (["01234", "12345"], CategoricalDomain(("01234", "12345"))),
        (["0", "007"], CategoricalDomain(("0", "007"))),
        (["1234567890123456", "1"], CategoricalDomain(("1", "1234567890123456"))),
        (["yes", "no"], CategoricalDomain(("no", "yes"))),
        (["true", "FALSE"], CategoricalDomain((False, True))),
        (["t", "f"], CategoricalDomain(("f", "t"))),
        (["2020-01-01", "2020-01-02"], NumericDomain("2020-01-01", "2020-01-31", unit="date")),
        (["2020-01-01", "2020"], CategoricalDomain(("2020", "2020-01-01"))),
        (["1_000", "2"], CategoricalDomain(("1_000", "2"))),
        (["NA", "1"], CategoricalDomain(("1", "NA"))),
        ([" a", "a"], CategoricalDomain((" a", "a"))),
        (['"a,b"', '"say ""x"""'], CategoricalDomain(("a,b", 'say "x"'))),
        (["1"] * 30_000 + ["late"], CategoricalDomain(("1", "late"))),
    ],
)
def test_types_come_from_all_values(tmp_path: Path, cells: list[str], domain: object):
    assert one(tmp_path, *cells) == domain


def test_infinity_in_a_file(tmp_path: Path):
    with pytest.raises(DataError, match=r"'x' must hold finite numbers. Some are infinite"):
        one(tmp_path, "1", "inf")


texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1, max_size=5)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(texts, min_size=1, max_size=8))
def test_any_text_survives_a_file(tmp_path_factory: pytest.TempPathFactory, cells: list[str]):
    cells = ["word", *cells]
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in cells]
    path.write_text("x,y\n" + "".join(f"{q},1\n" for q in quoted), encoding="utf-8")
    assert read(path).to_dict()["x"].tolist() == cells


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2\nsecret\n", "Line 3 is damaged. It has 1 fields where the first line has 2"),
        (b"a,b\n1,2\nsecret,2,3\n", "Line 3 is damaged. It has 3 fields"),
        (b'a,b\n"secret,2\n', "Line 2 is damaged. It opens a quote"),
        (b"a,b\nsecret\xff\xfe,2\n", "It is not in UTF-8"),
        (b"\xff\xfea,b\n", "UTF-8"),
        (b"", "must begin with a line of column names. It is empty"),
        (b"a,b\n", "at least one row"),
    ],
)
def test_damaged_csv_files(tmp_path: Path, content: bytes, message: str):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as error:
        read(path)
    assert "secret" not in str(error.value)
    assert error.value.__cause__ is None


def test_header_with_quotes_and_one_column(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text('"the, name","line\nbreak"\n1,2\n')
    assert read(path).names == ("the, name", "line\nbreak")
    path.write_text("only\n1\n\n3\n")
    assert read(path).codes.tolist() == [[0], [2], [1]]


@pytest.mark.parametrize("name", ["x.parquet", "x.csv.gz"])
def test_files_that_are_not_what_they_say(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_bytes(b"secret")
    with pytest.raises(DataError, match=name) as error:
        read(path)
    assert "secret" not in str(error.value)


def test_unknown_endings(tmp_path: Path):
    path = tmp_path / "x.ods"
    path.write_bytes(b"")
    with pytest.raises(DataError, match=r"must end in .csv"):
        read(path)


@pytest.mark.parametrize(
    "path",
    [
        "https://example.org/x.csv",
        "s3://bucket/x.parquet",
        "none.csv",
        "*.csv",
        "",
        "select 1",
    ],
)
def test_only_files_on_this_machine(path: str):
    with pytest.raises(DataError, match="must be a file on this machine"):
        read(path)


FRAME = pd.DataFrame({"age": [30, 41, 52], "sex": ["f", None, "m"], "zip": ["01", "1", "2"]})

FORMS = {
    "pandas": lambda _: FRAME,
    "polars": lambda _: pl.from_pandas(FRAME),
    "lazy": lambda _: pl.from_pandas(FRAME).lazy(),
    "pyarrow": lambda _: pa.Table.from_pandas(FRAME, preserve_index=False),
    "duckdb": lambda _: duckdb.from_arrow(pa.Table.from_pandas(FRAME, preserve_index=False)),
    "categories": lambda _: FRAME.astype({"sex": "category"}),
    "enum": lambda _: pl.from_pandas(FRAME).cast({"sex": pl.Enum(["f", "m"])}),
    "dict": lambda _: {"age": [30, 41, 52], "sex": ["f", None, "m"], "zip": ["01", "1", "2"]},
    "records": lambda _: [
        {"age": 30, "sex": "f", "zip": "01"},
        {"age": 41, "sex": None, "zip": "1"},
        {"age": 52, "sex": "m", "zip": "2"},
    ],
    "table": lambda _: read(FRAME),
    "csv": lambda folder: _saved(folder / "people.csv"),
    "parquet": lambda folder: _saved(folder / "people.parquet"),
}


def _saved(file):
    FRAME.to_csv(file, index=False) if file.suffix == ".csv" else FRAME.to_parquet(file)
    return file


@pytest.mark.parametrize("form", FORMS)
def test_columns_names_and_rows(tmp_path, form):
    source = FORMS[form](tmp_path)
    assert is_frame(source)
    assert column_names(source) == ("age", "sex", "zip")
    assert count_rows(source) == 3
    found = columns_of(source, ["zip", "age", "sex"], text=["zip"])
    assert list(found) == ["zip", "age", "sex"]
    assert found["age"].tolist() == [30, 41, 52]
    assert found["zip"].tolist() == ["01", "1", "2"]
    sex = found["sex"].tolist()
    assert (sex[0], sex[2]) == ("f", "m")
    assert sex[1] is None or sex[1] != sex[1]


def test_missing_values_of_files_are_none_or_nan(tmp_path):
    (tmp_path / "m.csv").write_text("a,b,c,d\n1,1.5,true,x\n,,,\n?,?,?,?\n")
    found = columns_of(tmp_path / "m.csv", "abcd", missing=["?"])
    assert found["a"].tolist() == [1, None, None]
    assert found["b"][0] == 1.5
    assert np.isnan(found["b"][1:]).all()
    assert found["c"].tolist() == [True, None, None]
    assert found["d"].tolist() == ["x", None, None]
    assert not any(isinstance(values, np.ma.MaskedArray) for values in found.values())


def test_a_misspelt_column(tmp_path):
    for source in (FRAME, read(FRAME), _saved(tmp_path / "people.csv")):
        with pytest.raises(RoleError, match="Did you mean 'age'"):
            columns_of(source, ["agee"])


def test_records_that_lack_a_field():
    with pytest.raises(DataError, match=r"'sex'.*1 of 2 lack it.*\n\n.*None") as caught:
        columns_of([{"age": 77, "sex": "f"}, {"age": 78}], ["age", "sex"])
    assert "78" not in str(caught.value)


@pytest.mark.parametrize("call", [column_names, lambda source: columns_of(source, ["age"])])
def test_records_that_are_none(call):
    with pytest.raises(DataError, match="2 of 3 are something else"):
        call([{"age": 3}, 41, "text"])


def test_names_of_records_are_those_of_all():
    assert column_names([{"a": 1}, {"b": 2, "a": 3}]) == ("a", "b")
    assert column_names([]) == ()


def test_rows_without_columns():
    assert count_rows([{}, {}]) == 2
    assert count_rows(FRAME[[]]) == 3
    assert count_rows({}) == 0
    assert count_rows([]) == 0
    assert count_rows(np.zeros((4, 2))) == 4


def test_what_is_no_frame():
    assert not is_frame([[1, 2]])
    assert not is_frame([])
    assert not is_frame(np.zeros((2, 2)))


def test_two_columns_of_one_name():
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(DataError, match="'a'"):
        columns_of(twice, ["a"])


def test_how_a_file_was_found_to_be_written(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a;b;c\n1.234,5;3,14;x\n22.000,5;2,5;y\n")
    source = open_source(path)
    columns = source.columns(["a", "b", "c"])
    assert columns["a"].tolist() == [1234.5, 22000.5]
    assert source.written() == FileFormat(delimiter=";", decimal=",", thousands=".")
    assert [column.name for column in source.remarked] == ["a", "b"]
    path.write_text("a,b\n1.5,x\n")
    plain = open_source(path)
    plain.columns(["a", "b"])
    assert plain.written() == FileFormat()


def test_texts_that_mean_missing_in_one_column_only(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b,c\n1,9,9\nN,1,1\n3,N,2\n")
    roles = Roles(missing_in={"a": ["N"], "c": ["9"]}, missing_values=["?"])
    table = read(path, roles=roles)
    assert [attribute.kind for attribute in table.attributes] == [
        "numeric", "categorical", "numeric",
    ]  # fmt: skip
    assert table.attribute("c").missing


def test_numbers_that_were_found_are_carried(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + '"1,5",x\n"2,5",y\n' * 10)
    task = resolve(path, Roles("b", personal=["a"]))
    assert task.roles.file == FileFormat(decimal=",")
    path.write_text('a,b\n"1,234",x\n')
    assert open_source(path).columns(["a"])["a"].tolist() == ["1,234"]
    assert open_source(path, task.roles.file).columns(["a"])["a"].tolist() == [1.234]
