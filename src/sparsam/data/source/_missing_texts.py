"""Texts that mean missing, and numbers written so: in what was loaded, and where rows stay."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.data.source._column import Column
from sparsam.data.source._engine import listed, quoted
from sparsam.data.source.declared._cells import read_number


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


def relation_without(
    relation: Any, kinds: Mapping[str, str], missing: Mapping[str, frozenset[str]]
) -> Any:
    """Return a relation of DuckDB in which texts that mean missing, and numbers written so, are.

    Parameters
    ----------
    relation : DuckDB relation
    kinds : mapping of str to str
        What the values of each column are, see `LazyFrame.kind`.
    missing : mapping of str to frozenset of str
        For each column of these, the texts that mean missing there.

    Examples
    --------
    >>> import duckdb
    >>> people = duckdb.sql("select unnest([30, -9]) as age, unnest(['?', 'f']) as sex")
    >>> texts = frozenset({"-9", "?"})
    >>> kinds, missing = {"age": "number", "sex": "text"}, {"age": texts, "sex": texts}
    >>> relation_without(people, kinds, missing).fetchall()
    [(30, None), (None, 'f')]
    """
    cells = []
    for name in relation.columns:
        column = quoted(name)
        gone = _gone_sql(column, kinds.get(name, "other"), missing.get(name, frozenset()))
        cell = f"CASE WHEN {gone} THEN NULL ELSE {column} END" if gone else column
        cells.append(f"{cell} AS {column}")
    return relation.project(", ".join(cells))


def _gone_sql(column: str, kind: str, texts: frozenset[str]) -> str:
    """Write whether a value is one of those that mean missing; nothing where none can be."""
    if kind == "text" and texts:
        return f'CAST({column} AS VARCHAR) COLLATE "BINARY" IN ({listed(sorted(texts))})'
    numbers = sorted({number for number in map(read_number, texts) if not np.isnan(number)})
    if kind == "number" and numbers:
        doubles = ", ".join(f"'{number!r}'::DOUBLE" for number in numbers)
        return f"CAST({column} AS DOUBLE) IN ({doubles})"
    return ""
