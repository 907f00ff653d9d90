"""The people of a table: attributes, target, and the rows that can be used."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data import Target, column_names, columns_of
from sparsam.data._names import check_names
from sparsam.individual._checks import Matrix
from sparsam.individual._encoding import Encoded, encode
from sparsam.individual._imputation import Imputation, PublicStatistics, impute
from sparsam.individual._mask import Mask

Columns = dict[str, NDArray[Any]]
MOST_CLASSES = 50
_FEWEST_ROWS = 20


@dataclass(frozen=True, eq=False, repr=False)
class PeopleTable:
    """The columns of a table that a mask is about, as they are.

    Parameters
    ----------
    columns : dict of str to ndarray
        The attributes and, last, the target, of all rows.
    target : str
        The column to predict, or the expression that it was made by.
    rows : ndarray of int or None
        The rows in which nothing is missing that must be there; None if these are all.
    """

    columns: Columns
    target: str
    rows: NDArray[np.intp] | None

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(name for name in self.columns if name != self.target)

    @property
    def n_rows(self) -> int:
        """Rows of the whole table."""
        return len(self.columns[self.target])

    def __repr__(self) -> str:
        return (
            f"<PeopleTable: {self.n_rows:,} rows, {len(self.attributes)} attributes, "
            f"target '{self.target}'>"
        )

    @cached_property
    def encoded(self) -> Encoded:
        """The people as scaled numbers, for the rows that can be used."""
        return encode({name: self.covered(name) for name in self.columns}, self.target)

    def covered(self, name: str) -> NDArray[Any]:
        """A column of the rows that can be used."""
        values = self.columns[name]
        return values if self.rows is None else values[self.rows]

    def retained(self, mask: Mask) -> Columns:
        """What a mask leaves of the rows that it is about: None where a value goes.

        Parameters
        ----------
        mask : Mask

        Returns
        -------
        dict of str to ndarray
            The attributes with holes, and the target.
        """
        self._check(mask)
        found: Columns = {}
        for name in self.columns:
            values = self.covered(name)
            if name in mask.attributes:
                values = values.astype(object)
                values[~mask.kept[:, mask.attributes.index(name)]] = None
            found[name] = values
        return found

    def filled(self, mask: Mask, imputation: Imputation = "gaussian") -> Columns:
        """The same as scaled numbers, with what goes filled in: ready to train on.

        Kept values and statistics over everyone are all that it is made of.
        """
        self._check(mask)
        people = self.encoded
        order = [people.attributes.index(name) for name in mask.attributes]
        rows: Matrix = people.X[:, order]
        done = impute(rows, mask.kept, imputation, PublicStatistics.of(rows))
        made: Columns = {name: done[:, j] for j, name in enumerate(mask.attributes)}
        return {**made, self.target: self.covered(self.target)}

    def _check(self, mask: Mask) -> None:
        lacking = [name for name in mask.attributes if name not in self.attributes]
        if lacking:
            raise DataError(f"The table must have the mask's attributes. It lacks {lacking}.")
        here = self.n_rows if self.rows is None else len(self.rows)
        if mask.shape[0] != here or mask.table_rows not in (None, self.n_rows):
            raise DataError(
                f"The mask is about {mask.shape[0]:,} people of a table of "
                f"{mask.table_rows or mask.shape[0]:,} rows. Got {here:,} of {self.n_rows:,}.\n\n"
                "Hint: is it the same table, with its rows in the same order?"
            )


def read_people(
    source: Any,
    target: str,
    *,
    attributes: Collection[str] | None = None,
    identifiers: Collection[str] = (),
    categorical: Collection[str] = (),
    missing: Collection[str] = (),
    leave_out_incomplete: bool = False,
) -> PeopleTable:
    """Read the people of a table, for `retain` and for what it finds.

    Parameters
    ----------
    source : frame, mapping of arrays, or file name
    target : str
        The attribute to predict: a column of classes, or an expression such as "income>50000".
    attributes : collection of str, optional
        The others to use; all when left out.
    identifiers : collection of str
        Columns never to be used.
    categorical : collection of str
        Columns that are categories although they look like numbers.
    missing : collection of str
        Texts that mean missing, in a CSV file.
    leave_out_incomplete : bool, default=False
        Use only the rows that have all their numbers and the target. A missing text is a category
        of its own. If False, a missing number is an error.

    Returns
    -------
    PeopleTable

    Examples
    --------
    >>> people = read_people({"age": [20, 60, 40], "income": [1, 9, 5]}, "income>4")
    >>> people.attributes, people.columns["income>4"].tolist()
    (('age',), ['income <= 4', 'income > 4', 'income > 4'])
    """
    names = column_names(source)
    check_names(identifiers, names, "identifiers")
    check_names(categorical, names, "categorical")
    goal = Target(target) if target in names else Target.parse(target)
    check_names([goal.column], names, "target")
    if goal.column in identifiers:
        raise DataError(f"'{goal.column}' must be the target or an identifier, not both.")
    used = [
        name
        for name in (names if attributes is None else attributes)
        if name != goal.column and name not in identifiers
    ]
    if not used:
        raise DataError("The table must have an attribute besides its target.")
    raw = columns_of(source, [*used, goal.column], text=categorical, missing=missing)
    columns = {name: _typed(raw[name], name in categorical) for name in used}
    columns[target] = _classes(_typed(raw[goal.column], False), goal)
    rows = _usable(columns, target, leave_out_incomplete)
    found = PeopleTable(columns, target, rows)
    _check_columns(found)
    return found


def _typed(values: NDArray[Any], categorical: bool) -> NDArray[Any]:
    """Numbers with holes as floats; categories as text."""
    gone = _gone(values)
    if categorical:
        return _with_holes(values.astype(str), gone)
    if values.dtype.kind != "O":
        return values
    known = values[~gone].tolist()
    if known and all(isinstance(one, int | float) and not isinstance(one, bool) for one in known):
        found = np.full(len(values), np.nan)
        found[~gone] = known
        return found
    return values


def _gone(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a value is missing."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    if values.dtype.kind != "O":
        return np.zeros(len(values), bool)
    return np.array([one is None or one != one for one in values.tolist()], bool)  # noqa: PLR0124 - NaN


def _with_holes(values: NDArray[Any], gone: NDArray[np.bool_]) -> NDArray[Any]:
    if not gone.any():
        return values
    found = values.astype(object)
    found[gone] = None
    return found


def _classes(values: NDArray[Any], goal: Target) -> NDArray[Any]:
    """The target's classes, None where it is missing."""
    gone = _gone(values)
    if goal.kind == "as is":
        return _with_holes(values, gone)
    if values.dtype.kind not in "biuf":
        raise DataError(f"The target expression needs '{goal.column}' to be numbers. It is not.")
    named = np.array(goal.classes)[goal.segments(values.astype(np.float64))]
    return _with_holes(named, gone)


def _usable(columns: Columns, target: str, leave_out: bool) -> NDArray[np.intp] | None:
    """The rows in which no number and no target is missing; None if these are all."""
    holes = {
        name: _gone(values)
        for name, values in columns.items()
        if name == target or values.dtype.kind in "fmM"
    }
    lacking = [name for name, gone in holes.items() if gone.any()]
    if not lacking:
        return None
    gone = np.any([holes[name] for name in lacking], axis=0)
    if not leave_out:
        raise DataError(
            f"Numbers and the target must be there in every row. Missing in some: "
            f"{', '.join(lacking)} ({int(gone.sum()):,} of {len(gone):,} rows).\n\n"
            "Hint: leave such rows out (--leave-out-incomplete), or fill them first."
        )
    return np.flatnonzero(~gone)


def _check_columns(people: PeopleTable) -> None:
    """Refuse what cannot be learned, and names of people."""
    labels = people.covered(people.target)
    n_classes = len(np.unique(labels.astype(str)))
    if n_classes < 2:
        raise DataError(
            f"The target '{people.target}' must have at least two classes. Got {n_classes} "
            f"in {len(labels):,} rows."
        )
    if n_classes > MOST_CLASSES:
        raise DataError(
            f"The target must be a class. '{people.target}' has {n_classes:,} different values.\n\n"
            f"Hint: cut it, such as '{people.target}>…'; at most {MOST_CLASSES} classes."
        )
    for name in people.attributes:
        values = people.covered(name)
        if values.dtype.kind in "OUST" and len(values) >= _FEWEST_ROWS:
            distinct = len(np.unique(values.astype(str)))
            if distinct == len(values):
                raise DataError(
                    f"'{name}' looks like an identifier: all {len(values):,} rows differ.\n\n"
                    "Hint: name it with --identifier, and it is left out."
                )
