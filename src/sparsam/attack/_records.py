"""What an adversary sees: the distinct generalized records of a split table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice
from sparsam._errors import DataError, hint
from sparsam.counting import distinct_records
from sparsam.data import Split, Task
from sparsam.generalization import Generalization

PARTS = ("train", "validation", "test")


@dataclass(frozen=True, repr=False)
class GeneralizedRecords:
    """The distinct generalized records of all parts of a split.

    Attributes
    ----------
    records : ndarray of uint16 of shape (n_distinct, n_columns)
        Buckets of the collected attributes only.
    columns : tuple of int
        Which attributes the columns are.
    sizes : tuple of int
        Number of buckets of each column.
    index : mapping of part to ndarray of int64
        For each row of the part, which distinct record it is.
    lookups : tuple of ndarray
        For every attribute, the bucket of each of its codes.
    """

    records: NDArray[np.uint16]
    columns: tuple[int, ...]
    sizes: tuple[int, ...]
    index: Mapping[str, NDArray[np.int64]]
    lookups: tuple[NDArray[np.uint16], ...]

    @classmethod
    def of(cls, generalization: Generalization, split: Split) -> GeneralizedRecords:
        """Generalize every part of the split and count what is distinct."""
        return cls.from_lookups(lookups_of(generalization, split), split)

    @classmethod
    def from_lookups(
        cls, lookups: tuple[NDArray[np.uint16], ...], split: Split
    ) -> GeneralizedRecords:
        """The same from the bucket of each code of each attribute."""
        columns = tuple(a for a, lookup in enumerate(lookups) if lookup.max() > 0)
        sizes = tuple(int(lookups[a].max()) + 1 for a in columns)
        parts = [getattr(split, part) for part in PARTS]
        n_rows = [part.n_rows for part in parts]
        codes = np.empty((sum(n_rows), len(columns)), dtype=np.uint16, order="F")
        for number, a in enumerate(columns):
            codes[:, number] = lookups[a][np.concatenate([part.codes[:, a] for part in parts])]
        distinct = distinct_records(codes, sizes)
        borders = np.cumsum(n_rows)[:-1]
        index = dict(zip(PARTS, np.split(distinct.index, borders), strict=True))
        return cls(distinct.records, columns, sizes, index, lookups)

    def __len__(self) -> int:
        return int(self.records.shape[0])

    def counts(self, part: str) -> NDArray[np.int64]:
        """How many people of a part share each distinct record."""
        return np.bincount(self.index[part], minlength=len(self))

    def some_of(
        self, part: str, most: int = 20_000
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Rows spread evenly over a part, their distinct records, and which of these each is.

        Parameters
        ----------
        part : str
        most : int
            Of more rows, no more than so many: enough to tell two models apart.
        """
        rows = np.arange(0, len(self.index[part]), max(1, -(-len(self.index[part]) // most)))
        lines, index = np.unique(self.index[part][rows], return_inverse=True)
        return rows, lines, index

    @cached_property
    def judged(self) -> NDArray[np.int64]:
        """The distinct records that occur outside training."""
        seen = np.zeros(len(self), dtype=bool)
        for part in ("validation", "test"):
            seen[self.index[part]] = True
        return np.flatnonzero(seen)

    def tabulate(self, part: str, codes: NDArray[np.uint16], size: int) -> NDArray[np.int64]:
        """Joint counts of (distinct record, code) over the rows of a part."""
        cells = self.index[part] * size + codes
        return np.bincount(cells, minlength=len(self) * size).reshape(len(self), size)


@dataclass(frozen=True, repr=False)
class PeopleWith:
    """How many people have each record and code, where there are any.

    Attributes
    ----------
    starts : ndarray of int64 of shape (n_records + 1,)
        Where the codes of each record begin.
    codes : ndarray of int64
        The codes that people with the record have, ascending.
    counts : ndarray of float64
        How many people have them.
    """

    starts: NDArray[np.int64]
    codes: NDArray[np.int64]
    counts: NDArray[np.float64]

    @classmethod
    def of(
        cls, lines: NDArray[np.int64], codes: NDArray[np.integer], n_records: int, size: int
    ) -> PeopleWith:
        """Count people, each given by the record and the code."""
        cells = lines * size + codes
        if n_records * size <= 4 * len(cells):
            people = np.bincount(cells, minlength=n_records * size)
            present = np.flatnonzero(people)
            counts = people[present]
        else:
            present, counts = np.unique(cells, return_counts=True)
        n_codes = np.bincount(present // size, minlength=n_records)
        starts = np.concatenate([[0], np.cumsum(n_codes)])
        return cls(starts, present % size, counts.astype(float))

    @property
    def lines(self) -> NDArray[np.int64]:
        """The record of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def ranked(self, order: NDArray[np.int64]) -> PeopleWith:
        """The same with the records in another order."""
        sizes = np.diff(self.starts)[order]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        entries = np.arange(starts[-1]) + np.repeat(self.starts[order] - starts[:-1], sizes)
        return PeopleWith(starts, self.codes[entries], self.counts[entries])


def lookups_of(generalization: Generalization, split: Split) -> tuple[NDArray[np.uint16], ...]:
    """The bucket of each code of each attribute."""
    attributes = split.train.table.attributes
    unknown = [attribute.name for attribute in attributes if attribute.name not in generalization]
    if unknown:
        raise DataError(
            "The generalization must know every attribute of the table. It does not know "
            f"{unknown}."
            + hint("list what it does not know under ignore", "--ignore leaves it out")
        )
    return tuple(generalization[attribute.name].lookup(attribute) for attribute in attributes)


def part_of(split: Split, part: str) -> Task:
    """The rows of one part of a split."""
    check_choice("the attack", "part", part, PARTS)
    task: Task = getattr(split, part)
    return task
