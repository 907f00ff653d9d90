"""Bulk load: fill the leaves of a spatial index, and publish every leaf as one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_whole
from sparsam.anonymise._classes import Classes, Demand, Division, Method
from sparsam.anonymise.kernels._packed_rows import (
    Grown,
    Ints,
    Packed,
    Scales,
    make_room,
    pack_rows,
    scales_of,
)
from sparsam.anonymise.methods._class_tree import ClassTree


class BulkLoad(Method):
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

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.anonymise import Anonymiser
    >>> load = Anonymiser(BulkLoad(), k=2)
    >>> load.fit_transform({"age": np.array([20, 22, 40, 42, 90, 92])})
    {'age': array([20, 20, 40, 40, 90, 90])}
    >>> load.certificate_.smallest
    2
    """

    def __init__(self, *, slabs: int = 2) -> None:
        self.slabs = slabs

    def part(self, division: Division) -> ClassTree:
        """Load the rows into leaves; see `Method.part`."""
        check_whole("BulkLoad", "slabs", self.slabs, 2)
        slabs, scales = int(self.slabs), scales_of(division.attributes)
        rows = pack_rows(division.codes, scales.sizes)
        of_row = np.empty(division.n_rows, dtype=np.int64)
        if division.plain_k is not None:
            from sparsam.anonymise.kernels._tree_kernels import load

            nodes = load(rows, scales, make_room(scales), division.plain_k, slabs, of_row)
        else:
            nodes = _load_by(division.demand, division.fewest, rows, scales, slabs, of_row)
        classes = Classes(of_row, int(nodes.leaf.max()) + 1)
        return ClassTree(classes, division.sizes, tuple(scales.missing.tolist()), nodes)


def _load_by(
    demand: Demand, fewest: int, rows: Packed, scales: Scales, slabs: int, of_row: Ints
) -> Grown:
    """Load rows as the compiled kernel does, and ask the demand about both parts of every cut."""
    from sparsam.anonymise.kernels._tree_kernels import (
        choose_slabs,
        divide_packed,
        empty_tree,
        shortened,
        write_cut,
    )

    room = make_room(scales)
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
