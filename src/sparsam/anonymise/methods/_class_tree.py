"""A tree whose leaves are the classes: grown from people, it finds the class of new ones too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.anonymise._classes import Classes, Demand, Division, checked_codes
from sparsam.anonymise.kernels._packed_rows import (
    BOTH,
    IMPURITY,
    LOSS,
    MASKED,
    MEDIAN,
    Flags,
    Grown,
    Packed,
    Plan,
    Room,
    Scales,
    Span,
    make_room,
    pack_rows,
    scales_of,
)


@dataclass(frozen=True, eq=False, repr=False)
class ClassTree:
    """Questions, one attribute at a time, that lead every person to a class.

    Parameters
    ----------
    classes : Classes
        The classes of the rows that the tree was grown from. Routing them again gives the same
        classes, except where rows with the same value were parted (relaxed Mondrian).
    sizes : tuple of int
        Number of codes of each attribute.
    missing : tuple of int
        The code of missing values of ordered attributes, -1 where there is none.
    nodes : Grown
        Flat arrays, the root first. Of each node: `attribute` that it asks for (-1 at leaves);
        codes up to `threshold` go to the first of its `children`, missing values where
        `missing_left` says so; where `mask_at` is not negative, the bits of `masks` from this byte
        on say which codes do; `leaf` is the class, -1 inside.

    Examples
    --------
    >>> from sparsam.anonymise import Mondrian
    >>> from sparsam.data import read
    >>> class TwoPeople:
    ...     def holds(self, rows):
    ...         return len(rows) >= 2
    >>> table = read({"age": [20, 21, 40, 41]})
    >>> tree = Mondrian().part(Division(table.codes, table.attributes, TwoPeople()))
    >>> tree, tree.classes.of_row.tolist(), tree.route(table.codes[[0, 3]]).tolist()
    (ClassTree(2 classes, depth 1), [1, 1, 0, 0], [1, 0])
    """

    classes: Classes
    sizes: tuple[int, ...]
    missing: tuple[int, ...]
    nodes: Grown

    @property
    def n_classes(self) -> int:
        """The number of leaves."""
        return self.classes.n_classes

    @property
    def depth(self) -> int:
        """The most questions on the way to a class."""
        depth = np.zeros(len(self.nodes.attribute), dtype=np.int64)
        # Children have larger numbers than their parents.
        for node in np.flatnonzero(self.nodes.attribute >= 0):
            depth[self.nodes.children[node]] = depth[node] + 1
        return int(depth.max())

    def route(self, codes: NDArray[Any]) -> NDArray[np.int64]:
        """Find the class that each row would fall into.

        The classes of new rows are not what was promised of the old ones: verify before publishing.

        Parameters
        ----------
        codes : ndarray of uint16 of shape (n_rows, n_attributes)
            Encoded as the rows that the tree was grown from.
        """
        from sparsam.anonymise.kernels._tree_kernels import route_rows

        codes = checked_codes(codes, self.sizes)
        missing = np.array(self.missing, dtype=np.int64)
        of_row: NDArray[np.int64] = route_rows(self.nodes, missing, codes)
        return of_row

    def __repr__(self) -> str:
        return f"ClassTree({self.n_classes:,} classes, depth {self.depth})"


MOST_LABELS = 65_000
# Cuts that a demand turned down are followed by cuts of another kind.
_MODES = {LOSS: (LOSS, MEDIAN), BOTH: (IMPURITY, LOSS, MEDIAN)}


def grow_tree(
    division: Division, mode: int, *, least_gain: float = 0.0, tries: int | None = None
) -> ClassTree:
    """Part rows into classes, each of which satisfies a demand.

    Parameters
    ----------
    division : Division
    mode : int
        MEDIAN, RELAXED, LOSS, IMPURITY or BOTH.
    least_gain, tries
        See `Plan`; None tries a cut of every attribute.

    Returns
    -------
    ClassTree
    """
    scales = scales_of(division.attributes)
    answers = division.answers if mode in (IMPURITY, BOTH) else None
    rows, room = _laid_out(division.codes, scales, answers)
    plan = Plan(mode, division.fewest, float(least_gain), tries or len(division.sizes))
    of_row = np.empty(division.n_rows, dtype=np.int64)
    if division.plain_k is not None:
        from sparsam.anonymise.kernels._tree_kernels import grow

        nodes = grow(plan, rows, scales, room, of_row)
    else:
        nodes = _Growth(plan, rows, scales, room, division.demand).run(of_row)
    classes = Classes(of_row, int(nodes.leaf.max()) + 1)
    return ClassTree(classes, division.sizes, tuple(scales.missing.tolist()), nodes)


def _laid_out(
    codes: NDArray[np.uint16], scales: Scales, answers: NDArray[Any] | None
) -> tuple[Packed, Room]:
    if answers is None:
        return pack_rows(codes, scales.sizes), make_room(scales)
    answers = np.asarray(answers)
    if answers.shape != (len(codes),):
        raise DataError(
            f"There must be one answer for each of the {len(codes):,} rows. "
            f"Got the shape {answers.shape} instead."
        )
    if answers.dtype.kind == "f":
        if not np.isfinite(answers).all():
            unknown = int((~np.isfinite(answers)).sum())
            raise DataError(f"Answers must be finite numbers. Got {unknown:,} that are not.")
        return pack_rows(codes, scales.sizes, response=_centred(answers)), make_room(scales, 1)
    labels, n_labels = _labels(answers)
    return pack_rows(codes, scales.sizes, labels, n_labels), make_room(scales, n_labels)


def _centred(answers: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers with a mean of 0, so small that their squares stay finite."""
    numbers = answers.astype(np.float64)
    numbers = numbers / max(float(np.abs(numbers).max()), np.finfo(np.float64).tiny)
    numbers -= numbers.mean()
    far = float(np.abs(numbers).max())
    return np.zeros_like(numbers) if far < 1e-14 else numbers / far


def _labels(answers: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    if answers.dtype == object:
        missing = sum(answer is None or str(answer) == "nan" for answer in answers.tolist())
        if missing:
            raise DataError(f"Every row must have an answer. Got {missing:,} without one.")
        answers = answers.astype(str)
    distinct, labels = np.unique(answers, return_inverse=True)
    if len(distinct) > MOST_LABELS:
        raise DataError(f"Labels must be at most {MOST_LABELS:,}. Got {len(distinct):,} instead.")
    return labels.astype(np.int64), len(distinct)


@dataclass
class _Growth:
    """Growth that asks the demand about both parts of every cut."""

    plan: Plan
    rows: Packed
    scales: Scales
    room: Room
    demand: Demand

    def run(self, of_row: NDArray[np.int64]) -> Grown:
        """Grow the tree, and write the class of each row."""
        from sparsam.anonymise.kernels._tree_kernels import (
            empty_tree,
            keep_mask,
            shortened,
            write_cut,
        )

        n_nodes, n_leaves, used = 1, 0, 0
        tree = empty_tree(2 * len(of_row) // self.plan.fewest + 1)
        masks = tree.masks
        stack = [(0, len(of_row), 0)]
        while stack:
            start, stop, node = stack.pop()
            attribute, middle = self._cut(start, stop)
            if attribute < 0:
                tree.leaf[node] = n_leaves
                of_row[self.rows.numbers[start:stop]] = n_leaves
                n_leaves += 1
                continue
            write_cut(tree, self.room, node, attribute, used, n_nodes)
            if self.room.cut[MASKED]:
                size = int(self.scales.sizes[attribute])
                masks = keep_mask(masks, used, self.room.goes_left, size)
                used += (size + 7) // 8
            stack += [(start, middle, n_nodes), (middle, stop, n_nodes + 1)]
            n_nodes += 2
        grown: Grown = shortened(tree, n_nodes, masks[:used])
        return grown

    def _cut(self, start: int, stop: int) -> tuple[int, int]:
        """Cut a class so that the demand holds for both parts; -1 where no cut does."""
        if stop - start < 2 * self.plan.fewest:
            return -1, stop
        for mode in _MODES.get(self.plan.mode, (self.plan.mode,)):
            barred = np.zeros(len(self.scales.sizes), dtype=np.bool_)
            attribute, middle = self._cut_by(self.plan._replace(mode=mode), start, stop, barred)
            if attribute >= 0:
                return attribute, middle
        return -1, stop

    def _cut_by(self, plan: Plan, start: int, stop: int, barred: Flags) -> tuple[int, int]:
        from sparsam.anonymise.kernels._tree_kernels import choose_cut, divide_packed

        while True:
            span = Span(start, stop, np.zeros_like(self.scales.sizes), self.scales.sizes - 1)
            attribute = int(choose_cut(plan, self.rows, self.scales, self.room, span, barred))
            if attribute < 0:
                return -1, stop
            middle = int(divide_packed(self.rows, self.room, attribute, start, stop))
            if self._holds(start, middle) and self._holds(middle, stop):
                return attribute, middle
            barred[attribute] = True

    def _holds(self, start: int, stop: int) -> bool:
        rows = np.sort(self.rows.numbers[start:stop]).astype(np.int64)
        return self.demand.holds(rows)
