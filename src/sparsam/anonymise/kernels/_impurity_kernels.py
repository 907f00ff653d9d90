"""Compiled choice of the cut that tells the answers of a model apart best."""

from __future__ import annotations

import numpy as np

from sparsam.anonymise.kernels._cut_kernels import count_all, mark_codes, mark_threshold, sort_codes
from sparsam.anonymise.kernels._packed_rows import Cells, Flags, Floats, Packed, Room, Scales, Span
from sparsam.counting._compiled import compiled


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
