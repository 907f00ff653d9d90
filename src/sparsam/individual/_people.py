"""The people of a table: attributes, target, and the rows that can be used."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_names
from sparsam._errors import DataError, ParameterError, hint
from sparsam.data import (
    Target,
    factorise,
    is_numbering,
    moment_numbers,
    nearly_unique,
    open_source,
    set_aside,
)
from sparsam.data.source import whole_numbers
from sparsam.individual._arrays import Labels, Matrix, generator
from sparsam.individual._imputation import Imputation, PublicStatistics, impute
from sparsam.individual._mask import Mask

Columns = dict[str, NDArray[Any]]
MOST_CLASSES = 50
Rows = NDArray[np.intp]


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
        The rows that are used; None if these are all.
    categorical, missing : collection of str
        See `read_people`.
    left_out : {"", "incomplete", "without target"}
        Which rows are not used.
    notes : tuple of str
        What reading changed, in words: columns that were set aside.

    Examples
    --------
    >>> from sparsam.individual import read_people
    >>> people = read_people({"age": [20, 60, 40], "income": [1, 9, 5]}, "income>4")
    >>> people.target, people.attributes
    ('income>4', ('age',))
    """

    columns: Columns
    target: str
    rows: NDArray[np.intp] | None
    categorical: Collection[str] = ()
    missing: Collection[str] = ()
    left_out: str = ""
    notes: tuple[str, ...] = ()

    @property
    def facts(self) -> dict[str, str]:
        """How the table was read, for a mask to state: whoever applies it reads it in the same way.

        The target, and lists of categorical columns and of texts that mean missing, as JSON.
        """
        lists = {"categorical": self.categorical, "missing": self.missing}
        texts = {
            name: json.dumps(list(values), ensure_ascii=False)
            for name, values in lists.items()
            if values
        }
        left_out = {"left_out": self.left_out} if self.rows is not None else {}
        return {"target": self.target, **texts, **left_out}

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(name for name in self.columns if name != self.target)

    @property
    def lacking(self) -> tuple[str, ...]:
        """The attributes of which a number is missing in a row that is used."""
        numbers = (name for name in self.attributes if _measured(self.columns[name]))
        return tuple(name for name in numbers if _gone(self.covered(name)).any())

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
        """The people as scaled numbers, for the rows that are used; NaN where one is missing."""
        return encode({name: self.covered(name) for name in self.columns}, self.target)

    def covered(self, name: str) -> NDArray[Any]:
        """A column of the rows that are used."""
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
        columns: Columns = {}
        for name in self.columns:
            values = self.covered(name)
            if name in mask.attributes:
                values = whole_numbers(values).astype(object)
                values[~mask.kept[:, mask.attributes.index(name)]] = None
            columns[name] = values
        return columns

    def filled(self, mask: Mask, imputation: Imputation = "gaussian") -> Columns:
        """The same as scaled numbers, with what goes filled in: ready to train on.

        Kept values and statistics over everyone are all that it is made of.
        """
        self._check(mask)
        people = self.encoded
        order = [people.attributes.index(name) for name in mask.attributes]
        rows: Matrix = people.X[:, order]
        complete = impute(rows, mask.kept, imputation, PublicStatistics.of(rows))
        columns: Columns = {name: complete[:, j] for j, name in enumerate(mask.attributes)}
        return {**columns, self.target: self.covered(self.target)}

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
        for j, name in enumerate(mask.attributes):
            values = self.covered(name)
            if _measured(values) and (mask.kept[:, j] & _gone(values)).any():
                raise DataError(
                    f"The mask keeps numbers of '{name}' that are not there.\n\n"
                    "Hint: is it the same table, with its rows in the same order?"
                )


def read_people(
    source: Any,
    target: str,
    *,
    attributes: Collection[str] | None = None,
    identifiers: Collection[str] = (),
    categorical: Collection[str] = (),
    numeric: Collection[str] = (),
    missing: Collection[str] = (),
    leave_out_incomplete: bool = False,
    drop_missing_target: bool = False,
) -> PeopleTable:
    """Read the people of a table, for `retain` and for what it finds.

    A missing number is not there to be kept, and is filled in as what is not kept. A missing text
    is a category of its own. A column without any value, and one in which nearly every row has a
    value of its own, is set aside with a note, unless it is declared or named.

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
    numeric : collection of str
        Columns that are used although they look as if they numbered people.
    missing : collection of str
        Texts that mean missing, in a CSV file.
    leave_out_incomplete : bool, default=False
        Use only the rows that have all their numbers and the target.
    drop_missing_target : bool, default=False
        Use only the rows that have the target. If False, a row without it is an error.

    Returns
    -------
    PeopleTable

    Examples
    --------
    >>> people = read_people({"age": [20, 60, 40], "income": [1, 9, 5]}, "income>4")
    >>> people.attributes, people.columns["income>4"].tolist()
    (('age',), ['income <= 4', 'income > 4', 'income > 4'])
    """
    opened = open_source(source)
    names = opened.names
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
    raw = opened.columns([*used, goal.column], text=categorical, missing=missing)
    columns = {name: _typed(raw[name], name in categorical) for name in used}
    notes: dict[str, str] = {}
    if attributes is None:
        notes = _set_aside(columns, {*categorical, *numeric})
        columns = {name: values for name, values in columns.items() if name not in notes}
        if not columns:
            raise DataError(
                "The table must have an attribute besides its target that names nobody. "
                f"All {len(notes)} look like identifiers, or have no values."
                + hint("declare what is none as categorical", "declare what is none: --categorical")
            )
    columns[target] = _classes(_typed(raw[goal.column], False), goal)
    left_out = "incomplete" if leave_out_incomplete else "without target"
    rows = _usable(columns, target, leave_out_incomplete, drop_missing_target)
    lists = tuple(categorical), tuple(missing)
    people = PeopleTable(columns, target, rows, *lists, left_out, tuple(notes.values()))
    _check_columns(people)
    return people


def _set_aside(columns: Columns, declared: Collection[str]) -> dict[str, str]:
    """Return a note for each column that has no value, or names people one by one."""
    notes = {}
    for name, values in columns.items():
        gone = _gone(values)
        if len(values) and gone.all():
            notes[name] = f"{name}: no values at all, left out"
        elif name not in declared and _names_people(name, values, gone):
            notes[name] = set_aside(name)
    return notes


def _names_people(name: str, values: NDArray[Any], gone: NDArray[np.bool_]) -> bool:
    if values.dtype.kind in "iuf":
        return is_numbering(name, factorise(name, values))
    if values.dtype.kind not in "OUST" or moment_numbers(values) is not None:
        return False
    return nearly_unique(np.unique(values[~gone].astype(str), return_counts=True)[1])


def _typed(values: NDArray[Any], categorical: bool) -> NDArray[Any]:
    """Numbers with holes as floats; categories as text."""
    gone = _gone(values)
    if categorical:
        return _with_holes(values.astype(str), gone)
    if values.dtype.kind != "O":
        return values
    known = values[~gone].tolist()
    if known and all(isinstance(x, int | float) and not isinstance(x, bool) for x in known):
        numbers = np.full(len(values), np.nan)
        numbers[~gone] = known
        return numbers
    return values


def _measured(values: NDArray[Any]) -> bool:
    """Whether values are numbers, dates or times of day, of which one may be missing."""
    kind = values.dtype.kind
    return kind in "fmM" or (kind in "OUT" and moment_numbers(values) is not None)


def _gone(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a value is missing."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    if values.dtype.kind != "O":
        return np.zeros(len(values), bool)
    return np.array([value is None or value != value for value in values.tolist()], bool)  # noqa: PLR0124 - NaN


def _with_holes(values: NDArray[Any], gone: NDArray[np.bool_]) -> NDArray[Any]:
    if not gone.any():
        return values
    objects = values.astype(object)
    objects[gone] = None
    return objects


def _classes(values: NDArray[Any], goal: Target) -> NDArray[Any]:
    """The target's classes, None where it is missing."""
    gone = _gone(values)
    if goal.kind == "as is":
        return _with_holes(values, gone)
    if values.dtype.kind not in "biuf":
        raise DataError(f"The target expression needs '{goal.column}' to be numbers. It is not.")
    named = np.array(goal.classes)[goal.segments(values.astype(np.float64))]
    return _with_holes(named, gone)


def _usable(
    columns: Columns, target: str, incomplete: bool, without_target: bool
) -> NDArray[np.intp] | None:
    """The rows that are used; None if these are all."""
    gone = _gone(columns[target])
    if gone.any() and not incomplete and not without_target:
        raise DataError(
            f"The target must be there in every row. '{target}' is missing in "
            f"{int(gone.sum()):,} of {len(gone):,} rows."
            + hint("leave such rows out: drop_missing_target=True", "--drop-missing-target")
        )
    for values in columns.values():
        if incomplete and _measured(values):
            gone = gone | _gone(values)
    return np.flatnonzero(~gone) if gone.any() else None


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
        if len(values) and _gone(values).all():
            raise DataError(
                f"'{name}' has no value at all in the rows that are used."
                + hint("name it under identifiers", "--ignore it")
            )


@dataclass(frozen=True, repr=False)
class Encoded:
    """A table as scaled numbers.

    Parameters
    ----------
    X : ndarray of shape (n_people, n_attributes)
        In [0, 1]; NaN where a number is missing.
    y : ndarray of int
        The class codes.
    attributes : tuple of str
    classes : tuple
        The label of each class code.
    """

    X: Matrix
    y: Labels
    attributes: tuple[str, ...]
    classes: tuple[Any, ...]


def encode(frame: Any, target: str) -> Encoded:
    """Number the categories of a table in sorted order and bring each attribute to [0, 1].

    A missing number stays missing (NaN), a missing category is a category of its own.

    Parameters
    ----------
    frame : frame, mapping of arrays, or file name
    target : str
        The attribute to predict.

    Returns
    -------
    Encoded

    Examples
    --------
    >>> rows = {"age": [20, 60, 40], "sex": ["m", "f", "m"], "ill": ["no", "yes", "no"]}
    >>> people = encode(rows, "ill")
    >>> people.X.tolist(), people.y.tolist(), people.classes
    ([[0.0, 1.0], [1.0, 0.0], [0.5, 1.0]], [0, 1, 0], ('no', 'yes'))
    """
    source = open_source(frame)
    names = source.names
    if target not in names:
        raise DataError(f"The table must have the target '{target}'. It has {sorted(names)}.")
    attributes = tuple(name for name in names if name != target)
    if not attributes:
        raise DataError("The table must have an attribute besides its target.")
    columns = source.columns([*attributes, target])
    classes, y = _numbered(columns[target], target)
    X = np.column_stack([_numbers(columns[name], name) for name in attributes])
    if empty := [name for j, name in enumerate(attributes) if np.isnan(X[:, j]).all()]:
        raise DataError(f"Every attribute must have a value. {', '.join(empty)}: none at all.")
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    scaled = (X - low) / np.where(high > low, high - low, 1.0)
    return Encoded(scaled, y, attributes, tuple(classes.tolist()))


def _numbers(column: NDArray[Any], name: str) -> Matrix:
    if column.dtype.kind == "m":  # by their order, as far as they are there
        places = np.unique(column, return_inverse=True)[1].astype(np.float64)
        return np.where(np.isnat(column), np.nan, places)
    if column.dtype.kind not in "biuf":
        moments = moment_numbers(column)
        return _numbered(column, name)[1].astype(np.float64) if moments is None else moments
    numbers = column.astype(np.float64)
    if np.isinf(numbers).any():
        raise DataError(f"The numbers of '{name}' must be finite. Some are not.")
    return numbers


def _numbered(column: NDArray[Any], name: str) -> tuple[NDArray[Any], Labels]:
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise DataError(f"'{name}' must not be missing: leave out or fill the rows.")
    if column.dtype.kind == "O":
        missing = [value is None or value != value for value in column]  # noqa: PLR0124 - NaN
        if any(missing):
            column = np.where(missing, "", column)  # missing is a category of its own
        column = column.astype(str)
    levels, codes = np.unique(column, return_inverse=True)
    return levels, codes.astype(np.intp)


@dataclass(frozen=True)
class PeopleSplit:
    """Who is public, who is a member of the training set, who is not, and who tests.

    Parameters
    ----------
    public, members, non_members, test : ndarray of int
        Row numbers. `test` equals `public` when no third split was asked for.
    """

    public: Rows
    members: Rows
    non_members: Rows
    test: Rows


def split_people(n_people: int, *, own_test: bool = False, random_state: int = 0) -> PeopleSplit:
    """Divide people as section 4.1 does: half public, a quarter members, a quarter non-members.

    Parameters
    ----------
    n_people : int
    own_test : bool, default=False
        Give half of the public rows to a test set of their own, so that what an attacker knows
        does not also test the model.
    random_state : int, default=0

    Returns
    -------
    PeopleSplit

    Examples
    --------
    >>> found = split_people(8, own_test=True)
    >>> [len(part) for part in (found.public, found.members, found.non_members, found.test)]
    [2, 2, 2, 2]
    """
    if n_people < 8:
        raise ParameterError(f"There must be at least 8 people to divide. Got {n_people} instead.")
    order = generator(random_state).permutation(n_people)
    half = n_people // 2
    middle = half + (n_people - half) // 2
    public, test = order[:half], order[:half]
    if own_test:
        public, test = order[: half // 2], order[half // 2 : half]
    return PeopleSplit(public, order[half:middle], order[middle:], test)
