"""The user's own rows, encoded once and made again with other values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError, RoleError
from sparsam.data._attribute import Attribute
from sparsam.data._domain import CategoricalDomain
from sparsam.data._read import target_of
from sparsam.data._roles import Roles
from sparsam.data._table import Table
from sparsam.data.model._own_columns import Build, gather, open_own, put_values
from sparsam.data.model._own_encode import OwnEncoder, Part
from sparsam.data.model._own_slices import Slices, check_slices
from sparsam.data.model._replace import Replacement
from sparsam.data.source._source import columns_of, count_rows

_KINDS = ("identifiers", "numeric", "categorical", "ordered", "domains")


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
    _missing: tuple[str, ...]
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
        frame = open_own(source, roles.missing_values, _text_columns(roles))
        found = check_slices(slices, frame.names)
        before = source.left_out if isinstance(source, Table) else ()
        kept = _kept(frame.names, roles, found, columns, before)
        table, parts = OwnEncoder(source, frame, roles).encode(kept, found)
        joined = tuple(one for one in found if one.name in table.names)
        build = frame.builder(kept)
        names = tuple(frame.names[place] for place in kept)
        missing = tuple(roles.missing_values)
        return cls(table, names, parts, build, joined, missing, frame.library)

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
        joined = {one.name: one for one in self._slices}
        text = [a.name for a in self.table.attributes if a.name not in joined and _is_text(a)]
        wanted = [n for n in self.table.names if n not in joined]
        wanted += [column for one in self._slices for column in one.columns]
        raw = columns_of(source, wanted, text, self._missing)
        codes = np.empty((count_rows(source), len(self.table.attributes)), np.uint16, order="F")
        for place, attribute in enumerate(self.table.attributes):
            one = joined.get(attribute.name)
            values = raw[attribute.name] if one is None else one.column(raw).values
            codes[:, place] = attribute.encode(without(values, self._missing))
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
    known = [*names, *(one.name for one in slices), *before]
    for role in _KINDS:
        check_names(getattr(roles, role), known, role)
    target = target_of(roles, tuple(names))
    gone = set(roles.identifiers)
    if target is not None:
        check_names([target.column], known, "target")
        gone.add(target.column)
    gone |= {column for one in slices if one.name in gone for column in one.columns}
    chosen = set(names) - gone if columns is None else set(columns)
    check_names(columns or (), names, "columns")
    for name in sorted(chosen & gone):
        raise RoleError(
            f"'{name}' must not be a column that the model takes and the target or an identifier "
            "at once.\n\nHint: take it out of one of them."
        )
    for one in slices:
        inside = [column in chosen for column in one.columns]
        if any(inside) and not all(inside):
            raise RoleError(
                f"The model must take all slices of '{one.name}' or none. "
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


def without(values: NDArray[Any], missing: Sequence[str]) -> NDArray[Any]:
    """Return the values, with None for the texts that mean missing."""
    if not missing or values.dtype.kind not in "OUT":
        return values
    kept = np.array(values, dtype=object)
    kept[[isinstance(value, str) and value in missing for value in kept]] = None
    return kept
