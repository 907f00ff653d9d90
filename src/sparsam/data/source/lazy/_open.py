"""Find the way for the engine that a frame lives in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparsam._lazy import LazyModule
from sparsam.data.source._engine import Wording, unreadable_frame
from sparsam.data.source.lazy._duckdb import DuckFrame
from sparsam.data.source.lazy._frame import LazyFrame
from sparsam.data.source.lazy._narwhals import OtherFrame
from sparsam.data.source.lazy._polars import PolarsFrame
from sparsam.data.source.lazy._spark import SparkFrame

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")


def open_lazy(frame: nw.LazyFrame[Any], wording: Wording = unreadable_frame) -> LazyFrame:
    """Open a frame whose rows stay in an engine.

    Parameters
    ----------
    frame : narwhals LazyFrame
    wording : callable, optional
        What is said when the engine fails, see `worded`.
    """
    engine = frame.implementation
    if engine.is_duckdb():
        return DuckFrame(frame, wording)
    if engine.is_polars():
        return PolarsFrame(frame, wording)
    if engine.is_pyspark() or engine.is_pyspark_connect():
        return SparkFrame(frame, wording)
    return OtherFrame(frame, wording)


def lazy_relation(relation: Any, wording: Wording = unreadable_frame) -> LazyFrame:
    """Open a relation of DuckDB, whose rows stay there.

    Parameters
    ----------
    relation : DuckDB relation
    wording : callable, optional
        What is said when the engine fails, see `worded`.
    """
    return open_lazy(nw.from_native(relation), wording)
