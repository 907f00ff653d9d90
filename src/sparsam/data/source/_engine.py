"""DuckDB: the only place that says how a file is opened and read, and what is said when it fails.

No other module may name DuckDB's readers (a test looks): an option that one reader forgets, such
as the one that keeps the name of a folder from replacing the cells, would be a leak.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, SparsamError

Wording = Callable[[Exception], DataError]

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "temp_directory": "",  # personal data must not spill to a disk
}
# The name of a folder, such as "age=30", is no value of anybody.
_PARQUET = "read_parquet(?, hive_partitioning = false{more})"
_CSV = (
    "read_csv({files}, hive_partitioning = false, auto_detect = false, header = true, "
    "delim = {delimiter}, quote = {quote}, escape = {quote}, columns = {columns}, nullstr = [''], "
    "compression = '{packed}', new_line = '{newline}', skip = {above}{more})"
)
# Said of a first line, which then decides nothing about the others: DuckDB would look for the end
# of a line between quotes too.
_NEWLINES = {"\n": "\\n", "\r": "\\r", "\r\n": "\\r\\n"}


class Engine:
    """A database in memory that fetches nothing and writes nothing to a disk by itself.

    Every query names the error that is raised when it fails: DuckDB's own may quote a cell.

    Parameters
    ----------
    max_memory : int, optional
        Bytes that it may take; most of the machine's, where nothing is said.
    """

    def __init__(self, max_memory: int | None = None) -> None:
        import duckdb

        limit = {} if max_memory is None else {"memory_limit": f"{max(max_memory, 1 << 28)}B"}
        self._connection = duckdb.connect(":memory:", config={**_CONFIG, **limit})

    def keep_within(self, memory: int) -> None:
        """Take no more memory than so many bytes from now on."""
        self.run(f"SET memory_limit = '{memory}B'", [], unreadable_frame)

    def run(self, query: str, parameters: Sequence[Any], wording: Wording) -> None:
        """Execute a query that gives nothing back."""
        worded(lambda: self._connection.execute(query, list(parameters)), wording)

    def columns(
        self, query: str, parameters: Sequence[Any], wording: Wording
    ) -> list[NDArray[Any]]:
        """Execute a query, and return its columns as arrays."""

        def fetched() -> Mapping[str, Any]:
            answer: Mapping[str, Any] = self._connection.execute(
                query, list(parameters)
            ).fetchnumpy()
            return answer

        return [_array(values) for values in worded(fetched, wording).values()]

    def rows(
        self, query: str, parameters: Sequence[Any], wording: Wording
    ) -> list[tuple[Any, ...]]:
        """Execute a query, and return its rows as plain values."""

        def fetched() -> list[tuple[Any, ...]]:
            answer: list[tuple[Any, ...]] = self._connection.execute(
                query, list(parameters)
            ).fetchall()
            return answer

        return worded(fetched, wording)

    def shape(
        self, query: str, parameters: Sequence[Any], wording: Wording
    ) -> tuple[list[str], list[Any]]:
        """Return the names and the types of the columns of a query."""

        def asked() -> tuple[list[str], list[Any]]:
            relation = self._connection.sql(f"{query} LIMIT 0", params=list(parameters))
            return list(relation.columns), list(relation.types)

        return worded(asked, wording)

    def relation(self, query: str, parameters: Sequence[Any], wording: Wording) -> Any:
        """Return a query as a relation, whose rows stay in the database."""
        cursor = self._connection.cursor()
        return worded(lambda: cursor.sql(query, params=list(parameters)), wording)

    def streamed(self, rows: Any, wording: Wording) -> Any:
        """Return rows that are handed over as an Arrow stream as a relation, until the next."""
        self._connection.register("rows_handed_over", _Streamed(rows))
        return worded(lambda: self._connection.table("rows_handed_over"), wording)

    def insert(self, table: str, columns: Mapping[str, NDArray[Any]], wording: Wording) -> None:
        """Add rows, given as columns of texts, to a table."""

        def inserted() -> None:
            self._connection.register("rows_to_insert", dict(columns))
            self._connection.execute(f"INSERT INTO {table} SELECT * FROM rows_to_insert")
            self._connection.unregister("rows_to_insert")

        worded(inserted, wording)

    def copy(self, columns: Mapping[str, NDArray[Any]], target: str, wording: Wording) -> None:
        """Write columns to where `target`, the end of a COPY statement, says."""

        def copied() -> None:
            self._connection.register("columns_to_write", dict(columns))
            self._connection.execute(f"COPY (SELECT * FROM columns_to_write) {target}")

        worded(copied, wording)

    def copy_stream(self, stream: Any, target: str, wording: Wording) -> None:
        """Write an Arrow stream, a batch at a time, to where `target` says."""

        def copied() -> None:
            rows = self._connection.from_arrow(stream)
            rows.query("rows_to_write", f"COPY (SELECT * FROM rows_to_write) {target}")

        worded(copied, wording)


class _Streamed:
    """The rows of a frame as an Arrow stream alone, which needs no further library."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule."""
        return self._rows.__arrow_c_stream__(requested_schema)


class ParquetFile:
    """A Parquet file: its columns by their own names, read one at a time.

    Parameters
    ----------
    file : Path
    engine : Engine
    more : sequence of Path
        More files of the same table.
    any_text : bool, default=False
        Whether a text that is not in UTF-8 is read too, with "?" for what cannot be, where this
        version of DuckDB can do so. If not, it is an error.

    Attributes
    ----------
    names : list of str
        As they are in the file.
    others : list of list of str
        Those of more files.
    columns : list of str
        As DuckDB calls them, in quotes: it renames those that differ only by case.
    types : list of DuckDB types
    """

    def __init__(
        self, file: Path, engine: Engine, *, more: Sequence[Path] = (), any_text: bool = False
    ) -> None:
        self._file, self._engine = file, engine
        lenient = any_text and "utf8_validation" in _options("read_parquet")
        self._relation = _PARQUET.format(more=", utf8_validation = 'replace'" if lenient else "")
        self._path = [[literal(own) for own in (file, *more)]]
        columns, self.types = engine.shape(
            f"SELECT * FROM {self._relation}", self._path, lambda _: no_parquet(file)
        )
        self.names, *others = (self._names(own) for own in (file, *more))
        self.others = others
        self.columns = [quoted(column) for column in columns]

    def _names(self, file: Path) -> list[str]:
        schema = self._engine.rows(
            "SELECT name, num_children FROM parquet_schema(?)",
            [literal(file)],
            lambda _: no_parquet(file),
        )
        return _top_level(schema)

    def n_rows(self) -> int:
        """Count the rows."""
        query = f"SELECT count(*) FROM {self._relation}"
        counted = self._engine.rows(query, self._path, lambda _: no_parquet(self._file))
        return int(counted[0][0])

    def column(self, place: int, expression: str | None = None) -> NDArray[Any]:
        """Read one column, or an expression of it."""
        query = f"SELECT {expression or self.columns[place]} AS c FROM {self._relation}"
        name = self.names[place]
        return self._engine.columns(
            query, self._path, lambda error: _bad_column(self._file, name, error)
        )[0]

    def relation(self, places: Sequence[int]) -> Any:
        """Return some columns as a relation, called c0, c1, ..., whose rows stay in the file."""
        listed = ", ".join(f"{self.columns[place]} AS c{i}" for i, place in enumerate(places))
        query = f"SELECT {listed} FROM {self._relation}"
        return self._engine.relation(query, self._path, lambda _: no_parquet(self._file))

    def check(self, places: Sequence[int]) -> None:
        """Read columns without keeping them: a damaged one is an error."""
        for place in places:
            # a sum of hashes cannot be answered from the statistics in the file's footer
            self.column(place, f"bit_xor(hash({self.columns[place]}))")


def csv_reader(
    files: Sequence[Path],
    width: int,
    *,
    delimiter: str,
    newline: str,
    above: int,
    packed: bool,
    quotes: bool = True,
    keep_rejected: bool = False,
) -> str:
    """Write the call that reads CSV files of one form: columns c0, c1, ... of texts.

    Nothing is guessed, and no parameter is left to be filled in: a view takes none.

    Parameters
    ----------
    files : sequence of Path
    width : int
        How many columns they have.
    delimiter, newline : str
        What stands between two fields, and at the end of a line.
    above : int
        How many lines stand above the names.
    packed : bool
    quotes : bool, default=True
        Whether a sign between quotes is one of the cell.
    keep_rejected : bool, default=False
        Whether rows that cannot be read are listed, and not an error.
    """
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(width))
    return _CSV.format(
        files=f"[{listed([literal(file) for file in files])}]",
        delimiter=listed([delimiter]),
        quote="'\"'" if quotes else "''",
        columns=f"{{{columns}}}",
        packed="gzip" if packed else "none",
        newline=_NEWLINES[newline],
        above=above,
        more=", store_rejects = true" if keep_rejected else "",
    )


def relation_columns(relation: Any, wording: Wording) -> Mapping[str, NDArray[Any]]:
    """Fetch a relation that the user handed over, in one execution.

    Parameters
    ----------
    relation : DuckDB relation
    wording : callable
        See `worded`.
    """
    columns: Mapping[str, Any] = worded(relation.fetchnumpy, wording)
    return {name: _array(values) for name, values in columns.items()}


def is_relation(source: Any) -> bool:
    """Whether something is a relation of DuckDB, found without importing DuckDB."""
    return type(source).__module__.split(".")[0] in {"duckdb", "_duckdb"}


def literal(file: Path) -> str:
    """Return the path with the signs that DuckDB would read as a pattern made literal."""
    return re.sub(r"([*?\[])", r"[\1]", str(file))


def quoted(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def listed(texts: Collection[str]) -> str:
    """Return texts as SQL literals; an empty list as one that nothing equals."""
    return ", ".join("'" + text.replace("'", "''") + "'" for text in texts) or "NULL"


def no_parquet(file: Path) -> DataError:
    """Make the error for a file that is no Parquet file."""
    return DataError(f"'{file.name}' must be a Parquet file. It cannot be read as one.")


def _bad_column(file: Path, name: str, error: Exception) -> DataError:
    if not_utf8(error):
        return DataError(
            f"'{name}' of '{file.name}' must hold text in UTF-8. It holds some that is not."
            "\n\nHint: write the file again, with that column's text converted to UTF-8."
        )
    return DataError(
        f"'{file.name}' must be a whole Parquet file. Its column '{name}' is damaged, and cannot "
        "be read."
    )


def _top_level(schema: Sequence[tuple[Any, ...]]) -> list[str]:
    """Return the columns' own names: DuckDB renames those that differ only by case."""
    names = []
    inside = 0
    for name, children in schema[1:]:
        if inside == 0:
            names.append(name)
            inside = 1
        inside += (children or 0) - 1
    return names


@cache
def _options(function: str) -> frozenset[str]:
    """The options that one of DuckDB's readers has in this version."""
    query = "SELECT unnest(parameters) FROM duckdb_functions() WHERE function_name = ?"
    return frozenset(name for (name,) in Engine().rows(query, [function], _no_options))


def _no_options(error: Exception) -> DataError:
    return DataError(f"DuckDB must list its functions. It failed ({type(error).__name__}).")


def _array(values: Any) -> NDArray[Any]:
    if isinstance(values, np.ndarray):
        return values
    return np.asarray(values, dtype=object)


T = TypeVar("T")

# What DuckDB and pyarrow say of a text that is not in UTF-8.
_UTF8 = ("utf8", "utf-8", "unicode", "unknown error: wrapping")


def worded(action: Callable[[], T], wording: Callable[[Exception], SparsamError]) -> T:
    """Run something that an engine does, and say in our own words why it failed.

    An engine's message may quote the cell that it failed at, and so may every error that is
    chained to it. So the error that is raised here has no cause and no context.

    Parameters
    ----------
    action : callable
        A query, a fetch or a conversion by DuckDB, polars, pyarrow, pandas or Spark, or what
        the user's own model does.
    wording : callable
        Gives the error to raise for the engine's own, which it must not quote.

    Examples
    --------
    >>> worded(lambda: int("secret"), lambda error: DataError("'age' must hold numbers."))
    Traceback (most recent call last):
    ...
    sparsam._errors.DataError: 'age' must hold numbers.
    """
    try:
        return action()
    except (SparsamError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - an engine may raise anything, a value in it
        if "interrupted" in str(error).lower():  # how DuckDB says that somebody pressed Ctrl-C
            raise KeyboardInterrupt from None
        refusal = wording(error)
    refusal.__context__ = None  # where finding the words took another look, which failed as well
    raise refusal


def unreadable_column(name: str, error: Exception) -> DataError:
    """Make the error for a column of a frame that cannot be read.

    Parameters
    ----------
    name : str
        The column.
    error : Exception
        What the frame's library raised; only its kind is told.
    """
    if not_utf8(error):
        return DataError(f"'{name}' must hold text in UTF-8. It holds some that is not.")
    return DataError(
        f"'{name}' must hold values that can be read. Reading them failed ({type(error).__name__})."
    )


def unreadable_frame(error: Exception) -> DataError:
    """Make the error for a lazy frame or a relation whose rows cannot be had.

    Parameters
    ----------
    error : Exception
        What the engine raised; only its kind is told.
    """
    why = "its text is not in UTF-8" if not_utf8(error) else type(error).__name__
    if "spark.driver.maxResultSize" in str(error):
        return DataError(
            "What comes home from Spark must be within what its driver allows. It is more."
            "\n\nHint: set spark.driver.maxResultSize to more, or to 0 for no limit."
        )
    if "java.lang.OutOfMemoryError" in str(error):
        return DataError(
            "What Spark does must fit into the memory that it has. It did not."
            "\n\nHint: set spark.driver.memory or spark.executor.memory to more."
        )
    return DataError(
        f"A lazy frame must give its rows when it is asked. Its engine failed ({why})."
        "\n\nHint: run its query by itself to see why. What an engine says may quote a person's "
        "value, so it is not repeated here."
    )


def not_utf8(error: Exception) -> bool:
    """Whether an engine failed because a text is not in UTF-8."""
    return any(
        isinstance(cause, UnicodeError) or any(word in str(cause).lower() for word in _UTF8)
        for cause in _chain(error)
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Return an error and what led to it: DuckDB wraps what Python said while it fetched."""
    yield error
    before = error.__cause__ or error.__context__
    if before is not None:
        yield from _chain(before)
