"""The user's own rows, encoded once and made again with other values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError, RoleError
from sparsam.data._attribute import MAX_CATEGORIES, Attribute
from sparsam.data._domain import CategoricalDomain
from sparsam.data._moments import check_no_dates
from sparsam.data._open import open_as
from sparsam.data._read import Encoded, declare, encode_column, target_of
from sparsam.data._table import Table
from sparsam.data.model._own_frame import (
    Build,
    OwnFrame,
    Values,
    gather,
    one_of_each,
    open_own,
    put_values,
)
from sparsam.data.model._replace import Replacement
from sparsam.data.model._slices import Slices, check_slices
from sparsam.data.roles._roles import Roles
from sparsam.data.source._source import columns_of, count_rows

_KINDS = ("identifiers", "ignore", "numeric", "categorical", "ordered", "domains", "missing_in")


@dataclass(frozen=True, eq=False, repr=False)
class OwnRecords:
    """The records as the model takes them: read once, and made again with other values.

    A model that already runs must be asked about records with other values in them, and it must
    be asked in its own language: the same columns, in the same order and of the same types.

    Attributes
    ----------
    table : Table
        The encoded attributes, without the target and without identifiers. Every distinct value
        has a code of its own, up to 65,000 of them; `table.notes` names the columns with more
        numbers, which were cut into bins.
    columns : tuple of str
        The columns that `frame` makes, in order.

    Examples
    --------
    >>> import numpy as np
    >>> people = {"age": np.array([30, 41, 52]), "sex": np.array(["f", "m", "m"])}
    >>> own = OwnRecords.open(people)
    >>> own.frame(np.array([[2, 0], [0, 1]], dtype=np.uint16))
    {'age': array([52, 30]), 'sex': array(['f', 'm'], dtype='<U1')}
    """

    table: Table
    columns: tuple[str, ...]
    _parts: tuple[Part, ...]
    _build: Build
    _slices: tuple[Slices, ...]
    _roles: Roles
    _library: str

    @classmethod
    def open(
        cls,
        source: Any,
        *,
        roles: Roles | None = None,
        slices: Mapping[str, Sequence[str]] | None = None,
        columns: Sequence[str] | None = None,
    ) -> OwnRecords:
        """Read the user's own records.

        Parameters
        ----------
        source : path, frame, mapping, ndarray or Table
            What `read` takes. `frame` gives the same library back; for a file, a DuckDB relation
            or a Table, pandas where it is installed and a dict of arrays elsewhere. A lazy frame
            is collected. A file is read as `read` does it: only the empty field is missing, and
            01 is a text. Give a frame where the model was fitted on another reading of the file.
        roles : Roles, optional
            The target and the identifiers are left out; declared kinds and domains are kept. The
            missing values of a column come back as the first of them: None, NaN or a text that
            means missing.
        slices : mapping of str to sequence of str, optional
            Columns of zeros and ones that are the one-hot encoding of one original attribute:
            they become one attribute, whose categories are the columns' names without the
            attribute's, and "none of them" where a row is 0 in all of them.
        columns : sequence of str, optional
            The columns that the model takes; the others are left out.

        Returns
        -------
        OwnRecords
        """
        roles = roles if roles is not None else Roles()
        opened = source if isinstance(source, Table) else open_as(source, roles)
        frame = open_own(opened, _text_columns(roles))
        checked = check_slices(slices, frame.names)
        before = source.left_out if isinstance(source, Table) else ()
        kept = _kept(frame.names, roles, checked, columns, before)
        table, parts = OwnEncoder(source, frame, roles).encode(kept, checked)
        joined = tuple(joint for joint in checked if joint.name in table.names)
        build = frame.builder(kept)
        names = tuple(frame.names[place] for place in kept)
        return cls(table, names, parts, build, joined, roles, frame.library)

    def frame(self, codes: NDArray[Any], numbers: Mapping[int, Replacement] | None = None) -> Any:
        """Make a frame of the user's own library and types from codes.

        A code that stands for several numbers becomes the one nearest to the middle of its bin
        among the user's own. Rows are numbered from 0.

        Parameters
        ----------
        codes : ndarray of int, shape (n_rows, n_attributes)
            Codes of `table.attributes`, in that order.
        numbers : mapping of int to Replacement, optional
            For numeric attributes, by their places: the numbers to put in instead of codes.
        """
        codes, numbers = np.asarray(codes), numbers or {}
        if codes.ndim != 2 or codes.shape[1] != len(self.table.attributes):
            raise DataError(
                f"The codes must have {len(self.table.attributes)} columns, one per attribute. "
                f"Got the shape {codes.shape} instead."
            )
        self._check_codes(codes)
        nothing = np.zeros(len(codes), dtype=np.int64)
        return self._build(
            [
                gather(p.values, nothing)
                if p.attribute is None
                else gather(self._own(p, numbers[p.attribute]), numbers[p.attribute].index)
                if p.attribute in numbers
                else gather(p.values, codes[:, p.attribute])
                for p in self._parts
            ],
            len(codes),
        )

    def _own(self, part: Part, new: Replacement) -> Any:
        """Put other numbers into the type of a column; None is its own missing value."""
        assert part.attribute is not None
        attribute = self.table.attributes[part.attribute]
        rows = [attribute.n_values if value is None else 0 for value in new.values]
        known = {place: value for place, value in enumerate(new.values) if value is not None}
        return put_values(attribute.name, gather(part.values, np.array(rows)), known)

    def _check_codes(self, codes: NDArray[Any]) -> None:
        if not len(codes):
            return
        lowest, highest = codes.min(axis=0).tolist(), codes.max(axis=0).tolist()
        for attribute, low, high in zip(self.table.attributes, lowest, highest, strict=True):
            if low < 0 or high >= attribute.size:
                raise DataError(
                    f"The codes of '{attribute.name}' must be below {attribute.size:,}. Got others."
                )

    def own_values(self, name: str) -> list[Any]:
        """Return the value that the column of an attribute holds for each code, in plain types.

        Parameters
        ----------
        name : str
            An attribute that is a column of its own.
        """
        place = self.table.names.index(name)
        codes = np.zeros((self.table.attributes[place].size, len(self.table.names)), np.uint16)
        codes[:, place] = np.arange(len(codes))
        frame = self.frame(codes)
        if isinstance(frame, np.ndarray):
            column: list[Any] = frame[:, self.columns.index(name)].tolist()
            return column
        values: list[Any] = columns_of(frame, [name])[name].tolist()
        return values

    def encode(self, source: Any) -> NDArray[np.uint16]:
        """Turn new rows of the same columns into codes.

        A number that no row had gets the nearest code; a category that no row had is an error.

        Parameters
        ----------
        source : path, frame, mapping, ndarray, Table or list of records
            At least the columns that `frame` makes, the target and identifiers not needed.

        Returns
        -------
        ndarray of uint16, shape (n_rows, n_attributes)
        """
        joined = {joint.name: joint for joint in self._slices}
        text = [a.name for a in self.table.attributes if a.name not in joined and _is_text(a)]
        wanted = [n for n in self.table.names if n not in joined]
        wanted += [column for joint in self._slices for column in joint.columns]
        raw = open_as(source, self._roles).columns(wanted, text)
        codes = np.empty((count_rows(source), len(self.table.attributes)), np.uint16, order="F")
        for place, attribute in enumerate(self.table.attributes):
            joint = joined.get(attribute.name)
            values = raw[attribute.name] if joint is None else joint.column(raw).values
            codes[:, place] = attribute.encode(values)
        return codes

    def __repr__(self) -> str:
        return (
            f"OwnRecords({self.table.n_rows:,} rows, {len(self.table.attributes)} attributes, "
            f"{self._library})"
        )


def _kept(
    names: Sequence[str],
    roles: Roles,
    slices: Iterable[Slices],
    columns: Sequence[str] | None,
    before: Sequence[str],
) -> list[int]:
    """Places of the columns that the model takes: no target, no identifier."""
    known = [*names, *(joint.name for joint in slices), *before]
    for role in _KINDS:
        check_names(getattr(roles, role), known, role)
    target = target_of(roles, tuple(names))
    gone = set(roles.unread)
    if target is not None:
        check_names([target.column], known, "target")
        gone.add(target.column)
    gone |= {column for joint in slices if joint.name in gone for column in joint.columns}
    chosen = set(names) - gone if columns is None else set(columns)
    check_names(columns or (), names, "columns")
    for name in sorted(chosen & gone):
        raise RoleError(
            f"'{name}' must not be a column that the model takes and the target or an identifier "
            "at once.\n\nHint: take it out of one of them."
        )
    for joint in slices:
        inside = [column in chosen for column in joint.columns]
        if any(inside) and not all(inside):
            raise RoleError(
                f"The model must take all slices of '{joint.name}' or none. "
                f"Got {sum(inside)} of {len(inside)}."
            )
    return [place for place, name in enumerate(names) if name in chosen]


def _text_columns(roles: Roles) -> set[str]:
    lists = {n: d.categories for n, d in roles.domains.items() if isinstance(d, CategoricalDomain)}
    listed = {**lists, **roles.ordered}
    return {name for name, known in listed.items() if any(isinstance(c, str) for c in known)}


def _is_text(attribute: Attribute) -> bool:
    domain = attribute.domain
    return isinstance(domain, CategoricalDomain) and any(
        isinstance(category, str) for category in domain.categories
    )


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
        sliced = {column: joint for joint in slices for column in joint.columns}
        encoded: dict[str, Encoded] = {}
        empty: list[str] = []
        for place in kept:
            joint = sliced.get(names[place])
            name = names[place] if joint is None else joint.name
            if name in encoded:
                continue
            part = self._plain(place) if joint is None else self._joined(joint)
            if part is None:
                empty.append(name)
            else:
                encoded[name] = part
        table = self._table(encoded, empty, kept)
        return table, tuple(self._part(p, sliced.get(names[p]), encoded) for p in kept)

    def _plain(self, place: int) -> Encoded | None:
        name = self.frame.names[place]
        if isinstance(self.source, Table):
            declared = declare(self.source.select([name]), _roles_of(self.roles, name))
            check_no_dates(declared.attributes[0])
            return Encoded(declared.attributes[0], declared.codes[:, 0], ())
        column = open_as(self.frame.native, self.roles).column(name)
        return encode_column(column, self.roles, MAX_CATEGORIES, calendar=False)

    def _joined(self, slices: Slices) -> Encoded | None:
        column = slices.column(columns_of(self.frame.native, slices.columns))
        return encode_column(column, self.roles, MAX_CATEGORIES, calendar=False)

    def _table(
        self, encoded: Mapping[str, Encoded], empty: Sequence[str], kept: Sequence[int]
    ) -> Table:
        if not encoded:
            raise DataError("The records must have at least one attribute with values. Got none.")
        lengths = {len(part.codes) for part in encoded.values()}
        if len(lengths) > 1 or 0 in lengths:
            raise DataError(
                "All columns must have the same number of rows, and at least one. "
                f"Got {', '.join(f'{length:,}' for length in sorted(lengths))} instead."
            )
        notes = [note for part in encoded.values() for note in part.notes]
        notes += [f"{name}: no values at all, left out" for name in empty]
        gone = [n for place, n in enumerate(self.frame.names) if place not in set(kept)]
        codes = np.column_stack([part.codes for part in encoded.values()])
        attributes = tuple(part.attribute for part in encoded.values())
        before = self.source.notes if isinstance(self.source, Table) else ()
        return Table(attributes, codes, (*before, *notes), (*gone, *empty))

    def _part(self, place: int, joint: Slices | None, encoded: Mapping[str, Encoded]) -> Part:
        name, values = self.frame.names[place], self.frame.column(place)
        order = list(encoded)
        if joint is not None:
            rows, plain = _slice_rows(joint, name, encoded[joint.name])
            return Part(order.index(joint.name), one_of_each(name, values, rows, plain))
        if name not in encoded:  # no value at all: the model still wants the column
            return Part(None, gather(values, np.zeros(1, dtype=np.int64)))
        column = encoded[name]
        rows = _first_rows(column)
        if column.attribute.binned:
            rows = _middle_rows(column, columns_of(self.frame.native, [name])[name])
        known = column.attribute.decode(np.arange(column.attribute.n_values))
        return Part(order.index(name), one_of_each(name, values, rows, [*known.tolist(), None]))


def _roles_of(roles: Roles, name: str) -> Roles:
    """What the roles say about the values of one column."""
    return Roles(
        numeric=[n for n in roles.numeric if n == name],
        categorical=[n for n in roles.categorical if n == name],
        ordered={n: o for n, o in roles.ordered.items() if n == name},
        domains={n: d for n, d in roles.domains.items() if n == name},
        missing_values=roles.missing_texts(name),
    )


def _first_rows(encoded: Encoded) -> NDArray[np.int64]:
    """The first row of every code, -1 where no row has it."""
    rows = np.full(encoded.attribute.size, -1, dtype=np.int64)
    codes, first = np.unique(encoded.codes, return_index=True)
    rows[codes] = first
    return rows


def _middle_rows(encoded: Encoded, values: NDArray[Any]) -> NDArray[np.int64]:
    """The row of every code whose number is nearest to the middle of the bin."""
    attribute = encoded.attribute
    known = np.flatnonzero(encoded.codes < attribute.n_values)
    middles = attribute.lows + (attribute.highs - attribute.lows) / 2
    away = np.zeros(len(values))
    away[known] = np.abs(values[known].astype(np.float64) - middles[encoded.codes[known]])
    order = np.lexsort((away, encoded.codes))
    first = _first_rows(Encoded(attribute, encoded.codes[order]))
    return np.where(first < 0, -1, order[first])


def _slice_rows(slices: Slices, name: str, encoded: Encoded) -> tuple[NDArray[np.int64], list[int]]:
    """For every category of the attribute: a row where this column is the 0 or 1 it asks for."""
    own = slices.categories[slices.columns.index(name)]
    domain = encoded.attribute.domain
    categories = domain.categories if isinstance(domain, CategoricalDomain) else ()
    plain = [int(category == own) for category in categories]
    truth = np.array(plain)[encoded.codes]
    rows = np.array([_first(truth == value) for value in plain], dtype=np.int64)
    return rows, plain


def _first(mask: NDArray[np.bool_]) -> int:
    return int(mask.argmax()) if mask.any() else -1
