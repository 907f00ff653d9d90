"""An engine counts the different rows of a frame, and tells cells apart as they are told here."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from sparsam._errors import DataError
from sparsam.anonymise.proof._cells import cells_hash
from sparsam.data.large import counted_there, whole_rows_of_frame
from sparsam.data.large._whole_rows_of_frame import _present
from sparsam.data.source import stored_cells


def table(n_rows: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    tiny = np.float32(1.4e-45)  # some programs write more digits of it than it has
    return pl.DataFrame(
        {
            "hole": [None if x < 0.2 else int(9 * x) for x in rng.random(n_rows)],
            "f": rng.choice([0.0, -0.0, 0.1, np.nan, -1e300, 5.0, 2e-3, 2.0**-44], n_rows),
            "f32": pl.Series(rng.choice([0.1, 2.0, -0.0, tiny, 2e-3], n_rows), dtype=pl.Float32),
            "text {a} `b`": rng.choice(["a", "a ", "A", "", "ä", "1", "any"], n_rows),
            "truth": [(True, False, None)[i] for i in rng.integers(0, 3, n_rows)],
            "big": rng.choice([2**62, -(2**62), 2**62 + 1], n_rows),
            "none": pl.Series([None] * n_rows, dtype=pl.Int32),
            "day": pl.Series(rng.integers(-99_999, 99_999, n_rows) // 50_000).cast(pl.Date),
            "many": [f"x{i % 200}" for i in range(n_rows)],
        }
    )


@pytest.mark.parametrize("most", [100, 0], ids=["numbered", "as they are"])
def test_cells_are_told_apart(engine: Any, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = table()
    if engine.name == "memory":
        assert not counted_there(rows)
        return
    monkeypatch.setattr("sparsam.data.large._whole_rows_of_frame._MOST_LISTED", most)
    there = whole_rows_of_frame(engine(rows, parts=3))
    assert there.counts.sum() == len(rows)
    assert list(there.columns) == rows.columns
    assert cells_hash(there.columns, there.counts) == cells_hash(stored_cells(rows))


def test_rows_of_spark_stay_there(engine: Any) -> None:
    simple = {"age": [30, 41], "sex": ["f", None]}
    assert counted_there(engine(simple)) == (engine.name in ("spark", "connect"))
    assert not counted_there(engine({"lists": [[1], [1, 2]]}))


def test_a_value_that_was_not_there_a_moment_ago() -> None:
    assert _present(np.array([1, 0, 1], np.uint16), ["a"]).cells == ["a", None]
    with pytest.raises(DataError, match="must stay the same while it is read"):
        _present(np.array([0, 2], np.uint16), ["a"])
