"""Compiled cuts of a class: at the median, where most detail is saved, where answers differ."""

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
    Packed,
    Room,
    Scales,
    Span,
)
from sparsam.counting import compiled


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
def middle(counts: Ints, first: int, span: Span, a: int, n: int) -> tuple[int, int]:
    """Find the threshold that parts n rows most evenly, and how many rows it sends left."""
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
    count_one(cells, span, a, scales.starts[a], room.counts)
    return cut_counted(scales, room, span, a, fewest, span.stop - span.start)


@compiled()
def cut_counted(scales: Scales, room: Room, span: Span, a: int, fewest: int, n: int) -> bool:
    """Do so where the codes of the n rows are counted already."""
    first = scales.starts[a]
    if span.high[a] == scales.missing[a]:
        n_missing = room.counts[first + span.high[a]]
        if min(n_missing, n - n_missing) >= fewest:
            mark_threshold(room, scales, span, a, scales.missing[a] - 1, False)
            return True
    at, n_left = middle(room.counts, first, span, a, n)
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
        cost = cost_of_cut(cells, scales, room, span, a)
        if cost < least - 1e-12 * cost:
            best, least = a, cost
    if best >= 0:
        mark_saving(room, scales, span, best)
    return best


@compiled()
def sum_labels(cells: Cells, span: Span, scales: Scales, sums: Floats) -> None:
    """Count every code together with the label, which lies behind the codes of a row."""
    n_attributes = span.low.shape[0]
    for a in range(n_attributes):
        sums[scales.starts[a] + span.low[a] : scales.starts[a] + span.high[a] + 1] = 0.0
    for i in range(span.start, span.stop):
        label = cells[i, n_attributes]
        for a in range(n_attributes):
            sums[scales.starts[a] + cells[i, a], label] += 1.0


@compiled()
def sum_numbers(rows: Packed, span: Span, scales: Scales, sums: Floats) -> float:
    """Add up a numeric answer by code; return the sum of its squares."""
    n_attributes = span.low.shape[0]
    for a in range(n_attributes):
        sums[scales.starts[a] + span.low[a] : scales.starts[a] + span.high[a] + 1] = 0.0
    squares = 0.0
    for i in range(span.start, span.stop):
        value = rows.response[rows.numbers[i]]
        squares += value * value
        for a in range(n_attributes):
            sums[scales.starts[a] + rows.cells[i, a], 0] += value
    return squares


@compiled()
def purity(sums: Floats, n: float) -> float:
    """Return the sum of squares that the mean explains: for labels, n (1 - Gini)."""
    total = 0.0
    for q in range(sums.shape[0]):
        total += sums[q] * sums[q]
    return total / n


@compiled()
def order_codes(room: Room, scales: Scales, span: Span, a: int, label: int) -> int:
    """Order the codes that occur: as they are, or by their share of a label or mean answer."""
    first, m = scales.starts[a], 0
    for code in range(span.low[a], span.high[a] + 1):
        count = room.counts[first + code]
        if count > 0:
            room.order[m] = code
            room.keys[m] = room.sums[first + code, label] / count
            m += 1
    if not scales.ordered[a]:
        sort_codes(room.order, room.keys, m)
    return m


@compiled()
def score_answers(
    room: Room, scales: Scales, span: Span, a: int, label: int, total: Floats, fewest: int
) -> None:
    """Find the cut of one attribute that makes both parts purest."""
    first, n = scales.starts[a], span.stop - span.start
    m = order_codes(room, scales, span, a, label)
    n_missing = 0
    if span.high[a] == scales.missing[a]:
        n_missing = room.counts[first + scales.missing[a]]
    room.gains[a] = -1.0
    for side in range(1 + (n_missing > 0)):
        left = np.zeros(total.shape[0])
        n_left = 0
        if side == 1:
            left += room.sums[first + scales.missing[a]]
            n_left = n_missing
        for j in range(m - 1 - side):
            left += room.sums[first + room.order[j]]
            n_left += room.counts[first + room.order[j]]
            if min(n_left, n - n_left) < fewest:
                continue
            gain = purity(left, n_left) + purity(total - left, n - n_left)
            if gain > room.gains[a]:
                room.gains[a], room.sides[a] = gain, side == 1
                room.places[a] = room.order[j] if scales.ordered[a] else j + 1


@compiled()
def sum_answers(rows: Packed, scales: Scales, room: Room, span: Span, total: Floats) -> float:
    """Add up the answers by code, and over all rows; return the sum of their squares."""
    count_all(rows.cells, span, scales.starts, room.counts)
    squares = float(span.stop - span.start)
    if rows.response.shape[0]:
        squares = sum_numbers(rows, span, scales, room.sums)
    else:
        sum_labels(rows.cells, span, scales, room.sums)
    for cell in range(scales.starts[0] + span.low[0], scales.starts[0] + span.high[0] + 1):
        total += room.sums[cell]
    return squares


@compiled()
def choose_impurity(
    rows: Packed,
    scales: Scales,
    room: Room,
    span: Span,
    barred: Flags,
    fewest: int,
    least_gain: float,
) -> int:
    """Cut where the answers differ most (Gini, or squared error for numbers).

    A cut must explain more than `least_gain` times the mean impurity of a row.
    """
    n = span.stop - span.start
    total = np.zeros(room.sums.shape[1])
    squares = sum_answers(rows, scales, room, span, total)
    explained = purity(total, n)
    impurity = squares - explained
    if impurity <= 1e-9 * squares:
        return -1
    label = int(np.argmax(total))
    for a in range(span.low.shape[0]):
        room.gains[a] = -1.0
        if not (barred[a] or span.low[a] == span.high[a]):
            score_answers(room, scales, span, a, label, total, fewest)
    a = int(np.argmax(room.gains))
    gain = room.gains[a] - explained
    if room.gains[a] < 0 or gain <= 1e-9 * squares or gain <= least_gain * impurity / n:
        return -1
    if scales.ordered[a]:
        mark_threshold(room, scales, span, a, room.places[a], room.sides[a])
    else:
        mark_codes(room, scales, room.places[a], order_codes(room, scales, span, a, label), a)
    return a
