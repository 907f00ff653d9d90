"""Write rows that are never in memory together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparsam._errors import DataError
from sparsam.data.large._coded_stream import Batch, CodedStream, StoredValues
from sparsam.data.source._engine import Engine
from sparsam.data.source._write import FORMATS


def write_rows(
    values: Mapping[str, Sequence[Any]],
    index: Any,
    batches: Iterator[Batch],
    place: str,
    ending: str,
    *,
    max_memory: int | None = None,
) -> None:
    """Write rows, given as the numbers of their values, batch by batch.

    Parameters
    ----------
    values : mapping of str to sequence
        For each column the values that it may have: numbers, truth values, days, texts and None.
    index : numpy type
        Of the numbers.
    batches : iterator of sequence of ndarray
        The numbers of the next rows, column by column.
    place : str
        The file to write to, such as `new_path` gives.
    ending : str
        What kind of file it is, see `output_ending`.
    max_memory : int, optional
        Bytes that the engine may take.
    """
    stored = [StoredValues.of(name, listed) for name, listed in values.items()]
    stream = CodedStream(list(values), stored, index, batches)
    quoted = place.replace("'", "''")
    target = f"TO '{quoted}' ({FORMATS[ending]}, USE_TMP_FILE false)"
    try:
        Engine(max_memory).copy_stream(stream, target, _unwritten)
    except DataError:
        if stream.error is not None:
            raise stream.error from None
        raise
    finally:
        stream.close()


def _unwritten(error: Exception) -> DataError:
    return DataError(
        f"The rows cannot be written ({type(error).__name__}).\n\n"
        "Hint: does the folder exist, may you write there, and is there space on the disk?"
    )
