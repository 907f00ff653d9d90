"""How files are read: no folder's name among the cells, and no cell in an error."""

from __future__ import annotations

import ast
import gzip
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sparsam
from sparsam._errors import DataError, SparsamError
from sparsam.data import NumericDomain, columns_of, read
from sparsam.data.model._own_records import OwnRecords
from sparsam.data.source import _engine
from sparsam.data.source._engine import worded
from sparsam.data.source._frame import open_frame
from sparsam.data.source.declared import Wanted, open_declared
from sparsam.generalization import Generalization, numeric_partition

from .declared.reading import numbers, places

SOURCE = Path(sparsam.__file__).parent
ENGINE = SOURCE / "data" / "source" / "_engine.py"
READERS = ("read_parquet", "from_parquet", "parquet_scan", "read_csv", "from_csv", "duckdb.connect")


def test_only_one_module_says_how_duckdb_reads() -> None:
    wrong = []
    for path in SOURCE.rglob("*.py"):
        text, name = path.read_text(encoding="utf-8"), str(path.relative_to(SOURCE))
        if path == ENGINE:
            continue
        wrong += [f"{name}: {reader}" for reader in READERS if reader in text]
        for node in ast.walk(ast.parse(text)):
            names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            if "duckdb" in names or (isinstance(node, ast.ImportFrom) and node.module == "duckdb"):
                wrong.append(f"{name} imports duckdb")
    assert not wrong


def test_every_reader_of_the_engine_leaves_folders_alone() -> None:
    text = ENGINE.read_text(encoding="utf-8")
    calls = [
        line for line in text.splitlines() if '"read_' in line and "({" in line.replace("?", "{")
    ]
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
    assert numbers(declared, "age", range(20, 60)).tolist() == list(range(20, 60))
    assert places(declared, "sex").tolist() == [0, 1] * 20


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "whole.parquet"
    duckdb.execute(
        "COPY (SELECT 'secret' || (range % 50) AS name, 'secret' || range AS id, range * 1.5 AS x "
        f"FROM range(2000)) TO '{path}'"
    )
    return path.read_bytes()


@pytest.mark.parametrize("seed", range(12))
def test_damaged_parquet_files(tmp_path: Path, whole: bytes, seed: int) -> None:
    rng = np.random.default_rng(seed)
    damaged = bytearray(whole)
    if seed % 4:
        for at in rng.integers(4, len(whole), 30):
            damaged[at] ^= 255
    else:
        damaged = damaged[: rng.integers(len(whole))]
    path = tmp_path / "damaged.parquet"
    path.write_bytes(damaged)
    wanted = [Wanted("x"), Wanted("name", ("a",)), Wanted("id", ("a",))]
    for opened in (read, lambda file: open_declared(file, wanted)):
        with pytest.raises(DataError, match=r"damaged\.parquet") as caught:
            opened(path)
        assert "secret" not in "".join(traceback.format_exception(caught.value))
        assert caught.value.__context__ is None


@pytest.mark.parametrize("damage", ["short", "checksum", "flipped"])
def test_damaged_packed_files(tmp_path: Path, damage: str) -> None:
    packed = bytearray(gzip.compress(b"x,y\n" + b"1,secret\n" * 5000))
    if damage == "short":
        packed = packed[:-30]
    else:
        packed[-8 if damage == "checksum" else len(packed) // 2] ^= 255
    path = tmp_path / "people.csv.gz"
    path.write_bytes(packed)
    for opened in (read, lambda file: open_declared(file, [Wanted("x")])):
        with pytest.raises(DataError, match=r"people\.csv\.gz") as caught:
            opened(path)
        assert "secret" not in "".join(traceback.format_exception(caught.value))


def test_a_text_that_is_not_utf8_is_unseen_and_changes_no_other_row(tmp_path: Path) -> None:
    cells = ["café", "tea", "", "?", "naïve", "2", "7"]
    members = ("tea", "café", "naïve")
    wanted = [Wanted("a", members), Wanted("b", members), Wanted("n")]

    def found(path: Path, odd: bytes) -> list[list[float]]:
        rows = [f"{cell},{cell},{cell}".encode() for cell in cells] + [b",".join([odd] * 3)]
        path.write_bytes(b"a,b,n\n" + b"\n".join(rows) + b"\n")
        opened = open_declared(path, wanted, ["?", "7"])
        columns = [places(opened, "a"), places(opened, "b"), numbers(opened, "n", [2.0])]
        return np.column_stack(columns).tolist()

    plain = found(tmp_path / "plain.csv", b"other")
    gone = [*plain[:-1], [4.0, 4.0, np.nan]]  # the whole row, and no other
    for odd in (b"\x80", b"M\xfcllerin", b"\xff\xfe", b"\xc3", b'"\xa0,"'):
        assert np.array_equal(found(tmp_path / "odd.csv", odd), gone, equal_nan=True)
    texts = [*(cell.encode() or None for cell in cells), b"M\xfcllerin"]
    column = pa.array(texts, pa.binary()).view(pa.string())
    table = pa.table({"a": column, "b": column.dictionary_encode(), "n": column})
    pq.write_table(table, tmp_path / "odd.parquet")
    opened = open_declared(tmp_path / "odd.parquet", wanted, ["?", "7"])
    columns = [places(opened, "a"), places(opened, "b"), numbers(opened, "n", [2.0])]
    assert np.array_equal(np.column_stack(columns), plain, equal_nan=True)


def test_the_shape_of_a_file_is_refused_even_where_a_text_is_odd(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_bytes(b"a,b\n1,M\xfcllerin\n1,2,secret\n")
    with pytest.raises(DataError, match=r"odd\.csv.* Line 3 is damaged"):
        open_declared(path, [Wanted("a"), Wanted("b")])


def test_versions_of_duckdb_that_cannot_read_such_texts_refuse_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_engine, "_options", lambda function: frozenset())
    column = pa.array([b"tea", b"M\xfcllerin"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"a": column}), tmp_path / "odd.parquet")
    with pytest.raises(DataError, match=r"'a' of 'odd.parquet' must hold text in UTF-8") as caught:
        open_declared(tmp_path / "odd.parquet", [Wanted("a", ("tea",))])
    assert "llerin" not in "".join(traceback.format_exception(caught.value))


def test_a_zero_byte_in_the_middle_is_a_character(tmp_path: Path) -> None:
    path = tmp_path / "zero.csv"
    path.write_bytes(b"x,y\n1,a\x00b\n2,c\n")
    assert read(path).to_dict()["y"].tolist() == ["a\x00b", "c"]


TEXTS = pa.array([b"name", b"M\xfcllerin", b"name"], pa.binary()).view(pa.string())


def _sources() -> dict[str, Any]:
    arrow = pa.table({"name": TEXTS, "age": [30, 41, 52]})
    query = "SELECT 'secret' AS name, CAST('secret' || range AS INT) AS age FROM range(3)"
    text = pl.DataFrame({"name": ["secret", "x"]})
    return {
        "pyarrow": arrow,
        "pyarrow dictionary": arrow.set_column(0, "name", TEXTS.dictionary_encode()),
        "pandas": arrow.to_pandas(types_mapper=pd.ArrowDtype),
        "relation": duckdb.sql(query),
        "relation of pyarrow": duckdb.from_arrow(arrow),
        "polars lazy": text.lazy().with_columns(age=pl.col("name").cast(pl.Int64)),
    }


SOURCES = list(_sources())
ENTRIES: dict[str, Callable[[Any], Any]] = {
    "read": read,
    "columns_of": lambda source: columns_of(source, ["name", "age"]),
    "OwnRecords": OwnRecords.open,
}


def refused(action: Callable[[], Any]) -> str:
    """The message of a refusal, once nothing around it holds a value."""
    with pytest.raises(SparsamError) as caught:
        action()
    whole = "".join(traceback.format_exception(caught.value))
    assert "secret" not in whole
    assert "llerin" not in whole
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return str(caught.value)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("kind", SOURCES)
def test_frames_that_fail(kind: str, entry: str) -> None:
    message = refused(lambda: ENTRIES[entry](_sources()[kind]))
    assert ("UTF-8" in message) == (kind not in ("relation", "polars lazy"))


@pytest.mark.parametrize("kind", ["relation", "polars lazy"])
def test_applying_to_an_engine_that_fails(kind: str) -> None:
    made = Generalization([numeric_partition("age", NumericDomain(0, 99), [40])])
    assert "Its engine failed" in refused(lambda: made.apply(_sources()[kind]))


@pytest.mark.parametrize("kind", ["pyarrow", "pyarrow dictionary", "pandas"])
def test_columns_of_a_frame(kind: str) -> None:
    column = open_frame(_sources()[kind]).column("name")  # type: ignore[union-attr]
    wanted = column.levels if kind == "pyarrow dictionary" else column.objects
    assert refused(wanted) == "'name' must hold text in UTF-8. It holds some that is not."


@pytest.mark.parametrize("kind", ["pyarrow", "pyarrow dictionary", "pandas"])
def test_a_text_that_cannot_be_read_is_unseen_where_it_is_declared(kind: str) -> None:
    opened = open_declared(_sources()[kind], [Wanted("name", ("other", "name")), Wanted("age")])
    assert places(opened, "name").tolist() == [1, 2, 1]
    assert numbers(opened, "age", [30, 41, 52]).tolist() == [30, 41, 52]


def test_errors_of_our_own_and_of_the_machine_stay() -> None:
    def fail(error: BaseException) -> Callable[[], None]:
        def action() -> None:
            raise error

        return action

    def wording(error: Exception) -> DataError:
        return DataError("worded")

    for kept in (DataError("ours"), MemoryError(), KeyboardInterrupt()):
        with pytest.raises(type(kept)) as caught:
            worded(fail(kept), wording)
        assert caught.value is kept
    with pytest.raises(KeyboardInterrupt):
        worded(fail(RuntimeError("Query interrupted")), wording)
    assert worded(lambda: np.int8(3), wording) == 3


def test_what_sparks_driver_does_not_take_home() -> None:
    """As Spark says it; no test can change what its driver allows once it runs."""
    said = "Total size of serialized results is bigger than spark.driver.maxResultSize (1024.0 MiB)"
    refusal = _engine.unreadable_frame(RuntimeError(said))
    assert "set spark.driver.maxResultSize to more" in str(refusal)
    said = "Job aborted: java.lang.OutOfMemoryError: Java heap space at a person's value"
    refusal = _engine.unreadable_frame(RuntimeError(said))
    assert "set spark.driver.memory" in str(refusal)
    assert "person" not in str(refusal)
