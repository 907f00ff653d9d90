"""An engine tells cells apart as finely as a look at each of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from sparsam.anonymise.proof._cells import cells_hash
from sparsam.data.large import cells_fit, whole_rows, whole_rows_of_frame, write_rows
from sparsam.data.source import stored_cells


def table(seed: int, n_rows: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    floats = np.array([0.0, -0.0, 0.1, np.nan, -1e300, 5.0])
    return pl.DataFrame(
        {
            "n": pl.Series(rng.integers(-3, 4, n_rows), dtype=pl.Int16),
            "hole": [None if x < 0.2 else int(9 * x) for x in rng.random(n_rows)],
            "f": rng.choice(floats, n_rows),
            "f32": pl.Series(rng.choice([0.1, 2.0, -0.0], n_rows), dtype=pl.Float32),
            "text": rng.choice(["a", "a ", "", "ä", "1"], n_rows),
            "truth": rng.random(n_rows) < 0.5,
            "big": rng.choice([2**62, -(2**62), 7], n_rows),
            "none": pl.Series([None] * n_rows, dtype=pl.Int32),
            "day": pl.Series(rng.integers(0, 3, n_rows)).cast(pl.Date),
        }
    )


def same(rows: Any, path: Path) -> bool:
    return cells_hash(rows.columns, rows.counts) == cells_hash(stored_cells(path))


@pytest.mark.parametrize("seed", range(4))
def test_parquet(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table(seed).write_parquet(path)
    rows = whole_rows(path)
    assert rows is not None
    assert rows.counts.sum() == 400
    assert same(rows, path)
    for frame in (pl.scan_parquet(path), duckdb.read_parquet(str(path))):
        there = whole_rows_of_frame(frame)
        assert len(there.counts) == len(rows.counts)


def test_many_texts_and_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    numbers = np.random.default_rng(0).random(40_000)
    pl.DataFrame({"f": numbers, "t": [f"x{i}" for i in range(40_000)]}).write_parquet(path)
    rows = whole_rows(path)
    assert rows is not None
    assert same(rows, path)


def test_nan_written_in_several_ways_is_left_to_a_look_at_every_byte(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    bits = np.array([0x7FF8000000000000, 0x7FF8000000000001], np.uint64)
    pl.DataFrame({"f": bits.view(np.float64), "n": [1, 2]}).write_parquet(path)
    assert whole_rows(path) is None


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    text = "a,b\n1,x\n1.0,x \n,\n1,x\n"
    path.write_text(text)
    rows = whole_rows(path)
    assert rows is not None
    assert sorted(rows.counts.tolist()) == [1, 1, 2]
    assert same(rows, path)
    for odd in ('a,b\n"1",x\n', "a,b\r\n1,x\r\n", "a\n1\n", '"a",b\n1,x\n'):
        path.write_bytes(odd.encode())
        assert whole_rows(path) is None


def test_what_fits(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table(0).write_parquet(path)
    for source in (path, pl.scan_parquet(path), duckdb.read_parquet(str(path))):
        assert cells_fit(source, 1 << 30)
        assert not cells_fit(source, 1000)
    assert cells_fit({"a": [1]}, 0)


def test_rows_are_written_as_they_come(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = {"n": [1, None, 300], "t": ["ä", "", None], "f": [0.5, -1.0, None], "b": [True, False]}
    places = [rng.integers(0, len(v), 1000).astype(np.uint16) for v in values.values()]
    for ending in (".parquet", ".csv"):
        batches = ([p[s : s + 64] for p in places] for s in range(0, 1000, 64))
        path = tmp_path / f"t{ending}"
        write_rows(values, np.uint16, batches, str(path), ending)
        read = pl.read_parquet(path) if ending == ".parquet" else pl.read_csv(path)
        for (name, listed), place in zip(values.items(), places, strict=True):
            if ending == ".parquet" or name != "t":
                assert read[name].to_list() == [listed[p] for p in place]


def test_an_error_in_a_batch_is_the_error(tmp_path: Path) -> None:
    def batches() -> Any:
        yield [np.zeros(5, np.uint16)]
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        write_rows({"a": [1]}, np.uint16, batches(), str(tmp_path / "t.parquet"), ".parquet")
