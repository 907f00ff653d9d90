"""Write columns to a file."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam._writing import new_path
from sparsam.data.source._engine import Engine, worded

FORMATS = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER",
    ".csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".tsv.gz": "FORMAT csv, HEADER, DELIMITER '\t', COMPRESSION gzip",
}


# What makes a spreadsheet take a text for a formula, in the wide forms of East Asia too.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def write_columns(
    columns: Mapping[str, NDArray[Any]],
    path: str | os.PathLike[str],
    *,
    spreadsheet_safe: bool = False,
) -> None:
    """Write columns of equal length to a .parquet, .csv or .tsv file (text also as .gz).

    The file is written whole or not at all.

    Parameters
    ----------
    columns : mapping of str to ndarray
    path : str or Path
    spreadsheet_safe : bool, default=False
        Put an apostrophe before texts that a spreadsheet would run (see `without_formulas`). Only
        for a .csv or .tsv file.
    """
    file = Path(path)
    how = FORMATS[output_ending(file)]
    if spreadsheet_safe:
        check_spreadsheet(file)
        columns = without_formulas(columns)
    _check(columns)
    if output_ending(file) != ".parquet":
        columns = {name: whole_numbers(values) for name, values in columns.items()}
    storable = {name: _storable(values) for name, values in columns.items()}
    try:
        with new_path(file) as place:
            quoted = place.replace("'", "''")
            # no file of DuckDB's own beside: it is already given one that has no name yet
            target = f"TO '{quoted}' ({how}, USE_TMP_FILE false)"
            Engine().copy(storable, target, lambda error: _unwritten(file, error))
    except OSError as error:
        raise _unwritten(file, error) from None


def write_relation(relation: Any, path: str | os.PathLike[str]) -> None:
    """Write the rows of a relation of DuckDB to a file like those of `write_columns`.

    They are never in memory together, and keep their order. The file is written whole or not at
    all.

    Parameters
    ----------
    relation : DuckDB relation
    path : str or Path
    """
    file = Path(path)
    how = FORMATS[output_ending(file)]

    def written(place: str) -> None:
        quoted = place.replace("'", "''")
        target = f"TO '{quoted}' ({how}, USE_TMP_FILE false)"
        relation.query("rows_to_write", f"COPY (SELECT * FROM rows_to_write) {target}")

    try:
        with new_path(file) as place:
            worded(lambda: written(place), lambda error: _unwritten(file, error))
    except OSError as error:
        raise _unwritten(file, error) from None


def output_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a file that `write_columns` can write, or an error that lists them.

    Examples
    --------
    >>> output_ending("people.CSV.gz")
    '.csv.gz'
    """
    name = Path(path).name
    for ending in FORMATS:
        if name.lower().endswith(ending):
            return ending
    raise ParameterError(
        f"The output file must end in one of {', '.join(FORMATS)}. Got '{name}' instead."
    )


def check_spreadsheet(path: str | os.PathLike[str]) -> None:
    """Refuse a file that is no text: no spreadsheet takes a cell of a Parquet file for a formula.

    Parameters
    ----------
    path : str or Path
    """
    if output_ending(path) == ".parquet":
        raise ParameterError(
            "An output that is safe for spreadsheets must be a .csv or .tsv file. "
            f"Got '{Path(path).name}' instead.\n\nHint: leave --spreadsheet-safe out."
        )


def without_formulas(columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Put an apostrophe before every text that a spreadsheet would run as a formula.

    These are the texts that begin with one of ``= + - @``, a tab or the end of a line. Columns of
    numbers stay as they are, and so do all other cells.

    Parameters
    ----------
    columns : mapping of str to ndarray

    Examples
    --------
    >>> import numpy as np
    >>> cells = {"x": np.array(["=1+1", "1+1"]), "y": np.array([-1, 2])}
    >>> without_formulas(cells)
    {'x': array(["'=1+1", '1+1'], dtype=object), 'y': array([-1,  2])}
    """
    bad = [place for place, name in enumerate(columns, 1) if name.startswith(_FORMULA)]
    if bad:
        raise DataError(
            "No name of a column may be a formula for a spreadsheet. That of column "
            f"{bad[0]} begins like one.\n\nHint: rename the column."
        )
    return {name: _escaped(values) for name, values in columns.items()}


def _escaped(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind not in "OUT":
        return values
    cells = values.astype(object)
    for row, cell in enumerate(cells):
        if isinstance(cell, str) and cell.startswith(_FORMULA):
            cells[row] = f"'{cell}"
    return cells


def whole_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers again, where only missing ones had made them floats: 58, not 58.0.

    Parameters
    ----------
    values : ndarray

    Examples
    --------
    >>> import numpy as np
    >>> whole_numbers(np.array([58.0, np.nan])), whole_numbers(np.array([58.0, 1.0]))
    (array([58, None], dtype=object), array([58.,  1.]))
    """
    if values.dtype.kind != "f":
        return values
    gone = np.isnan(values)
    known = values[~gone]
    if not gone.any() or not known.size or not (np.abs(known) < 2.0**53).all():
        return values
    if not (known == np.floor(known)).all():
        return values
    cells = np.full(len(values), None, dtype=object)
    cells[~gone] = known.astype(np.int64)
    return cells


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
    reason = getattr(error, "strerror", None) or type(error).__name__
    return DataError(
        f"'{file.name}' cannot be written ({reason}).\n\n"
        "Hint: does its folder exist, may you write there, and is there space on the disk?"
    )


def _storable(values: NDArray[Any]) -> NDArray[Any]:
    """Dates at a resolution that DuckDB knows; everything in the order in which it reads memory."""
    known = values.astype("datetime64[us]") if values.dtype.kind == "M" else values
    return np.ascontiguousarray(known)


def csv_text(columns: Mapping[str, NDArray[Any]]) -> str:
    r"""Return columns of equal length as the text of a CSV file.

    Parameters
    ----------
    columns : mapping of str to ndarray
        None, NaN and masked cells become empty fields.

    Examples
    --------
    >>> csv_text({"age": np.array([30, None], object), "job": np.array(["a,b", "c"])})
    'age,job\n30,"a,b"\n,c\n'
    """
    _check(columns)
    lines = _Lines()
    # with this end Python puts a text with either of its signs into quotes
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerow(columns)
    cells = [np.ma.filled(np.ma.asarray(v).astype(object), None).tolist() for v in columns.values()]
    writer.writerows(map(_fields, zip(*cells, strict=True)))
    return "".join(lines)


class _Lines(list[str]):
    """The lines of a text file."""

    def write(self, line: str) -> None:
        """Add a line."""
        self.append(line.removesuffix("\r\n") + "\n")


def _fields(row: Sequence[Any]) -> Iterator[Any]:
    """Yield a row's cells as DuckDB writes them to a file."""
    for cell in row:
        if cell is None or cell != cell or type(cell).__name__ == "NAType":  # noqa: PLR0124 - NaN
            yield None
        else:
            yield str(cell).lower() if isinstance(cell, bool | np.bool_) else cell
