"""What an adversary sees: the distinct generalized records of a split table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.counting import distinct_records
from sparsam.data import Split, Task
from sparsam.generalization import Generalization

PARTS = ("train", "validation", "test")


@dataclass(frozen=True)
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
        attributes = split.train.table.attributes
        lookups = tuple(generalization[a.name].lookup(a) for a in attributes)
        return cls.from_lookups(lookups, split)

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
        found = distinct_records(codes, sizes)
        borders = np.cumsum(n_rows)[:-1]
        index = dict(zip(PARTS, np.split(found.index, borders), strict=True))
        return cls(found.records, columns, sizes, index, lookups)

    def __len__(self) -> int:
        return int(self.records.shape[0])

    def counts(self, part: str) -> NDArray[np.int64]:
        """How many people of a part share each distinct record."""
        return np.bincount(self.index[part], minlength=len(self))

    def seen_in(self, part: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The distinct records that occur in a part, and which of these each row is."""
        lines, index = np.unique(self.index[part], return_inverse=True)
        return lines, index

    def tabulate(self, part: str, codes: NDArray[np.uint16], size: int) -> NDArray[np.int64]:
        """Joint counts of (distinct record, code) over the rows of a part."""
        cells = self.index[part] * size + codes
        return np.bincount(cells, minlength=len(self) * size).reshape(len(self), size)


def part_of(split: Split, part: str) -> Task:
    """The rows of one part of a split."""
    task: Task = getattr(split, part)
    return task
