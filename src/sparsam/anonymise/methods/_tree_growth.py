"""Grow a tree of classes: compiled where only numbers of people count, step by step otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.anonymise._classes import Classes, Demand
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
from sparsam.anonymise.methods._class_tree import ClassTree, checked_codes
from sparsam.data import Attribute

MOST_LABELS = 65_000
# Cuts that a demand turned down are followed by cuts of another kind.
_MODES = {LOSS: (LOSS, MEDIAN), BOTH: (IMPURITY, LOSS, MEDIAN)}


def grow_tree(
    codes: NDArray[Any],
    attributes: Sequence[Attribute],
    demand: Demand,
    mode: int,
    answers: NDArray[Any] | None = None,
    least_gain: float = 0.0,
    tries: int | None = None,
) -> ClassTree:
    """Part rows into classes, each of which satisfies a demand.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    attributes : sequence of Attribute
        The quasi-identifiers.
    demand : Demand
        A demand with a `plain_k` is met by counting rows; any other is asked about every part. One
        with `least_rows` is not asked about fewer.
    mode : int
        MEDIAN, RELAXED, LOSS, IMPURITY or BOTH.
    answers : ndarray, optional
        What a model says of each row: numbers where they are floats, otherwise labels.
    least_gain, tries
        See `Plan`; None tries a cut of every attribute.

    Returns
    -------
    ClassTree
    """
    sizes = tuple(attribute.size for attribute in attributes)
    codes = checked_codes(codes, sizes)
    _check_attainable(demand, len(codes))
    scales = scales_of(attributes)
    rows, room = _laid_out(codes, scales, answers)
    plain_k: int | None = getattr(demand, "plain_k", None)
    fewest: int = getattr(demand, "least_rows", 1) if plain_k is None else plain_k
    plan = Plan(mode, max(1, int(fewest)), float(least_gain), tries or len(sizes))
    of_row = np.empty(len(codes), dtype=np.int64)
    if plain_k is not None:
        from sparsam.anonymise.kernels._partition_kernels import grow

        nodes = grow(plan, rows, scales, room, of_row)
    else:
        nodes = _Growth(plan, rows, scales, room, demand).run(of_row)
    classes = Classes(of_row, int(nodes.leaf.max()) + 1)
    return ClassTree(classes, sizes, tuple(scales.missing.tolist()), nodes)


def _check_attainable(demand: Demand, n_rows: int) -> None:
    if not n_rows:
        raise DataError("Classes are made of rows. The table has none.")
    if not demand.holds(np.arange(n_rows)):
        raise DataError(
            f"All {n_rows:,} rows together must satisfy what is demanded of a class. They do not, "
            "so no way of dividing them does.\n\nHint: demand less, or bring more rows."
        )


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
    found, labels = np.unique(answers, return_inverse=True)
    if len(found) > MOST_LABELS:
        raise DataError(f"Labels must be at most {MOST_LABELS:,}. Got {len(found):,} instead.")
    return labels.astype(np.int64), len(found)


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
        from sparsam.anonymise.kernels._partition_kernels import (
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
        from sparsam.anonymise.kernels._partition_kernels import choose_cut, divide_packed

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
