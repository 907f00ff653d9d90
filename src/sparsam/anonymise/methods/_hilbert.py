"""Hilbert: people side by side on a curve through all attributes are published as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise._classes import Classes, Demand, Division, Method, checked_codes
from sparsam.anonymise.kernels._packed_rows import Ints, scales_of
from sparsam.data import Attribute


class Hilbert(Method):
    """Part people into classes that are stretches of a curve through all attributes.

    The curve visits every possible record once, and neighbours on it are near in every attribute.
    Where only k is demanded, the stretches are those that lose least of all stretches of this curve
    (Ghinita et al. 2007); otherwise each is closed as soon as it satisfies the demand.

    Parameters
    ----------
    strict : bool, default=True
        Whether people with the same record are always in the same class. Otherwise classes are
        smaller and lose less where many people are alike, but a new person with such a record is
        led to the last of its classes.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.anonymise import Anonymiser
    >>> hilbert = Anonymiser(Hilbert(), k=2)
    >>> hilbert.fit_transform({"age": np.array([20, 90, 22, 92, 21])})
    {'age': array([21, 90, 21, 90, 21])}
    >>> hilbert.certificate_.smallest
    2
    """

    def __init__(self, *, strict: bool = True) -> None:
        self.strict = strict

    def part(self, division: Division) -> CurveClasses:
        """Sort the rows along the curve, and cut it into classes; see `Method.part`."""
        curve = Curve.through(division.attributes)
        keys = curve.places(division.codes)
        order = curve_order(keys)
        whole = np.arange(len(order))
        runs = np.flatnonzero(starts_of_runs(keys[order])) if self.strict else whole
        if division.plain_k is None:
            starts = _sequential(order, runs, division.demand, division.fewest)
        else:
            starts = _optimal(division.codes[order[runs]], runs, division)
        marks = np.zeros(len(order), dtype=np.int64)
        marks[starts[1:]] = 1
        of_row = np.empty_like(marks)
        of_row[order] = np.cumsum(marks)
        return CurveClasses(Classes(of_row, len(starts)), curve, keys[order[starts[1:]]])


@dataclass(frozen=True, eq=False, repr=False)
class CurveClasses:
    """Classes that are stretches of a curve, and the way of a new row to its class.

    Parameters
    ----------
    classes : Classes
        The classes of the rows that were cut into groups.
    curve : Curve
    bounds : ndarray of uint64 of shape (n_classes - 1, n_words)
        The place of the first row of every class but the first.
    """

    classes: Classes
    curve: Curve
    bounds: Keys

    def route(self, codes: NDArray[Any]) -> Ints:
        """Find the class that each row would fall into.

        The classes of new rows are not what was promised of the old ones: verify before publishing.

        Parameters
        ----------
        codes : ndarray of uint16 of shape (n_rows, n_attributes)
            Encoded as the rows that were cut into groups.
        """
        from sparsam.anonymise.kernels._hilbert_kernels import place_keys

        keys = self.curve.places(checked_codes(codes, self.curve.sizes))
        places: Ints = place_keys(self.bounds, keys)
        return places

    def __repr__(self) -> str:
        return f"CurveClasses({self.classes.n_classes:,} classes)"


def _optimal(records: NDArray[np.uint16], runs: Ints, division: Division) -> Ints:
    """Find where groups of at least so many rows begin that lose least together."""
    from sparsam.anonymise.kernels._hilbert_kernels import best_groups

    ends, scales = np.append(runs[1:], division.n_rows), scales_of(division.attributes)
    begins, _ = best_groups(np.ascontiguousarray(records), ends, scales, division.fewest)
    firsts, stop = [], len(runs)
    while stop > 0:
        stop = int(begins[stop - 1])
        firsts.append(stop)
    starts: Ints = runs[firsts[::-1]]
    return starts


def _sequential(order: Ints, runs: Ints, demand: Demand, least: int) -> Ints:
    """Close each group as soon as the demand holds; the rest joins the last group.

    Steps grow with the group, since one row more rarely decides over a large one.
    """
    ends = np.append(runs[1:], len(order))
    starts, start, size = [0], 0, least
    while start + size <= len(order):
        stop = int(ends[np.searchsorted(ends, start + size)])
        if demand.holds(np.sort(order[start:stop])):
            starts.append(stop)
            start, size = stop, least
        else:
            size = stop - start + max(1, (stop - start) // 8)
    # The rows after the last closed group hold nothing alone, if there are any.
    if starts[-1] == len(order):
        starts.pop()
    else:
        while len(starts) > 1 and not demand.holds(np.sort(order[starts[-1] :])):
            starts.pop()
    return np.array(starts, dtype=np.int64)


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
        The cell of every code, one array for each attribute.
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
    """Return the cell of every code, in the order of the codes."""
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
