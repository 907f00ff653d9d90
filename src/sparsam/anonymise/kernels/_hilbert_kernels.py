"""Compiled places along the Hilbert curve, and the best way to cut a line of records in groups."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.kernels._cut_kernels import extent
from sparsam.anonymise.kernels._packed_rows import Floats, Ints, Scales
from sparsam.counting import compiled

WORD = 64
FIRST, PIVOT, END = range(3)
PATIENCE = 4  # groups to look at before asking whether longer ones can be better


@compiled()
def _unfold(point: Ints, n_bits: int) -> None:
    """Turn the coordinates of a cell into its place along the curve, spread over the coordinates.

    The idea is Skilling's (2004): undo the turns and mirrorings of every smaller cube, from the
    largest to the smallest, then the Gray code that joins the cubes of one size. The bits of the
    place are the highest bits of all coordinates, then the next ones, and so on.
    """
    n = point.shape[0]
    first = point[0]
    for level in range(n_bits - 1, 0, -1):
        below = (np.int64(1) << level) - 1
        for a in range(n):
            here = first if a == 0 else point[a]
            if (here >> level) & 1:
                first ^= below
            elif a > 0:
                swapped = (first ^ here) & below
                first ^= swapped
                point[a] = here ^ swapped
    point[0] = first
    for a in range(1, n):
        point[a] ^= point[a - 1]
    turned = np.int64(0)
    for level in range(n_bits - 1, 0, -1):
        if (point[n - 1] >> level) & 1:
            turned ^= (np.int64(1) << level) - 1
    for a in range(n):
        point[a] ^= turned


@compiled()
def curve_keys(
    codes: NDArray[np.uint16],
    axes: Ints,
    starts: Ints,
    cells: Ints,
    n_bits: int,
    keys: NDArray[np.uint64],
) -> None:
    """Write the place of each row along the curve, as words of 64 bits, the highest first.

    `axes` is the order of the attributes; `cells` holds the coordinate of every code, those of each
    attribute from its start.
    """
    n_attributes = codes.shape[1]
    point = np.empty(n_attributes, np.int64)
    for i in range(codes.shape[0]):
        for a in range(n_attributes):
            point[a] = cells[starts[axes[a]] + codes[i, axes[a]]]
        _unfold(point, n_bits)
        word, filled, at = np.uint64(0), 0, 0
        for level in range(n_bits - 1, -1, -1):
            for a in range(n_attributes):
                word = (word << np.uint64(1)) | np.uint64((point[a] >> level) & 1)
                filled += 1
                if filled == WORD:
                    keys[i, at] = word
                    word, filled, at = np.uint64(0), 0, at + 1
        if filled:
            keys[i, at] = word << np.uint64(WORD - filled)


@compiled()
def place_keys(bounds: NDArray[np.uint64], keys: NDArray[np.uint64]) -> Ints:
    """Find how many of the ascending bounds are at or below each key."""
    places = np.empty(keys.shape[0], np.int64)
    for i in range(keys.shape[0]):
        low, high = 0, bounds.shape[0]
        while low < high:
            middle = (low + high) // 2
            above = False
            for w in range(keys.shape[1]):
                if bounds[middle, w] != keys[i, w]:
                    above = bounds[middle, w] > keys[i, w]
                    break
            if above:
                high = middle
            else:
                low = middle + 1
        places[i] = low
    return places


class Shortest(NamedTuple):
    """The shortest group that ends with a record: what it holds, and memory to follow it.

    `place` has its first record, a pivot and its end. Of the records before the pivot, `lows` and
    `highs` hold the bounds of every end piece; `low` and `high` are the bounds of the others.
    `counts` counts the categories of all, and `distinct` how many there are.
    """

    place: Ints
    lows: Ints
    highs: Ints
    low: Ints
    high: Ints
    counts: Ints
    distinct: Ints


@compiled()
def _take_in(group: Shortest, records: NDArray[np.uint16], scales: Scales) -> None:
    """Let the group end with the next record."""
    record = records[group.place[END]]
    for a in range(record.shape[0]):
        code = np.int64(record[a])
        if scales.ordered[a]:
            group.low[a], group.high[a] = min(group.low[a], code), max(group.high[a], code)
        else:
            cell = scales.starts[a] + code
            group.distinct[a] += group.counts[cell] == 0
            group.counts[cell] += 1
    group.place[END] += 1


@compiled()
def _let_go(group: Shortest, records: NDArray[np.uint16], scales: Scales) -> None:
    """Let the group begin one record later."""
    n = scales.sizes.shape[0]
    start, pivot, end = group.place
    for a in range(n):
        if not scales.ordered[a]:
            cell = scales.starts[a] + np.int64(records[start, a])
            group.counts[cell] -= 1
            group.distinct[a] -= group.counts[cell] == 0
    group.place[FIRST] += 1
    if start + 1 < pivot:
        return
    # Every end piece is measured anew, which happens once for every record.
    group.place[PIVOT] = end
    group.low[:], group.high[:] = scales.sizes, -1
    for i in range(end - 1, start, -1):
        for a in range(n):
            code = np.int64(records[i, a])
            group.low[a], group.high[a] = min(group.low[a], code), max(group.high[a], code)
        at = i % group.lows.shape[0]
        group.lows[at], group.highs[at] = group.low, group.high
    group.low[:], group.high[:] = scales.sizes, -1


@compiled()
def _width(group: Shortest, scales: Scales, low: Ints, high: Ints) -> float:
    """Measure how wide the group is, and write its bounds."""
    start, pivot, _ = group.place
    low[:], high[:] = group.low, group.high
    width = 0.0
    for a in range(low.shape[0]):
        if not scales.ordered[a]:
            width += (group.distinct[a] - 1) * scales.units[a]
            continue
        if start < pivot:
            at = start % group.lows.shape[0]
            low[a] = min(low[a], group.lows[at, a])
            high[a] = max(high[a], group.highs[at, a])
        width += extent(scales, a, low[a], high[a])
    return width


@compiled()
def _widen(
    record: NDArray[np.uint16],
    scales: Scales,
    low: Ints,
    high: Ints,
    counts: Ints,
    marks: Ints,
    mark: int,
) -> float:
    """Let a longer group take in one more record; return by how much it becomes wider."""
    wider = 0.0
    for a in range(record.shape[0]):
        code, first = np.int64(record[a]), scales.starts[a]
        if not scales.ordered[a]:
            if counts[first + code] == 0 and marks[first + code] != mark:
                marks[first + code] = mark
                wider += scales.units[a]
        elif code < low[a] or code > high[a]:
            before = extent(scales, a, low[a], high[a])
            low[a], high[a] = min(low[a], code), max(high[a], code)
            wider += extent(scales, a, low[a], high[a]) - before
    return wider


@compiled()
def _hopeless(queue: Ints, least: Floats, at: Ints, j: int, width: float) -> bool:
    """Whether no earlier start can be better, even if the group became no wider."""
    for t in range(queue.shape[0]):
        if least[queue[t]] + width * (at[j] - at[queue[t]]) < least[j]:
            return False
    return True


@compiled()
def best_groups(
    records: NDArray[np.uint16], ends: Ints, scales: Scales, fewest: int
) -> tuple[Ints, Floats]:
    """Cut a line of records into groups of at least so many rows that lose least together.

    Dynamic programming over where the last group begins (Ghinita et al. 2007). A group that could
    be cut in two large enough ones is never better than the two, so only those that cannot be are
    looked at. `ends` holds the number of rows up to and including each record. Returns where the
    group begins that ends with each record, and what all rows up to there lose; infinite where
    there are too few.
    """
    n, n_attributes = records.shape
    at = np.zeros(n + 1, np.int64)
    at[1:] = ends
    least, begins = np.full(n + 1, np.inf), np.full(n + 1, -1, np.int64)
    least[0] = 0.0
    low, high = np.zeros_like(scales.sizes), np.zeros_like(scales.sizes)
    marks = np.full(scales.sizes.sum(), -1, np.int64)
    # The last place at which a group may begin, and the first one that is worth a look; the queue
    # holds those between them that lose less than all later ones. No other can be the best.
    last, first, head, tail = -1, 0, 0, 0
    queue = np.empty(n + 1, np.int64)
    length = min(fewest, n) + 1
    group = Shortest(
        np.zeros(3, np.int64),
        np.zeros((length, n_attributes), np.int64),
        np.zeros((length, n_attributes), np.int64),
        scales.sizes.copy(),
        np.full(n_attributes, -1, np.int64),
        np.zeros(scales.sizes.sum(), np.int64),
        np.zeros(n_attributes, np.int64),
    )
    for j in range(1, n + 1):
        _take_in(group, records, scales)
        while at[j] - at[last + 1] >= fewest:
            last += 1
            if last > 0:
                _let_go(group, records, scales)
            while tail > head and least[queue[tail - 1]] >= least[last]:
                tail -= 1
            queue[tail] = last
            tail += 1
        if last < 0:
            continue
        while at[last] - at[first] >= fewest:
            first += 1
        while queue[head] < first:
            head += 1
        width = _width(group, scales, low, high)
        i = last
        for t in range(tail - 1, head - 1, -1):
            while i > queue[t]:
                i -= 1
                width += _widen(records[i], scales, low, high, group.counts, marks, j)
            lost = least[i] + width * (at[j] - at[i])
            if lost < least[j]:
                least[j], begins[j] = lost, i
            if (tail - t) % PATIENCE == 0 and _hopeless(queue[head:t], least, at, j, width):
                break
    return begins[1:], least[1:]
