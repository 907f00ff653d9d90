"""Bulk load: fill the leaves of a spatial index, and publish every leaf as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise._anonymiser import Anonymiser, Common
from sparsam.anonymise._classes import Classes, Demand
from sparsam.anonymise.kernels._packed_rows import (
    Grown,
    Ints,
    Packed,
    Scales,
    make_room,
    pack_rows,
    scales_of,
)
from sparsam.anonymise.methods._class_tree import ClassTree, checked_codes
from sparsam.anonymise.methods._tree_growth import _check_attainable
from sparsam.anonymise.privacy._base import wrong_parameter
from sparsam.data import Attribute


class BulkLoad(Anonymiser):
    """Part people into classes as a database loads a spatial index: into boxes filled one by one.

    After the R⁺-tree of Iwuchukwu and Naughton 2007: boxes do not overlap, and everyone in a leaf
    is published as one. All rows are loaded at once: sorted by the attribute whose cut makes the
    boxes smallest, and cut where whole leaves lie on both sides, so that leaves hold few rows more
    than they must. Categories are taken in the order of their codes. Missing values are parted from
    the others as soon as there are enough. Nothing is random.

    Parameters
    ----------
    slabs : int, default=2
        Into how many slabs rows are cut by one attribute before another is chosen. More slabs make
        a flatter index, and lose more.
    **common
        The parameters of every `Anonymiser`: `quasi_identifiers`, `k` and others.

    Examples
    --------
    >>> load = BulkLoad(k=2)
    >>> load.fit_transform({"age": np.array([20, 22, 40, 42, 90, 92])})
    {'age': array([20, 20, 40, 40, 90, 90])}
    >>> load.certificate_.smallest
    2
    """

    def __init__(self, *, slabs: int = 2, **common: Unpack[Common]) -> None:
        super().__init__(**common)
        self.slabs = slabs

    def part(
        self,
        codes: NDArray[np.uint16],
        attributes: Sequence[Attribute],
        demand: Demand,
        answers: NDArray[Any] | None = None,
    ) -> ClassTree:
        """Load the rows into leaves; see `Anonymiser.part`."""
        whole = isinstance(self.slabs, int | np.integer) and not isinstance(self.slabs, bool)
        if not whole or self.slabs < 2:
            raise wrong_parameter(self, "slabs", "an int >= 2", self.slabs)
        return load_leaves(codes, attributes, demand, slabs=int(self.slabs))


def load_leaves(
    codes: NDArray[Any], attributes: Sequence[Attribute], demand: Demand, *, slabs: int = 2
) -> ClassTree:
    """Load rows into leaves, each of which satisfies a demand.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    attributes : sequence of Attribute
        The quasi-identifiers.
    demand : Demand
        A demand with a `plain_k` is met by counting rows; any other is asked about every part, and
        a cut is turned down where it does not hold.
    slabs : int, default=2
        Into how many slabs rows are cut by one attribute.

    Returns
    -------
    ClassTree
    """
    sizes = tuple(attribute.size for attribute in attributes)
    codes = checked_codes(codes, sizes)
    _check_attainable(demand, len(codes))
    scales = scales_of(attributes)
    rows = pack_rows(codes, scales.sizes)
    of_row = np.empty(len(codes), dtype=np.int64)
    plain_k: int | None = getattr(demand, "plain_k", None)
    if plain_k is not None:
        from sparsam.anonymise.kernels._slab_kernels import load

        nodes = load(rows, scales, make_room(scales), plain_k, slabs, of_row)
    else:
        nodes = _load_by(demand, rows, scales, slabs, of_row)
    classes = Classes(of_row, int(nodes.leaf.max()) + 1)
    return ClassTree(classes, sizes, tuple(scales.missing.tolist()), nodes)


def _load_by(demand: Demand, rows: Packed, scales: Scales, slabs: int, of_row: Ints) -> Grown:
    """Load rows as the compiled kernel does, and ask the demand about both parts of every cut."""
    from sparsam.anonymise.kernels._partition_kernels import (
        divide_packed,
        empty_tree,
        shortened,
        write_cut,
    )
    from sparsam.anonymise.kernels._slab_kernels import choose_slabs

    room = make_room(scales)
    fewest = max(1, int(getattr(demand, "least_rows", 1)))
    tree = empty_tree(2 * (len(of_row) // fewest) + 1)
    n_nodes, n_leaves = 1, 0
    tasks = [(0, len(of_row), 0, 0, 1)]
    while tasks:
        start, stop, node, *_ = task = tasks.pop()
        barred = np.zeros(len(scales.sizes), dtype=np.bool_)
        while True:
            a, left, right = choose_slabs(
                rows, scales, room, barred, np.array(task, dtype=np.int64), fewest, slabs
            )
            if a < 0:
                tree.leaf[node] = n_leaves
                of_row[rows.numbers[start:stop]] = n_leaves
                n_leaves += 1
                break
            middle = int(divide_packed(rows, room, a, start, stop))
            if _both_hold(demand, rows.numbers, start, middle, stop):
                write_cut(tree, room, node, a, 0, n_nodes)
                tasks.append((middle, stop, n_nodes + 1, a, right))
                tasks.append((start, middle, n_nodes, a, left))
                n_nodes += 2
                break
            barred[a] = True
    grown: Grown = shortened(tree, n_nodes, tree.masks[:0])
    return grown


def _both_hold(
    demand: Demand, numbers: NDArray[np.uint32], start: int, middle: int, stop: int
) -> bool:
    parts = numbers[start:middle], numbers[middle:stop]
    return all(demand.holds(np.sort(part).astype(np.int64)) for part in parts)
