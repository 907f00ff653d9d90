"""The different whole rows of a file, and how many there are of each, counted by an engine.

As finely as `stored_cells` tells cells apart: 0.0 and -0.0, null and NaN, "a" and "a " differ. The
rows stay in the file; what comes home are its different rows, as numbers.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._lazy import LazyModule
from sparsam.data.source._engine import (
    Engine,
    ParquetFile,
    Wording,
    is_relation,
    listed,
    no_parquet,
    quoted,
    unreadable_frame,
    worded,
)
from sparsam.data.source._format import ANY_FORMAT
from sparsam.data.source._source import check_distinct, open_source
from sparsam.data.source._table_file import open_bytes
from sparsam.data.source.csv_files import csv_lines, damaged_csv, header_of
from sparsam.data.source.lazy import open_lazy
from sparsam.data.source.lazy._stream import stream_codes

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
else:
    nw = LazyModule("narwhals.stable.v2")

_PARQUET = (".parquet", ".pq")
_WHOLE = ("tinyint", "smallint", "integer", "bigint")
_INTEGERS = {*_WHOLE, *(f"u{kind}" for kind in _WHOLE)}
_FLOATS = {"float": np.float32, "double": np.float64}
_MOST_LISTED = 65_000  # texts of one column, that a number stands for in the engine
_BITS = 63
_CHUNK = 1 << 24
_NAN = {"float": 0x7FC00000, "double": 0x7FF8000000000000}


@dataclass(frozen=True, eq=False, repr=False)
class NumberedCells:
    """One column: the different cells, and which of them each row has.

    Attributes
    ----------
    number : ndarray of int64
    cells : list
        None is null.
    """

    number: NDArray[np.int64]
    cells: list[Any]

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True, eq=False, repr=False)
class WholeRows:
    """The different whole rows of a table.

    Attributes
    ----------
    columns : dict of str to NumberedCells
    counts : ndarray of int64
        How many rows are like each.
    """

    columns: dict[str, NumberedCells]
    counts: NDArray[np.int64]


def whole_rows(
    file: str | os.PathLike[str], ending: str | None = None, *, max_memory: int | None = None
) -> WholeRows | None:
    """Count the different rows of a Parquet file, or of a CSV file without quotes.

    Parameters
    ----------
    file : path
    ending : str, optional
        What kind of file it is, where its name does not say.
    max_memory : int, optional
        Bytes that the engine may take.

    Returns
    -------
    WholeRows or None
        None where only a look at every byte tells the cells apart: a CSV file with quotes, or with
        lines that end in several ways; a Parquet file in which NaN is written in several ways.
    """
    path = Path(os.path.abspath(file)) if ending is None else Path(file)
    kind = ending or path.name.lower()
    engine = Engine(max_memory)
    if kind.endswith(_PARQUET):
        parquet = ParquetFile(path, engine)
        check_distinct(parquet.names)
        relation = parquet.relation(range(len(parquet.names)))
        return _Counting(relation, parquet.names, lambda _: no_parquet(path)).run()
    names = _plain_names(path)
    if names is None:
        return None
    header = header_of(path)
    if len(names) < 2 or len(names) != len(header.names) or header.above:
        return None
    check_distinct(names)
    relation = csv_lines(engine, path, header)
    return _Counting(relation, names, lambda error: damaged_csv(path, error, ANY_FORMAT)).run()


def rows_of_relation(relation: Any, names: Sequence[str]) -> WholeRows | None:
    """Count the different rows of a DuckDB relation; None where NaN is written in several ways.

    Parameters
    ----------
    relation : DuckDB relation
    names : sequence of str
        Of its columns.
    """
    renamed = ", ".join(f"{quoted(name)} AS c{i}" for i, name in enumerate(names))
    return _Counting(relation.project(renamed), names, unreadable_frame).run()


_CELL = 64  # bytes of a cell in memory: an object, and what numbers it
_TEXT = 12  # bytes in memory for a byte of a text file


def cells_fit(table: Any, max_memory: int) -> bool:
    """Whether the cells of a table may be loaded, all of them, into so many bytes.

    Parameters
    ----------
    table : path, DuckDB relation or lazy frame
        Anything else is in memory already.
    max_memory : int
    """
    if isinstance(table, str | os.PathLike):
        path = Path(os.path.abspath(table))
        if path.suffix.lower() in _PARQUET and path.exists():
            parquet = ParquetFile(path, Engine())
            return parquet.n_rows() * len(parquet.names) * _CELL <= max_memory
        return not path.exists() or path.stat().st_size * _TEXT <= max_memory
    if not in_engine(table):
        return True
    source = open_source(table)
    n_rows = open_lazy(nw.from_native(table)).n_rows()
    return n_rows * len(source.names) * _CELL <= max_memory


def in_engine(table: Any) -> bool:
    """Whether the rows of a frame stay in an engine until they are asked for.

    Parameters
    ----------
    table : any
    """
    if is_relation(table):
        return True
    return isinstance(nw.from_native(table, pass_through=True), nw.LazyFrame)


def _plain_names(file: Path) -> list[str] | None:
    """The names in the first line of a CSV file; None where a quote or such occurs anywhere."""
    with open_bytes(file) as opened:
        first = opened.readline()
        odd = (b'"', b"\r", b"\0", b"\xef\xbb\xbf")
        if any(sign in first for sign in odd):
            return None
        while chunk := opened.read(_CHUNK):
            if any(sign in chunk for sign in odd[:3]):
                return None
    delimiter = header_of(file).delimiter
    return first.decode(errors="replace").rstrip("\n").split(delimiter)


@dataclass(frozen=True, eq=False, repr=False)
class _Coded:
    """How the cells of a column are told apart in the engine.

    `sql` is a number from 0, null 0; `size` numbers there are, and `cells` tells what each is.
    """

    sql: str
    size: int
    low: int | None = None
    cells: tuple[Any, ...] = ()
    number: bool = False

    def of(self, codes: NDArray[np.uint64]) -> NumberedCells:
        """Number the cells that occur."""
        if self.size <= 1 << 26:
            present = np.flatnonzero(np.bincount(codes.astype(np.int64), minlength=self.size))
            place = np.zeros(self.size, np.int64)
            place[present] = np.arange(len(present))
            number = place[codes]
        else:
            present, number = np.unique(codes.astype(np.int64), return_inverse=True)
        return NumberedCells(number.astype(np.int64), [self._cell(int(c)) for c in present])

    def _cell(self, code: int) -> Any:
        if code == 0:
            return None
        if self.low is None:
            return self.cells[code - 1]
        value = self.low + code - 1
        return float(value) if self.number else value


class _Counting:
    """Counts the rows of a relation whose columns are called c0, c1, ..."""

    def __init__(self, relation: Any, names: Sequence[str], wording: Wording) -> None:
        self.relation, self.names, self.wording = relation, list(names), wording
        self.kinds = [str(kind).lower() for kind in relation.types]

    def run(self) -> WholeRows | None:
        self.facts = self._looked_at()
        if self.facts is None:
            return None
        coded = [self._coded(place) for place in range(len(self.names))]
        words = _in_words([c.size if isinstance(c, _Coded) else 1 for c in coded])
        keys = {f"w{i}": _packed(coded, word) for i, word in enumerate(words)}
        texts = {f"t{i}": c for i, c in enumerate(coded) if isinstance(c, str)}
        keys |= texts
        rows = self.relation.project(", ".join(f"{sql} AS {key}" for key, sql in keys.items()))
        grouped = rows.aggregate(f"{', '.join(keys)}, CAST(count(*) AS UBIGINT) AS n")
        answer = worded(lambda: _fetched(grouped, len(words), bool(texts)), self.wording)
        columns = {}
        for place, (name, column) in enumerate(zip(self.names, coded, strict=True)):
            if isinstance(column, str):
                columns[name] = self._numbered(place, answer[f"t{place}"])
            else:
                columns[name] = column.of(_unpacked(place, column.size, words, answer))
        return WholeRows(columns, answer["n"].astype(np.int64))

    def _asked(self, query: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] = worded(
            lambda: self.relation.aggregate(query).fetchall()[0], self.wording
        )
        return row

    def _looked_at(self) -> list[tuple[Any, ...]] | None:
        """For each column of numbers: least, greatest, whole and never -0.0; None: NaN differs."""
        asked = []
        for place, kind in enumerate(self.kinds):
            c = f"c{place}"
            if kind in _INTEGERS:
                asked += [f"min({c})", f"max({c})", "true"]
            elif kind in _FLOATS:
                odd = f"isnan({c}) OR isinf({c}) OR {c} <> floor({c}) OR ({c} = 0 AND signbit({c}))"
                asked += [f"min({c})", f"max({c})", f"count_if({odd}) = 0"]
            else:
                asked += ["NULL", "NULL", "false"]
        row = self._asked(", ".join(asked))
        facts = [row[3 * place : 3 * place + 3] for place in range(len(self.kinds))]
        floats = [p for p, kind in enumerate(self.kinds) if kind in _FLOATS and not facts[p][2]]
        if not all(self._one_nan(place) for place in floats):
            return None
        return facts

    def _one_nan(self, place: int) -> bool:
        """Whether no bits can be hidden in how NaN is written."""
        kind = self.kinds[place]
        nans = self.relation.filter(f"isnan(c{place})").project(f"c{place}")
        usual = {_NAN[kind]}
        for (batch,) in worded(lambda: stream_codes(nans, [_FLOATS[kind]]), self.wording):
            bits = np.asarray(batch).view(f"u{batch.dtype.itemsize}")
            if not set(np.unique(bits).tolist()) <= usual:
                return False
        return True

    def _coded(self, place: int) -> _Coded | str:
        kind, (low, high, plain) = self.kinds[place], self.facts[place]  # type: ignore[index]
        c = f"c{place}"
        if kind == "boolean":
            return _Coded(f"coalesce(CAST({c} AS UTINYINT) + 1, 0)", 3, cells=(False, True))
        if plain and low is None:
            return _Coded("0", 1)
        if plain and abs(low) < 2**62 and abs(high) < 2**62:
            low, high = int(low), int(high)
            whole = c if kind in _INTEGERS else f"CAST({c} AS BIGINT)"
            sql = f"coalesce(CAST({whole} AS BIGINT) - ({low}) + 1, 0)"
            if high - low + 2 < 1 << 40:
                return _Coded(sql, high - low + 2, low=low, number=kind in _FLOATS)
        return self._texts(place)

    def _texts(self, place: int) -> _Coded | str:
        """Number the texts of a column; where they are too many, they are grouped as they are."""
        text = f"CAST(c{place} AS VARCHAR)"
        size = int(self._asked(f"approx_count_distinct({text})")[0])
        if size > _MOST_LISTED // 2:
            return text
        distinct = worded(
            lambda: self.relation.project(f"{text} AS t").distinct().fetchall(), self.wording
        )
        known = sorted(t for (t,) in distinct if t is not None)
        if len(known) > _MOST_LISTED:
            return text
        if not known:
            return _Coded("0", 1)
        sql = f"coalesce(CAST(enum_code(CAST({text} AS ENUM({listed(known)}))) AS BIGINT) + 1, 0)"
        return _Coded(sql, len(known) + 1, cells=tuple(self._cell(place, t) for t in known))

    def _cell(self, place: int, text: str | None) -> Any:
        if text is None or self.kinds[place] not in _FLOATS:
            return int(text) if text is not None and self.kinds[place] in _INTEGERS else text
        return math.nan if text == "nan" else float(text)

    def _numbered(self, place: int, texts: NDArray[Any]) -> NumberedCells:
        number = np.empty(len(texts), np.int64)
        known: dict[str | None, int] = {}
        for row, text in enumerate(np.ma.filled(np.ma.asarray(texts, object), None).tolist()):
            number[row] = known.setdefault(text, len(known))
        return NumberedCells(number, [self._cell(place, text) for text in known])


Word = list[tuple[int, int]]


def _in_words(sizes: Sequence[int]) -> list[Word]:
    """Lay columns of so many numbers out in words: which columns, and at which bits they begin."""
    words: list[Word] = [[]]
    used = 0
    for place, size in enumerate(sizes):
        bits = (size - 1).bit_length()
        if used + bits > _BITS:
            words.append([])
            used = 0
        words[-1].append((place, used))
        used += bits
    return words


def _packed(coded: Sequence[_Coded | str], word: Word) -> str:
    parts = [
        f"(CAST({column.sql} AS UBIGINT) << {shift})"
        for column, shift in ((coded[place], shift) for place, shift in word)
        if isinstance(column, _Coded) and column.size > 1
    ]
    return " | ".join(parts) or "CAST(0 AS UBIGINT)"


def _unpacked(
    place: int, size: int, words: Sequence[Word], answer: dict[str, NDArray[Any]]
) -> NDArray[np.uint64]:
    for i, word in enumerate(words):
        for column, shift in word:
            if column == place:
                mask = np.uint64((1 << (size - 1).bit_length()) - 1)
                codes: NDArray[np.uint64] = (answer[f"w{i}"] >> np.uint64(shift)) & mask
                return codes
    raise AssertionError("every column is in a word")


def _fetched(grouped: Any, n_words: int, texts: bool) -> dict[str, NDArray[Any]]:
    if texts:
        answer: dict[str, NDArray[Any]] = dict(grouped.fetchnumpy())
        return answer
    batches = list(stream_codes(grouped, [np.uint64] * (n_words + 1)))
    names = [*(f"w{i}" for i in range(n_words)), "n"]
    if not batches:
        return {name: np.empty(0, np.uint64) for name in names}
    return {
        name: np.concatenate([batch[place] for batch in batches])
        for place, name in enumerate(names)
    }
