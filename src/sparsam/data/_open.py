"""Open a table the way its roles say that it is to be read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from sparsam.data.roles._roles import Roles
from sparsam.data.source._column import Column
from sparsam.data.source._engine import Engine
from sparsam.data.source._format import FileFormat
from sparsam.data.source._missing_texts import relation_without, without_texts
from sparsam.data.source._source import LazyColumns, Missing, Source, no_texts, open_source
from sparsam.data.source.lazy import lazy_relation


def open_as(source: Any, roles: Roles) -> Source:
    """Open a table; what its roles call missing is missing in every column that is loaded.

    A text that is a number means missing among numbers too, in a file as in a frame.

    Parameters
    ----------
    source : path, frame, mapping, list of records, ndarray, Table, DuckDB relation or Source
    roles : Roles
        The texts that mean missing, in all columns and in single ones, and how a file is written.

    Examples
    --------
    >>> people = open_as({"age": [30, -9], "sex": ["f", "?"]}, Roles(missing_values=["?", "-9"]))
    >>> people.columns(["age", "sex"])
    {'age': array([30, None], dtype=object), 'sex': array(['f', None], dtype=object)}
    """
    opened = open_source(source, roles.file)
    if isinstance(opened, DeclaredSource) or not (roles.missing_values or roles.missing_in):
        return opened
    return DeclaredSource(opened, roles)


def with_numbers_found(roles: Roles, opened: Source) -> Roles:
    """Return roles that also say how the numbers of a file were found to be written.

    Another file of the same people is read in the same way then, however few its rows are.

    Parameters
    ----------
    roles : Roles
    opened : Source
        All of its columns were loaded.
    """
    found = opened.written()
    numbers = FileFormat(decimal=found.decimal, thousands=found.thousands)
    file = roles.file.completed_by(numbers)
    return roles if file == roles.file else replace(roles, file=file)


class DeclaredSource(Source):
    """A table that is open, in which texts that mean missing are missing.

    Parameters
    ----------
    inner : Source
    roles : Roles
    """

    def __init__(self, inner: Source, roles: Roles) -> None:
        self.origin, self.names, self.in_file = inner.origin, inner.names, inner.in_file
        self.notes = inner.notes
        self._inner, self._roles = inner, roles

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._inner.n_rows

    @property
    def engine(self) -> Engine | None:
        """What reads the rows of a file or a database where they are, a part at a time."""
        return self._inner.engine

    def written(self) -> FileFormat:
        """Return how a file is written, as far as it was said, or found out by now."""
        return self._inner.written()

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        """Load one column, without the texts that mean missing."""
        texts = frozenset((*missing, *self._roles.missing_texts(name)))
        column = self._inner.column(name, texts, text=text)
        return without_texts(column, texts) if texts else column

    def in_place(self, names: Sequence[str], text: Collection[str] = ()) -> LazyColumns | None:
        """Return columns as they are, without the texts that mean missing."""
        columns = self._inner.in_place(names, text)
        if columns is None:
            return None
        gone = {columns.places[name]: frozenset(self._roles.missing_texts(name)) for name in names}
        frame = columns.frame.native
        kinds = {place: columns.frame.kind(place) for place in gone}
        cleaned = relation_without(frame, kinds, gone)
        return replace(columns, frame=lazy_relation(cleaned, columns.wording))

    def lazy(
        self, names: Sequence[str], missing: Missing = no_texts, text: Collection[str] = ()
    ) -> LazyColumns | None:
        """Return columns as they are in an engine; texts that mean missing are known there."""
        return self._inner.lazy(names, self._roles.missing_texts, text)
