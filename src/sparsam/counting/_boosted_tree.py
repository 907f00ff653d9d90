"""Grow one boosted tree over coded records, best cut first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam.counting._compiled import compiled

Floats = NDArray[np.float64]
Codes = NDArray[np.uint16]
Places = NDArray[np.int32]
Strengths = tuple[float, float, float, float, float]
"""Rate, fewest, ridge, support and smooth of `Boosting`, the last two by what people weigh."""

_MOST_TOGETHER = 256  # codes of columns that are counted together


def together(
    codes: Codes, sizes: Sequence[int]
) -> tuple[Codes, NDArray[np.int64], NDArray[np.int64]]:
    """Columns of few codes as one column, so that one count of it serves for all of them.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_records, n_columns)
    sizes : sequence of int

    Returns
    -------
    joint : ndarray of uint16 of shape (n_records, n_joint)
        A code of a joint column says those of its columns: the last of them changes quickest.
    starts : ndarray of int of shape (n_joint + 1,)
        Where the codes of each joint column begin when all stand side by side.
    members : ndarray of int of shape (n_columns, 3)
        Columns, the joint column of each, and how far apart its codes are there.
    """
    groups: list[list[int]] = []
    size = _MOST_TOGETHER + 1
    for column in sorted(range(len(sizes)), key=lambda column: sizes[column]):
        size *= sizes[column]
        if size > _MOST_TOGETHER:
            groups.append([])
            size = sizes[column]
        groups[-1].append(column)
    joint = np.zeros((len(codes), len(groups)), dtype=np.uint16)
    starts, members = [0], []
    for place, group in enumerate(groups):
        apart = 1
        for column in reversed(group):
            joint[:, place] += codes[:, column] * np.uint16(apart)
            members.append((column, place, apart))
            apart *= sizes[column]
        starts.append(starts[-1] + apart)
    return joint, np.array(starts, dtype=np.int64), np.array(members, dtype=np.int64)


@compiled(error_model="numpy")
def add_tree(
    codes: Codes,
    columns_of: Codes,
    starts: NDArray[np.int64],
    joint: Codes,
    joint_starts: NDArray[np.int64],
    members: NDArray[np.int64],
    unordered: NDArray[np.bool_],
    order: Places,
    others: Places,
    slopes: Floats,
    strengths: Strengths,
    table: Floats,
    spare: Places,
    before: Floats,
    after: Floats,
    told: int,
) -> None:
    """Grow a tree, and add what it says to one column of what was said before.

    `columns_of` are the codes column by column. `order` are the records to learn from, `others`
    those that are only asked for: both are sorted by leaf. There are as many leaves as `table` has
    room for.
    """
    rate, ridge = strengths[0], strengths[2]
    leaves = table.shape[0]
    gains, columns, cuts = np.empty(leaves), np.empty(leaves, np.int64), np.empty(leaves, np.int64)
    widest = widest_column(starts)
    ranked, left = np.empty(widest, np.int64), np.empty(widest, np.bool_)
    told_by_all = np.zeros(starts[-1])
    # where each leaf begins and ends among either
    first, last = np.zeros(leaves, np.int64), np.empty(leaves, np.int64)
    first_asked, last_asked = np.zeros(leaves, np.int64), np.empty(leaves, np.int64)
    last[0], last_asked[0] = order.shape[0], others.shape[0]
    cells = np.empty((joint_starts[-1], 2))
    fill_table(
        codes,
        starts,
        joint,
        joint_starts,
        members,
        order,
        first[0],
        last[0],
        slopes,
        cells,
        table[0],
    )
    for cell in range(starts[-1]):
        told_by_all[cell] = table[0, cell, 0] / (table[0, cell, 1] + strengths[4])
    gains[0], columns[0], cuts[0] = best_cut(
        table[0], starts, unordered, strengths, told_by_all, ranked
    )
    n_leaves = 1
    while n_leaves < leaves:
        leaf, new = 0, n_leaves
        for i in range(1, n_leaves):
            if gains[i] > gains[leaf]:
                leaf = i
        if gains[leaf] <= 1e-9:
            break
        column = columns[leaf]
        own = table[leaf, starts[column] : starts[column + 1]]
        expected = told_by_all[starts[column] : starts[column + 1]]
        set_sides(own, unordered[column], cuts[leaf], strengths, expected, ranked, left)
        last[new], last_asked[new] = last[leaf], last_asked[leaf]
        middle = part(order, first[leaf], last[leaf], columns_of[column], left, spare)
        last[leaf], first[new] = middle, middle
        middle = part(others, first_asked[leaf], last_asked[leaf], columns_of[column], left, spare)
        last_asked[leaf], first_asked[new] = middle, middle
        # the larger part is what the smaller one leaves
        smaller, larger = new, leaf
        if last[leaf] - first[leaf] <= last[new] - first[new]:
            smaller, larger = leaf, new
            copy_into(table[leaf], table[new])
        fill_table(
            codes,
            starts,
            joint,
            joint_starts,
            members,
            order,
            first[smaller],
            last[smaller],
            slopes,
            cells,
            table[smaller],
        )
        for cell in range(starts[-1]):
            table[larger, cell, 0] -= table[smaller, cell, 0]
            table[larger, cell, 1] -= table[smaller, cell, 1]
        for i in (leaf, new):
            gains[i], columns[i], cuts[i] = best_cut(
                table[i], starts, unordered, strengths, told_by_all, ranked
            )
        n_leaves += 1
    for leaf in range(n_leaves):
        slope, stiffness = 0.0, ridge
        for i in range(first[leaf], last[leaf]):
            slope += slopes[order[i], 0]
            stiffness += slopes[order[i], 1]
        step = -rate * slope / stiffness
        for i in range(first[leaf], last[leaf]):
            after[order[i], told] = before[order[i], told] + step
        for i in range(first_asked[leaf], last_asked[leaf]):
            after[others[i], told] = before[others[i], told] + step


@compiled(error_model="numpy")
def copy_into(values: Floats, place: Floats) -> None:
    """Copy one array over another."""
    for row in range(values.shape[0]):
        for told in range(values.shape[1]):
            place[row, told] = values[row, told]


@compiled()
def widest_column(starts: NDArray[np.int64]) -> int:
    """The most codes of any column; in a loop, as numpy's functions take seconds to compile."""
    widest = 0
    for column in range(starts.shape[0] - 1):
        widest = max(widest, starts[column + 1] - starts[column])
    return widest


@compiled(error_model="numpy")
def fill_table(
    codes: Codes,
    starts: NDArray[np.int64],
    joint: Codes,
    joint_starts: NDArray[np.int64],
    members: NDArray[np.int64],
    rows: Places,
    first: int,
    last: int,
    slopes: Floats,
    cells: Floats,
    table: Floats,
) -> None:
    """Sum the derivatives over the records of each code of each column.

    Many records are counted by the columns of several together, few by each column.
    """
    table[:] = 0.0
    if (last - first) * (codes.shape[1] - joint.shape[1]) < 2 * cells.shape[0]:
        add_records(codes, starts, rows, first, last, slopes, table)
        return
    cells[:] = 0.0
    add_records(joint, joint_starts, rows, first, last, slopes, cells)
    for i in range(members.shape[0]):
        column, place, apart = members[i]
        size = starts[column + 1] - starts[column]
        for outer in range(joint_starts[place], joint_starts[place + 1], size * apart):
            for code in range(size):
                slope, stiffness = 0.0, 0.0
                for cell in range(outer + code * apart, outer + (code + 1) * apart):
                    slope += cells[cell, 0]
                    stiffness += cells[cell, 1]
                table[starts[column] + code, 0] += slope
                table[starts[column] + code, 1] += stiffness


@compiled(error_model="numpy")
def add_records(
    codes: Codes,
    starts: NDArray[np.int64],
    rows: Places,
    first: int,
    last: int,
    slopes: Floats,
    table: Floats,
) -> None:
    """Add the derivatives of some records where their codes are."""
    for i in range(first, last):
        row = np.uint32(rows[i])  # a place that cannot be negative is found sooner
        slope, stiffness = slopes[row, 0], slopes[row, 1]
        for column in range(codes.shape[1]):
            cell = np.uint32(starts[column]) + np.uint32(codes[row, column])
            table[cell, 0] += slope
            table[cell, 1] += stiffness


@compiled(error_model="numpy")
def best_cut(
    table: Floats,
    starts: NDArray[np.int64],
    unordered: NDArray[np.bool_],
    strengths: Strengths,
    told_by_all: Floats,
    ranked: NDArray[np.int64],
) -> tuple[float, int, int]:
    """The cut that helps most: how much, of which column, and the last place on its left."""
    fewest, ridge = strengths[1], strengths[2]
    best, best_column, best_cut = 0.0, 0, 0
    slope, stiffness = 0.0, 0.0
    for cell in range(starts[0], starts[1]):
        slope += table[cell, 0]
        stiffness += table[cell, 1]
    whole = slope * slope / (stiffness + ridge)
    for column in range(starts.shape[0] - 1):
        left, weight = 0.0, 0.0
        if unordered[column]:
            cells = table[starts[column] : starts[column + 1]]
            n_ranked = put_in_order(
                cells, strengths, told_by_all[starts[column] : starts[column + 1]], ranked
            )
            gain, place = best_place(cells, ranked[:n_ranked], slope, stiffness, strengths)
            if gain - whole > best + 1e-12:
                best, best_column, best_cut = gain - whole, column, place
            continue
        for cell in range(starts[column], starts[column + 1] - 1):
            left += table[cell, 0]
            weight += table[cell, 1]
            if weight < fewest or table[cell, 1] == 0.0:
                continue
            if stiffness - weight < fewest:
                break
            right = slope - left
            gain = left * left / (weight + ridge) + right * right / (stiffness - weight + ridge)
            if gain - whole > best + 1e-12:
                best, best_column, best_cut = gain - whole, column, cell - starts[column]
    return best, best_column, best_cut


@compiled(error_model="numpy")
def best_place(
    cells: Floats,
    ranked: NDArray[np.int64],
    slope: float,
    stiffness: float,
    strengths: Strengths,
) -> tuple[float, int]:
    """The best cut of the categories in their order: its gain, and the last place on its left."""
    fewest, ridge = strengths[1], strengths[2]
    known, known_weight = 0.0, 0.0
    for place in range(ranked.shape[0]):
        known += cells[ranked[place], 0]
        known_weight += cells[ranked[place], 1]
    best, best_place, left, weight = 0.0, 0, 0.0, 0.0
    for place in range(ranked.shape[0] - 1):
        left += cells[ranked[place], 0]
        weight += cells[ranked[place], 1]
        slope_left, weight_left = left, weight
        if 2 * weight > known_weight:  # the others are with the heavier side
            slope_left += slope - known
            weight_left += stiffness - known_weight
        if weight_left < fewest or stiffness - weight_left < fewest:
            continue
        right = slope - slope_left
        gain = slope_left * slope_left / (weight_left + ridge)
        gain += right * right / (stiffness - weight_left + ridge)
        if gain > best + 1e-12:
            best, best_place = gain, place
    return best, best_place


@compiled(error_model="numpy")
def put_in_order(
    cells: Floats, strengths: Strengths, expected: Floats, ranked: NDArray[np.int64]
) -> int:
    """Rank the categories with enough weight by what they tell; return how many there are.

    Equal ones keep the order of their codes.
    """
    support, smooth = strengths[3], strengths[4]
    n_ranked = 0
    for code in range(cells.shape[0]):
        if cells[code, 1] >= support and cells[code, 1] > 0.0:
            ranked[n_ranked] = code
            n_ranked += 1
    gap = 1
    while gap < n_ranked // 3:
        gap = 3 * gap + 1
    while gap > 0:  # Shell's sort: no memory is asked for, and few categories take no time
        for i in range(gap, n_ranked):
            code = ranked[i]
            told = (cells[code, 0] + smooth * expected[code]) / (cells[code, 1] + smooth)
            j = i
            while j >= gap:
                other = ranked[j - gap]
                other_told = cells[other, 0] + smooth * expected[other]
                other_told /= cells[other, 1] + smooth
                if other_told < told or (other_told == told and other < code):
                    break
                ranked[j] = other
                j -= gap
            ranked[j] = code
        gap //= 3
    return n_ranked


@compiled(error_model="numpy")
def set_sides(
    cells: Floats,
    unordered: bool,
    cut: int,
    strengths: Strengths,
    expected: Floats,
    ranked: NDArray[np.int64],
    left: NDArray[np.bool_],
) -> None:
    """Which codes of a column are on the left of a cut of `best_cut`."""
    n_codes = cells.shape[0]
    if not unordered:
        for code in range(n_codes):
            left[code] = code <= cut
        return
    n_ranked = put_in_order(cells, strengths, expected, ranked)
    weight, known_weight = 0.0, 0.0
    for place in range(n_ranked):
        known_weight += cells[ranked[place], 1]
        if place <= cut:
            weight += cells[ranked[place], 1]
    for code in range(n_codes):
        left[code] = 2 * weight > known_weight
    for place in range(n_ranked):
        left[ranked[place]] = place <= cut


@compiled(error_model="numpy")
def part(
    rows: Places,
    first: int,
    last: int,
    codes: Codes,
    left: NDArray[np.bool_],
    spare: Places,
) -> int:
    """Move the records on the left to the front, keeping their order; return where they end.

    `codes` are those of all records in the column that is cut.
    """
    middle, n_right = first, 0
    for i in range(first, last):
        row = rows[i]
        # both are written and one counts: nothing need be guessed by the processor
        rows[middle] = row
        spare[n_right] = row
        is_left = int(left[codes[np.uint32(row)]])
        middle += is_left
        n_right += 1 - is_left
    for i in range(n_right):
        rows[middle + i] = spare[i]
    return middle
