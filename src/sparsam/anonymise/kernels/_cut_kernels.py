"""Compiled parts of every cut of a class, and the cut at the median."""

from __future__ import annotations

import numpy as np

from sparsam.anonymise.kernels._packed_rows import (
    MASKED,
    MISSING_LEFT,
    QUOTA,
    SHARED,
    THRESHOLD,
    Cells,
    Flags,
    Floats,
    Ints,
    Room,
    Scales,
    Span,
)
from sparsam.counting._compiled import compiled


@compiled()
def count_one(cells: Cells, span: Span, a: int, first: int, counts: Ints) -> None:
    """Count the codes of one attribute."""
    counts[first + span.low[a] : first + span.high[a] + 1] = 0
    for i in range(span.start, span.stop):
        counts[first + cells[i, a]] += 1


@compiled()
def count_all(cells: Cells, span: Span, starts: Ints, counts: Ints) -> None:
    """Count the codes of every attribute, and tighten the bounds to codes that occur."""
    low, high = span.low, span.high
    n_attributes = low.shape[0]
    for a in range(n_attributes):
        counts[starts[a] + low[a] : starts[a] + high[a] + 1] = 0
    for i in range(span.start, span.stop):
        for a in range(n_attributes):
            counts[starts[a] + cells[i, a]] += 1
    for a in range(n_attributes):
        while counts[starts[a] + low[a]] == 0:
            low[a] += 1
        while counts[starts[a] + high[a]] == 0:
            high[a] -= 1


@compiled()
def extent(scales: Scales, a: int, low: int, high: int) -> float:
    """Return what a class costs in an ordered attribute: 1 where values and missing are mixed."""
    if high == scales.missing[a]:
        return 0.0 if low == high else 1.0
    first = scales.starts[a]
    return float(scales.highs[first + high] - scales.lows[first + low])


@compiled()
def mark_threshold(room: Room, scales: Scales, span: Span, a: int, at: int, side: bool) -> None:
    """Let codes up to a threshold go left, and missing values where `side` says so."""
    for code in range(span.low[a], span.high[a] + 1):
        room.goes_left[code] = code <= at
    if side:
        room.goes_left[scales.missing[a]] = True
    room.cut[THRESHOLD], room.cut[MISSING_LEFT], room.cut[MASKED] = at, side, 0
    room.cut[SHARED], room.cut[QUOTA] = -1, 0


@compiled()
def mark_codes(room: Room, scales: Scales, n_left_codes: int, m: int, a: int) -> None:
    """Let the first codes of an order go left; codes that do not occur go with the larger part."""
    first = scales.starts[a]
    n_left, n_right = 0, 0
    for j in range(m):
        count = room.counts[first + room.order[j]]
        if j < n_left_codes:
            n_left += count
        else:
            n_right += count
    room.goes_left[: scales.sizes[a]] = n_left > n_right
    for j in range(m):
        room.goes_left[room.order[j]] = j < n_left_codes
    room.cut[THRESHOLD], room.cut[MISSING_LEFT], room.cut[MASKED] = -1, 0, 1
    room.cut[SHARED], room.cut[QUOTA] = -1, 0


@compiled()
def sort_codes(order: Ints, keys: Floats, m: int) -> None:
    """Sort codes by descending key, equal keys by ascending code (Shell's sort)."""
    gap = 1
    while gap < m // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, m):
            code, key = order[i], keys[i]
            j = i - gap
            while j >= 0 and (keys[j] < key or (keys[j] == key and order[j] > code)):
                order[j + gap], keys[j + gap] = order[j], keys[j]
                j -= gap
            order[j + gap], keys[j + gap] = code, key
        gap //= 3


@compiled()
def most_common_first(room: Room, scales: Scales, span: Span, a: int) -> int:
    """Order the codes that occur by how often they do; return how many there are."""
    first, m = scales.starts[a], 0
    for code in range(span.low[a], span.high[a] + 1):
        count = room.counts[first + code]
        if count > 0:
            room.order[m], room.keys[m] = code, count
            m += 1
    sort_codes(room.order, room.keys, m)
    return m


@compiled()
def middle(counts: Ints, first: int, span: Span, a: int) -> tuple[int, int]:
    """Find the threshold that parts the rows most evenly, and how many rows it sends left."""
    n = span.stop - span.start
    at, best, so_far = -1, 0, 0
    for code in range(span.low[a], span.high[a]):
        so_far += counts[first + code]
        if min(so_far, n - so_far) > min(best, n - best):
            at, best = code, so_far
        if 2 * so_far >= n:
            break
    return at, best


@compiled()
def mark_relaxed(room: Room, scales: Scales, span: Span, a: int) -> None:
    """Part a class in two halves; rows with the median code lie on both sides."""
    half, so_far = (span.stop - span.start) // 2, 0
    code, first = span.low[a], scales.starts[a]
    while so_far + room.counts[first + code] < half:
        so_far += room.counts[first + code]
        code += 1
    mark_threshold(room, scales, span, a, code, False)
    room.cut[SHARED], room.cut[QUOTA] = code, half - so_far


@compiled()
def measure_widths(scales: Scales, room: Room, span: Span, barred: Flags) -> None:
    """Measure how far a class extends in each attribute; -1 where it must not or cannot be cut."""
    for a in range(span.low.shape[0]):
        low, high = span.low[a], span.high[a]
        if barred[a] or low == high:
            room.gains[a] = -1.0
        elif scales.ordered[a]:
            room.gains[a] = extent(scales, a, low, high)
        else:
            room.gains[a] = (high - low) * scales.units[a]


@compiled()
def cut_at_median(
    cells: Cells, scales: Scales, room: Room, span: Span, a: int, fewest: int
) -> bool:
    """Cut one attribute as evenly as can be, missing values off first, where that is allowed."""
    n, first = span.stop - span.start, scales.starts[a]
    count_one(cells, span, a, first, room.counts)
    if span.high[a] == scales.missing[a]:
        n_missing = room.counts[first + span.high[a]]
        if min(n_missing, n - n_missing) >= fewest:
            mark_threshold(room, scales, span, a, scales.missing[a] - 1, False)
            return True
    at, n_left = middle(room.counts, first, span, a)
    if min(n_left, n - n_left) < fewest:
        return False
    mark_threshold(room, scales, span, a, at, False)
    return True


@compiled()
def choose_median(
    cells: Cells, scales: Scales, room: Room, span: Span, barred: Flags, fewest: int, relaxed: bool
) -> int:
    """Cut the widest attribute that can be cut at its median (LeFevre et al. 2006).

    Relaxed, where none can, people with the median code of the widest are spread over both sides.
    """
    measure_widths(scales, room, span, barred)
    widest = int(np.argmax(room.gains))
    if room.gains[widest] < 0:
        return -1
    for _ in range(span.low.shape[0]):
        a = int(np.argmax(room.gains))
        if room.gains[a] < 0:
            break
        if cut_at_median(cells, scales, room, span, a, fewest):
            return a
        room.gains[a] = -1.0
    if relaxed and span.stop - span.start >= 2 * fewest:
        count_one(cells, span, widest, scales.starts[widest], room.counts)
        mark_relaxed(room, scales, span, widest)
        return widest
    return -1
