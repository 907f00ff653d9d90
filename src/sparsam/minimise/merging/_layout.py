"""The buckets of all attributes side by side."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sparsam.minimise.merging._people import Floats, Lookup


class Layout:
    """Where each atom's bucket stands when the buckets of all attributes stand side by side.

    Parameters
    ----------
    lookups : list of ndarray of int
        For each attribute the bucket of each atom.

    Attributes
    ----------
    sizes : list of int
        How many buckets each attribute has.
    starts : ndarray of int
        Where the buckets of each attribute begin.
    places : ndarray of int
        For each atom, the atoms of all attributes side by side, the place of its bucket.
    """

    def __init__(self, lookups: list[Lookup]) -> None:
        self.lookups = lookups
        self.sizes = [int(lookup.max()) + 1 for lookup in lookups]
        self.starts = np.array([0, *np.cumsum(self.sizes)])
        parts = zip(lookups, self.starts[:-1], strict=True)
        self.places = np.concatenate([lookup + start for lookup, start in parts])

    def __len__(self) -> int:
        return int(self.starts[-1])

    @property
    def collected(self) -> list[int]:
        """The attributes with more than one bucket."""
        return [a for a, size in enumerate(self.sizes) if size > 1]

    def block(self, a: int) -> slice:
        """Where the buckets of an attribute stand."""
        return slice(int(self.starts[a]), int(self.starts[a + 1]))

    @cached_property
    def _runs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.places, kind="stable")
        return order, np.searchsorted(self.places[order], np.arange(len(self)))

    def rows(self, of_atoms: Floats) -> Floats:
        """Sums over the atoms of each bucket, from one row for each atom."""
        order, borders = self._runs
        return np.asarray(np.add.reduceat(of_atoms[order], borders, axis=0))

    def columns(self, of_atoms: Floats) -> Floats:
        """Sums over the atoms of each bucket, from one column for each atom."""
        order, borders = self._runs
        return np.asarray(np.add.reduceat(of_atoms[:, order], borders, axis=1))
