"""The columns of a table, read as somebody declared them, and never refused for one cell.

An error that only some people's values cause would tell that they are there. So a text in a column
of numbers is a missing number, and a category that is not declared is "unseen"; nothing here raises
because of what a row holds. Only a table's shape can be refused: its columns and their types.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from sparsam._checks import suggestion
from sparsam._errors import DataError
from sparsam.data._domain import Category
from sparsam.data.source.declared._cells import member_texts, read_number


@dataclass(frozen=True)
class Wanted:
    """A column, and what is declared of it.

    Parameters
    ----------
    name : str
    members : tuple of categories or None
        The categories; None for a column of numbers.
    missing : tuple of str
        Texts that mean missing in this column alone.
    """

    name: str
    members: tuple[Category, ...] | None = None
    missing: tuple[str, ...] = ()


class Declaration:
    """What is declared of several columns.

    Parameters
    ----------
    wanted : sequence of Wanted
    missing : collection of str
        Texts that mean missing. One that is a number means missing among numbers too.

    Attributes
    ----------
    lookups : dict of str to dict
        For each column of categories, the place of every text that stands for a member.
    """

    def __init__(self, wanted: Sequence[Wanted], missing: Collection[str]) -> None:
        self.wanted = {column.name: column for column in wanted}
        self.missing = frozenset(missing)
        self.lookups = {
            column.name: member_texts(column.name, column.members)
            for column in wanted
            if column.members is not None
        }

    def texts(self, name: str) -> frozenset[str]:
        """Return all texts that mean missing in a column."""
        return self.missing.union(self.wanted[name].missing)

    def gone(self, name: str) -> tuple[float, ...]:
        """Return all numbers that mean missing in a column."""
        numbers = map(read_number, self.texts(name))
        return tuple(sorted({number for number in numbers if np.isfinite(number)}))


class DeclaredColumns(ABC, Declaration):
    """Columns read by declaration."""

    @abstractmethod
    def n_rows(self) -> int:
        """Count the rows, whose number is private."""


def check_columns(names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a declared attribute that the table does not have."""
    for name in names:
        if name not in known:
            raise DataError(
                f"The table must have the declared column '{name}'.{suggestion(name, known)}"
            )


def wrong_type(name: str, what: str) -> DataError:
    """Make the error for a column of a type that cannot be read as declared."""
    return DataError(
        f"'{name}' must hold what was declared. Its type is {what}."
        "\n\nHint: convert the column to numbers or to text, or declare no domain for it."
    )
