"""Write columns to a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.data._engine import Engine

_FORMATS = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER",
    ".csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".tsv.gz": "FORMAT csv, HEADER, DELIMITER '\t', COMPRESSION gzip",
}


def write_columns(columns: Mapping[str, NDArray[Any]], path: str | os.PathLike[str]) -> None:
    """Write columns of equal length to a .parquet, .csv or .tsv file (text also as .gz).

    Parameters
    ----------
    columns : mapping of str to ndarray
    path : str or Path
    """
    file = Path(path)
    how = _FORMATS[output_ending(file)]
    _check(columns)
    made = {name: _storable(values) for name, values in columns.items()}
    quoted = str(file).replace("'", "''")
    Engine().copy(made, f"TO '{quoted}' ({how})", lambda error: _unwritten(file, error))


def output_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a file that `write_columns` can write, or an error that lists them.

    Examples
    --------
    >>> output_ending("people.CSV.gz")
    '.csv.gz'
    """
    name = Path(path).name
    for ending in _FORMATS:
        if name.lower().endswith(ending):
            return ending
    raise ParameterError(
        f"The output file must end in one of {', '.join(_FORMATS)}. Got '{name}' instead."
    )


def _check(columns: Mapping[str, NDArray[Any]]) -> None:
    if not columns:
        raise DataError("There is no column to write: nothing is collected and nothing kept.")
    if len({len(values) for values in columns.values()}) > 1:
        raise DataError("All columns must have the same number of rows to be written.")
    lower = [name.lower() for name in columns]
    twice = [name for name in columns if lower.count(name.lower()) > 1]
    if twice:
        raise DataError(
            f"The names of columns must differ in more than case to be written. Got {twice}."
        )


def _unwritten(file: Path, error: Exception) -> DataError:
    return DataError(
        f"'{file.name}' cannot be written ({type(error).__name__}).\n\n"
        "Hint: does its folder exist, and may you write there?"
    )


def _storable(values: NDArray[Any]) -> NDArray[Any]:
    """Dates at a resolution that DuckDB knows; everything else as it is."""
    return values.astype("datetime64[us]") if values.dtype.kind == "M" else values
