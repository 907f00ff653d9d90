"""Compiled bulk load: rows are sorted by one attribute and cut into slabs, then by another."""

from __future__ import annotations

import numpy as np

from sparsam.anonymise.kernels._cut_kernels import count_one, extent, mark_threshold
from sparsam.anonymise.kernels._packed_rows import (
    THRESHOLD,
    Flags,
    Grown,
    Ints,
    Packed,
    Room,
    Scales,
    Span,
)
from sparsam.anonymise.kernels._partition_kernels import (
    divide_packed,
    empty_tree,
    find_bounds,
    shortened,
    write_cut,
)
from sparsam.counting._compiled import compiled

# A task: where its rows lie, their node, and the attribute that they are cut by into so many slabs;
# one slab is cut by another attribute.
ROUNDING = 1e-9  # cuts that save the same save it to the last digit on no two machines
START, STOP, NODE, ATTRIBUTE, SLABS = range(5)


@compiled()
def find_threshold(room: Room, scales: Scales, span: Span, a: int, fewest: int, wanted: int) -> int:
    """Find the threshold that sends most nearly so many rows left; -1 where none leaves enough."""
    n, first = span.stop - span.start, scales.starts[a]
    at, off, so_far = -1, n, 0
    for code in range(span.low[a], span.high[a]):
        so_far += room.counts[first + code]
        if so_far > n - fewest:
            break
        if so_far >= fewest and abs(so_far - wanted) < off:
            at, off = code, abs(so_far - wanted)
    return at


@compiled()
def cut_slabs(
    rows: Packed, scales: Scales, room: Room, span: Span, a: int, fewest: int, slabs: int
) -> tuple[int, int]:
    """Cut one attribute; return the slabs on both sides, none where no cut leaves enough.

    The left side gets whole leaves, as near to its share of the rows as can be. Missing values are
    cut off first, where there are enough.
    """
    n, first = span.stop - span.start, scales.starts[a]
    count_one(rows.cells, span, a, first, room.counts)
    if span.high[a] == scales.missing[a]:
        n_missing = room.counts[first + span.high[a]]
        if min(n_missing, n - n_missing) >= fewest:
            mark_threshold(room, scales, span, a, scales.missing[a] - 1, False)
            return slabs, 1
    left = slabs // 2
    leaves = max(1, (n * left // slabs + fewest // 2) // fewest)
    at = find_threshold(room, scales, span, a, fewest, leaves * fewest)
    if at < 0:
        return 0, 0
    mark_threshold(room, scales, span, a, at, False)
    return left, slabs - left


@compiled()
def box_side(scales: Scales, counts: Ints, a: int, low: int, high: int) -> float:
    """Measure how far the codes that occur between two extend."""
    first = scales.starts[a]
    if scales.ordered[a]:
        while low < high and counts[first + low] == 0:
            low += 1
        while low < high and counts[first + high] == 0:
            high -= 1
        return extent(scales, a, low, high)
    distinct = 0
    for code in range(low, high + 1):
        distinct += counts[first + code] > 0
    return float((distinct - 1) * scales.units[a])


@compiled()
def shrinkage(scales: Scales, room: Room, span: Span, a: int, at: int) -> float:
    """Measure how much smaller the boxes of the rows become when one attribute is cut."""
    counts, first = room.counts, scales.starts[a]
    n_left = counts[first + span.low[a] : first + at + 1].sum()
    n = span.stop - span.start
    before = n * box_side(scales, counts, a, span.low[a], span.high[a])
    left = n_left * box_side(scales, counts, a, span.low[a], at)
    return float(before - left - (n - n_left) * box_side(scales, counts, a, at + 1, span.high[a]))


@compiled()
def choose_slabs(
    rows: Packed, scales: Scales, room: Room, barred: Flags, task: Ints, fewest: int, most: int
) -> tuple[int, int, int]:
    """Cut the rows of a task; return the attribute, -1 where none can be cut, and the slabs.

    Slabs that are not all cut yet come first, then the attribute whose cut makes the boxes around
    the rows smallest.
    """
    n, best, most_saved = task[STOP] - task[START], -1, -1.0
    slabs = min(task[SLABS], n // fewest)
    low, high = np.zeros_like(scales.sizes), scales.sizes - 1
    span = Span(task[START], task[STOP], low, high)
    if slabs > 1 and not barred[task[ATTRIBUTE]]:
        a = task[ATTRIBUTE]
        left, right = cut_slabs(rows, scales, room, span, a, fewest, slabs)
        if left > 0:
            return a, left, right
    slabs = min(most, n // fewest)
    if slabs < 2:
        return -1, 0, 0
    find_bounds(rows.cells, span)
    for a in range(low.shape[0]):
        if barred[a] or low[a] == high[a]:
            continue
        if cut_slabs(rows, scales, room, span, a, fewest, slabs)[0] == 0:
            continue
        saved = shrinkage(scales, room, span, a, room.cut[THRESHOLD])
        if saved > most_saved + ROUNDING:
            best, most_saved = a, saved
    if best < 0:
        return -1, 0, 0
    left, right = cut_slabs(rows, scales, room, span, best, fewest, slabs)
    return best, left, right


@compiled()
def load(rows: Packed, scales: Scales, room: Room, fewest: int, most: int, of_row: Ints) -> Grown:
    """Cut all rows into leaves of at least so many, in slabs; write the leaf of each row."""
    n = rows.words.shape[0]
    tree = empty_tree(2 * (n // fewest) + 1)
    barred = np.zeros(scales.sizes.shape[0], np.bool_)
    tasks = np.zeros((n // fewest + 2, 5), np.int64)
    tasks[0, STOP], tasks[0, SLABS] = n, 1
    waiting, n_nodes, n_leaves = 1, 1, 0
    while waiting > 0:
        waiting -= 1
        task = tasks[waiting].copy()
        start, stop, node = task[START], task[STOP], task[NODE]
        a, left, right = choose_slabs(rows, scales, room, barred, task, fewest, most)
        if a < 0:
            tree.leaf[node] = n_leaves
            for i in range(start, stop):
                of_row[rows.numbers[i]] = n_leaves
            n_leaves += 1
            continue
        write_cut(tree, room, node, a, 0, n_nodes)
        middle = divide_packed(rows, room, a, start, stop)
        # The right part waits: leaves are numbered from left to right.
        tasks[waiting, START], tasks[waiting, STOP] = middle, stop
        tasks[waiting, NODE] = n_nodes + 1
        tasks[waiting, ATTRIBUTE], tasks[waiting, SLABS] = a, right
        tasks[waiting + 1, START], tasks[waiting + 1, STOP] = start, middle
        tasks[waiting + 1, NODE] = n_nodes
        tasks[waiting + 1, ATTRIBUTE], tasks[waiting + 1, SLABS] = a, left
        waiting += 2
        n_nodes += 2
    return shortened(tree, n_nodes, tree.masks[:0])
