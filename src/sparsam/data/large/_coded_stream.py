"""Rows as numbers of values, handed to an engine batch by batch, without any Arrow library."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data.source.lazy._arrow import (
    ArrowArray,
    ArrowArrayStream,
    ArrowSchema,
    GetLastError,
    GetNext,
    GetSchema,
    ReleaseArray,
    ReleaseSchema,
    ReleaseStream,
)

_NULLABLE = 2
_FAILURE = ctypes.create_string_buffer(b"the rows could not be made")
_FAILED = 5  # an input or output error, as the system numbers it
_INDEX = {"uint8": b"C", "uint16": b"S", "uint32": b"I"}
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))

Batch = Sequence[NDArray[np.unsignedinteger]]


@dataclass(frozen=True, eq=False, repr=False)
class StoredValues:
    """The values that a column may have, as a file holds them.

    Attributes
    ----------
    format : bytes
        Their type, as Arrow writes it.
    buffers : tuple of ndarray
        Which of them are there, and the values; of texts where each begins, and the texts.
    length : int
    """

    format: bytes
    buffers: tuple[NDArray[Any], ...]
    length: int

    @classmethod
    def of(cls, name: str, values: Sequence[Any]) -> StoredValues:
        """Lay values out: whole numbers, numbers, truth values, days or texts, and None.

        Parameters
        ----------
        name : str
            The column, for the error.
        values : sequence
        """
        there = np.packbits([value is not None for value in values], bitorder="little")
        known = [value for value in values if value is not None]
        kinds = {_kind(value) for value in known}
        if kinds == {"whole", "number"}:
            kinds = {"number"}
        if len(kinds) > 1 or "other" in kinds:
            raise DataError(
                f"'{name}' must hold numbers, truth values, dates or texts, of one kind. It holds "
                "others.\n\nHint: leave the column out, or convert it to text."
            )
        kind = kinds.pop() if kinds else "text"
        if kind == "text":
            return cls(b"u", (there, *_texts(values)), len(values))
        if kind == "truth":
            bits = np.packbits([bool(value) for value in values], bitorder="little")
            return cls(b"b", (there, bits), len(values))
        if kind == "day":
            days = [np.datetime64("1970-01-01") if v is None else v for v in values]
            moments = np.array(days, "datetime64[us]").astype(np.int64)
            return cls(b"tsu:", (there, moments), len(values))
        if kind == "number":
            numbers = np.array([0.0 if value is None else value for value in values], np.float64)
            return cls(b"g", (there, numbers), len(values))
        return cls(*_whole(values, there), len(values))


def _kind(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "truth"
    if isinstance(value, int | np.integer):
        return "whole"
    if isinstance(value, float | np.floating):
        return "number"
    if isinstance(value, np.datetime64):
        return "day"
    return "text" if isinstance(value, str) else "other"


def _texts(values: Sequence[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    each = [b"" if value is None else value.encode() for value in values]
    begins = np.concatenate([[0], np.cumsum([len(text) for text in each], dtype=np.int64)])
    # one more byte: memory of no length has no address
    return begins.astype(np.int32), np.frombuffer(b"".join(each) + b"\0", np.uint8)


def _whole(
    values: Sequence[Any], there: NDArray[Any]
) -> tuple[bytes, tuple[NDArray[Any], NDArray[Any]]]:
    numbers = np.array([0 if value is None else int(value) for value in values], np.int64)
    for form, kind in ((b"c", np.int8), (b"s", np.int16), (b"i", np.int32)):
        limits = np.iinfo(kind)
        if limits.min <= numbers.min(initial=0) and numbers.max(initial=0) <= limits.max:
            return form, (there, numbers.astype(kind))
    return b"l", (there, numbers)


class CodedStream:
    """Columns of which every row has the number of its value, as an Arrow stream.

    Only the batch that an engine asks for is in memory, and those that it has not let go.

    Parameters
    ----------
    names : sequence of str
    values : sequence of StoredValues
        For each column.
    index : numpy type
        Of the numbers: uint8, uint16 or uint32.
    batches : iterator of sequence of ndarray
        The numbers of the next rows, column by column.
    """

    def __init__(
        self,
        names: Sequence[str],
        values: Sequence[StoredValues],
        index: Any,
        batches: Iterator[Batch],
    ) -> None:
        self._names, self._values, self._batches = names, values, batches
        self._index = np.dtype(index)
        self.error: BaseException | None = None
        self._lent: dict[int, list[Any]] = {}
        self._n_lent = 0
        self._callbacks: list[Any] = []

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule; the stream can be read once."""
        self._release_schema = ReleaseSchema(_schema_done)
        self._release_array = ReleaseArray(self._array_done)
        self._stream = ArrowArrayStream(
            GetSchema(self._schema),
            GetNext(self._next),
            GetLastError(lambda _: ctypes.addressof(_FAILURE)),
            ReleaseStream(_stream_done),
            None,
        )
        return _new_capsule(ctypes.addressof(self._stream), b"arrow_array_stream", None)

    def close(self) -> None:
        """Let go of what was lent, once the engine is done."""
        self._lent.clear()
        for name in ("_stream", "_release_schema", "_release_array", "_tree"):
            self.__dict__.pop(name, None)

    def _schema(self, stream: Any, out: Any) -> int:
        del stream
        nothing = (None, None, self._release_schema, None)
        columns, inner = [], []
        for name, values in zip(self._names, self._values, strict=True):
            what = ArrowSchema(values.format, b"", None, _NULLABLE, 0, None, *nothing[1:])
            index = _INDEX[self._index.name]
            pointer = ctypes.pointer(what)
            columns.append(
                ArrowSchema(index, name.encode(), None, _NULLABLE, 0, None, pointer, *nothing[2:])
            )
            inner.append(what)
        listed = (ctypes.POINTER(ArrowSchema) * len(columns))(*map(ctypes.pointer, columns))
        self._tree = [columns, inner, listed]
        whole = ArrowSchema(b"+s", b"", None, 0, len(columns), listed, *nothing[1:])
        ctypes.memmove(out, ctypes.byref(whole), ctypes.sizeof(whole))
        return 0

    def _next(self, stream: Any, out: Any) -> int:
        del stream
        try:
            batch = next(self._batches, None)
        except BaseException as error:  # noqa: BLE001 - it must not pass through the engine
            self.error = error
            return _FAILED
        if batch is None:
            out.contents.release = ReleaseArray()
            return 0
        self._n_lent += 1
        whole = self._lend(self._n_lent, [np.ascontiguousarray(c, self._index) for c in batch])
        ctypes.memmove(out, ctypes.byref(whole), ctypes.sizeof(whole))
        return 0

    def _lend(self, number: int, batch: list[NDArray[Any]]) -> ArrowArray:
        n_rows = len(batch[0])
        lent: list[Any] = [*batch]
        columns = []
        for numbers, values in zip(batch, self._values, strict=True):
            memory = (ctypes.c_void_p * len(values.buffers))(*_addresses(values.buffers))
            each = ArrowArray(
                values.length, -1, 0, len(values.buffers), 0, memory, None, None,
                self._release_array, None,
            )  # fmt: skip
            places = (ctypes.c_void_p * 2)(None, numbers.ctypes.data)
            inner = ctypes.pointer(each)
            column = ArrowArray(n_rows, 0, 0, 2, 0, places, None, inner, self._release_array, None)
            columns.append(column)
            lent += [memory, each, places, column]
        listed = (ctypes.POINTER(ArrowArray) * len(columns))(*map(ctypes.pointer, columns))
        none = (ctypes.c_void_p * 1)(None)
        self._lent[number] = [*lent, listed, none]
        return ArrowArray(
            n_rows, 0, 0, 1, len(columns), none, listed, None, self._release_array, number
        )

    def _array_done(self, array: Any) -> None:
        number = array.contents.private_data
        array.contents.release = ReleaseArray()
        if number is not None:
            self._lent.pop(number, None)


def _addresses(buffers: Sequence[NDArray[Any]]) -> list[int]:
    return [buffer.ctypes.data for buffer in buffers]


def _schema_done(schema: Any) -> None:
    schema.contents.release = ReleaseSchema()


def _stream_done(stream: Any) -> None:
    stream.contents.release = ReleaseStream()
