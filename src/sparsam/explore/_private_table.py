"""The table that is explored: what can be counted of it, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.counting import Codes, JointCounts, cells_of, joint_counts
from sparsam.data import (
    CategoricalDomain,
    ColumnPlan,
    EngineColumns,
    GroupCounts,
    MemoryColumns,
    Source,
    Wanted,
    fingerprint,
    former_fingerprint,
    open_declared,
    table_places,
)
from sparsam.explore._bins import Bins
from sparsam.explore._declared import Declared


class PrivateTable:
    """The rows, behind exact counts that only noise may be added to.

    One row is one person. Tables are neighbours when one has a row more than the other, so even
    the number of rows is private. Nothing that this class gives back may be shown.

    Parameters
    ----------
    data : path, frame, mapping, list of records, Table or DuckDB relation
        A path is that of a Parquet or CSV file.
    declared : Declared
        The attributes; other columns are never read.

    Examples
    --------
    >>> from sparsam.explore._bins import full_bins
    >>> from sparsam.explore._declared import declared
    >>> domains = declared({"sex": ["f", "m"]})
    >>> source = PrivateTable({"sex": ["m", "f", None, "m", "x"]}, domains)
    >>> source.tables([full_bins(domains, "sex")], [("sex",)])[("sex",)]
    array([1, 2, 1, 1])
    """

    def __init__(self, data: Any, declared: Declared) -> None:
        self.declared = declared
        self._data = data
        self._known: dict[str, tuple[tuple[int, ...], str]] = {}
        self._columns = open_declared(
            data,
            [
                Wanted(name, _members(declared, name), declared.missing_in.get(name, ()))
                for name in declared.names
            ],
            declared.missing_values,
            declared.file,
        )

    def fingerprint(self, salt: str) -> str:
        """Hash the whole table with a salt, to tell it from another table.

        All columns count, and all rows, in any order; where an engine holds the rows, it hashes
        them. A file is hashed as it is on the disk, so the same rows in a frame have another
        fingerprint.
        """
        state = _state(self._data)
        if self._known.get(salt, (None, ""))[0] != state:
            self._known[salt] = state, fingerprint(self._data, salt)
        return self._known[salt][1]

    def former_fingerprint(self, salt: str) -> str:
        """Hash the table as earlier versions did, for a ledger that was bound by one of them."""
        return former_fingerprint(self._data, salt)

    def tables(
        self, bins: Sequence[Bins], cells: Sequence[tuple[str, ...]]
    ) -> dict[tuple[str, ...], NDArray[np.int64]]:
        """Count the rows in the joint cells of attributes.

        Parameters
        ----------
        bins : sequence of Bins
            The cells of each attribute that is named in `cells`.
        cells : sequence of tuple of str
            The attributes of each table; an empty tuple counts the rows.

        Returns
        -------
        dict of tuple of str to ndarray of int64
            Each table is a partition of the rows: one row more makes one cell larger by one.
        """
        by_name = {own.name: own for own in bins}
        if len(by_name) != len(bins):
            raise ParameterError("An attribute must have one set of bins. Got two for one.")
        for name in {name: None for names in cells for name in names}:
            self.declared[name]
            if name not in by_name:
                raise ParameterError(f"'{name}' must have bins to be counted. Got none.")
        counted = self.counts([tuple(by_name[name] for name in names) for names in cells])
        return dict(zip(cells, counted, strict=True))

    def counts(self, tables: Sequence[tuple[Bins, ...]]) -> list[NDArray[np.int64]]:
        """Count the rows in several tables, in one pass over them.

        Parameters
        ----------
        tables : sequence of tuple of Bins
            The cells of each axis of each table. An attribute may have others in another table.
            A table without an axis counts the rows.

        Returns
        -------
        list of ndarray of int64
            See `tables`.
        """
        used = list(dict.fromkeys(own for axes in tables for own in axes))
        places = {own: place for place, own in enumerate(used)}
        wanted = [tuple(places[own] for own in axes) for axes in tables]
        sizes = [own.size for own in used]
        if not used:
            rows = np.array(self._columns.n_rows(), dtype=np.int64)
            return [rows for _ in tables]
        if not isinstance(self._columns, EngineColumns):
            return joint_counts([self._codes(own) for own in used], sizes, wanted)
        frame, plans = self._columns.frame, [self._plan(own) for own in used]
        counts = JointCounts(sizes, wanted)
        if not frame.streams:
            return _filled(counts.tables(), frame.slot_counts(plans, wanted))
        for batch in frame.codes(plans, ordered=False):
            counts.add(batch)
        return counts.tables()

    def _plan(self, bins: Bins) -> ColumnPlan:
        assert isinstance(self._columns, EngineColumns)
        if bins.numeric:
            return self._columns.number_plan(bins.name, bins.edges[1:-1], bins.missing)
        return self._columns.place_plan(bins.name, _lookup(self.declared, bins).tolist())

    def _codes(self, bins: Bins) -> Codes:
        assert isinstance(self._columns, MemoryColumns)
        if not bins.numeric:
            dtype = np.dtype("u1" if bins.size <= 256 else "u2")
            lookup = _lookup(self.declared, bins).astype(dtype)
            cells: Codes = lookup[self._columns.places(bins.name)]
            return cells
        inner = np.asarray(bins.edges[1:-1], dtype=np.float64)
        return cells_of(self._columns.numbers(bins.name), inner, bins.missing)

    def __repr__(self) -> str:
        return f"PrivateTable({', '.join(self.declared.names)})"


def _filled(
    tables: list[NDArray[np.int64]], counted: Sequence[GroupCounts]
) -> list[NDArray[np.int64]]:
    """Fill empty tables with what an engine counted: only cells that hold a row came home."""
    for table, groups in zip(tables, counted, strict=True):
        table[groups.columns] = groups.counts if groups.columns else groups.counts.sum()
    return tables


def _state(data: Any) -> tuple[int, ...]:
    """Return what tells whether a file has changed since it was hashed; nothing for memory."""
    if isinstance(data, Source):
        data = data.origin
    if not isinstance(data, str | os.PathLike):
        return ()
    files = table_places(str(data)) or [Path(data)]
    states = [os.stat(file) for file in files if os.path.exists(file)]  # not of a server
    return tuple(
        n for status in states for n in (status.st_ino, status.st_size, status.st_mtime_ns)
    )


def _members(declared: Declared, name: str) -> tuple[Any, ...] | None:
    """The categories as they are in the data: before they are grouped, where they are."""
    domain = declared[name]
    if not isinstance(domain, CategoricalDomain):
        return None
    return declared.members(name)


def _lookup(declared: Declared, bins: Bins) -> NDArray[np.int64]:
    """The cell of every member, of unseen and of missing values."""
    members = _members(declared, bins.name) or ()
    groups = bins.groups or tuple((category,) for category in bins.categories)
    cell = {
        (isinstance(category, bool), category): place
        for place, group in enumerate(groups)
        for category in group
    }
    places = [cell.get((isinstance(member, bool), member), bins.other) for member in members]
    return np.array([*places, bins.other, bins.missing], dtype=np.int64)
