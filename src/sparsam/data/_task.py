"""A table whose roles are settled, ready for the algorithms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._checks import check_names, suggestion
from sparsam._errors import DataError, RoleError
from sparsam._small_counts import suppress
from sparsam.data._attribute import Attribute
from sparsam.data._domain import CategoricalDomain, NumericDomain
from sparsam.data._moments import check_no_date_target
from sparsam.data._read import declare, encode_column, read, target_of
from sparsam.data._roles import Roles
from sparsam.data._table import Table
from sparsam.data.source._source import series_column


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """A table with its target taken out and its personal attributes marked.

    `resolve` makes one.

    Parameters
    ----------
    table : Table
        The attributes only: no target, no identifiers.
    target : ndarray of uint16
        The class of every row.
    classes : tuple of str
        The names of the classes.
    target_name : str
        What is predicted, in the user's words.
    personal : tuple of int
        Positions in `table.attributes` of the attributes to protect.
    weights : tuple of float
        How sensitive each of them is.
    roles : Roles
        What the user declared.
    rare : tuple of ndarray of bool, default=()
        For each attribute, which codes stand for categories that must not be named. Where it is
        given, the people who have one of them all have the same one in `codes`.
    """

    table: Table
    target: NDArray[np.uint16]
    classes: tuple[str, ...]
    target_name: str
    personal: tuple[int, ...]
    weights: tuple[float, ...]
    roles: Roles
    rare: tuple[NDArray[np.bool_], ...] = ()

    def __post_init__(self) -> None:
        target = np.array(self.target, dtype=np.uint16)
        target.setflags(write=False)
        object.__setattr__(self, "target", target)
        if target.shape != (self.table.n_rows,):
            raise DataError(
                f"The target must have one class for each of the {self.table.n_rows:,} rows. "
                f"Got the shape {target.shape} instead."
            )

    @property
    def codes(self) -> NDArray[np.uint16]:
        """The codes of the attributes, one row per person."""
        return self.table.codes

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.table.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return self.table.names

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of codes of each attribute, the missing value counted."""
        return tuple(attribute.size for attribute in self.table.attributes)

    @property
    def declared(self) -> frozenset[str]:
        """The attributes whose values the user declared, so that they tell nothing about rows."""
        return frozenset(self.names) & {*self.roles.domains, *self.roles.ordered}

    def take(self, rows: ArrayLike) -> Task:
        """Return the task with only these rows, given as positions or as a mask."""
        chosen = np.asarray(rows)
        chosen = chosen if chosen.dtype == bool else chosen.astype(np.int64)
        return replace(self, table=self.table.take(chosen), target=self.target[chosen])

    def join(self, other: Task) -> Task:
        """Return the task with the rows of both, which must be encoded alike."""
        if self.table.attributes != other.table.attributes or self.classes != other.classes:
            raise DataError("Two tasks must have the same attributes and classes to be joined.")
        codes = np.concatenate([self.table.codes, other.table.codes])
        table = replace(self.table, codes=np.asfortranarray(codes))
        return replace(self, table=table, target=np.concatenate([self.target, other.target]))

    def __repr__(self) -> str:
        return (
            f"Task({self.n_rows:,} rows, {len(self.names)} attributes, {len(self.personal)} "
            f"personal, target '{self.target_name}' with {len(self.classes)} classes)"
        )


# A numeric column with more values than this is a quantity, not a list of classes.
_MOST_NUMERIC_CLASSES = 20
# In fewer rows than this, all values may differ by chance.
_FEWEST_ROWS = 20


class _Labels(NamedTuple):
    name: str
    codes: NDArray[np.uint16]
    classes: tuple[str, ...]


def resolve(source: Any, roles: Roles | None = None, y: Any = None) -> Task:
    """Settle what is predicted and what is protected, and check that the table allows it.

    Parameters
    ----------
    source : Table or anything that `read` takes
        The table.
    roles : Roles, optional
        What the attributes are for.
    y : array-like, optional
        The target, where it is not a column of the table.

    Returns
    -------
    Task

    Examples
    --------
    >>> people = {"age": [30, 41, 52], "sex": ["f", "m", "m"], "works": ["no", "yes", "yes"]}
    >>> resolve(people, Roles("works"))
    Task(3 rows, 2 attributes, 1 personal, target 'works' with 2 classes)
    """
    roles = roles if roles is not None else Roles()
    table = declare(read(source, roles=roles), roles)
    if table.n_rows == 0:
        raise DataError("A table must have at least one row. Got none.")
    _check_identifiers(table, roles)
    table = table.drop([name for name in roles.unread if name in table.names])
    table = _with_target(table, roles) if y is None and roles.drop_missing_target else table
    labels, table = _target(table, roles) if y is None else (_given(table, roles, y), table)
    _check_names(table, roles)
    for attribute in table.attributes:
        _check_repeats(attribute, table.column(attribute.name))
    personal = _personal(table, roles)
    return Task(
        table=table,
        target=labels.codes,
        classes=labels.classes,
        target_name=labels.name,
        personal=personal,
        weights=tuple(roles.weights.get(table.names[i], 1.0) for i in personal),
        roles=roles,
    )


def _with_target(table: Table, roles: Roles) -> Table:
    """Leave out the rows without a target, and say how many."""
    target = target_of(roles, table.names)
    if target is None or target.column not in table.names:
        return table  # refused where the target is settled
    known = table.column(target.column) != table.attribute(target.column).n_values
    gone = int((~known).sum())
    if not gone:
        return table
    if not known.any():
        raise DataError(f"The target '{target.column}' has no values at all.")
    told = suppress(gone)
    rows = f"{told:,} rows" if isinstance(told, int) else f"{told} rows"
    note = f"{target.column}: {rows} without a target left out"
    return replace(table.take(known), notes=(*table.notes, note))


def _target(table: Table, roles: Roles) -> tuple[_Labels, Table]:
    target = target_of(roles, table.names)
    if target is None or roles.target is None:
        raise RoleError(
            "A target must be declared, or given as y. Got neither."
            "\n\nHint: Roles(target='the column to predict')."
        )
    if target.column in roles.unread:
        raise RoleError(
            f"The target '{target.column}' must not be an identifier or ignored."
            "\n\nHint: take it out of one of them."
        )
    if target.column in table.left_out:
        raise DataError(f"The target '{target.column}' has no values at all.")
    check_names([target.column], table.names, "target")
    attribute, codes = table.attribute(target.column), table.column(target.column)
    rest = table.drop([target.column])
    if not rest.attributes:
        raise DataError("A table must have at least one column beside the target. Got none.")
    _check_known(roles.target, attribute, codes)
    if not target.edges:
        return _as_is(attribute, codes, roles.target), rest
    return _dense(roles.target, target.labels(attribute, codes), target.classes), rest


def _given(table: Table, roles: Roles, y: Any) -> _Labels:
    name = roles.target or "target"
    if name in table.names and roles.target is not None:
        raise RoleError(f"The target must be a column or y, not both. Got '{name}' and y.")
    column = series_column(name, y)
    if column.values.ndim != 1:
        raise DataError(f"y must have one dimension. Got {column.values.ndim} instead.")
    encoded = encode_column(column, Roles(missing_values=roles.missing_texts(name)), 256)
    n_rows = len(column.values if column.positions is None else column.positions)
    if n_rows != table.n_rows:
        raise DataError(f"y must have {table.n_rows:,} rows, as the table. Got {n_rows:,} instead.")
    if encoded is None:
        raise DataError("The target has no values at all.")
    _check_known(name, encoded.attribute, encoded.codes)
    return _as_is(encoded.attribute, encoded.codes, name)


def _as_is(attribute: Attribute, codes: NDArray[np.uint16], name: str) -> _Labels:
    check_no_date_target(attribute, name)
    whole = isinstance(attribute.domain, NumericDomain) and attribute.domain.integer
    if attribute.numeric and not (whole and attribute.n_values <= _MOST_NUMERIC_CLASSES):
        raise RoleError(
            f"The target '{name}' must be a list of classes. Got a numeric column with "
            f"{attribute.n_values:,} values or bins instead."
            f"\n\nHint: declare a threshold, such as '{name}>50000', or bins, such as "
            f"'{name} in bins(20000, 50000)'; or declare the column categorical."
        )
    _check_repeats(attribute, codes)
    if isinstance(attribute.domain, CategoricalDomain):
        classes = tuple(str(category) for category in attribute.domain.categories)
    else:
        classes = tuple(str(int(low)) for low in attribute.lows)
    return _dense(name, codes, classes)


def _dense(name: str, codes: NDArray[np.uint16], classes: tuple[str, ...]) -> _Labels:
    """Keep only the classes that occur."""
    seen = np.bincount(codes, minlength=len(classes)) > 0
    if seen.sum() < 2:
        raise DataError(f"The target '{name}' must have at least two classes. Got one in all rows.")
    lookup = (np.cumsum(seen) - 1).astype(np.uint16)
    return _Labels(name, lookup[codes], tuple(c for c, s in zip(classes, seen, strict=True) if s))


def _check_known(name: str, attribute: Attribute, codes: NDArray[np.uint16]) -> None:
    gone = int((codes == attribute.n_values).sum())
    if gone:
        raise DataError(
            f"The target '{name}' must be known in every row. Got {gone:,} rows without it."
            "\n\nHint: leave these rows out: drop_missing_target = true in the roles "
            "(on the command line: --drop-missing-target)."
        )


def _check_repeats(attribute: Attribute, codes: NDArray[np.uint16]) -> None:
    if attribute.numeric or len(codes) < _FEWEST_ROWS:
        return
    counts = np.bincount(codes, minlength=attribute.size)[: attribute.n_values]
    if (counts > 0).sum() == len(codes):
        raise DataError(
            f"'{attribute.name}' looks like an identifier: all {len(codes):,} rows differ."
            "\n\nHint: list it under identifiers, or drop it."
        )


def _check_identifiers(table: Table, roles: Roles) -> None:
    # a mistyped identifier would leave the true one in the table
    for role in ("identifiers", "ignore"):
        check_names(getattr(roles, role), [*table.names, *table.left_out], role)


def _check_names(table: Table, roles: Roles) -> None:
    for role in ("quasi_identifiers", "sensitive"):
        names = [name for name in getattr(roles, role) if name not in table.left_out]
        known = [*table.names, *([roles.target] if roles.target and role == "sensitive" else [])]
        check_names(names, known, role)


def _personal(table: Table, roles: Roles) -> tuple[int, ...]:
    if roles.personal == "all":
        places = tuple(range(len(table.attributes)))
    elif roles.personal == "categorical":
        places = tuple(i for i, attribute in enumerate(table.attributes) if not attribute.numeric)
    else:
        check_names(roles.personal, table.names, "personal")
        places = tuple(sorted(table.index(name) for name in roles.personal))
    protected = [table.names[i] for i in places]
    for name in roles.weights:
        if name not in protected:
            raise RoleError(
                f"The weight of '{name}' must belong to a personal attribute, which '{name}' "
                f"is not.{suggestion(name, protected) if name not in table.names else ''}"
            )
    return places
