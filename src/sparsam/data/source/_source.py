"""A table that is open: its names first, then its columns one at a time.

Whatever the user hands over is opened here, once: reading, applying, declared domains, releases and
models all go on with the `Source` that `open_source` returns. Names come from the header; the rows
of a file are parsed when the first column is asked for, and never again.
"""

from __future__ import annotations

import os
import re
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError
from sparsam._lazy import LazyModule
from sparsam.data._table import Table, duplicates
from sparsam.data.source._column import (
    Column,
    check_flat,
    frame_column,
    series_column,
    to_array,
    typed_column,
)
from sparsam.data.source._database import Address, attached, database_address
from sparsam.data.source._engine import (
    Engine,
    ParquetFile,
    Wording,
    is_relation,
    no_parquet,
    relation_columns,
    unreadable_frame,
    worded,
)
from sparsam.data.source._excel import excel_columns
from sparsam.data.source._format import ANY_FORMAT, FileFormat
from sparsam.data.source._json import json_columns
from sparsam.data.source._loaded import Loaded, check_single, nested, typed_values
from sparsam.data.source._many_files import check_alike, is_many, many_files
from sparsam.data.source._table_file import FileKind, Piped, TableFile, is_packed, table_file
from sparsam.data.source.csv_files import (
    Cell,
    CsvCells,
    csv_in_place,
    csv_table,
    damaged_csv,
    header_of,
)
from sparsam.data.source.lazy import LazyFrame, distinct_values, open_lazy

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

_EXPECTED = (
    "A table must be a pandas, polars, pyarrow or DuckDB frame, a mapping of names to columns, "
    "a two-dimensional array, or the path of a CSV, Parquet, JSON or Excel file."
)
# The row labels that pandas writes into a Parquet file.
_INDEX = re.compile(r"__index_level_\d+__")
# How many rows are looked at before all of them are, and for remarks.
_SAMPLE = 1000
# A table of more columns is loaded so many columns at a time.
_WIDE = 100
# Every query takes a look at all columns of a file: those of a wider one come home one by one.
MOST_IN_ENGINE = 500
# The texts of a larger CSV file take more memory than reading them again takes time.
LARGE_FILE = 1 << 27
_PACKED_TIMES = 8  # what packed text usually becomes


@dataclass(frozen=True, repr=False)
class LazyColumns:
    """Columns of a table whose rows stay in an engine.

    Attributes
    ----------
    names : tuple of str
        What the user calls them.
    frame : LazyFrame
    places : mapping of str to str
        For each of them, its column of the frame.
    remarks : mapping of str to str
        What was guessed about them.
    wording : callable
        What is said when the engine fails, see `worded`.
    """

    names: tuple[str, ...]
    frame: LazyFrame
    places: Mapping[str, str]
    remarks: Mapping[str, str]
    wording: Wording

    def counted(self) -> tuple[int, dict[str, Column]]:
        """Count all rows, and the distinct values of each column, in one pass."""
        n_rows, found = distinct_values(self.frame, [self.places[name] for name in self.names])
        return n_rows, {
            name: replace(
                self._typed(name, distinct.values),
                weights=distinct.counts,
                in_order=distinct.in_order,
                n_values=None if distinct.all_here else distinct.n_values,
                remark=self.remarks.get(name, ""),
            )
            for name, distinct in zip(self.names, found, strict=True)
        }

    def _typed(self, name: str, values: NDArray[Any]) -> Column:
        native = self.frame.native
        if is_relation(native):
            return typed_column(name, native.types[native.columns.index(self.places[name])], values)
        categories = self.frame.categories(self.places[name])
        if categories is None:
            return Column(name, values)
        return Column(name, values, categorical=True, order=categories or None)


def lazy_columns(
    names: Sequence[str],
    native: Any,
    places: Sequence[str],
    wording: Wording = unreadable_frame,
    remarks: Mapping[str, str] | None = None,
) -> LazyColumns | None:
    """Open columns in an engine; None where one is of a kind that must come home to be read."""
    frame = open_lazy(nw.from_native(native), wording)
    if not all(map(frame.tells, places)):
        return None
    own = dict(zip(names, places, strict=True))
    return LazyColumns(tuple(names), frame, own, remarks or {}, wording)


Missing = Callable[[str], Collection[str]]


def no_texts(name: str) -> Collection[str]:
    """The texts that mean missing where there are none."""
    return ()


class Source(ABC):
    """A table that is open.

    Attributes
    ----------
    origin : path, frame, mapping, list of records, ndarray, Table or DuckDB relation
        What the user handed over.
    names : tuple of str
        The names of the columns.
    in_file : bool
        Whether it is a file, and not something that the user holds in memory.
    notes : tuple of str
        What was guessed about the whole of it.
    remarked : tuple of Column
        The columns loaded last of which there is something to say.
    """

    origin: Any
    names: tuple[str, ...]
    in_file: bool = False
    notes: tuple[str, ...] = ()
    remarked: tuple[Column, ...] = ()

    @property
    def engine(self) -> Engine | None:
        """What reads the rows of a file or a database where they are, a part at a time."""
        return None

    @abstractmethod
    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        """Load one column.

        Parameters
        ----------
        name : str
        missing : collection of str
            Texts that mean missing: in a file they must not turn a column of numbers into text.
        text : bool, default=False
            Whether a column of a CSV file stays text, even where it looks like numbers.
        """

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.column(self.names[0])) if self.names else 0

    def written(self) -> FileFormat:
        """Return how a file is written, as far as it was said, or found out by now."""
        return ANY_FORMAT

    def lazy(
        self, names: Sequence[str], missing: Missing = no_texts, text: Collection[str] = ()
    ) -> LazyColumns | None:
        """Return columns as they are in an engine, where rows stay; None where they are in memory.

        Parameters
        ----------
        names : sequence of str
        missing : callable
            For a column, the texts that mean missing there, as for `column`.
        text : collection of str
            Columns of a CSV file that stay text.
        """
        return None

    def in_place(self, names: Sequence[str], text: Collection[str] = ()) -> LazyColumns | None:
        """Return columns of a file or a database as they are where its rows are read part by part.

        Parameters
        ----------
        names : sequence of str
        text : collection of str
            Columns of a CSV file that stay text.

        Returns
        -------
        LazyColumns or None
            None where rows are loaded.
        """
        check_distinct(self.names)
        check_names(names, self.names)
        return self.lazy(names, text=text) if names and self.engine is not None else None

    def columns(
        self, names: Sequence[str], text: Collection[str] = (), missing: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """Load several columns as they are, None or NaN where a value is missing."""
        check_distinct(self.names)
        check_names(names, self.names)
        loaded = [self.column(name, missing, text=name in text) for name in names]
        self.remarked = tuple(column for column in loaded if column.remark)
        return {column.name: column.objects() for column in loaded}

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.names)} columns>"


def open_source(source: Any, form: FileFormat = ANY_FORMAT, *, private: bool = False) -> Source:
    """Look at what the user hands over without loading the columns.

    Parameters
    ----------
    source : path, frame, mapping, list of records, ndarray, Table, DuckDB relation or Source
        See `read`. A table that is open already is returned as it is.
    form : FileFormat
        What is known of how a file is written.
    private : bool, default=False
        Whether nothing may be refused because of what a row holds: a text of a pyarrow column
        that is not in UTF-8 is read too, with a mark for what cannot be; a record may lack a
        field; and the first line of a CSV file is compared with no other.
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, str | os.PathLike):
        address = database_address(source)
        if address is not None:
            return DatabaseSource(Path(source), address)
        if is_many(source):
            return _open_files(Path(source), form, private)
    if isinstance(source, str | os.PathLike | Piped):
        return _open_file(*table_file(source), form, private)
    if isinstance(source, np.ndarray):
        return _ArraySource(source)
    if isinstance(source, Mapping):
        return _MappingSource(source)
    if isinstance(source, Table):
        return _TableSource(source)
    if is_relation(source):
        return _RelationSource(source)
    if isinstance(source, list | tuple):
        return _RecordSource(source, private=private)
    return _open_frame(source, private)


def _open_file(file: TableFile, kind: FileKind, form: FileFormat, private: bool) -> Source:
    if kind == "parquet":
        if isinstance(file, Piped):
            raise DataError(
                "A Parquet file must be on a disk to be read. This one came through a pipe."
                "\n\nHint: save it, and give the name of the file."
            )
        return ParquetSource(file, private=private)
    if kind == "excel":
        return LoadedSource(file, excel_columns(file), private=private)
    if kind == "csv":
        return CsvSource(file, form, private=private)
    records = json_columns(file, form, lines=kind == "json lines")
    return LoadedSource(file, records, private=private)


def table_places(path: str) -> list[Path]:
    """The files behind a folder, a pattern or the address of a database; none for a plain file."""
    address = database_address(path)
    if address is not None:
        return [Path(address.database)]
    return many_files(path)[0] if is_many(path) else []


def _open_files(path: Path, form: FileFormat, private: bool) -> Source:
    (first, *more), kind = many_files(path)
    if kind == "parquet":
        return ParquetSource(first, more=more, origin=path, private=private)
    return CsvSource(first, form, more=more, origin=path, private=private)


class CsvSource(Source):
    """A CSV or TSV file: a large one stays where it is, another is parsed once into DuckDB.

    Parameters
    ----------
    file : Path or Piped
    form : FileFormat
        What is known of how it is written.
    more : sequence of Path
        More files of the same table.
    origin : Path, optional
        What the user calls all of them.
    private : bool, default=False
        Whether the first line is compared with no record.
    """

    in_file = True

    def __init__(
        self,
        file: TableFile,
        form: FileFormat = ANY_FORMAT,
        *,
        more: Sequence[Path] = (),
        origin: Path | None = None,
        private: bool = False,
    ) -> None:
        self.origin, self.form = origin or file, form
        self.file = file
        headers = [
            header_of(own, form, rows=0) if private else header_of(own, form)
            for own in (file, *more)
        ]
        self.header = headers[0]
        self.more = tuple(zip(more, headers[1:], strict=True))
        if isinstance(file, Path):
            check_alike((file, *more), [header.names for header in headers])
        self.names, self.notes = self.header.names, self.header.notes
        self._ahead: dict[str, NDArray[Any]] = {}
        self._loaded = False

    def written(self) -> FileFormat:
        """Return how the file is written; of numbers only what holds for all that were read."""
        delimiter = None if self.header.delimiter == "," else self.header.delimiter
        found = self._cells.written() if self._loaded else ANY_FORMAT
        return self.form.completed_by(replace(found, delimiter=delimiter))

    @property
    def engine(self) -> Engine | None:
        """What reads the rows where they are; None where the file is so small that it is loaded."""
        engine, n_rows = self._opened
        return None if n_rows is None else engine

    @property
    def _engine(self) -> Engine:
        return self._opened[0]

    @cached_property
    def _opened(self) -> tuple[Engine, int | None]:
        """The engine that has the table, and how many rows a file has whose rows stay there."""
        engine, n_rows = Engine(), None
        if isinstance(self.file, Path) and self._is_large(self.file):
            n_rows = csv_in_place(engine, [(self.file, self.header), *self.more], self.form)
        if n_rows is None:
            csv_table(engine, self.file, self.header, self.form, more=self.more)
        self._loaded = True
        return engine, n_rows

    def _is_large(self, file: Path) -> bool:
        files = [file, *(own for own, _ in self.more)]
        size = sum(f.stat().st_size * (_PACKED_TIMES if is_packed(f) else 1) for f in files)
        return size > LARGE_FILE and len(self.names) <= MOST_IN_ENGINE

    @cached_property
    def _cells(self) -> CsvCells:
        return CsvCells(self._engine, self.header, self.form, self._damaged)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        engine, n_rows = self._opened
        if n_rows is None:
            n_rows = int(engine.rows("SELECT count(*) FROM t", [], self._damaged)[0][0])
        return n_rows

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        """Load one column: numbers or truth values where every cell is one, else text."""
        place = self.names.index(name)
        cells, gone = self._cells, frozenset(missing)
        found = cells.as_text(place, gone) if text else cells.find(place, gone)
        return Column(name, self._load(place, found), remark=found.remark)

    def lazy(
        self, names: Sequence[str], missing: Missing = no_texts, text: Collection[str] = ()
    ) -> LazyColumns | None:
        """Return columns as they are in DuckDB: numbers, truth values or texts."""
        cells = [
            self._cells.as_text(place, frozenset(missing(name)))
            if name in text
            else self._cells.find(place, frozenset(missing(name)))
            for name, place in ((name, self.names.index(name)) for name in names)
        ]
        listed = [f"{cell.sql} AS c{i}" for i, cell in enumerate(cells)]
        relation = self._engine.relation(f"SELECT {', '.join(listed)} FROM t", [], self._damaged)
        remarks = {name: cell.remark for name, cell in zip(names, cells, strict=True)}
        return lazy_columns(names, relation, relation.columns, self._damaged, remarks)

    def _load(self, place: int, found: Cell) -> NDArray[Any]:
        """Load a column; in a wide table those after it, too, as every query costs all columns."""
        if found.sql in self._ahead:
            return self._ahead.pop(found.sql)
        wanted = [found.sql]
        if len(self.names) > _WIDE:
            wanted += [sql for sql in self._cells.after(place, _WIDE) if sql != found.sql]
        asked = ", ".join(f"{sql} AS c{i}" for i, sql in enumerate(wanted))
        columns = self._engine.columns(f"SELECT {asked} FROM t", [], self._damaged)
        self._ahead = dict(zip(wanted[1:], columns[1:], strict=True))
        return columns[0]

    def _damaged(self, error: Exception) -> DataError:
        return damaged_csv(self.file, error, self.form)


class ParquetSource(Source):
    """A Parquet file, read column by column; row labels of pandas are left out.

    Parameters
    ----------
    file : Path
    more : sequence of Path
        More files of the same table.
    origin : Path, optional
        What the user calls all of them.
    private : bool, default=False
        Whether a text that is not in UTF-8 is read too.
    """

    in_file = True

    def __init__(
        self,
        file: Path,
        *,
        more: Sequence[Path] = (),
        origin: Path | None = None,
        private: bool = False,
    ) -> None:
        self.origin, self.file, self.more = origin or file, file, tuple(more)
        self._engine = Engine()
        self.parquet = ParquetFile(file, self._engine, more=more, any_text=private)
        check_alike((file, *more), [self.parquet.names, *self.parquet.others])
        self.names = tuple(name for name in self.parquet.names if not _INDEX.fullmatch(name))

    @property
    def engine(self) -> Engine | None:
        """What reads the rows where they are."""
        return self._engine

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.parquet.n_rows()

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        """Load one column."""
        place = self.parquet.names.index(name)
        return typed_column(name, self.parquet.types[place], self.parquet.column(place))

    def lazy(
        self, names: Sequence[str], missing: Missing = no_texts, text: Collection[str] = ()
    ) -> LazyColumns | None:
        """Return columns as they are in the file."""
        for name in names:
            check_flat(name, self.parquet.types[self.parquet.names.index(name)])
        places = [self.parquet.names.index(name) for name in names]
        relation = self.parquet.relation(places)
        return lazy_columns(names, relation, relation.columns, partial(self.damaged, places))

    def damaged(self, places: Sequence[int], error: Exception) -> DataError:
        """Return which column is damaged, found by reading one at a time."""
        try:
            self.parquet.check(places)
        except DataError as named:
            return named
        return no_parquet(self.file)


class _RelationSource(Source):
    """A DuckDB relation: one execution, so that all columns have the same order of rows."""

    def __init__(self, relation: Any) -> None:
        self.origin = relation
        self.names = tuple(relation.columns)

    @cached_property
    def _loaded(self) -> Mapping[str, NDArray[Any]]:
        return relation_columns(self.origin, unreadable_frame)

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        kind = self.origin.types[self.names.index(name)]
        return typed_column(name, kind, self._loaded[name])

    def lazy(
        self, names: Sequence[str], missing: Missing = no_texts, text: Collection[str] = ()
    ) -> LazyColumns | None:
        """Return columns as they are in the relation."""
        for name in names:
            check_flat(name, self.origin.types[self.names.index(name)])
        return lazy_columns(names, self.origin, names)


class DatabaseSource(_RelationSource):
    """A table in a database, which stays there.

    Parameters
    ----------
    origin : Path
        As the user names it.
    address : Address
    """

    in_file = True

    def __init__(self, origin: Path, address: Address) -> None:
        self._engine = Engine()
        super().__init__(attached(self._engine, address))
        self.path = origin

    @property
    def engine(self) -> Engine | None:
        """What reads the rows where they are."""
        return self._engine


class _ArraySource(Source):
    """The columns of an array are called x0, x1, ..."""

    def __init__(self, array: NDArray[Any]) -> None:
        if array.ndim != 2:
            raise DataError(f"{_EXPECTED} Got an array with {array.ndim} dimensions.")
        self.origin = array
        self.names = tuple(f"x{i}" for i in range(array.shape[1]))

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        return Column(name, self.origin[:, self.names.index(name)])


class _MappingSource(Source):
    def __init__(self, mapping: Mapping[Any, Any]) -> None:
        self.origin = mapping
        self.names = tuple(str(name) for name in mapping)
        self._columns = list(mapping.values())

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        column = series_column(name, self._columns[self.names.index(name)])
        if column.values.ndim != 1:
            raise DataError(
                f"'{name}' must be a list of values, one per row. "
                f"Got {column.values.ndim} dimensions instead."
            )
        return column


class _TableSource(Source):
    def __init__(self, table: Table) -> None:
        self.origin = table
        self.names = table.names

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        return Column(name, self.origin.attribute(name).decode(self.origin.column(name)))


class _RecordSource(Source):
    """A list of records; every one must have the field, unless nothing may be refused for one."""

    def __init__(self, records: Sequence[Mapping[str, Any]], *, private: bool = False) -> None:
        others = sum(not isinstance(record, Mapping) for record in records)
        if others:
            raise DataError(
                f"A list of records must hold mappings of names to values. {others:,} of "
                f"{len(records):,} are something else.\n\nHint: give [{{'age': 40}}], or a frame."
            )
        self.origin, self._private = records, private
        self.names = tuple(dict.fromkeys(str(name) for record in records for name in record))

    @property
    def n_rows(self) -> int:
        return len(self.origin)

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        lacking = sum(name not in record for record in self.origin)
        if lacking and not self._private:
            raise DataError(
                f"Every record must have the field '{name}'. {lacking:,} of {self.n_rows:,} lack "
                f"it.\n\nHint: give None for a value that is missing."
            )
        return Column(name, to_array([record.get(name) for record in self.origin]))

    def columns(
        self, names: Sequence[str], text: Collection[str] = (), missing: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        return {name: self.column(name).values for name in names}


class LoadedSource(Source):
    """A file that is read as a whole when it is opened.

    Parameters
    ----------
    file : Path or Piped
    loaded : Loaded
    private : bool, default=False
        Whether a cell that holds several values is read, too.
    """

    in_file = True

    def __init__(self, file: TableFile, loaded: Loaded, *, private: bool = False) -> None:
        self.origin, self._loaded, self._private = file, loaded, private
        self.names, self.notes = tuple(loaded.columns), loaded.notes

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._loaded.n_rows

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        """Load one column; numbers stay numbers where all else means missing."""
        cells = self._loaded.columns[name]
        if not self._private:
            check_single(name, cells)
        values = typed_values(cells, missing)
        return Column(name, values, remark=self._loaded.remarks.get(name, ""))


def _open_frame(frame: Any, private: bool) -> Source:
    # of the type: a frame of Spark Connect has a column of any name that it is asked for
    names = None
    if hasattr(type(frame), "column_names"):  # pyarrow
        names = frame.column_names
    elif not hasattr(type(frame), "collect_schema"):
        names = getattr(frame, "columns", None)
    if names is not None:
        check_distinct([str(name) for name in names])
    lazy = nw.from_native(frame, pass_through=True)
    if isinstance(lazy, nw.LazyFrame):
        return _LazySource(frame, lazy, private=private)
    return _FrameSource(frame, any_text=private)


class _LazySource(Source):
    """A frame whose rows stay in an engine: in one execution those come home that are asked for."""

    def __init__(self, origin: Any, frame: nw.LazyFrame[Any], *, private: bool = False) -> None:
        self.origin, self._frame, self._private = origin, open_lazy(frame), private
        check_distinct(self._frame.names)
        self.names = self._frame.names
        self._home: _FrameSource | None = None

    @property
    def n_rows(self) -> int:
        return self._frame.n_rows()

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        if self._home is None:
            self._home = _FrameSource(self.origin, any_text=self._private)
        return self._home.column(name, missing, text=text)

    def lazy(
        self, names: Sequence[str], missing: Missing = no_texts, text: Collection[str] = ()
    ) -> LazyColumns | None:
        """Return columns as they are in the frame."""
        for name in names:
            if self._frame.nested(name) and not self._private:
                raise nested(name, "lists or records")
        return lazy_columns(names, self._frame.only(names).native, names)


class _FrameSource(Source):
    """A frame of pandas, polars, pyarrow or a like library; a lazy one is collected."""

    def __init__(self, frame: Any, *, any_text: bool = False) -> None:
        eager = nw.from_native(frame, pass_through=True)
        if isinstance(eager, nw.LazyFrame):
            eager = collected(eager)
        if not isinstance(eager, nw.DataFrame):
            raise DataError(f"{_EXPECTED} Got a {type(frame).__name__} instead.")
        self.origin, self._eager, self._any_text = frame, eager, any_text
        self.names = tuple(str(name) for name in eager.columns)

    @property
    def n_rows(self) -> int:
        return len(self._eager)

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        series = self._eager[:, self.names.index(name)]
        if series.dtype.is_nested() and not self._any_text:
            raise nested(name, "lists or records")
        return frame_column(name, series, self._any_text)


def is_frame(source: Any) -> bool:
    """Whether something is a table with named columns (and not a bare array).

    Examples
    --------
    >>> is_frame({"age": [30, 41]}), is_frame([{"age": 30}]), is_frame([[30], [41]])
    (True, True, False)
    """
    if isinstance(source, Source | Table | str | os.PathLike | Piped | Mapping):
        return True
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(record, Mapping) for record in source)
    frame = nw.from_native(source, pass_through=True)
    return isinstance(frame, nw.DataFrame | nw.LazyFrame)


def take_rows(records: Any, rows: NDArray[np.int64]) -> Any:
    """Take rows of a frame, of a mapping of arrays, of an array or of a list: the same type again.

    Examples
    --------
    >>> import numpy as np
    >>> take_rows({"age": np.array([30, 41, 52])}, np.array([2, 0]))["age"].tolist()
    [52, 30]
    >>> take_rows([[30], [41]], np.array([1]))
    [[41]]
    """
    if isinstance(records, Mapping):
        return {name: np.asarray(values)[rows] for name, values in records.items()}
    if isinstance(records, list | tuple):
        return [records[row] for row in rows]
    frame = nw.from_native(records, eager_only=True, pass_through=True)
    return frame[rows].to_native() if isinstance(frame, nw.DataFrame) else records[rows]


def columns_of(
    source: Any,
    names: Sequence[str],
    text: Collection[str] = (),
    missing: Collection[str] = (),
) -> dict[str, NDArray[Any]]:
    """Load the named columns of a table, or of a list of records, as they are.

    Parameters
    ----------
    source : frame, Table, path, mapping, list of records or Source
    names : sequence of str
    text : collection of str
        Columns of a CSV file that stay text, even where they look like numbers.
    missing : collection of str
        Texts that mean missing, in a CSV file.

    Returns
    -------
    dict of str to ndarray
        None or NaN where a value is missing.
    """
    return open_source(source).columns(names, text, missing)


def count_rows(source: Any) -> int:
    """How many records there are, even where they have no column at all.

    Examples
    --------
    >>> count_rows([{}, {}]), count_rows({"age": [30, 41, 52]})
    (2, 3)
    """
    if isinstance(source, Table | list | tuple | np.ndarray):
        return len(source)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return len(source)  # a model is asked often, mostly about such frames
    return open_source(source).n_rows


def column_names(source: Any) -> tuple[str, ...]:
    """Names of the columns of a table, or of the fields of a list of records."""
    return open_source(source).names


def check_distinct(names: Collection[str]) -> None:
    """Refuse column names that occur more than once."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise duplicates(twice)


def collected(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Run the query of a lazy frame."""
    return worded(frame.collect, unreadable_frame)
