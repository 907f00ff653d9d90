"""A table whose roles are settled, ready for the algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._checks import check_names, suggestion
from sparsam._errors import DataError, RoleError, hint
from sparsam._small_counts import suppress
from sparsam.data._attribute import Attribute
from sparsam.data._bins import quantile_bins
from sparsam.data._coded import are_codes
from sparsam.data._domain import CategoricalDomain, NumericDomain
from sparsam.data._leaks import leaks
from sparsam.data._moments import check_no_date_target
from sparsam.data._near_identifiers import FEWEST_ROWS, is_near_identifier
from sparsam.data._open import open_as, with_numbers_found
from sparsam.data._read import (
    declare,
    encode_column,
    read,
    set_aside,
    target_of,
)
from sparsam.data._table import Table
from sparsam.data._target import Target
from sparsam.data.roles._roles import Roles
from sparsam.data.sample._others import Others
from sparsam.data.source._column import series_column
from sparsam.data.source._source import Source


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
    numbers : ndarray of float, optional
        The number of every row, where the target is one; `target` is then the part of its range
        that the number lies in, which is what the search learns from.
    others : Others, optional
        Where the rows are a sample: everyone else, who can be counted.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> task = sp.resolve(people, sp.Roles("employed", personal=["sex"]))
    >>> task.target_name, task.classes, task.table.names, task.personal
    ('employed', ('no', 'yes'), ('age', 'disability', 'sex'), (2,))
    """

    table: Table
    target: NDArray[np.uint16]
    classes: tuple[str, ...]
    target_name: str
    personal: tuple[int, ...]
    weights: tuple[float, ...]
    roles: Roles
    rare: tuple[NDArray[np.bool_], ...] = ()
    numbers: NDArray[np.float64] | None = None
    others: Others | None = None

    def __post_init__(self) -> None:
        target = np.array(self.target, dtype=np.uint16)
        target.setflags(write=False)
        object.__setattr__(self, "target", target)
        if target.shape != (self.table.n_rows,):
            raise DataError(
                f"The target must have one class for each of the {self.table.n_rows:,} rows. "
                f"Got the shape {target.shape} instead."
            )
        if self.numbers is not None:
            numbers = np.array(self.numbers, dtype=np.float64)
            numbers.setflags(write=False)
            object.__setattr__(self, "numbers", numbers)
            if numbers.shape != target.shape:
                raise DataError(
                    f"The target must have one number for each of the {self.table.n_rows:,} rows. "
                    f"Got the shape {numbers.shape} instead."
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
        numbers = None if self.numbers is None else self.numbers[chosen]
        # whoever is left out now is nowhere
        return replace(
            self,
            table=self.table.take(chosen),
            target=self.target[chosen],
            numbers=numbers,
            others=None,
        )

    def join(self, other: Task) -> Task:
        """Return the task with the rows of both, which must be encoded alike."""
        if self.table.attributes != other.table.attributes or self.classes != other.classes:
            raise DataError("Two tasks must have the same attributes and classes to be joined.")
        codes = np.concatenate([self.table.codes, other.table.codes])
        table = replace(self.table, codes=np.asfortranarray(codes))
        target, numbers = np.concatenate([self.target, other.target]), None
        if self.numbers is not None and other.numbers is not None:
            numbers = np.concatenate([self.numbers, other.numbers])
        return replace(self, table=table, target=target, numbers=numbers, others=None)

    def __repr__(self) -> str:
        kind = f" with {len(self.classes)} classes" if self.numbers is None else ", a number"
        return (
            f"Task({self.n_rows:,} rows, {len(self.names)} attributes, {len(self.personal)} "
            f"personal, target '{self.target_name}'{kind})"
        )


# A numeric column with more values than this is a quantity, not a list of classes.
_MOST_NUMERIC_CLASSES = 20
# With more classes than this, nobody is told anything by a class.
MOST_CLASSES = 100
# Into how many parts of about equally many people a number is cut, for the search to learn from.
_PARTS_OF_NUMBER = 8


class Labels(NamedTuple):
    name: str
    codes: NDArray[np.uint16]
    classes: tuple[str, ...]
    numbers: NDArray[np.float64] | None = None


def resolve(
    source: Any,
    roles: Roles | None = None,
    y: Any = None,
    *,
    look_for_leaks: bool = False,
    max_memory: int | str | None = None,
    random_state: int = 0,
) -> Task:
    """Settle what is predicted and what is protected, and check that the table allows it.

    A column in which nearly every row has a value of its own is set aside as an identifier, unless
    it is declared; `table.notes` says so.

    Parameters
    ----------
    source : Table or anything that `read` takes
        The table.
    roles : Roles, optional
        What the attributes are for.
    y : array-like, optional
        The target, where it is not a column of the table.
    look_for_leaks : bool, default=False
        Whether `table.notes` should name attributes that alone tell the target almost as well as
        all do, as these may be the outcome in other words.
    max_memory : int or str, optional
        As for `read`: of a table that would take more, a sample is drawn.
    random_state : int, default=0
        The seed of that sample.

    Returns
    -------
    Task

    Examples
    --------
    >>> from sparsam.data import Roles
    >>> people = {"age": [30, 41, 52], "sex": ["f", "m", "m"], "works": ["no", "yes", "yes"]}
    >>> resolve(people, Roles("works"))
    Task(3 rows, 2 attributes, 1 personal, target 'works' with 2 classes)
    """
    table, roles = opened_table(source, roles or Roles(), max_memory, random_state)
    if y is not None and table.others is not None:
        raise DataError(
            "A target that is no column must be in memory, as the table. This one is a sample."
            "\n\nHint: put the target into the table, or allow more memory."
        )
    whole = table
    table = _with_target(table, roles) if y is None and roles.drop_missing_target else table
    labels, table = labels_of(table, roles) if y is None else (_given(table, roles, y), table)
    task = replace(settled_task(table, labels, roles), others=_others(whole, roles, labels))
    if look_for_leaks:
        found = leaks(task.table, labels.codes, len(labels.classes))
        task = with_notes(task, [leak_note(name) for name in found])
    return task


def _others(table: Table, roles: Roles, labels: Labels) -> Others | None:
    """Everyone outside the sample, with the classes that the sample has."""
    target = target_of(roles, table.names)
    if table.others is None or target is None:
        return None
    attribute = table.attribute(target.column)
    classes = np.empty(0, dtype=np.int64)
    if labels.numbers is None:
        known = {name: number for number, name in enumerate(labels.classes)}
        names = class_names(attribute, target)
        classes = np.array([known.get(name, -1) for name in names] + [-1], dtype=np.int64)
    return table.others.with_target(target.column, classes)


def class_names(attribute: Attribute, target: Target) -> list[str]:
    """The class that each code of the target's column stands for, but for a missing one."""
    if target.edges:
        every = np.arange(attribute.n_values, dtype=np.uint16)
        return [target.classes[number] for number in target.labels(attribute, every)]
    if isinstance(attribute.domain, CategoricalDomain):
        return [str(category) for category in attribute.domain.categories]
    return [str(int(low)) for low in attribute.lows]


def opened_table(
    source: Any, roles: Roles, max_memory: int | str | None = None, random_state: int = 0
) -> tuple[Table, Roles]:
    """Read a table, without what is never read, and what reading told of the roles."""
    opened = source if isinstance(source, Table) else open_as(source, roles)
    table = read(opened, roles=roles, max_memory=max_memory, random_state=random_state)
    table = declare(table, roles)
    if isinstance(opened, Source):
        roles = with_numbers_found(roles, opened)
    if table.n_rows == 0:
        raise DataError("A table must have at least one row. Got none.")
    _check_identifiers(table, roles)
    return table.drop([name for name in roles.unread if name in table.names]), roles


def with_notes(task: Task, notes: Sequence[str]) -> Task:
    return replace(task, table=replace(task.table, notes=(*task.table.notes, *notes)))


def settled_task(table: Table, labels: Labels, roles: Roles) -> Task:
    """Settle the attributes beside the target, and what of them is protected."""
    table = _without_identifiers(table, roles)
    _check_names(table, roles)
    personal, remark = _personal(table, roles)
    remarks = [remark] if remark else []
    if roles.personal == "categorical":
        remarks += _codes_read_as_numbers(table, roles)
    table = replace(table, notes=(*table.notes, *remarks))
    return Task(
        table=table,
        target=labels.codes,
        classes=labels.classes,
        numbers=labels.numbers,
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


def labels_of(table: Table, roles: Roles) -> tuple[Labels, Table]:
    target = target_of(roles, table.names)
    if target is None or roles.target is None:
        raise RoleError(
            "A target must be declared, or given as y. Got neither."
            + hint("Roles(target='the column to predict')", "name it with --target")
        )
    if target.column in roles.unread:
        raise RoleError(
            f"The target '{target.column}' must not be an identifier or ignored."
            + hint("take it out of one of them", "take it out of --ignore or --identifier")
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
        return _as_is(attribute, codes, roles.target, table.numbers.get(target.column)), rest
    return _dense(roles.target, target.labels(attribute, codes), target.classes), rest


def _given(table: Table, roles: Roles, y: Any) -> Labels:
    name = roles.target or "target"
    if name in table.names and roles.target is not None:
        raise RoleError(f"The target must be a column or y, not both. Got '{name}' and y.")
    column = series_column(name, y)
    if column.values.ndim != 1:
        raise DataError(f"y must have one dimension. Got {column.values.ndim} instead.")
    told = Roles(missing_values=roles.missing_texts(name))
    encoded = encode_column(column, told, 256, Target(name))
    n_rows = len(column.values if column.positions is None else column.positions)
    if n_rows != table.n_rows:
        raise DataError(f"y must have {table.n_rows:,} rows, as the table. Got {n_rows:,} instead.")
    if encoded is None:
        raise DataError("The target has no values at all.")
    _check_known(name, encoded.attribute, encoded.codes)
    return _as_is(encoded.attribute, encoded.codes, name, encoded.numbers)


def _as_is(
    attribute: Attribute,
    codes: NDArray[np.uint16],
    name: str,
    numbers: NDArray[np.float64] | None,
) -> Labels:
    check_no_date_target(attribute, name)
    whole = isinstance(attribute.domain, NumericDomain) and attribute.domain.integer
    if attribute.numeric and not (whole and attribute.n_values <= _MOST_NUMERIC_CLASSES):
        if numbers is None and attribute.binned:
            raise DataError(
                f"'{name}' was cut into bins on reading, before it was known to be the target."
                "\n\nHint: read the table with these roles: read(source, roles=roles)."
            )
        return _number(name, attribute.lows[codes] if numbers is None else numbers)
    _check_repeats(attribute, codes)
    return _dense(name, codes, tuple(class_names(attribute, Target(name))))


def _number(name: str, numbers: NDArray[np.float64]) -> Labels:
    """A target that is a number: the parts of its range that the search learns from, and itself."""
    values, place, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    if len(values) < 2:
        raise DataError(f"The target '{name}' must differ between rows. All have the same number.")
    parts = quantile_bins(counts, _PARTS_OF_NUMBER)
    n_parts = int(parts.max()) + 1
    classes = tuple(f"part {part + 1} of {n_parts}" for part in range(n_parts))
    return Labels(name, parts[place].astype(np.uint16), classes, numbers)


def _dense(name: str, codes: NDArray[np.uint16], classes: tuple[str, ...]) -> Labels:
    """Keep only the classes that occur."""
    seen = np.bincount(codes, minlength=len(classes)) > 0
    if seen.sum() > MOST_CLASSES:
        raise DataError(
            f"The target '{name}' must have at most {MOST_CLASSES} classes. "
            f"Got {int(seen.sum()):,} instead."
            "\n\nHint: put classes together that need not be told apart."
        )
    if seen.sum() < 2:
        raise DataError(f"The target '{name}' must have at least two classes. Got one in all rows.")
    lookup = (np.cumsum(seen) - 1).astype(np.uint16)
    return Labels(name, lookup[codes], tuple(c for c, s in zip(classes, seen, strict=True) if s))


def _check_known(name: str, attribute: Attribute, codes: NDArray[np.uint16]) -> None:
    gone = int((codes == attribute.n_values).sum())
    if gone:
        raise DataError(
            f"The target '{name}' must be known in every row. Got {gone:,} rows without it."
            + hint("leave these rows out: drop_missing_target=True", "--drop-missing-target")
        )


def _codes_read_as_numbers(table: Table, roles: Roles) -> list[str]:
    """Return a note on each attribute whose few whole numbers may be codes: nobody decided that."""
    notes = []
    for attribute in table.attributes:
        domain = attribute.domain
        if not isinstance(domain, NumericDomain) or not domain.integer or domain.unit is not None:
            continue
        if attribute.name in roles.kinds or attribute.binned or attribute.n_values == 1:
            continue
        counts = np.bincount(table.column(attribute.name), minlength=attribute.size)
        counts = counts[: attribute.n_values]
        if are_codes(attribute.name, attribute.lows, counts):
            notes.append(
                f"{attribute.name}: {attribute.n_values:,} whole numbers, read as numbers; if "
                "these are codes, declare it categorical (sparsam roles proposes what is)"
            )
    return notes


LEAK = "alone tells the target almost as well as all attributes do"


def leak_note(name: str) -> str:
    """Return the note that an attribute may be the target in other words, and what to do then."""
    return (
        f"{name}: {LEAK}. If it is the outcome in other words, or only known after it, ignore it "
        "(on the command line: --ignore)"
    )


def _without_identifiers(table: Table, roles: Roles) -> Table:
    """Set columns aside that name people one by one, unless they are declared."""
    near = [
        attribute.name
        for attribute in table.attributes
        if attribute.name not in roles.declared
        and (
            attribute.name in table.numbered
            or is_near_identifier(attribute, table.column(attribute.name))
        )
    ]
    if not near:
        return table
    if len(near) == len(table.attributes):
        raise DataError(
            f"'{near[0]}' looks like an identifier, as nearly every row has a value of its own, "
            "and so does every other attribute.\n\nHint: declare what is none: categorical or "
            "numeric."
        )
    # how a column was read is of no interest once it is not used
    about = tuple(f"{name}: " for name in near)
    notes = (*(n for n in table.notes if not n.startswith(about)), *map(set_aside, near))
    return replace(table.drop(near), notes=notes, left_out=(*table.left_out, *near))


def _check_repeats(attribute: Attribute, codes: NDArray[np.uint16]) -> None:
    if attribute.numeric or len(codes) < FEWEST_ROWS:
        return
    counts = np.bincount(codes, minlength=attribute.size)[: attribute.n_values]
    if (counts > 0).sum() == len(codes):
        raise DataError(
            f"'{attribute.name}' looks like an identifier: all {len(codes):,} rows differ."
            + hint("list it under identifiers", "--identifier")
        )


def _check_identifiers(table: Table, roles: Roles) -> None:
    # a mistyped identifier would leave the true one in the table
    for role in ("identifiers", "ignore"):
        check_names(getattr(roles, role), [*table.names, *table.left_out], role)


def _check_names(table: Table, roles: Roles) -> None:
    for role in ("quasi_identifiers", "sensitive"):
        names = [name for name in getattr(roles, role) if name not in table.left_out]
        known = [*table.names, *(roles.purposes if role == "sensitive" else ())]
        check_names(names, known, role)


def _personal(table: Table, roles: Roles) -> tuple[tuple[int, ...], str | None]:
    remark = None
    if roles.personal == "all":
        places = tuple(range(len(table.attributes)))
    elif roles.personal == "categorical":
        places = tuple(i for i, attribute in enumerate(table.attributes) if not attribute.numeric)
        if not places:
            places = tuple(i for i, a in enumerate(table.attributes) if a.size > 1)
            remark = (
                "no attribute is categorical: all that can be guessed are protected. If some are "
                "codes, declare them categorical; or name what to protect as personal"
            )
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
    return places, remark
