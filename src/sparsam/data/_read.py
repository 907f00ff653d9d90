"""Read a table once, and encode it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names, check_whole
from sparsam._errors import DataError
from sparsam.data._attribute import MAX_CATEGORIES
from sparsam.data._domain import CategoricalDomain
from sparsam.data._infer import Encoded, encode_column
from sparsam.data._roles import Roles
from sparsam.data._table import Table
from sparsam.data._target import Target
from sparsam.data.source._source import Source, check_distinct, open_source


def read(
    source: str | os.PathLike[str] | Any,
    *,
    roles: Roles | None = None,
    max_codes: int = 256,
    cuts: Mapping[str, Sequence[float]] | None = None,
) -> Table:
    """Read a table from a file, a data frame or plain Python, and encode it.

    Numbers become numeric attributes; text, truth values and declared categories become
    categorical ones; None, NaN, NaT and the empty field of a CSV file are missing. A column
    without any value is left out, with a note. Identifiers are not read at all.

    Parameters
    ----------
    source : path, frame, mapping, ndarray or Table
        The path of a .csv, .csv.gz, .tsv or .parquet file; a pandas, polars (also lazy), pyarrow
        or DuckDB frame; a mapping of names to columns; a two-dimensional array, whose columns
        are called x0, x1, ...; or a table that was read before, which is returned as it is.
    roles : Roles, optional
        What the user declares: kinds, orders, domains, identifiers, texts that mean missing.
    max_codes : int, default=256
        A numeric column with more distinct values is cut into so many quantile bins.
    cuts : mapping of str to sequence of float, optional
        For numeric columns: numbers that no bin may lie across, such as the cuts of a
        generalization that is to be applied later.

    Returns
    -------
    Table

    Examples
    --------
    >>> read({"age": [30, 41, None], "sex": ["f", "m", "m"]}).attributes
    (Attribute('age', numeric, 2 values, missing), Attribute('sex', categorical, 2 values))
    """
    if isinstance(source, Table):
        return source
    check_whole("read", "max_codes", max_codes, 2, MAX_CATEGORIES)
    roles = roles if roles is not None else Roles()
    opened = open_source(source)
    _check(opened.names, roles)
    return _encode(opened, roles, max_codes, cuts or {})


def target_of(roles: Roles, names: tuple[str, ...]) -> Target | None:
    """Return the target: a column as it is, even if its name looks like an expression."""
    if roles.target is None:
        return None
    return Target(roles.target) if roles.target in names else Target.parse(roles.target)


def text_columns(roles: Roles) -> set[str]:
    """Columns whose declared categories are texts, even where they look like numbers."""
    declared = {
        n: d.categories for n, d in roles.domains.items() if isinstance(d, CategoricalDomain)
    }
    listed = {**declared, **roles.ordered}
    return {name for name, known in listed.items() if any(isinstance(c, str) for c in known)}


def _check(names: tuple[str, ...], roles: Roles) -> None:
    if not names:
        raise DataError("A table must have at least one column. Got none.")
    check_distinct(names)
    for role in ("identifiers", "numeric", "categorical", "ordered", "domains"):
        check_names(getattr(roles, role), names, role)


def _encode(
    source: Source, roles: Roles, max_codes: int, cuts: Mapping[str, Sequence[float]]
) -> Table:
    edges = {name: Target(name, "bins", tuple(places)) for name, places in cuts.items()}
    target = target_of(roles, source.names)
    if target is not None and target.edges:
        edges[target.column] = target
    left_out = [name for name in source.names if name in roles.identifiers]
    notes = [f"{name}: identifier, left out" for name in left_out]
    text = text_columns(roles)
    encoded: list[Encoded] = []
    for name in source.names:
        if name in roles.identifiers:
            continue
        column = source.column(name, roles.missing_values, text=name in text)
        _check_rows(name, len(column), encoded)
        part = encode_column(column, roles, max_codes, edges.get(name))
        if part is None:
            left_out.append(name)
            notes.append(f"{name}: no values at all, left out")
        else:
            encoded.append(part)
            notes += part.notes
    if not encoded:
        raise DataError("A table must have at least one column with values. Got none.")
    return Table(
        tuple(part.attribute for part in encoded), _matrix(encoded), tuple(notes), tuple(left_out)
    )


def _check_rows(name: str, n_rows: int, encoded: list[Encoded]) -> None:
    if n_rows == 0:
        raise DataError("A table must have at least one row. Got none.")
    if encoded and len(encoded[0].codes) != n_rows:
        raise DataError(
            f"'{name}' must have as many rows as the columns before it, "
            f"{len(encoded[0].codes):,}. Got {n_rows:,} instead."
        )


def _matrix(encoded: list[Encoded]) -> NDArray[np.uint16]:
    codes = np.empty((len(encoded[0].codes), len(encoded)), dtype=np.uint16, order="F")
    for place, part in enumerate(encoded):
        codes[:, place] = part.codes
    codes.setflags(write=False)
    return codes
