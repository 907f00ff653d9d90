"""Compiled growth of a tree of classes: cut by cut, or in slabs as a spatial index is loaded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.kernels._cut_kernels import (
    choose_impurity,
    choose_loss,
    choose_median,
    count_one,
    extent,
    mark_threshold,
)
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
from sparsam.counting import compiled

LOOKED_AT = 64  # rows at once for their bounds
DEEPEST = 80  # of the stack: the larger part waits, so each waiting one is half the one before


@compiled()
def choose_cut(
    plan: Plan, rows: Packed, scales: Scales, room: Room, span: Span, barred: Flags
) -> int:
    """Find the attribute to cut and mark the codes that go left; -1 where no cut leaves enough."""
    attribute = -1
    if plan.mode <= RELAXED:
        relaxed = plan.mode == RELAXED
        find_bounds(rows.cells, span)
        return choose_median(rows.cells, scales, room, span, barred, plan.fewest, relaxed)
    if plan.mode >= IMPURITY:
        attribute = choose_impurity(rows, scales, room, span, barred, plan.fewest, plan.least_gain)
    if attribute < 0 and plan.mode != IMPURITY:
        attribute = choose_loss(rows.cells, scales, room, span, barred, plan.fewest, plan.tries)
    return attribute


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
        attribute = -1
        if stop - start >= 2 * plan.fewest:
            attribute = choose_cut(plan, rows, scales, room, Span(start, stop, low, high), barred)
        if attribute < 0:
            tree.leaf[node] = n_leaves
            for i in range(start, stop):
                of_row[rows.numbers[i]] = n_leaves
            n_leaves += 1
            continue
        write_cut(tree, room, node, attribute, used, n_nodes)
        if room.cut[MASKED]:
            masks = keep_mask(masks, used, room.goes_left, scales.sizes[attribute])
            used += (scales.sizes[attribute] + 7) // 8
        middle = divide_packed(rows, room, attribute, start, stop)
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
                    bounds[waiting, 0, attribute] = room.cut[THRESHOLD] + 1
                elif not room.cut[MISSING_LEFT]:
                    bounds[waiting, 1, attribute] = room.cut[THRESHOLD]
            waiting += 1
        n_nodes += 2
    return shortened(tree, n_nodes, masks[:used])


@compiled()
def route_rows(tree: Grown, missing: Ints, codes: NDArray[np.uint16]) -> Ints:
    """Find the class that each row would fall into."""
    classes = np.empty(codes.shape[0], np.int64)
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
        classes[i] = tree.leaf[node]
    return classes


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
