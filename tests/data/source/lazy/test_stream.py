"""Reading Arrow streams without an Arrow library."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from sparsam._errors import DataError
from sparsam.data.source.lazy._stream import StreamError, stream_codes


def table(n_rows: int = 10) -> pa.Table:
    rows = np.arange(n_rows)
    return pa.table({"a": (rows % 256).astype(np.uint8), "b": rows.astype(np.uint16)})


def test_columns_come_in_their_types() -> None:
    batches = list(stream_codes(table(), [np.uint8, np.uint16]))
    assert [a.tolist() for a in batches[0]] == [list(range(10))] * 2
    assert [a.dtype for a in batches[0]] == [np.uint8, np.uint16]


def test_slices_begin_where_they_begin() -> None:
    part = pa.Table.from_batches([table().to_batches()[0].slice(3, 4)])
    (batch,) = stream_codes(part, [np.uint8, np.uint16])
    assert [a.tolist() for a in batch] == [[3, 4, 5, 6]] * 2


def test_nothing_is_a_batch_or_none() -> None:
    assert all(not len(batch[0]) for batch in stream_codes(table(0), [np.uint8, np.uint16]))


def test_what_comes_home_is_not_the_engines_memory() -> None:
    source = table()
    (batch,) = stream_codes(source, [np.uint8, np.uint16])
    batch[0][:] = 7
    assert source["a"].to_pylist() == list(range(10))


def test_a_null_is_no_code() -> None:
    with pytest.raises(DataError, match="must have a code"):
        list(stream_codes(pa.table({"a": pa.array([1, None], pa.uint8())}), [np.uint8]))


def test_an_engine_that_fails_is_told() -> None:
    connection = duckdb.connect()
    failing = connection.sql("SELECT CAST(error('no') AS UTINYINT) AS a FROM range(9)")
    with pytest.raises((StreamError, duckdb.Error)):
        list(stream_codes(failing, [np.uint8]))
    assert connection.sql("SELECT 1").fetchall() == [(1,)]


def test_whoever_stops_early_leaves_the_connection_free() -> None:
    connection = duckdb.connect()
    rows: Any = connection.sql("SELECT CAST(range % 200 AS UTINYINT) AS a FROM range(3000000)")
    batches = stream_codes(rows, [np.uint8])
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert connection.sql("SELECT 1").fetchall() == [(1,)]


def test_no_arrow_library_is_needed() -> None:
    code = (
        "import sys, duckdb, numpy as np\n"
        "from sparsam.data.source.lazy._stream import stream_codes\n"
        "rows = duckdb.sql('SELECT CAST(range % 200 AS UTINYINT) AS a FROM range(300000)')\n"
        "assert sum(len(b[0]) for b in stream_codes(rows, [np.uint8])) == 300000\n"
        "assert 'pyarrow' not in sys.modules and 'polars' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
