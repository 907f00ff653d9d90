"""Columns written to a file come back as they were."""

from __future__ import annotations

import csv
import gzip
import io

import numpy as np
import pytest

from sparsam._errors import DataError, ParameterError
from sparsam.data import column_names, columns_of, write_columns
from sparsam.data.source._write import output_ending

ENDINGS = [".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet"]


def objects(*values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@pytest.mark.parametrize("ending", ENDINGS)
def test_round_trip(tmp_path, ending):
    columns = {
        "label": objects("under 17", "17–61", None, 'a, "b"\tc\nd'),
        "code": np.array([0, 1, 2, 300], dtype=np.uint16),
        "share": np.array([0.5, np.nan, 1e-9, 2.0]),
        "whole": objects(1, None, 3, 4),
        "truth": np.array([True, False, True, True]),
        'odd "name", 年齢': objects("x", "y", "z", "ü"),
    }
    file = tmp_path / f"out{ending}"
    write_columns(columns, file)
    assert column_names(file) == tuple(columns)
    found = columns_of(file, list(columns))
    for name, values in columns.items():
        expected = [None if value != value else value for value in values.tolist()]
        got = [None if value != value else value for value in found[name].tolist()]
        assert got == expected, name


def test_missing_first_and_values_late(tmp_path):
    columns = {"a": objects(*[None] * 5000, "x"), "b": objects(*[None] * 5000, 3)}
    write_columns(columns, tmp_path / "late.parquet")
    found = columns_of(tmp_path / "late.parquet", ["a", "b"])
    assert (found["a"][-1], found["b"][-1]) == ("x", 3)
    assert found["a"][0] is None


def test_dates_can_be_kept(tmp_path):
    write_columns({"day": np.array(["2020-01-31"], dtype="datetime64[D]")}, tmp_path / "d.csv")
    assert (tmp_path / "d.csv").read_text().splitlines()[1].startswith("2020-01-31")


def test_text_files_are_plain_or_packed_by_their_ending(tmp_path):
    for ending in (".csv", ".csv.gz"):
        write_columns({"a": objects("x")}, tmp_path / f"a{ending}")
    assert (tmp_path / "a.csv").read_bytes() == b"a\nx\n"
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()) == b"a\nx\n"


def test_no_rows(tmp_path):
    write_columns({"a": objects(), "b": np.array([], dtype=np.uint16)}, tmp_path / "none.csv")
    assert (tmp_path / "none.csv").read_text() == "a,b\n"


def test_a_quote_in_the_name_of_the_file(tmp_path):
    write_columns({"a": objects("x")}, tmp_path / "it's.csv")
    assert (tmp_path / "it's.csv").exists()


@pytest.mark.parametrize("name", ["people", "people.txt", "people.json", "people.gz", "csv"])
def test_another_ending(tmp_path, name):
    with pytest.raises(ParameterError, match=rf"must end in one of .*\.csv.*Got '{name}'"):
        write_columns({"a": objects("x")}, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_capital_endings():
    assert output_ending("DATA.PARQUET") == ".parquet"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({}, "nothing is collected and nothing kept"),
        ({"a": objects("x"), "b": objects("y", "z")}, "same number of rows"),
        ({"a": objects("x"), "A": objects("y")}, r"differ in more than case.*\['a', 'A'\]"),
    ],
)
def test_columns_that_no_file_can_hold(tmp_path, columns, said):
    with pytest.raises(DataError, match=said):
        write_columns(columns, tmp_path / "out.csv")


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"'out\.csv' cannot be written") as caught:
        write_columns({"a": objects("secret")}, tmp_path / "none" / "out.csv")
    assert "secret" not in str(caught.value)


HARMFUL = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "=cmd|'/c calc'!A0"]
HARMLESS = ["1-2", "a=b", "x@y.org", "'=1", " =1", "", None, "ü"]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv"])
def test_texts_that_a_spreadsheet_would_run(tmp_path, ending):
    columns = {
        "text": objects(*HARMFUL, *HARMLESS),
        "number": -np.arange(17),
        "share": -np.linspace(0, 1, 17),
        "mixed": objects(-1, -2.5, None, True, *["-x"] * 13),
    }
    for safe in (False, True):
        write_columns(columns, tmp_path / f"o{ending}", spreadsheet_safe=safe)
        text = (tmp_path / f"o{ending}").read_bytes()
        text = gzip.decompress(text) if ending.endswith("gz") else text
        with io.StringIO(text.decode(), newline="") as lines:
            rows = list(csv.reader(lines, delimiter="\t" if ending == ".tsv" else ","))[1:]
        mark = "'" if safe else ""
        assert [row[0] for row in rows[:9]] == [f"{mark}{cell}" for cell in HARMFUL]
        assert [row[0] for row in rows[9:]] == [cell or "" for cell in HARMLESS]
        assert [int(row[1]) for row in rows] == columns["number"].tolist()
        assert [float(row[2]) for row in rows] == columns["share"].tolist()
        assert rows[-1][3] == f"{mark}-x"


def test_only_text_files_are_made_safe_and_no_name_is_changed(tmp_path):
    with pytest.raises(ParameterError, match=r"must be a \.csv or \.tsv file"):
        write_columns({"a": objects("x")}, tmp_path / "o.parquet", spreadsheet_safe=True)
    with pytest.raises(DataError, match="That of column 2 begins like one"):
        write_columns(
            {"a": objects("x"), "=b": objects("y")}, tmp_path / "o.csv", spreadsheet_safe=True
        )
    assert not list(tmp_path.iterdir())


def test_a_cell_that_cannot_be_written_is_not_told(tmp_path):
    with pytest.raises(DataError, match=r"'o.csv' cannot be written") as caught:
        write_columns({"a": objects("sec\udc80ret")}, tmp_path / "o.csv")
    assert caught.value.__context__ is None


def test_rows_in_reverse(tmp_path):
    """An array may run backwards through memory."""
    write_columns({"n": np.arange(5)[::-1], "t": np.array(list("abcde"), object)[::-1]},
                  tmp_path / "t.csv")  # fmt: skip
    assert (tmp_path / "t.csv").read_text().split() == ["n,t", "4,e", "3,d", "2,c", "1,b", "0,a"]


def test_missing_values_make_no_floats_of_whole_numbers(tmp_path):
    columns = {
        "age": np.array([58.0, np.nan, 3.0]),
        "rate": np.array([0.5, np.nan, 2.0]),
        "paid": np.array([1.0, 2.0, 3.0]),
        "none": np.full(3, np.nan),
    }
    write_columns(columns, tmp_path / "o.csv")
    text = (tmp_path / "o.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:3] for line in text[1:]] == [
        ["58", "0.5", "1.0"],
        ["", "", "2.0"],
        ["3", "2.0", "3.0"],
    ]
