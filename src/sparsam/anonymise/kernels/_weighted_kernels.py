"""Compiled strict Mondrian over records that stand for many people, and what their classes hold.

A strict cut never parts people who are alike, so equal records go together, with their number: the
tree is the one that would be grown from the people.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.kernels._cut_kernels import cut_counted, measure_widths
from sparsam.anonymise.kernels._packed_rows import (
    MISSING_LEFT,
    THRESHOLD,
    Cells,
    Flags,
    Ints,
    Packed,
    Plan,
    Room,
    Scales,
    Span,
)
from sparsam.anonymise.kernels._tree_kernels import DEEPEST, divide_packed, find_bounds
from sparsam.counting import compiled


@compiled()
def add_codes(keys: NDArray[np.uint64], word: int, codes: Cells, shift: int) -> int:
    """Put the codes of a column into the keys of rows; return the largest."""
    largest = 0
    for i in range(codes.shape[0]):
        keys[i, word] |= np.uint64(codes[i]) << np.uint64(shift)
        largest = max(largest, int(codes[i]))
    return largest


@compiled()
def count_weighted(rows: Packed, span: Span, a: int, first: int, counts: Ints) -> None:
    """Count the codes of one attribute; the number of a record says how many people have it."""
    counts[first + span.low[a] : first + span.high[a] + 1] = 0
    for i in range(span.start, span.stop):
        counts[first + rows.cells[i, a]] += rows.numbers[i]


@compiled()
def choose_weighted(
    rows: Packed, scales: Scales, room: Room, span: Span, barred: Flags, fewest: int, n: int
) -> int:
    """Cut the widest attribute of n people that can be cut at its median; -1 where none can."""
    find_bounds(rows.cells, span)
    measure_widths(scales, room, span, barred)
    for _ in range(span.low.shape[0]):
        a = int(np.argmax(room.gains))
        if room.gains[a] < 0:
            break
        count_weighted(rows, span, a, scales.starts[a], room.counts)
        if cut_counted(scales, room, span, a, fewest, n):
            return a
        room.gains[a] = -1.0
    return -1


@compiled()
def choose_counted(scales: Scales, room: Room, low: Ints, high: Ints, fewest: int, n: int) -> int:
    """Do so where the codes of every attribute are counted already, in the room."""
    span = Span(0, 0, low, high)
    for a in range(low.shape[0]):
        first = scales.starts[a]
        while low[a] < high[a] and room.counts[first + low[a]] == 0:
            low[a] += 1
        while low[a] < high[a] and room.counts[first + high[a]] == 0:
            high[a] -= 1
    measure_widths(scales, room, span, np.zeros(low.shape[0], np.bool_))
    for _ in range(low.shape[0]):
        a = int(np.argmax(room.gains))
        if room.gains[a] < 0:
            break
        if cut_counted(scales, room, span, a, fewest, n):
            return a
        room.gains[a] = -1.0
    return -1


@compiled()
def grow_weighted(
    plan: Plan, rows: Packed, scales: Scales, room: Room, most: int, smallest: int
) -> tuple[Ints, Ints]:
    """Cut records until no cut leaves enough people, or the parts are small enough.

    Records are moved so that a class lies together; return where each begins, and its people. A
    part of at most so many records (`smallest`) is not cut further, if that is not 0.
    """
    n_records, n_attributes = rows.words.shape[0], scales.sizes.shape[0]
    starts, people = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    barred = np.zeros(n_attributes, np.bool_)
    stack = np.zeros((DEEPEST, 3), np.int64)
    bounds = np.zeros((DEEPEST, 2, n_attributes), np.int64)
    total = 0
    for i in range(n_records):
        total += rows.numbers[i]
    stack[0, 1], stack[0, 2], bounds[0, 1] = n_records, total, scales.sizes - 1
    waiting, n_leaves = 1, 0
    low, high = np.empty(n_attributes, np.int64), np.empty(n_attributes, np.int64)
    while waiting > 0:
        waiting -= 1
        start, stop, n = stack[waiting]
        low[:], high[:] = bounds[waiting, 0], bounds[waiting, 1]
        a = -1
        if n >= 2 * plan.fewest and stop - start > smallest:
            span = Span(start, stop, low, high)
            a = choose_weighted(rows, scales, room, span, barred, plan.fewest, n)
        if a < 0:
            starts[n_leaves], people[n_leaves] = start, n
            n_leaves += 1
            continue
        n_left = 0
        first = scales.starts[a]
        for code in range(low[a], high[a] + 1):
            if room.goes_left[code]:
                n_left += room.counts[first + code]
        threshold, keeps = room.cut[THRESHOLD], room.cut[MISSING_LEFT]
        middle = divide_packed(rows, room, a, start, stop)
        for turn in range(2):
            # The larger part is put on the stack first, and so waits for the smaller one.
            part = turn if n_left > n - n_left else 1 - turn
            stack[waiting, 0] = middle if part else start
            stack[waiting, 1] = stop if part else middle
            stack[waiting, 2] = n - n_left if part else n_left
            bounds[waiting, 0], bounds[waiting, 1] = low, high
            if part:
                bounds[waiting, 0, a] = threshold + 1
            elif not keeps:
                bounds[waiting, 1, a] = threshold
            waiting += 1
    return starts[:n_leaves].copy(), people[:n_leaves].copy()


@compiled()
def summarise(
    cells: Cells,
    weights: NDArray[np.uint32],
    starts: Ints,
    stops: Ints,
    a: int,
    size: int,
    missing: int,
    out: Ints,
) -> None:
    """Look at one attribute of every class.

    Into the rows of `out`: least and largest known code (`missing` where there is none), different
    codes, people without a value, people, the code at the lower median of those with a value, the
    most common code, and the most common known one.
    """
    counts, met = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    for j in range(starts.shape[0]):
        n_met, n, low, high = 0, np.int64(0), np.int64(missing), np.int64(-1)
        for i in range(starts[j], stops[j]):
            code, weight = np.int64(cells[i, a]), np.int64(weights[i])
            if counts[code] == 0:
                met[n_met] = code
                n_met += 1
                if code != missing:
                    low, high = np.minimum(low, code), np.maximum(high, code)
            counts[code] += weight
            n += weight
        out[0, j], out[1, j], out[2, j], out[3, j], out[4, j] = low, high, n_met, counts[missing], n
        out[5, j] = lower_median(counts, low, high, (n - counts[missing] - 1) // 2, missing)
        out[6, j] = most_common(counts, met, n_met, -1)
        known = most_common(counts, met, n_met, missing)
        out[7, j] = known if known >= 0 else missing
        for place in range(n_met):
            counts[met[place]] = 0


@compiled()
def lower_median(counts: Ints, low: Any, high: Any, wanted: Any, missing: int) -> int:
    """Find the code of the person at a place, counted from 0; `missing` where nobody is."""
    so_far = 0
    for code in range(low, high + 1):
        so_far += counts[code]
        if so_far > wanted:
            return code
    return missing


@compiled()
def most_common(counts: Ints, met: Ints, n_met: int, but: int) -> int:
    """Find the code that most people have, the least of several; one code does not count."""
    best = -1
    for place in range(n_met):
        code = met[place]
        if code == but:
            continue
        if (
            best < 0
            or counts[code] > counts[best]
            or (counts[code] == counts[best] and code < best)
        ):
            best = code
    return best


@compiled()
def tally_classes(
    cells: Cells,
    weights: NDArray[np.uint32],
    starts: Ints,
    stops: Ints,
    a: int,
    size: int,
    out: Ints,
) -> None:
    """List the codes of one attribute in every class, ascending: class, code, people."""
    counts, met = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    at = 0
    for j in range(starts.shape[0]):
        n_met = 0
        for i in range(starts[j], stops[j]):
            code = np.int64(cells[i, a])
            if counts[code] == 0:
                met[n_met] = code
                n_met += 1
            counts[code] += np.int64(weights[i])
        met[:n_met].sort()
        for place in range(n_met):
            code = met[place]
            out[0, at], out[1, at], out[2, at] = j, code, counts[code]
            counts[code] = 0
            at += 1
