"""Count the records of a table on any levels, from the fewest records that are known already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.kernels._packed_rows import Ints
from sparsam.anonymise.methods._full_domain_ladder import Ladder
from sparsam.counting._distinct import record_keys


@dataclass(frozen=True, eq=False, repr=False)
class Counted:
    """The distinct generalized records on some levels.

    Attributes
    ----------
    levels : tuple of int
    codes : ndarray of uint16 of shape (n_records, n_attributes)
        The codes of one row of each, in the order of the generalized records.
    counts : ndarray of int64 of shape (n_records,)
        How many rows are generalized to each.
    """

    levels: tuple[int, ...]
    codes: NDArray[np.uint16]
    counts: Ints


class Tables:
    """Counts records on any levels.

    What is counted once on finer levels is counted again from there, which is much less work than
    from the rows.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    ladders : sequence of Ladder
        The levels of each attribute.
    """

    def __init__(self, codes: NDArray[np.uint16], ladders: Sequence[Ladder]) -> None:
        self.ladders = ladders
        finest = (0,) * len(ladders)
        rows = Counted(finest, codes, np.ones(len(codes), dtype=np.int64))
        self.known = [self._counted(rows, finest)]
        self.room = 2 * len(codes)

    def at(self, levels: tuple[int, ...]) -> Counted:
        """Count the records on these levels.

        Parameters
        ----------
        levels : tuple of int
        """
        finer = (
            one
            for one in self.known
            if all(a <= b for a, b in zip(one.levels, levels, strict=True))
        )
        source = min(finer, key=lambda one: len(one.counts))
        if source.levels == levels:
            return source
        found = self._counted(source, levels)
        if 2 * len(found.counts) <= len(source.counts) and len(found.counts) <= self.room:
            self.known.append(found)
            self.room -= len(found.counts)
        return found

    def _counted(self, source: Counted, levels: tuple[int, ...]) -> Counted:
        keys = generalized_keys(source.codes, self.ladders, levels)
        order = np.argsort(keys, kind="stable")
        along = keys[order]
        starts = np.flatnonzero(np.append(True, along[1:] != along[:-1]))
        counts = np.add.reduceat(source.counts[order], starts)
        return Counted(levels, source.codes[order[starts]], counts)


def generalized(
    codes: NDArray[np.uint16], ladders: Sequence[Ladder], levels: tuple[int, ...]
) -> NDArray[np.uint16]:
    """Return the number of the label of every cell.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    ladders : sequence of Ladder
    levels : tuple of int
    """
    columns = zip(ladders, levels, codes.T, strict=True)
    found = [ladder.groups[level][column] for ladder, level, column in columns]
    return np.column_stack(found)


def generalized_keys(
    codes: NDArray[np.uint16], ladders: Sequence[Ladder], levels: tuple[int, ...]
) -> Ints:
    """Return a number for each row, equal for equal generalized records, in their order.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    ladders : sequence of Ladder
    levels : tuple of int
    """
    chosen = [ladder.groups[level] for ladder, level in zip(ladders, levels, strict=True)]
    sizes = [int(groups.max()) + 1 for groups in chosen]
    return record_keys(generalized(codes, ladders, levels), sizes)
