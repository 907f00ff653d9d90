"""How files are read: no folder's name among the cells, and no cell in an error."""

from __future__ import annotations

import ast
from pathlib import Path

import duckdb
import pytest

import sparsam
from sparsam.data import columns_of, read
from sparsam.data._declared_codes import Wanted, open_declared
from sparsam.data._own_records import OwnRecords

SOURCE = Path(sparsam.__file__).parent
ENGINE = SOURCE / "data" / "_engine.py"
READERS = ("read_parquet", "from_parquet", "parquet_scan", "read_csv", "from_csv", "duckdb.connect")


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.name)
def test_only_one_module_says_how_duckdb_reads(path: Path) -> None:
    if path == ENGINE:
        return
    text = path.read_text(encoding="utf-8")
    assert not [reader for reader in READERS if reader in text]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            assert "duckdb" not in {alias.name for alias in node.names}
        assert not (isinstance(node, ast.ImportFrom) and (node.module or "") == "duckdb")


def test_every_reader_of_the_engine_leaves_folders_alone() -> None:
    text = ENGINE.read_text(encoding="utf-8")
    calls = [line for line in text.splitlines() if '"read_' in line and "(?" in line]
    assert len(calls) == 2
    assert all("hive_partitioning = false" in line for line in calls)


@pytest.fixture(params=["parquet", "csv", "csv.gz"])
def in_folders(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Forty people in a folder whose name would make them all alike."""
    path = tmp_path / "age=30" / "sex=f" / f"people.{request.param}"
    path.parent.mkdir(parents=True)
    duckdb.execute(
        "COPY (SELECT range + 20 AS age, CASE WHEN range % 2 = 0 THEN 'f' ELSE 'm' END AS sex "
        f"FROM range(40)) TO '{path}'"
    )
    return path


def test_the_name_of_a_folder_is_no_cell(in_folders: Path) -> None:
    table = read(in_folders)
    assert table.names == ("age", "sex")
    assert table.attribute("age").n_values == 40
    raw = columns_of(in_folders, ["age", "sex"])
    assert raw["age"].tolist() == list(range(20, 60))
    assert raw["sex"].tolist() == ["f", "m"] * 20
    own = OwnRecords.open(in_folders)
    assert own.table.attribute("age").n_values == 40
    declared = open_declared(in_folders, [Wanted("age"), Wanted("sex", ("f", "m"))])
    assert declared.n_rows() == 40
    assert declared.numbers("age").tolist() == list(range(20, 60))
    assert declared.places("sex").tolist() == [0, 1] * 20
