"""The encoded table: a matrix of small integers, and what they stand for."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._checks import check_choice, check_names
from sparsam._documents import as_written
from sparsam._errors import DataError, MissingExtraError
from sparsam.data._attribute import Attribute

if TYPE_CHECKING:
    from sparsam.data.sample._others import OthersInEngine


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A table that was read once: codes inside, and the attributes that explain them.

    Parameters
    ----------
    attributes : sequence of Attribute
        One per column.
    codes : ndarray of uint16, shape (n_rows, n_attributes)
        Kept column by column (Fortran order) and read-only.
    notes : sequence of str
        What reading changed, in words, for instance that a column was cut into bins.
    left_out : sequence of str
        Columns of the source that were not encoded, such as identifiers.
    numbers : mapping of str to ndarray of float
        The exact numbers of a target that was cut into bins, by its name.
    numbered : sequence of str
        Columns of whole numbers that number the rows or the people.
    others : OthersInEngine or None
        Where the rows are a sample of a table in an engine: all of its other rows.

    Examples
    --------
    >>> from sparsam.data import read
    >>> table = read({"age": [30, 41, 30], "sex": ["f", "m", "m"]})
    >>> table
    Table(3 rows, 2 attributes: age (numeric, 2 values), sex (categorical, 2 values))
    >>> table.column("age")
    array([0, 1, 0], dtype=uint16)
    """

    attributes: tuple[Attribute, ...]
    codes: NDArray[np.uint16]
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    numbers: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    numbered: tuple[str, ...] = ()
    others: OthersInEngine | None = None

    def __post_init__(self) -> None:
        for name in ("attributes", "notes", "left_out", "numbered"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        codes = self.codes
        if codes.dtype != np.uint16 or not codes.flags.f_contiguous or codes.flags.writeable:
            codes = np.array(codes, dtype=np.uint16, order="F")
            codes.setflags(write=False)
        if codes.ndim != 2 or codes.shape[1] != len(self.attributes):
            raise DataError(
                f"The codes must have {len(self.attributes)} columns, one per attribute. "
                f"Got the shape {codes.shape} instead."
            )
        object.__setattr__(self, "codes", codes)
        twice = sorted(name for name, times in Counter(self.names).items() if times > 1)
        if twice:
            raise duplicates(twice)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.codes.shape[0])

    def __len__(self) -> int:
        return self.n_rows

    def index(self, name: str) -> int:
        """Return the position of an attribute."""
        check_names([name], self.names)
        return self.names.index(name)

    def attribute(self, name: str) -> Attribute:
        """Return an attribute by its name."""
        return self.attributes[self.index(name)]

    def column(self, name: str) -> NDArray[np.uint16]:
        """Return the codes of one attribute."""
        return self.codes[:, self.index(name)]

    def take(self, rows: ArrayLike | slice) -> Table:
        """Return the table with only these rows, given as positions or as a mask."""
        chosen = np.arange(self.n_rows)[rows if isinstance(rows, slice) else _rows(rows)]
        codes = np.empty((len(chosen), len(self.attributes)), dtype=np.uint16, order="F")
        for column in range(len(self.attributes)):
            codes[:, column] = self.codes[:, column][chosen]
        numbers = {name: exact[chosen] for name, exact in self.numbers.items()}
        # whoever is left out now is nowhere
        return replace(self._with(self.attributes, codes), numbers=numbers, others=None)

    def select(self, names: Sequence[str]) -> Table:
        """Return the table with only these attributes, in this order."""
        places = [self.index(name) for name in names]
        attributes = tuple(self.attributes[i] for i in places)
        if _side_by_side(places) and 2 * len(places) >= len(self.attributes):
            # Most of them need no copy; a few would keep the memory of all the others.
            return self._with(attributes, self.codes[:, places[0] : places[-1] + 1])
        codes = np.empty((self.n_rows, len(places)), dtype=np.uint16, order="F")
        for column, place in enumerate(places):
            codes[:, column] = self.codes[:, place]
        return self._with(attributes, codes)

    def drop(self, names: Iterable[str]) -> Table:
        """Return the table without these attributes."""
        gone = list(names)
        check_names(gone, self.names)
        return self.select([name for name in self.names if name not in gone])

    def with_column(self, attribute: Attribute, codes: NDArray[Any]) -> Table:
        """Return the table with one more attribute, or with another one in place of its name."""
        column = np.asarray(codes, dtype=np.uint16).reshape(-1, 1)
        if len(column) != self.n_rows:
            raise DataError(
                f"'{attribute.name}' must have {self.n_rows:,} rows. Got {len(column):,} instead."
            )
        new = attribute.name not in self.names
        place = len(self.attributes) if new else self.names.index(attribute.name)
        before, after = self.attributes[:place], self.attributes[place + 1 :]
        parts = [self.codes[:, :place], column, self.codes[:, place + 1 :]]
        return self._with((*before, attribute, *after), np.hstack(parts))

    def _with(self, attributes: tuple[Attribute, ...], codes: NDArray[np.uint16]) -> Table:
        codes = np.asfortranarray(codes)
        if codes.base is None:
            codes.setflags(write=False)
        names = {attribute.name for attribute in attributes if attribute.numeric}
        numbers = {name: exact for name, exact in self.numbers.items() if name in names}
        return replace(self, attributes=attributes, codes=codes, numbers=numbers)

    @cached_property
    def fingerprint(self) -> str:
        """A hash (SHA-256) over the names, the domains and all codes."""
        digest = hashlib.sha256()
        for column, attribute in enumerate(self.attributes):
            facts = [attribute.name, attribute.domain, attribute.missing, self.n_rows]
            digest.update(msgspec.json.encode(facts, enc_hook=as_written))
            digest.update(np.ascontiguousarray(attribute.lows, dtype="<f8").tobytes())
            digest.update(np.ascontiguousarray(attribute.highs, dtype="<f8").tobytes())
            digest.update(np.ascontiguousarray(self.codes[:, column], dtype="<u2").tobytes())
        return digest.hexdigest()

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the columns in the user's own values."""
        return {
            attribute.name: attribute.decode(self.codes[:, column])
            for column, attribute in enumerate(self.attributes)
        }

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return the table as a data frame of the library that `backend` names."""
        import narwhals.stable.v2 as nw

        check_choice("to_frame", "backend", backend, ("pandas", "polars", "pyarrow"))
        columns = {
            name: values.tolist() if values.dtype == object else values
            for name, values in self.to_dict().items()
        }
        try:
            return nw.from_dict(columns, backend=backend).to_native()
        except ModuleNotFoundError as error:
            raise MissingExtraError(
                f"{backend} is not installed.\n\nHint: pip install 'sparsam[frames]'"
            ) from error

    def __repr__(self) -> str:
        kinds = ", ".join(_words(attribute) for attribute in self.attributes)
        return f"Table({self.n_rows:,} rows, {len(self.attributes)} attributes: {kinds})"


def duplicates(names: Iterable[str]) -> DataError:
    """Make the error for column names that occur more than once."""
    listed = ", ".join(f"'{name}'" for name in sorted(set(names)))
    return DataError(f"Every column must have a name of its own. Got more than one {listed}.")


def _side_by_side(places: Sequence[int]) -> bool:
    return len(places) > 0 and list(places) == [*range(places[0], places[0] + len(places))]


def _rows(rows: ArrayLike) -> NDArray[Any]:
    chosen = np.asarray(rows)
    return chosen if chosen.dtype == bool else chosen.astype(np.int64)


def _words(attribute: Attribute) -> str:
    many = "1 value" if attribute.n_values == 1 else f"{attribute.n_values:,} values"
    return f"{attribute.name} ({attribute.kind}, {many})"
