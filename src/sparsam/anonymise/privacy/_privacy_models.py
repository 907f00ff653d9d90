"""Privacy models: what must be true of people before they may be published as one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import suggestion
from sparsam._errors import ParameterError, RoleError
from sparsam.anonymise.privacy._base import (
    Others,
    PrivacyModel,
    Rows,
    SimpleModel,
    check_whole,
    given,
)
from sparsam.anonymise.privacy._closeness import Closeness
from sparsam.anonymise.privacy._diversity import (
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
)
from sparsam.anonymise.proof._certificate import (
    KAnonymityTerms,
)
from sparsam.data import Table, factorise

__all__ = [
    "AllOf",
    "Closeness",
    "DistinctDiversity",
    "EntropyDiversity",
    "KAnonymity",
    "PrivacyModel",
    "RecursiveDiversity",
    "SimpleModel",
]


@dataclass(frozen=True)
class KAnonymity(SimpleModel):
    """Nobody stands alone: at least k rows, or k people, share every published record.

    Parameters
    ----------
    k : int
        At least 2.
    entity : str, optional
        The column that says whose row it is: several rows of one person count once. Rows that do
        not say whose they are count as one person's.

    Examples
    --------
    >>> KAnonymity(3).holds(np.array([4, 5, 9]))
    True
    >>> whose = {"person": np.array([1, 1, 2, 3])}
    >>> KAnonymity(3, entity="person").bound(None, whose).holds(np.array([0, 1, 2]))
    False
    """

    k: int
    entity: str | None = None
    _people: NDArray[np.int64] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_whole(self, "k", self.k)

    @property
    def terms(self) -> KAnonymityTerms:
        """The demand, as a certificate states it."""
        return KAnonymityTerms(k=int(self.k), entity=self.entity)

    @property
    def least_rows(self) -> int:
        """No smaller set of rows can satisfy the model."""
        return self.k

    @property
    def plain_k(self) -> int | None:
        """The k, unless several rows may be one person's."""
        return self.k if self.entity is None else None

    def bound(self, table: Table | None, others: Others | None = None) -> KAnonymity:
        """Return the same model, knowing whose row each one is.

        Parameters
        ----------
        table : Table or None
        others : mapping of str to ndarray, optional
            Columns that are not encoded.
        """
        if self.entity is None:
            return self
        return replace(self, _people=_people(self.entity, table, others or {}))

    def holds(self, rows: Rows) -> bool:
        """Whether at least k rows, or people, are among these."""
        if self.entity is None or len(rows) < self.k:
            return len(rows) >= self.k
        people = given(self._people, self)
        looked_at = 4 * self.k
        while True:  # a few rows decide in nearly every large class
            if len(np.unique(people[rows[:looked_at]])) >= self.k:
                return True
            if looked_at >= len(rows):
                return False
            looked_at *= 4


@dataclass(frozen=True, init=False)
class AllOf(PrivacyModel):
    """Several privacy models at once.

    Parameters
    ----------
    *models : PrivacyModel
        At least one.

    Examples
    --------
    >>> both = AllOf(KAnonymity(5), DistinctDiversity(2, "illness"))
    >>> both.least_rows, both.needs
    (5, ('illness',))
    """

    models: tuple[SimpleModel, ...]

    def __init__(self, *models: PrivacyModel) -> None:
        if not models:
            raise ParameterError("AllOf needs at least one privacy model. Got none.")
        flat = tuple(part for model in models for part in model.parts)
        object.__setattr__(self, "models", flat)

    @property
    def parts(self) -> tuple[SimpleModel, ...]:
        """The single demands."""
        return self.models

    @property
    def plain_k(self) -> int | None:
        """The k where the number of rows decides alone, None where values matter as well."""
        found = [part.plain_k for part in self.models]
        known = [k for k in found if k is not None]
        return max(known) if len(known) == len(found) else None

    def bound(self, table: Table, others: Others | None = None) -> AllOf:
        """Return the same models, with the columns that they must see."""
        return AllOf(*(part.bound(table, others) for part in self.models))

    def holds(self, rows: Rows) -> bool:
        """Whether these rows satisfy every model."""
        return all(part.holds(rows) for part in self.models)

    def among(self, rows: Rows) -> AllOf:
        """Return the same demands for a release of these rows only."""
        return AllOf(*(part.among(rows) for part in self.models))

    def describe(self) -> dict[str, Any]:
        """Say the models in words and as plain JSON."""
        each = [part.describe() for part in self.models]
        words = "; ".join(one["words"] for one in each)
        return {"model": "all of", "demands": each, "words": words}


def _people(name: str, table: Table | None, others: Others) -> NDArray[np.int64]:
    if name in others:
        return factorise(name, np.asarray(others[name]), as_text=True).codes.astype(np.int64)
    known = table.names if table is not None else ()
    if table is None or name not in known:
        listed = (*others, *known)
        raise RoleError(f"'{name}' is not a column of people.{suggestion(name, listed)}")
    return table.column(name).astype(np.int64)
