"""Arrow streams of unsigned numbers as arrays of numpy, without any Arrow library.

DuckDB, polars and Spark hand their rows over through the Arrow C stream interface, which is three
structs. Reading it here needs nothing but the standard library, and no copy of the whole result.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data.source.lazy._arrow import ArrowArray, ArrowArrayStream

Codes = NDArray[np.unsignedinteger]


class ArrowStream(Protocol):
    """Anything that hands over its rows as an Arrow C stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule."""


_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def stream_codes(source: ArrowStream, dtypes: Sequence[Any]) -> Iterator[list[Codes]]:
    """Yield the columns of a stream, a batch of rows at a time.

    Parameters
    ----------
    source : ArrowStream
        It is executed here, once. Its columns hold no null.
    dtypes : sequence of numpy types
        The types of the columns.

    Raises
    ------
    StreamError
        The engine failed.
    """
    capsule = source.__arrow_c_stream__()
    stream = ArrowArrayStream.from_address(_pointer_of(capsule, b"arrow_array_stream"))
    try:
        while True:
            batch = ArrowArray()
            if stream.get_next(ctypes.byref(stream), ctypes.byref(batch)):
                raise StreamError(_last_error(stream))
            if not batch.release:
                return
            try:
                arrays = [_copied(batch, i, np.dtype(dtype)) for i, dtype in enumerate(dtypes)]
            finally:
                batch.release(ctypes.byref(batch))
            yield arrays
    finally:  # also where a caller stops early: the engine must not wait for it
        if stream.release:
            stream.release(ctypes.byref(stream))


class StreamError(Exception):
    """What an engine said when it failed, which may quote a value: for `worded` alone."""


def _last_error(stream: ArrowArrayStream) -> str:
    message = stream.get_last_error(ctypes.byref(stream))
    return ctypes.string_at(message).decode(errors="replace") if message else ""


def _copied(batch: ArrowArray, i: int, dtype: np.dtype[Any]) -> Codes:
    column = batch.children[i].contents
    if column.null_count > 0:
        raise DataError("Every value must have a code. An engine gave none for some.")
    start = (column.offset + batch.offset) * dtype.itemsize
    if not batch.length:
        return np.empty(0, dtype)
    size = batch.length * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(column.buffers[1] + start)
    return np.frombuffer(memory, dtype).copy()
