"""A folder or a pattern of files is one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import sparsam as sp
from sparsam._errors import DataError
from sparsam.cli._main import cli
from sparsam.data import fingerprint
from sparsam.data.source._many_files import is_many, many_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    whole = pl.DataFrame({"age": list(range(60)), "sex": ["f", "m", "m"] * 20})
    parts = tmp_path / "people"
    (parts / "year=2020").mkdir(parents=True)
    whole[:20].write_parquet(parts / "a.parquet")
    whole[20:50].write_parquet(parts / "b.parquet")
    whole[50:].write_parquet(parts / "year=2020" / "c.parquet")
    for number, part in enumerate((whole[:20], whole[20:])):
        part.write_csv(tmp_path / f"part-{number}.csv")
    return tmp_path


@pytest.mark.parametrize("named", ["people", "people/**/*.parquet", "part-*.csv", "part-[01].csv"])
def test_all_files_are_read_in_the_order_of_their_names(folder: Path, named: str) -> None:
    table = sp.read(folder / named)
    assert table.names == ("age", "sex"), "the name of a folder is no value of anybody"
    assert table.to_dict()["age"].tolist() == list(range(60))


def test_a_file_whose_name_looks_like_a_pattern_is_itself(tmp_path: Path) -> None:
    pl.DataFrame({"age": [1, 2]}).write_csv(tmp_path / "people[1].csv")
    assert not is_many(tmp_path / "people[1].csv")
    assert len(sp.read(tmp_path / "people[1].csv")) == 2


def _nothing(folder: Path) -> str:
    return "nothing-*.parquet"


def _other_columns(folder: Path) -> str:
    pl.DataFrame({"sex": ["f"], "age": [1]}).write_csv(folder / "part-2.csv")
    return "part-*.csv"


def _other_schema(folder: Path) -> str:
    pl.DataFrame({"age": [1]}).write_parquet(folder / "people" / "d.parquet")
    return "people"


def _mixed(folder: Path) -> str:
    return "**/*.*"


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (_nothing, "Found none at 'nothing-"),
        (_other_columns, "'part-2.csv' are not those of 'part-0.csv'"),
        (_other_schema, "'d.parquet' are not those of 'a.parquet'"),
        (_mixed, "all be Parquet files, or all CSV files"),
    ],
)
def test_what_is_no_table_is_refused(folder: Path, prepare: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        sp.read(folder / prepare(folder))


def test_a_folder_of_csv_files_is_one_table_too(folder: Path) -> None:
    files, kind = many_files(folder / "part-*.csv")
    assert [file.name for file in files] == ["part-0.csv", "part-1.csv"]
    assert kind == "csv"


def test_files_may_end_their_lines_and_divide_their_fields_each_in_its_own_way(
    folder: Path,
) -> None:
    (folder / "part-2.csv").write_bytes(b"age,sex\r\n60,f\r\n")
    (folder / "part-3.csv").write_bytes(b"age;sex\n61;f\n")
    assert sp.read(folder / "part-*.csv").to_dict()["age"].tolist() == list(range(62))


def test_a_file_in_another_encoding_is_named(folder: Path) -> None:
    (folder / "part-2.csv").write_bytes("age,sex\n60,\xe9\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"'part-2\.csv' must be a text file in UTF-8"):
        sp.read(folder / "part-*.csv")


def test_commands_take_folders_and_patterns_and_never_write_into_them(folder: Path) -> None:
    told = CliRunner().invoke(cli, ["roles", str(folder / "people")])
    assert told.exit_code == 0, told.output
    assert "age" in told.output
    refused = CliRunner().invoke(cli, ["roles", str(folder / "none-*.csv")])
    assert refused.exit_code == 2
    assert "Found none" in refused.output
    same = CliRunner().invoke(
        cli, ["apply", "x.json", str(folder / "people"), "-o", str(folder / "people/a.parquet")]
    )
    assert same.exit_code == 2


def test_the_fingerprint_of_a_folder_is_that_of_all_its_files(folder: Path) -> None:
    before = fingerprint(folder / "people", "salt")
    assert before == fingerprint(str(folder / "people"), "salt")
    assert before != fingerprint(folder / "people" / "a.parquet", "salt")
    pl.DataFrame({"age": [7], "sex": ["f"]}).write_parquet(folder / "people" / "b.parquet")
    assert before != fingerprint(folder / "people", "salt")
