"""CSV files as DuckDB reads them: into a table of its memory, or where they lie."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsam._errors import DataError
from sparsam.data.source._engine import Engine, Wording, csv_reader, not_utf8
from sparsam.data.source._format import ANY_FORMAT, FileFormat
from sparsam.data.source._table_file import TableFile, is_packed
from sparsam.data.source._text import is_utf8, no_text
from sparsam.data.source.csv_files._header import Header
from sparsam.data.source.csv_files._records import check_gzip, open_quote, record_batches, uneven


def csv_table(
    engine: Engine,
    file: TableFile,
    header: Header,
    form: FileFormat,
    *,
    more: Sequence[tuple[Path, Header]] = (),
    select: str = "*",
    any_text: bool = False,
) -> None:
    """Read a CSV file, whose columns are called c0, c1, ..., into the table t of an engine.

    Parameters
    ----------
    engine : Engine
    file : Path or Piped
        One that is not on a disk, or not in UTF-8, or whose lines do not all end alike, is read by
        Python, which takes longer.
    header : Header
    form : FileFormat
    more : sequence of (Path, Header)
        More files of the same table, each with how it begins.
    select : str, default="*"
        Expressions of the columns, which are texts.
    any_text : bool, default=False
        Whether a row with a text that is not in UTF-8 is read too, with all its cells missing and
        after the other rows; if not, it is an error. Nothing changes for the other rows: one
        person's text decides nothing about the others.
    """
    loading = _Loading(engine, form, select, any_text)
    loading.load(file, header, "CREATE TABLE t AS")
    for own, its in more:
        loading.load(own, its, "INSERT INTO t")


@dataclass(frozen=True)
class _Loading:
    """How files are loaded into the table t of an engine, see `csv_table`."""

    engine: Engine
    form: FileFormat
    select: str
    any_text: bool

    def load(self, file: TableFile, header: Header, into: str) -> None:
        """Read a file by DuckDB where it can, else by Python."""
        if is_packed(file):
            check_gzip(file)
        if isinstance(file, Path) and is_utf8(self.form):
            try:
                self._by_duckdb(file, header, into)
            except _UnlikeLinesError:
                if into.startswith("CREATE"):
                    self._run(file, "DROP TABLE IF EXISTS t")
            else:
                return
        self._by_python(file, header, into)

    def _by_duckdb(self, file: Path, header: Header, into: str) -> None:
        reader = _reader([file], header, keep_rejected=self.any_text)
        query = f"{into} SELECT {self.select} FROM {reader}"
        self.engine.run(query, [], lambda error: _refused(file, error, self.form))
        if self.any_text:
            self._add_unreadable(file, len(header.names))

    def _by_python(self, file: TableFile, header: Header, into: str) -> None:
        names = [f"c{place}" for place in range(len(header.names))]
        texts = ", ".join(f"{name} VARCHAR" for name in names)
        self._run(file, f"CREATE TABLE records ({texts})")
        for batch in record_batches(file, header, self.form, any_text=self.any_text):
            columns = dict(zip(names, batch, strict=True))
            self.engine.insert("records", columns, self._wording(file))
        self._run(file, f"{into} SELECT {self.select} FROM records")
        self._run(file, "DROP TABLE records")

    def _add_unreadable(self, file: Path, width: int) -> None:
        """Add a row without any value for each that could not be read because of its text."""
        text = "error_type::VARCHAR IN ('INVALID ENCODING', 'INVALID UNICODE')"
        query = (
            f"SELECT count(DISTINCT line_byte_position) FILTER (WHERE {text}), "
            f"min(line) FILTER (WHERE NOT {text}) FROM reject_errors"
        )
        rows, line = self.engine.rows(query, [], self._wording(file))[0]
        for listed in ("reject_errors", "reject_scans"):  # else the next file's would join them
            self._run(file, f"DROP TABLE {listed}")
        if line is not None:
            raise DataError(f"'{file.name}' must be a CSV file. Line {line} is damaged.")
        empty = ", ".join(f"NULL::VARCHAR AS c{place}" for place in range(width))
        query = f"INSERT INTO t SELECT {self.select} FROM (SELECT {empty} FROM range({rows}))"
        self._run(file, query)

    def _run(self, file: TableFile, query: str) -> None:
        self.engine.run(query, [], self._wording(file))

    def _wording(self, file: TableFile) -> Wording:
        return lambda error: damaged_csv(file, error, self.form)


def csv_in_place(
    engine: Engine, files: Sequence[tuple[Path, Header]], form: FileFormat
) -> int | None:
    """Let the table t of an engine be CSV files, whose rows stay there.

    Every file is read once, whole, so that one that is damaged is refused now.

    Parameters
    ----------
    engine : Engine
    files : sequence of (Path, Header)
        The files of one table, each with how it begins.
    form : FileFormat

    Returns
    -------
    int or None
        How many rows they have; None where DuckDB cannot read them by itself, see `csv_table`, or
        not together, as one begins otherwise than another.
    """
    paths, headers = zip(*files, strict=True)
    if not is_utf8(form) or len({_beginning(*file) for file in files}) > 1:
        return None
    n_rows = 0
    for file in files:
        if is_packed(file[0]):
            check_gzip(file[0])
        try:
            n_rows += _checked(engine, *file, form)
        except _UnlikeLinesError:
            return None
    query = f"CREATE VIEW t AS SELECT * FROM {_reader(paths, headers[0])}"
    engine.run(query, [], lambda error: damaged_csv(paths[0], error, form))
    return n_rows


def _beginning(file: Path, header: Header) -> tuple[Any, ...]:
    return (len(header.names), header.delimiter, header.newline, header.above, is_packed(file))


def _checked(engine: Engine, file: Path, header: Header, form: FileFormat) -> int:
    """Read all cells of a file, and count its rows."""
    cells = ", ".join(f"count(c{place})" for place in range(len(header.names)))
    query = f"SELECT count(*), {cells} FROM {_reader([file], header)}"
    return int(engine.rows(query, [], lambda error: _refused(file, error, form))[0][0])


def csv_lines(engine: Engine, file: Path, header: Header) -> Any:
    """Return the records of a CSV file without quotes as a relation, whose rows stay in the file.

    Parameters
    ----------
    engine : Engine
    file : Path
        In which no quote occurs: a sign between two delimiters is a sign of the cell.
    header : Header
    """
    query = f"SELECT * FROM {_reader([file], header, quotes=False)}"
    return engine.relation(query, [], lambda error: damaged_csv(file, error, ANY_FORMAT))


def _reader(files: Sequence[Path], header: Header, **options: bool) -> str:
    return csv_reader(
        files,
        len(header.names),
        delimiter=header.delimiter,
        newline=header.newline,
        above=header.above,
        packed=is_packed(files[0]),
        **options,
    )


def _refused(file: Path, error: Exception, form: FileFormat) -> DataError:
    if "state machine reached an invalid state" in str(error):
        return _UnlikeLinesError("Every line of a CSV file must end in the same way.")
    return damaged_csv(file, error, form)


class _UnlikeLinesError(DataError):
    """A CSV file in which lines end in more than one way, as DuckDB sees it."""


def damaged_csv(file: TableFile, error: Exception, form: FileFormat) -> DataError:
    """Return where a CSV file is damaged; DuckDB's own message would quote the line."""
    message = str(error)
    line = re.search(r"CSV Error on Line: (\d+)", message)
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    where = f"Line {line[1]} is damaged." if line else "It is damaged."
    if fields:
        return uneven(file, int(line[1]) if line else None, int(fields[2]), int(fields[1]))
    if not_utf8(error):
        return no_text(file, form, f"{where} It is not in UTF-8.")
    if "unterminated quote" in message:
        return open_quote(file, int(line[1]) if line else None)
    if "maximum line size" in message.lower():
        return DataError(
            f"'{file.name}' must be a CSV file. {where} It is longer than 2 million bytes."
            "\n\nHint: is a quote never closed? If not, shorten or take out the longest texts."
        )
    return DataError(
        f"'{file.name}' must be a CSV file in UTF-8. {where}"
        "\n\nHint: write or fetch the file again; is it a CSV file at all?"
    )
