"""Open a table the way its roles say that it is to be read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data.roles._roles import Roles
from sparsam.data.source._column import Column
from sparsam.data.source._format import FileFormat
from sparsam.data.source._source import LazyColumns, Missing, Source, no_texts, open_source
from sparsam.data.source.declared._cells import read_number


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

    def written(self) -> FileFormat:
        """Return how a file is written, as far as it was said, or found out by now."""
        return self._inner.written()

    def column(self, name: str, missing: Collection[str] = (), *, text: bool = False) -> Column:
        """Load one column, without the texts that mean missing."""
        texts = frozenset((*missing, *self._roles.missing_texts(name)))
        column = self._inner.column(name, texts, text=text)
        return without_texts(column, texts) if texts else column

    def lazy(
        self, names: Sequence[str], missing: Missing = no_texts, text: Collection[str] = ()
    ) -> LazyColumns | None:
        """Return columns as they are in an engine; texts that mean missing are known there."""
        return self._inner.lazy(names, self._roles.missing_texts, text)


def without_texts(column: Column, texts: frozenset[str]) -> Column:
    """Return a column in which texts that mean missing, and numbers written so, are missing."""
    if column.positions is not None:
        gone = np.append(_is_gone(column.values, texts), False)
        order = column.order and tuple(entry for entry in column.order if entry not in texts)
        return replace(
            column, positions=np.where(gone[column.positions], -1, column.positions), order=order
        )
    gone = _is_gone(column.values, texts)
    if not gone.any():
        return column
    values = column.values
    if values.dtype.kind in "OUT":
        filled = values.astype(object)
        filled[gone] = None
        return replace(column, values=filled)
    return replace(column, values=np.ma.array(values, mask=np.ma.getmaskarray(values) | gone))


def _is_gone(values: NDArray[Any], texts: frozenset[str]) -> NDArray[np.bool_]:
    """Tell which values are, as text or as number, one of those that mean missing."""
    known = [number for number in map(read_number, texts) if not np.isnan(number)]
    if values.ndim != 1 or values.dtype.kind in "bMmV":
        return np.zeros(values.shape, dtype=bool)
    if values.dtype.kind in "iuf":
        return np.isin(np.asarray(values), known) if known else np.zeros(values.shape, dtype=bool)
    return np.fromiter((_means_missing(value, texts, known) for value in values), bool, len(values))


def _means_missing(value: object, texts: frozenset[str], known: Collection[float]) -> bool:
    if isinstance(value, str):
        return value in texts
    if isinstance(value, bool | np.bool_):
        return False
    return isinstance(value, int | float | Decimal | np.number) and float(value) in known
