"""A table whose roles are settled, ready for the algorithms."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import DataError
from sparsam.data._roles import Roles
from sparsam.data._table import Table


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
