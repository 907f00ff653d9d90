"""Declared columns of a table that is in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data._table import Table
from sparsam.data.source._column import Column
from sparsam.data.source._source import Source
from sparsam.data.source.declared._cells import read_number, text_of
from sparsam.data.source.declared._columns import DeclaredColumns, Wanted, wrong_type

Places = NDArray[np.uint16]


class MemoryColumns(DeclaredColumns):
    """Columns that are in memory; each is converted once and kept.

    Parameters
    ----------
    source : Source
    wanted : sequence of Wanted
    missing : collection of str
        Texts that mean missing.
    """

    def __init__(self, source: Source, wanted: Sequence[Wanted], missing: Collection[str]) -> None:
        super().__init__(wanted, missing)
        if isinstance(source.origin, Table):
            _check_exact(source.origin, list(self.wanted))
        self._kept: dict[str, NDArray[Any]] = {}
        for column in wanted:
            loaded = source.column(column.name)
            values = loaded.values if loaded.positions is None else loaded.positions
            if values.ndim != 1:
                raise wrong_type(column.name, "lists")
            if column.members is None:
                self._kept[column.name] = _column_numbers(loaded)
            else:
                lookup = self.lookups[column.name]
                self._kept[column.name] = _column_places(
                    loaded, lookup, len(column.members), self.texts(column.name)
                )
        if len({len(values) for values in self._kept.values()}) > 1:
            raise DataError("Every column must have the same number of rows. They do not.")

    def n_rows(self) -> int:
        """Count the rows."""
        return len(next(iter(self._kept.values()))) if self._kept else 0

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return each row's number; NaN where it is missing or no number."""
        values: NDArray[np.float64] = self._kept[name]
        for number in self.gone(name):
            values = np.where(values == number, np.nan, values)
        return values

    def places(self, name: str) -> Places:
        """Return each row's place in the list of members; then one for unseen, one for missing."""
        return self._kept[name]


def _column_numbers(column: Column) -> NDArray[np.float64]:
    if column.positions is not None:
        entries = np.array([*map(read_number, column.values.tolist()), np.nan])
        rows: NDArray[np.float64] = entries[column.positions]
        return rows
    values = column.values
    if values.dtype.kind in "mM":
        raise wrong_type(column.name, "dates or times")
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    plain = np.asarray(values.data if mask is not None else values)
    if plain.dtype.kind in "biuf":
        read = plain.astype(np.float64)
    else:
        read = np.fromiter(map(read_number, plain.tolist()), np.float64, len(plain))
    if mask is not None:
        read[mask] = np.nan
    return read


def _column_places(
    column: Column, lookup: dict[str, int], n_members: int, missing: Collection[str]
) -> Places:
    unseen, gone = n_members, n_members + 1

    def place(value: object) -> int:
        text = text_of(value)
        if text is None or text in missing:
            return gone
        return lookup.get(text, unseen)

    if column.positions is not None:
        entries = np.array([*map(place, column.values.tolist()), gone], dtype=np.uint16)
        rows: Places = entries[column.positions]
        return rows
    values = column.values
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    plain = np.asarray(values.data if mask is not None else values)
    if plain.dtype.kind in "biufmM":
        distinct, inverse = np.unique(plain, return_inverse=True)
        places = np.array([place(value) for value in distinct], dtype=np.uint16)[inverse]
    else:
        places = _object_places(plain.tolist(), place)
    if mask is not None:
        places[mask] = gone
    return places


def _object_places(values: list[Any], place: Callable[[object], int]) -> Places:
    """Look every distinct text up once; other cells, which may not be hashable, one by one."""
    known: dict[str, int] = {}
    places = np.empty(len(values), dtype=np.uint16)
    for row, value in enumerate(values):
        if type(value) is str:
            known_place = known.get(value)
            if known_place is None:
                known_place = known[value] = place(value)
            places[row] = known_place
        else:
            places[row] = place(value)
    return places


def _check_exact(table: Table, names: Sequence[str]) -> None:
    for name in names:
        if table.attribute(name).binned:
            raise DataError(
                f"'{name}' must not have been cut into bins that were read from the data; in this "
                "Table it was.\n\nHint: hand over the frame or the file itself."
            )
