"""What is to be written: the different rows of a release, and how many there are of each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.proof._cells import cells_hash
from sparsam.data.large import NumberedCells

_BATCH = 1 << 17
_MOST_KEYS = 1 << 62


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedRecords:
    """The rows of a release, in an order that depends on nothing but their cells.

    Attributes
    ----------
    values : dict of str to list
        For each column the different values that are published.
    places : ndarray of shape (n_records, n_columns)
        Which of them each record has.
    counts : ndarray of int64
        How many rows are like each record.
    """

    values: dict[str, list[Any]]
    places: NDArray[np.unsignedinteger]
    counts: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        values: Mapping[str, Sequence[Any]],
        blocks: Sequence[NDArray[np.unsignedinteger]],
        counts: Sequence[NDArray[np.int64]],
    ) -> ReleasedRecords:
        """Put the records of all parts into one order.

        Parameters
        ----------
        values : mapping of str to sequence
            For each column, values among which some may be equal, or not be used.
        blocks : sequence of ndarray of shape (n_records, n_columns)
        counts : sequence of ndarray
        """
        places = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        often = np.concatenate(list(counts))
        ranked, sizes = {}, []
        for column, (name, given) in enumerate(values.items()):
            ranked[name], rank = _ranked(given, places[:, column])
            places[:, column] = rank[places[:, column]]
            sizes.append(len(ranked[name]))
        order = _row_order(places, sizes)
        index = np.uint16 if max(sizes) <= np.iinfo(np.uint16).max + 1 else np.uint32
        return cls(ranked, places[order].astype(index, copy=False), often[order])

    def ordered(self, names: Sequence[str]) -> ReleasedRecords:
        """Return the same records with their columns in another order.

        Parameters
        ----------
        names : sequence of str
        """
        before = list(self.values)
        if before == list(names):
            return self
        places = self.places[:, [before.index(name) for name in names]]
        return ReleasedRecords.of(
            {name: self.values[name] for name in names}, [places], [self.counts]
        )

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    def sha256(self) -> str:
        """Hash the cells, as a certificate does."""
        columns = {
            name: NumberedCells(self.places[:, column].astype(np.int64), cells)
            for column, (name, cells) in enumerate(self.values.items())
        }
        return cells_hash(columns, self.counts)

    def batches(self, random_state: int) -> Iterator[list[NDArray[np.unsignedinteger]]]:
        """Yield the rows in a random order, column by column.

        Four bytes a row are in memory. The order depends on the cells and the seed, and on nothing
        else: whoever knows the seed learns nothing about who stood where.

        Parameters
        ----------
        random_state : int
        """
        record = np.repeat(np.arange(len(self.counts), dtype=np.uint32), self.counts)
        np.random.default_rng(random_state).shuffle(record)
        for start in range(0, len(record), _BATCH):
            rows = self.places[record[start : start + _BATCH]]
            yield [np.ascontiguousarray(rows[:, column]) for column in range(rows.shape[1])]


def _ranked(
    values: Sequence[Any], places: NDArray[np.unsignedinteger]
) -> tuple[list[Any], NDArray[np.int64]]:
    """Sort the values that are used, equal ones once; return the rank of each, too."""
    used = np.flatnonzero(np.bincount(places, minlength=len(values))).tolist()
    kinds = {type(values[place]) for place in used} - {type(None)}
    mixed = str in kinds and len(kinds) > 1
    plain = {place: str(values[place]) if mixed else values[place] for place in used}
    plain = {place: None if values[place] is None else value for place, value in plain.items()}
    different = sorted({_key(value): value for value in plain.values()}.items())
    rank_of = {key: rank for rank, (key, _) in enumerate(different)}
    rank = np.zeros(len(values), np.int64)
    for place, value in plain.items():
        rank[place] = rank_of[_key(value)]
    return [value for _, value in different], rank


def _key(value: Any) -> tuple[str, str]:
    return "" if value is None else type(value).__name__, str(value)


def _row_order(places: NDArray[np.unsignedinteger], sizes: Sequence[int]) -> NDArray[np.int64]:
    if math.prod(sizes) >= _MOST_KEYS:
        return np.lexsort(places.T[::-1])
    keys = np.zeros(len(places), np.int64)
    for column, size in enumerate(sizes):
        keys *= size
        keys += places[:, column]
    return np.argsort(keys, kind="stable")
