"""Hilbert: people side by side on a curve through all attributes are published as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise._anonymiser import Anonymiser, Common
from sparsam.anonymise._classes import Classes, Demand
from sparsam.anonymise.kernels._packed_rows import Ints, scales_of
from sparsam.anonymise.methods._class_tree import checked_codes
from sparsam.anonymise.methods._hilbert_curve import Curve, Keys, curve_order, starts_of_runs
from sparsam.anonymise.methods._tree_growth import _check_attainable
from sparsam.data import Attribute


class Hilbert(Anonymiser):
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
    **common
        The parameters of every `Anonymiser`: `quasi_identifiers`, `k` and others.

    Examples
    --------
    >>> hilbert = Hilbert(k=2)
    >>> hilbert.fit_transform({"age": np.array([20, 90, 22, 92, 21])})
    {'age': array([21, 90, 21, 90, 21])}
    >>> hilbert.certificate_.smallest
    2
    """

    def __init__(self, *, strict: bool = True, **common: Unpack[Common]) -> None:
        super().__init__(**common)
        self.strict = strict

    def part(
        self,
        codes: NDArray[np.uint16],
        attributes: Sequence[Attribute],
        demand: Demand,
        answers: NDArray[Any] | None = None,
    ) -> CurveClasses:
        """Cut the curve into classes; see `Anonymiser.part`."""
        return cut_curve(codes, attributes, demand, strict=self.strict)


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
        found: Ints = place_keys(self.bounds, keys)
        return found

    def __repr__(self) -> str:
        return f"CurveClasses({self.classes.n_classes:,} classes)"


def cut_curve(
    codes: NDArray[Any], attributes: Sequence[Attribute], demand: Demand, *, strict: bool = True
) -> CurveClasses:
    """Sort the rows along a Hilbert curve, and cut it into groups that satisfy a demand.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    attributes : sequence of Attribute
        The quasi-identifiers.
    demand : Demand
        With a `plain_k` the groups are those which lose least; otherwise each group is closed as
        soon as the demand holds.
    strict : bool, default=True
        Whether people with the same record are always in the same class.

    Returns
    -------
    CurveClasses

    Examples
    --------
    >>> from sparsam.anonymise.privacy._privacy_models import KAnonymity
    >>> from sparsam.data import read
    >>> table = read({"age": [20, 90, 21, 91, 22]})
    >>> found = cut_curve(table.codes, table.attributes, KAnonymity(2))
    >>> found.classes.of_row.tolist(), found.route(table.codes[[1, 4]]).tolist()
    ([0, 1, 0, 1, 0], [1, 0])
    """
    codes = checked_codes(codes, tuple(attribute.size for attribute in attributes))
    _check_attainable(demand, len(codes))
    curve = Curve.through(attributes)
    keys = curve.places(codes)
    order = curve_order(keys)
    runs = np.flatnonzero(starts_of_runs(keys[order])) if strict else np.arange(len(order))
    plain_k: int | None = getattr(demand, "plain_k", None)
    if plain_k is None:
        starts = _sequential(order, runs, demand)
    else:
        starts = _optimal(codes[order[runs]], runs, len(order), attributes, plain_k)
    marks = np.zeros(len(order), dtype=np.int64)
    marks[starts[1:]] = 1
    of_row = np.empty_like(marks)
    of_row[order] = np.cumsum(marks)
    return CurveClasses(Classes(of_row, len(starts)), curve, keys[order[starts[1:]]])


def _optimal(
    records: NDArray[np.uint16],
    runs: Ints,
    n_rows: int,
    attributes: Sequence[Attribute],
    fewest: int,
) -> Ints:
    """Find where groups of at least so many rows begin that lose least together."""
    from sparsam.anonymise.kernels._hilbert_kernels import best_groups

    ends = np.append(runs[1:], n_rows)
    begins, _ = best_groups(np.ascontiguousarray(records), ends, scales_of(attributes), fewest)
    found, stop = [], len(runs)
    while stop > 0:
        stop = int(begins[stop - 1])
        found.append(stop)
    starts: Ints = runs[found[::-1]]
    return starts


def _sequential(order: Ints, runs: Ints, demand: Demand) -> Ints:
    """Close each group as soon as the demand holds; the rest joins the last group.

    Steps grow with the group, since one row more rarely decides over a large one.
    """
    least = max(1, int(getattr(demand, "least_rows", 1)))
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
