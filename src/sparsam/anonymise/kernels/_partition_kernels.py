"""Compiled growth of a tree of classes, and the way of new rows through it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.kernels._cut_kernels import choose_median
from sparsam.anonymise.kernels._impurity_kernels import choose_impurity
from sparsam.anonymise.kernels._loss_kernels import choose_loss
from sparsam.anonymise.kernels._packed_rows import (
    IMPURITY,
    LEAF,
    MASKED,
    MISSING_LEFT,
    QUOTA,
    RELAXED,
    SHARED,
    THRESHOLD,
    Cells,
    Flags,
    Grown,
    Ints,
    Packed,
    Plan,
    Room,
    Scales,
    Span,
)
from sparsam.counting._compiled import compiled

LOOKED_AT = 64  # rows at once for their bounds
DEEPEST = 80  # of the stack: the larger part waits, so each waiting one is half the one before


@compiled()
def choose_cut(
    plan: Plan, rows: Packed, scales: Scales, room: Room, span: Span, barred: Flags
) -> int:
    """Find the attribute to cut and mark the codes that go left; -1 where no cut leaves enough."""
    found = -1
    if plan.mode <= RELAXED:
        relaxed = plan.mode == RELAXED
        find_bounds(rows.cells, span)
        return choose_median(rows.cells, scales, room, span, barred, plan.fewest, relaxed)
    if plan.mode >= IMPURITY:
        found = choose_impurity(rows, scales, room, span, barred, plan.fewest, plan.least_gain)
    if found < 0 and plan.mode != IMPURITY:
        found = choose_loss(rows.cells, scales, room, span, barred, plan.fewest, plan.tries)
    return found


@compiled()
def divide_packed(rows: Packed, room: Room, attribute: int, start: int, stop: int) -> int:
    """Move the rows that go left to the front, keeping their order; return where the right begin.

    Rows with the shared code go left until its quota is used up.
    """
    words, spare, cells, goes_left = rows.words, rows.spare, rows.cells, room.goes_left
    n_words = words.shape[1]
    shared, quota = room.cut[SHARED], room.cut[QUOTA]
    left, right = start, 0
    for i in range(start, stop):
        code = cells[i, attribute]
        go = int(goes_left[code])
        if code == shared:
            go = int(quota > 0)
            quota -= 1
        # Written to both places: a branch that nothing can foresee costs more.
        for w in range(n_words):
            word = words[i, w]
            words[left, w] = word
            spare[right, w] = word
        left += go
        right += 1 - go
    for i in range(right):
        for w in range(n_words):
            words[left + i, w] = spare[i, w]
    return left


@compiled()
def find_bounds(cells: Cells, span: Span) -> None:
    """Find the least and the largest code of every attribute among some rows.

    The bounds given are those of more rows; an attribute that has reached both is looked at no
    further.
    """
    low, high = span.low, span.high
    least, most = low.copy(), high.copy()
    left = np.arange(low.shape[0])
    n_left = left.shape[0]
    for a in left:
        low[a] = cells[span.start, a]
        high[a] = low[a]
    at = span.start
    while at < span.stop and n_left > 0:
        end = min(at + LOOKED_AT, span.stop)
        kept = 0
        for place in range(n_left):
            a = left[place]
            least_here, most_here = low[a], high[a]
            for i in range(at, end):
                code = np.int64(cells[i, a])
                least_here = min(least_here, code)
                most_here = max(most_here, code)
            low[a], high[a] = least_here, most_here
            if least_here > least[a] or most_here < most[a]:
                left[kept] = a
                kept += 1
        n_left = kept
        at = end


@compiled()
def keep_mask(
    masks: NDArray[np.uint8], used: int, goes_left: Flags, size: int
) -> NDArray[np.uint8]:
    """Add one bit per code behind the masks that are in use; longer memory when it is full."""
    n_bytes = (size + 7) // 8
    if used + n_bytes > masks.shape[0]:
        longer = np.zeros(2 * masks.shape[0] + n_bytes, np.uint8)
        longer[:used] = masks[:used]
        masks = longer
    for code in range(size):
        if goes_left[code]:
            masks[used + code // 8] |= np.uint8(1 << (code % 8))
    return masks


@compiled()
def empty_tree(n_nodes: int) -> Grown:
    """Set memory aside for so many nodes."""
    return Grown(
        np.full(n_nodes, LEAF, np.int32),
        np.full(n_nodes, -1, np.int32),
        np.zeros(n_nodes, np.bool_),
        np.full(n_nodes, -1, np.int64),
        np.full((n_nodes, 2), -1, np.int32),
        np.full(n_nodes, -1, np.int32),
        np.zeros(1024, np.uint8),
    )


@compiled()
def shortened(tree: Grown, n_nodes: int, masks: NDArray[np.uint8]) -> Grown:
    """Keep only the memory that is in use."""
    return Grown(
        tree.attribute[:n_nodes].copy(),
        tree.threshold[:n_nodes].copy(),
        tree.missing_left[:n_nodes].copy(),
        tree.mask_at[:n_nodes].copy(),
        tree.children[:n_nodes].copy(),
        tree.leaf[:n_nodes].copy(),
        masks.copy(),
    )


@compiled()
def write_cut(tree: Grown, room: Room, node: int, attribute: int, used: int, first: int) -> None:
    """Write the marked cut of a node, whose children are `first` and the next."""
    tree.attribute[node], tree.threshold[node] = attribute, room.cut[THRESHOLD]
    tree.missing_left[node] = room.cut[MISSING_LEFT] == 1
    tree.mask_at[node] = used if room.cut[MASKED] else -1
    tree.children[node, 0], tree.children[node, 1] = first, first + 1


@compiled()
def grow(plan: Plan, rows: Packed, scales: Scales, room: Room, of_row: Ints) -> Grown:
    """Cut classes until no cut leaves enough rows on both sides; write the class of each row."""
    n, n_attributes = rows.words.shape[0], scales.sizes.shape[0]
    tree = empty_tree(2 * (n // plan.fewest) + 1)
    masks, barred = tree.masks, np.zeros(n_attributes, np.bool_)
    stack = np.zeros((DEEPEST, 3), np.int64)
    bounds = np.zeros((DEEPEST, 2, n_attributes), np.int64)
    stack[0, 1], bounds[0, 1] = n, scales.sizes - 1
    waiting, n_nodes, n_leaves, used = 1, 1, 0, 0
    low, high = np.empty(n_attributes, np.int64), np.empty(n_attributes, np.int64)
    while waiting > 0:
        waiting -= 1
        start, stop, node = stack[waiting]
        low[:], high[:] = bounds[waiting, 0], bounds[waiting, 1]
        found = -1
        if stop - start >= 2 * plan.fewest:
            found = choose_cut(plan, rows, scales, room, Span(start, stop, low, high), barred)
        if found < 0:
            tree.leaf[node] = n_leaves
            for i in range(start, stop):
                of_row[rows.numbers[i]] = n_leaves
            n_leaves += 1
            continue
        write_cut(tree, room, node, found, used, n_nodes)
        if room.cut[MASKED]:
            masks = keep_mask(masks, used, room.goes_left, scales.sizes[found])
            used += (scales.sizes[found] + 7) // 8
        middle = divide_packed(rows, room, found, start, stop)
        left_waits = middle - start > stop - middle
        for turn in range(2):
            # The larger part is put on the stack first, and so waits for the smaller one.
            part = turn if left_waits else 1 - turn
            stack[waiting, 0] = middle if part else start
            stack[waiting, 1] = stop if part else middle
            stack[waiting, 2] = n_nodes + part
            bounds[waiting, 0], bounds[waiting, 1] = low, high
            if not room.cut[MASKED] and room.cut[SHARED] < 0:
                if part:
                    bounds[waiting, 0, found] = room.cut[THRESHOLD] + 1
                elif not room.cut[MISSING_LEFT]:
                    bounds[waiting, 1, found] = room.cut[THRESHOLD]
            waiting += 1
        n_nodes += 2
    return shortened(tree, n_nodes, masks[:used])


@compiled()
def route_rows(tree: Grown, missing: Ints, codes: NDArray[np.uint16]) -> Ints:
    """Find the class that each row would fall into."""
    found = np.empty(codes.shape[0], np.int64)
    for i in range(codes.shape[0]):
        node = 0
        while tree.attribute[node] >= 0:
            a = tree.attribute[node]
            code = np.int64(codes[i, a])
            at = tree.mask_at[node]
            if at >= 0:
                goes_left = (tree.masks[at + code // 8] >> (code % 8)) & 1 == 1
            elif code == missing[a]:
                goes_left = tree.missing_left[node]
            else:
                goes_left = code <= tree.threshold[node]
            node = tree.children[node, 0 if goes_left else 1]
        found[i] = tree.leaf[node]
    return found
