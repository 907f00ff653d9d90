"""Write columns to a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.data._files import connect

_FORMATS = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
}


def write_columns(columns: Mapping[str, NDArray[Any]], path: str | os.PathLike[str]) -> None:
    """Write columns of equal length to a .parquet, .csv or .tsv file.

    Parameters
    ----------
    columns : mapping of str to ndarray
    path : str or Path
    """
    file = Path(path)
    if file.suffix.lower() not in _FORMATS:
        raise ParameterError(
            f"The output file must end in one of {tuple(_FORMATS)}. Got '{file.name}' instead."
        )
    if not columns:
        raise DataError("There is no column to write: nothing is collected and nothing kept.")
    connection = connect()
    made = dict(columns)  # noqa: F841 - DuckDB finds it by its name
    quoted = str(file).replace("'", "''")
    connection.execute(f"COPY (SELECT * FROM made) TO '{quoted}' ({_FORMATS[file.suffix.lower()]})")
