"""Compiled choice of the cut that saves most detail."""

from __future__ import annotations

import numpy as np

from sparsam.anonymise.kernels._cut_kernels import (
    count_all,
    extent,
    mark_codes,
    mark_threshold,
    most_common_first,
)
from sparsam.anonymise.kernels._packed_rows import Cells, Flags, Ints, Room, Scales, Span
from sparsam.counting._compiled import compiled

FEW = 24  # so many categories or fewer are tried in all runs
RUN = 1 << 20  # a run is written as one number: where it begins, times this, and its length


@compiled()
def better(gain: float, balance: int, best: float, best_balance: int) -> bool:
    """Whether a cut saves more, or as much and parts the rows more evenly."""
    slack = 1e-12 * (abs(best) + 1.0)
    return gain > best + slack or (gain > best - slack and balance > best_balance)


@compiled()
def score_ordered(room: Room, scales: Scales, span: Span, a: int, fewest: int) -> None:
    """Find the threshold that saves most detail of one ordered attribute."""
    first, low, high = scales.starts[a], span.low[a], span.high[a]
    n = span.stop - span.start
    whole = n * extent(scales, a, low, high)
    n_missing, top, most_balanced = 0, high, 0
    best = -1.0
    if high == scales.missing[a]:
        n_missing = room.counts[first + high]
        top -= 1
        while room.counts[first + top] == 0:
            top -= 1
        if min(n_missing, n - n_missing) >= fewest:
            best = whole - (n - n_missing) * extent(scales, a, low, top)
            most_balanced = min(n_missing, n - n_missing)
            room.places[a], room.sides[a] = scales.missing[a] - 1, False
    code, n_left = low, 0
    while code < top:
        n_left += room.counts[first + code]
        after = code + 1
        while room.counts[first + after] == 0:
            after += 1
        for side in range(1 + (n_missing > 0)):
            left = n_left + n_missing * side
            if min(left, n - left) < fewest:
                continue
            left_cost = 1.0 if side == 1 else extent(scales, a, low, code)
            mixed = n_missing > 0 and side == 0
            right_cost = 1.0 if mixed else extent(scales, a, after, top)
            gain = whole - left * left_cost - (n - left) * right_cost
            if better(gain, min(left, n - left), best, most_balanced):
                best, most_balanced = gain, min(left, n - left)
                room.places[a], room.sides[a] = code, side == 1
        code = after
    room.gains[a] = best


@compiled()
def score_codes(room: Room, scales: Scales, span: Span, a: int, fewest: int) -> None:
    """Find the run of categories, in the order of how common they are, that saves most detail.

    The most common ones against the others save most where both parts are large enough; runs
    further down matter where these would leave too few, so long orders do without them.
    """
    m = most_common_first(room, scales, span, a)
    n = span.stop - span.start
    best, most_balanced = -1.0, 0
    for begin in range(m if m <= FEW else 1):
        n_left = 0
        for end in range(begin + 1, m + (begin > 0)):
            n_left += room.counts[scales.starts[a] + room.order[end - 1]]
            if n_left < fewest:
                continue
            if n - n_left < fewest:
                break
            j = end - begin
            cost = n_left * (j - 1.0) + (n - n_left) * (m - j - 1.0)
            gain = scales.units[a] * (n * (m - 1.0) - cost)
            if better(gain, min(n_left, n - n_left), best, most_balanced):
                best, most_balanced = gain, min(n_left, n - n_left)
                room.places[a] = begin * RUN + j
    room.gains[a] = best


@compiled()
def mark_run(room: Room, scales: Scales, span: Span, a: int) -> None:
    """Let a run of categories go left: it is moved to the front of their order."""
    m = most_common_first(room, scales, span, a)
    begin, length = room.places[a] // RUN, room.places[a] % RUN
    room.order[:m] = np.concatenate(
        (room.order[begin : begin + length], room.order[:begin], room.order[begin + length : m])
    )
    mark_codes(room, scales, length, m, a)


@compiled()
def mark_saving(room: Room, scales: Scales, span: Span, a: int) -> None:
    """Mark the cut of an attribute that was found to save most detail of it."""
    if scales.ordered[a]:
        mark_threshold(room, scales, span, a, room.places[a], room.sides[a])
    else:
        mark_run(room, scales, span, a)


@compiled()
def cost(scales: Scales, counts: Ints, other: Ints, sign: int, span: Span) -> float:
    """Return what a class costs in all attributes; its counts are `other` or the rest of them."""
    total = 0.0
    for a in range(span.low.shape[0]):
        first, last = scales.starts[a], -1
        least, distinct = -1, 0
        for code in range(span.low[a], span.high[a] + 1):
            count = other[first + code]
            if sign < 0:
                count = counts[first + code] - count
            if count > 0:
                least = code if least < 0 else least
                last = code
                distinct += 1
        if scales.ordered[a]:
            total += extent(scales, a, least, last)
        else:
            total += (distinct - 1) * scales.units[a]
    return total


@compiled()
def cost_of_cut(cells: Cells, scales: Scales, room: Room, span: Span, a: int) -> float:
    """Return what the two parts of the marked cut cost together in all attributes."""
    n, n_left = span.stop - span.start, 0
    first, low, high = scales.starts[a], span.low, span.high
    for code in range(low[a], high[a] + 1):
        if room.goes_left[code]:
            n_left += room.counts[first + code]
    smaller_left = 2 * n_left <= n
    for b in range(low.shape[0]):
        room.part[scales.starts[b] + low[b] : scales.starts[b] + high[b] + 1] = 0
    for i in range(span.start, span.stop):
        if room.goes_left[cells[i, a]] == smaller_left:
            for b in range(low.shape[0]):
                room.part[scales.starts[b] + cells[i, b]] += 1
    n_part = n_left if smaller_left else n - n_left
    part = n_part * cost(scales, room.counts, room.part, 1, span)
    return part + (n - n_part) * cost(scales, room.counts, room.part, -1, span)


@compiled()
def choose_loss(
    cells: Cells, scales: Scales, room: Room, span: Span, barred: Flags, fewest: int, tries: int
) -> int:
    """Cut where the two parts together lose least detail.

    The cuts that save most of their own attribute are compared by all attributes.
    """
    count_all(cells, span, scales.starts, room.counts)
    n_attributes = span.low.shape[0]
    for a in range(n_attributes):
        room.gains[a] = -1.0
        if barred[a] or span.low[a] == span.high[a]:
            continue
        if scales.ordered[a]:
            score_ordered(room, scales, span, a, fewest)
        else:
            score_codes(room, scales, span, a, fewest)
    best, least = -1, np.inf
    for _ in range(tries):
        a = int(np.argmax(room.gains))
        if room.gains[a] < 0:
            break
        room.gains[a] = -1.0
        if tries == 1:
            best = a
            break
        mark_saving(room, scales, span, a)
        found = cost_of_cut(cells, scales, room, span, a)
        if found < least - 1e-12 * found:
            best, least = a, found
    if best >= 0:
        mark_saving(room, scales, span, best)
    return best
