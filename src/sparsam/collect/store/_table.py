"""The table of records: its columns, and the few statements that are ever run on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from sparsam._errors import StoreError
from sparsam.collect.store._facts import Mode
from sparsam.collect.store._receipt import HANDLE

MOST_COLUMNS: Final = 1_000
MOST_NUMBERS: Final = 2**63 - 1
_SHORT: Final = 2**31
SPENT: Final = "sparsam_spent"
_PLAIN: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TAKEN: Final = re.compile(r"day|n|handle|column_\d+")


@dataclass(frozen=True)
class Kinds:
    """How a database calls its types, and what ends the making of a table.

    A number has 32 bits at least, a count 64.
    """

    number: str
    count: str
    handle: str
    length: str
    ending: str


SQLITE: Final = Kinds("INTEGER", "INTEGER", "BLOB", "length", " STRICT, WITHOUT ROWID")
POSTGRES: Final = Kinds("integer", "bigint", "bytea", "octet_length", "")


@dataclass(frozen=True)
class RecordTable:
    """The table that holds the records of one generalization.

    Every column takes the numbers of its buckets and nothing else: the database itself refuses
    what is finer. Columns have the names of their attributes where those are plain words. Where
    counts are kept, a row is (day, buckets) and how many; where rows are kept, it is a random
    handle, the day and the buckets, in the order of the handles.

    Parameters
    ----------
    fingerprint : str
    mode : {"counts", "rows"}
    sizes : dict of str to int
        For each answer of a record how many buckets it has.
    """

    fingerprint: str
    mode: Mode
    sizes: dict[str, int]

    def __post_init__(self) -> None:
        if not 1 <= len(self.sizes) <= MOST_COLUMNS:
            raise StoreError(
                f"A store must have 1 to {MOST_COLUMNS:,} columns. This generalization collects "
                f"{len(self.sizes):,} answers."
            )
        if max(self.sizes.values()) > MOST_NUMBERS:
            raise StoreError(
                "A store can tell at most 2⁶³ interviews apart. This questionnaire can come to "
                "more.\n\nHint: make the recoding with fewer leaves, or collect whole records of "
                "its generalization."
            )

    @property
    def name(self) -> str:
        """The name of the table."""
        return f"records_{self.fingerprint}"

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The column of each answer, as it is written in a statement."""
        names = [
            name if _PLAIN.fullmatch(name) and not _TAKEN.fullmatch(name) else f"column_{place}"
            for place, name in enumerate(self.sizes, start=1)
        ]
        return tuple(f'"{name}"' for name in names)

    @property
    def fields(self) -> tuple[str, ...]:
        """All columns in the order in which rows are inserted and listed."""
        if self.mode == "counts":
            return ("day", *self.columns, "n")
        return ("handle", "day", *self.columns)

    def definition(self, kinds: Kinds) -> str:
        """The statement that makes the table."""
        types = self.types(kinds)
        buckets = [
            f"{column} {types[column]} NOT NULL CHECK ({column} BETWEEN 0 AND {size - 1})"
            for column, size in zip(self.columns, self.sizes.values(), strict=True)
        ]
        day = f"day {kinds.number} NOT NULL CHECK (day BETWEEN 0 AND 9999999)"
        if self.mode == "rows":
            parts = [_handle(kinds), day, *buckets]
        else:
            count = f"n {kinds.count} NOT NULL CHECK (n > 0)"
            parts = [day, *buckets, count]
            if kinds is SQLITE:
                parts.append(f"PRIMARY KEY ({', '.join(('day', *self.columns))})")
        return f"CREATE TABLE {self.name} ({', '.join(parts)}){kinds.ending}"

    def types(self, kinds: Kinds) -> dict[str, str]:
        """The type of every field."""
        sizes = zip(self.columns, self.sizes.values(), strict=True)
        columns = {c: kinds.number if size <= _SHORT else kinds.count for c, size in sizes}
        return {"handle": kinds.handle, "day": kinds.number, "n": kinds.count, **columns}

    @property
    def cell(self) -> str:
        """What is counted together, for a database whose keys have few columns."""
        return f"day, (ARRAY[{', '.join(self.columns)}])"

    @property
    def total(self) -> str:
        """The statement that counts the records."""
        figure = "coalesce(sum(n), 0)" if self.mode == "counts" else "count(*)"
        return f"SELECT {figure} FROM {self.name}"

    @property
    def by_buckets(self) -> str:
        """The statement that counts the records of each combination of buckets, over all days."""
        columns = ", ".join(self.columns)
        figure = "sum(n)" if self.mode == "counts" else "count(*)"
        return f"SELECT {columns}, {figure} FROM {self.name} GROUP BY {columns} ORDER BY {columns}"

    @property
    def contents(self) -> str:
        """The statement that lists all rows."""
        return f"SELECT {', '.join(self.fields)} FROM {self.name}"

    @property
    def one_less(self) -> str:
        """The statement that takes one record off a count of at least two."""
        return f"UPDATE {self.name} SET n = n - 1 WHERE n > 1 AND {self._cell}"

    @property
    def last_one(self) -> str:
        """The statement that removes a count of one."""
        return f"DELETE FROM {self.name} WHERE n = 1 AND {self._cell}"

    @property
    def one_row(self) -> str:
        """The statement that removes the row of a handle."""
        return f"DELETE FROM {self.name} WHERE handle = ?"

    @property
    def outdated(self) -> str:
        """The statement that counts the records up to a day."""
        return f"{self.total} WHERE day <= ?"

    @property
    def expire(self) -> str:
        """The statement that deletes the records up to a day."""
        return f"DELETE FROM {self.name} WHERE day <= ?"

    @property
    def _cell(self) -> str:
        return " AND ".join(f"{column} = ?" for column in ("day", *self.columns))


def spent_definition(kinds: Kinds) -> str:
    """The statement that makes the table of receipts that were used, until their day is over."""
    return f"CREATE TABLE {SPENT} ({_handle(kinds)}, day {kinds.number} NOT NULL){kinds.ending}"


def _handle(kinds: Kinds) -> str:
    return f"handle {kinds.handle} NOT NULL PRIMARY KEY CHECK ({kinds.length}(handle) = {HANDLE})"


def placeholders(fields: Sequence[str]) -> str:
    """A question mark for each field.

    Examples
    --------
    >>> placeholders(["day", "n"])
    '?, ?'
    """
    return ", ".join("?" * len(fields))
