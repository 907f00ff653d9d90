"""Rows that come home in batches, hashed by DuckDB: other engines have no such hash."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sparsam._lazy import LazyModule
from sparsam.data.source._engine import Engine, unreadable_frame
from sparsam.data.source.lazy._duckdb import DuckFrame
from sparsam.data.source.lazy._row_hash import NO_ROWS, RowSums
from sparsam.data.source.lazy._stream import ArrowStream

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")


def sums_of_batches(batches: Iterable[ArrowStream], key: str) -> RowSums:
    """Add up the hashes of rows, see `LazyFrame.row_sums`.

    Parameters
    ----------
    batches : iterable of frames
        One is in memory at a time.
    key : str
    """
    sums, engine = NO_ROWS, Engine()
    for batch in batches:
        rows = engine.streamed(batch, unreadable_frame)
        sums += DuckFrame(nw.from_native(rows)).row_sums(key)
    return sums
