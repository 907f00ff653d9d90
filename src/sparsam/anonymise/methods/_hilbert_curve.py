"""A Hilbert curve through all records: near on the curve is near in every attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.kernels._packed_rows import Ints, scales_of
from sparsam.data import Attribute

Keys = NDArray[np.uint64]


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """A Hilbert curve through all records.

    Every attribute is laid out on a grid of 2**n_bits cells: numbers by value within their range,
    ordered categories by rank, other categories in the order of their codes. Missing values of
    ordered attributes lie in the other half of the grid than the values. Every code has a cell of
    its own, so that records at the same place are the same. Attributes with few values come first,
    since a step from one of their values to the next costs most.

    Parameters
    ----------
    sizes : tuple of int
        The number of codes of each attribute.
    cells : tuple of ndarray of int64
        The cell of every code, one array an attribute.
    n_bits : int
        The cells of an attribute are numbered from 0 to 2**n_bits - 1.

    Examples
    --------
    >>> from sparsam.data import read
    >>> table = read({"x": ["a", "b", "b", "a"], "y": ["a", "a", "b", "b"]})
    >>> curve = Curve.through(table.attributes)
    >>> curve, curve_order(curve.places(table.codes)).tolist()
    (Curve(2 attributes, 4 cells each), [0, 3, 2, 1])
    """

    sizes: tuple[int, ...]
    cells: tuple[Ints, ...]
    n_bits: int

    @classmethod
    def through(cls, attributes: Sequence[Attribute]) -> Curve:
        """Lay the attributes out on a grid.

        Parameters
        ----------
        attributes : sequence of Attribute
        """
        sizes = tuple(attribute.size for attribute in attributes)
        # One bit more than needed: for the half without values, and for numbers of uneven distance.
        n_bits = (max(sizes) - 1).bit_length() + 1
        return cls(sizes, tuple(_cells(attribute, n_bits) for attribute in attributes), n_bits)

    def places(self, codes: NDArray[np.uint16]) -> Keys:
        """Find the place of each row on the curve: words of 64 bits, the highest first.

        Parameters
        ----------
        codes : ndarray of uint16 of shape (n_rows, n_attributes)
        """
        from sparsam.anonymise.kernels._hilbert_kernels import WORD, curve_keys

        sizes = np.array(self.sizes, dtype=np.int64)
        axes = np.argsort(sizes, kind="stable").astype(np.int64)
        n_words = -(-len(sizes) * self.n_bits // WORD)
        keys = np.zeros((len(codes), n_words), dtype=np.uint64)
        starts, cells = np.cumsum(sizes) - sizes, np.concatenate(self.cells)
        curve_keys(codes, axes, starts, cells, self.n_bits, keys)
        return keys

    def __repr__(self) -> str:
        return f"Curve({len(self.sizes)} attributes, {2**self.n_bits:,} cells each)"


def _cells(attribute: Attribute, n_bits: int) -> Ints:
    """Give every code a cell, in the order of the codes."""
    n_cells, n_values = 2**n_bits, attribute.size
    if attribute.ordered:
        scale = scales_of([attribute])
        n_values = attribute.n_values
        shares = ((scale.lows + scale.highs) / 2)[:n_values]
        n_cells //= 1 + attribute.missing
    else:
        shares = np.linspace(0.0, 1.0, n_values)
    cells = np.floor(shares * (n_cells - 1) + 0.5).astype(np.int64)
    # Codes that share a cell move up, and back down where they would leave the grid.
    steps = np.arange(n_values)
    cells = np.maximum.accumulate(cells - steps) + steps
    cells = np.minimum(cells, n_cells - n_values + steps)
    return cells if n_values == attribute.size else np.append(cells, 2**n_bits - 1)


def curve_order(keys: Keys) -> Ints:
    """Sort rows by their place, rows at the same place by their number.

    Parameters
    ----------
    keys : ndarray of uint64 of shape (n_rows, n_words)
    """
    order = np.argsort(keys[:, 0], kind="stable").astype(np.int64)
    for word in range(1, keys.shape[1]):
        same = ~starts_of_runs(keys[order, :word])[1:]
        tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
        run = np.cumsum(np.append(True, ~same))[tied]
        order[tied] = order[tied][np.lexsort((order[tied], keys[order[tied], word], run))]
    return order


def starts_of_runs(keys: Keys) -> NDArray[np.bool_]:
    """Mark the first of every run of equal keys.

    Parameters
    ----------
    keys : ndarray of uint64 of shape (n_rows, n_words)
        At least one row.
    """
    marks = np.ones(len(keys), dtype=np.bool_)
    marks[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    return marks
