"""Encode the user's own columns, and keep one value of each for every code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data._attribute import MAX_CATEGORIES
from sparsam.data._declare import declare
from sparsam.data._domain import CategoricalDomain
from sparsam.data._infer import Encoded, encode_column
from sparsam.data._roles import Roles
from sparsam.data._table import Table
from sparsam.data.model._own_columns import OwnFrame, Values, gather, one_of_each
from sparsam.data.model._own_slices import Slices
from sparsam.data.source._source import columns_of, open_source


@dataclass(frozen=True)
class Part:
    """One column of the frame: the attribute it shows, and its value for every code of it."""

    attribute: int | None
    values: Values


@dataclass(frozen=True)
class OwnEncoder:
    """Encodes the columns of the user's own frame, one by one.

    Parameters
    ----------
    source : Table or anything else
        What the user handed over: the codes of a Table stay as they are.
    frame : OwnFrame
        The same, opened.
    roles : Roles
    """

    source: Any
    frame: OwnFrame
    roles: Roles

    def encode(
        self, kept: Sequence[int], slices: Sequence[Slices]
    ) -> tuple[Table, tuple[Part, ...]]:
        """Return the table of attributes, and one value of the user's own for every code.

        Parameters
        ----------
        kept : sequence of int
            Places of the columns that the model takes.
        slices : sequence of Slices
            Which of them are one attribute.
        """
        names = self.frame.names
        sliced = {column: one for one in slices for column in one.columns}
        encoded: dict[str, Encoded] = {}
        empty: list[str] = []
        for place in kept:
            one = sliced.get(names[place])
            name = names[place] if one is None else one.name
            if name in encoded:
                continue
            found = self._plain(place) if one is None else self._joined(one)
            if found is None:
                empty.append(name)
            else:
                encoded[name] = found
        table = self._table(encoded, empty, kept)
        return table, tuple(self._part(p, sliced.get(names[p]), encoded) for p in kept)

    def _plain(self, place: int) -> Encoded | None:
        name = self.frame.names[place]
        if isinstance(self.source, Table):
            declared = declare(self.source.select([name]), _roles_of(self.roles, name))
            return Encoded(declared.attributes[0], declared.codes[:, 0], ())
        column = open_source(self.frame.native).column(name)
        return encode_column(column, self.roles, MAX_CATEGORIES)

    def _joined(self, one: Slices) -> Encoded | None:
        column = one.column(columns_of(self.frame.native, one.columns))
        return encode_column(column, self.roles, MAX_CATEGORIES)

    def _table(
        self, encoded: Mapping[str, Encoded], empty: Sequence[str], kept: Sequence[int]
    ) -> Table:
        if not encoded:
            raise DataError("The records must have at least one attribute with values. Got none.")
        lengths = {len(one.codes) for one in encoded.values()}
        if len(lengths) > 1 or 0 in lengths:
            raise DataError(
                "All columns must have the same number of rows, and at least one. "
                f"Got {', '.join(f'{length:,}' for length in sorted(lengths))} instead."
            )
        notes = [note for one in encoded.values() for note in one.notes]
        notes += [f"{name}: no values at all, left out" for name in empty]
        gone = [n for place, n in enumerate(self.frame.names) if place not in set(kept)]
        codes = np.column_stack([one.codes for one in encoded.values()])
        attributes = tuple(one.attribute for one in encoded.values())
        before = self.source.notes if isinstance(self.source, Table) else ()
        return Table(attributes, codes, (*before, *notes), (*gone, *empty))

    def _part(self, place: int, one: Slices | None, encoded: Mapping[str, Encoded]) -> Part:
        name, values = self.frame.names[place], self.frame.column(place)
        order = list(encoded)
        if one is not None:
            rows, plain = _slice_rows(one, name, encoded[one.name])
            return Part(order.index(one.name), one_of_each(name, values, rows, plain))
        if name not in encoded:  # no value at all: the model still wants the column
            return Part(None, gather(values, np.zeros(1, dtype=np.int64)))
        found = encoded[name]
        rows = _first_rows(found)
        if found.attribute.binned:
            rows = _middle_rows(found, columns_of(self.frame.native, [name])[name])
        known = found.attribute.decode(np.arange(found.attribute.n_values))
        return Part(order.index(name), one_of_each(name, values, rows, [*known.tolist(), None]))


def _roles_of(roles: Roles, name: str) -> Roles:
    """What the roles say about the values of one column."""
    return Roles(
        numeric=[n for n in roles.numeric if n == name],
        categorical=[n for n in roles.categorical if n == name],
        ordered={n: o for n, o in roles.ordered.items() if n == name},
        domains={n: d for n, d in roles.domains.items() if n == name},
        missing_values=roles.missing_values,
    )


def _first_rows(found: Encoded) -> NDArray[np.int64]:
    """The first row of every code, -1 where no row has it."""
    rows = np.full(found.attribute.size, -1, dtype=np.int64)
    codes, first = np.unique(found.codes, return_index=True)
    rows[codes] = first
    return rows


def _middle_rows(found: Encoded, values: NDArray[Any]) -> NDArray[np.int64]:
    """The row of every code whose number is nearest to the middle of the bin."""
    attribute = found.attribute
    known = np.flatnonzero(found.codes < attribute.n_values)
    middles = attribute.lows + (attribute.highs - attribute.lows) / 2
    away = np.zeros(len(values))
    away[known] = np.abs(values[known].astype(np.float64) - middles[found.codes[known]])
    order = np.lexsort((away, found.codes))
    first = _first_rows(Encoded(attribute, found.codes[order]))
    return np.where(first < 0, -1, order[first])


def _slice_rows(one: Slices, name: str, found: Encoded) -> tuple[NDArray[np.int64], list[int]]:
    """For every category of the attribute: a row where this column is the 0 or 1 it asks for."""
    own = one.categories[one.columns.index(name)]
    domain = found.attribute.domain
    categories = domain.categories if isinstance(domain, CategoricalDomain) else ()
    plain = [int(category == own) for category in categories]
    truth = np.array(plain)[found.codes]
    rows = np.array([_first(truth == value) for value in plain], dtype=np.int64)
    return rows, plain


def _first(mask: NDArray[np.bool_]) -> int:
    return int(mask.argmax()) if mask.any() else -1
