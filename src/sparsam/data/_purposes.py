"""One table that serves several purposes, each with a target of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, RoleError, hint
from sparsam._small_counts import suppress
from sparsam.data._leaks import leaks
from sparsam.data._read import targets_of
from sparsam.data._split import Split, split
from sparsam.data._table import Table
from sparsam.data._target import Target
from sparsam.data._task import (
    MOST_CLASSES,
    Labels,
    Task,
    labels_of,
    leak_note,
    opened_table,
    settled_task,
    with_notes,
)
from sparsam.data.roles._roles import Roles

# To learn, to choose and to test. More to choose on than for one target, where everybody counts:
# each purpose is judged on those who have its target, and the worst of all decides.
_FRACTIONS = (0.5, 0.2, 0.3)
# Of the people, for a combination of classes to be told apart from others.
_LEAST_SHARE = 0.005


@dataclass(frozen=True, eq=False, repr=False)
class Purposes:
    """A table with its targets taken out: one task for each purpose, over the same attributes.

    `resolve_purposes` makes one.

    Attributes
    ----------
    together : Task
        Everyone. Its classes are the combinations of the classes of all purposes, the rare ones
        put together: what a search for all of them learns from, not what is promised.
    tasks : mapping of str to Task
        For each purpose, named as its target, the people who have that target.
    rows : mapping of str to ndarray of int64
        Where these people are in the table of `together`.
    """

    together: Task
    tasks: Mapping[str, Task]
    rows: Mapping[str, NDArray[np.int64]]

    @property
    def names(self) -> tuple[str, ...]:
        """What the purposes are called: their targets."""
        return tuple(self.tasks)

    def __repr__(self) -> str:
        targets = ", ".join(f"'{name}'" for name in self.names)
        return (
            f"Purposes({self.together.n_rows:,} rows, {len(self.together.names)} attributes, "
            f"targets {targets})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class PurposeSplits:
    """The three parts of a table that serves several purposes.

    Attributes
    ----------
    together : Split
        Everyone.
    parts : mapping of str to Split
        For each purpose, the people of the same parts who have its target.
    people : mapping of str to (mapping of str to ndarray of int64)
        For each purpose and part, which people of that part of `together` these are.
    """

    together: Split
    parts: Mapping[str, Split]
    people: Mapping[str, Mapping[str, NDArray[np.int64]]]

    @property
    def names(self) -> tuple[str, ...]:
        """What the purposes are called: their targets."""
        return tuple(self.parts)

    def __repr__(self) -> str:
        return f"PurposeSplits({self.together!r}, {len(self.parts)} purposes)"


def resolve_purposes(source: Any, roles: Roles, *, look_for_leaks: bool = False) -> Purposes:
    """Settle what each purpose predicts, over attributes that all of them share.

    What one purpose predicts is no attribute of another: it is known only afterwards, and is not
    collected as an input.

    Parameters
    ----------
    source : Table or anything that `read` takes
    roles : Roles
        With several targets. People may lack some of them, but not all, unless
        `drop_missing_target` is set.
    look_for_leaks : bool, default=False
        As for `resolve`, for each purpose.

    Returns
    -------
    Purposes

    Examples
    --------
    >>> people = {"age": [30, 41, 52], "works": ["no", "yes", "yes"], "rich": [True, False, None]}
    >>> resolve_purposes(people, Roles(targets=["works", "rich"]))
    Purposes(3 rows, 1 attributes, targets 'works', 'rich')
    """
    if len(roles.purposes) < 2:
        raise RoleError(
            "Several purposes need at least two targets. "
            f"Got {len(roles.purposes)}."
            + hint("Roles(targets=['one', 'another'])", "name each of them with --target")
        )
    table, roles = opened_table(source, roles)
    targets = dict(zip(roles.purposes, targets_of(roles, table.names), strict=True))
    _check_columns(targets)
    known = {name: _has(table, target) for name, target in targets.items()}
    table, known = _with_some_target(table, known, roles)
    columns = {target.column for target in targets.values()}
    labels = {
        name: labels_of(_without(table, columns - {target.column}).take(known[name]), one)[0]
        for name, target in targets.items()
        for one in [replace(roles, target=name, targets=())]
    }
    rows = {name: np.flatnonzero(known[name]) for name in targets}
    table = replace(_without(table, columns), notes=(*table.notes, *_lacking(known)))
    together = settled_task(table, _combined(labels, rows, table.n_rows), roles)
    if look_for_leaks:
        together = with_notes(together, _leaks(together, labels, rows))
    tasks = {name: _of_purpose(together, labels[name], rows[name]) for name in targets}
    return Purposes(together, tasks, rows)


def _check_columns(targets: Mapping[str, Target]) -> None:
    seen: dict[str, str] = {}
    for name, target in targets.items():
        if target.column in seen:
            raise RoleError(
                "Each purpose must predict a column of its own. Got "
                f"'{seen[target.column]}' and '{name}' of '{target.column}'."
                "\n\nHint: one target can tell both apart, such as "
                f"'{target.column} in bins(20000, 50000)'."
            )
        seen[target.column] = name


def _has(table: Table, target: Target) -> NDArray[np.bool_]:
    """Which rows have a target; all of them where it is refused later, with the reason."""
    if target.column not in table.names:
        return np.ones(table.n_rows, dtype=bool)
    return np.asarray(table.column(target.column) != table.attribute(target.column).n_values)


def _with_some_target(
    table: Table, known: dict[str, NDArray[np.bool_]], roles: Roles
) -> tuple[Table, dict[str, NDArray[np.bool_]]]:
    """The rows that serve a purpose at all."""
    some = np.any(list(known.values()), axis=0)
    gone = int((~some).sum())
    if not gone:
        return table, known
    if not roles.drop_missing_target:
        raise DataError(
            f"Every row must have a target of some purpose. Got {suppress(gone)} rows without any."
            + hint("leave these rows out: drop_missing_target=True", "--drop-missing-target")
        )
    note = f"{_counted(gone)} without any target left out"
    table = replace(table.take(some), notes=(*table.notes, note))
    return table, {name: has[some] for name, has in known.items()}


def _lacking(known: Mapping[str, NDArray[np.bool_]]) -> list[str]:
    """Notes on the purposes that not everybody belongs to."""
    return [
        f"{name}: {_counted(gone)} without this target; they are judged for the other purposes only"
        for name, has in known.items()
        if (gone := int((~has).sum()))
    ]


def _counted(rows: int) -> str:
    told = suppress(rows)
    return f"{told:,} rows" if isinstance(told, int) else f"{told} rows"


def _without(table: Table, columns: set[str]) -> Table:
    rest = table.drop([name for name in table.names if name in columns])
    if not rest.attributes:
        raise DataError("A table must have at least one column beside the targets. Got none.")
    return rest


def _leaks(
    together: Task, labels: Mapping[str, Labels], rows: Mapping[str, NDArray[np.int64]]
) -> list[str]:
    return [
        f"{leak_note(attribute)} (purpose '{name}')"
        for name, told in labels.items()
        for attribute in leaks(together.table.take(rows[name]), told.codes, len(told.classes))
    ]


def _of_purpose(together: Task, labels: Labels, rows: NDArray[np.int64]) -> Task:
    people = together if len(rows) == together.n_rows else together.take(rows)
    return replace(
        people,
        target=labels.codes,
        classes=labels.classes,
        numbers=labels.numbers,
        target_name=labels.name,
    )


def _combined(
    labels: Mapping[str, Labels], rows: Mapping[str, NDArray[np.int64]], n_rows: int
) -> Labels:
    """One target that stands for all: the combinations of their classes, at most a hundred.

    Someone who lacks a target gets one of its classes by chance, as often as others have it: else
    a search would learn to tell who lacks it, which no purpose asks for.
    """
    most = max(2, int(MOST_CLASSES ** (1 / len(labels))))
    chance = np.random.default_rng(0)
    groups = np.empty((n_rows, len(labels)), dtype=np.int64)
    for place, (name, told) in enumerate(labels.items()):
        coarse = _few_classes(told, most)[told.codes]
        groups[:, place] = chance.choice(coarse, n_rows)
        groups[rows[name], place] = coarse
    cells, cell, counts = np.unique(groups, axis=0, return_inverse=True, return_counts=True)
    kept = _kept(counts)
    # a rare combination counts as the common one that it shares most classes with
    alike = (cells[:, None, :] == cells[None, kept, :]).sum(axis=2)
    codes = alike.argmax(axis=1)[cell.reshape(-1)]
    classes = tuple(f"combination {number + 1}" for number in range(len(kept)))
    return Labels(" + ".join(labels), codes.astype(np.uint16), classes)


def _few_classes(labels: Labels, most: int) -> NDArray[np.int64]:
    """The group of each class: parts of numbers side by side, else the commonest on their own."""
    size = len(labels.classes)
    if size <= most:
        return np.arange(size)
    if labels.numbers is not None:
        return np.arange(size) * most // size
    order = np.argsort(-np.bincount(labels.codes, minlength=size), kind="stable")
    groups = np.full(size, most - 1)
    groups[order[: most - 1]] = np.arange(most - 1)
    return groups


def _kept(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The combinations that enough people have, the commonest first, two at least."""
    order = np.argsort(-counts, kind="stable")
    enough = int((counts >= _LEAST_SHARE * counts.sum()).sum())
    return order[: min(MOST_CLASSES, max(2, enough))]


def split_purposes(
    purposes: Purposes,
    fractions: Sequence[float] = _FRACTIONS,
    random_state: int = 0,
) -> PurposeSplits:
    """Divide the people at random, the same for all purposes.

    Parameters
    ----------
    purposes : Purposes
    fractions : three floats, default=(0.5, 0.2, 0.3)
    random_state : int, default=0

    Returns
    -------
    PurposeSplits
    """
    together = split(purposes.together, fractions, random_state)
    parts, people = {}, {}
    for name, task in purposes.tasks.items():
        place = np.full(purposes.together.n_rows, -1)
        place[purposes.rows[name]] = np.arange(task.n_rows)
        whose = [np.flatnonzero(place[rows] >= 0) for rows in together.rows]
        if not all(map(len, whose)):
            raise DataError(
                f"The target '{name}' must be known of someone in every part of the table, to "
                "learn, to choose and to test. Too few rows have it."
            )
        taken = [place[rows[some]] for rows, some in zip(together.rows, whose, strict=True)]
        train, validation, test = (task.take(rows) for rows in taken)
        parts[name] = Split(
            train,
            validation,
            test,
            random_state,
            together.fractions,
            (taken[0], taken[1], taken[2]),
        )
        people[name] = dict(zip(("train", "validation", "test"), whose, strict=True))
    return PurposeSplits(together, parts, people)
