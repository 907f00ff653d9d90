"""Rows laid out for parting them into classes: a few words each, moved as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute

Cells: TypeAlias = NDArray[np.unsignedinteger]
Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]


class Scales(NamedTuple):
    """What a span of codes costs: the share of the attribute's range or categories it covers.

    `lows` and `highs` hold one cell per code of ordered attributes, between 0 and 1; an unordered
    attribute costs its `unit` for every category beyond the first. `missing` is the code of
    missing values of ordered attributes, -1 where there is none; a class that mixes it with values
    costs 1.
    """

    starts: Ints
    sizes: Ints
    lows: Floats
    highs: Floats
    units: Floats
    ordered: Flags
    missing: Ints


class Packed(NamedTuple):
    """Rows as a few words each: the codes of a row, its label if any, and its number."""

    words: NDArray[np.uint64]
    spare: NDArray[np.uint64]
    cells: Cells
    numbers: NDArray[np.uint32]
    response: Floats


class Room(NamedTuple):
    """Memory that is used again for every class."""

    counts: Ints
    part: Ints
    sums: Floats
    goes_left: Flags
    cut: Ints
    order: Ints
    keys: Floats
    gains: Floats
    places: Ints
    sides: Flags


class Span(NamedTuple):
    """The rows of a class, from `start` to `stop`, and bounds of their codes."""

    start: int
    stop: int
    low: Ints
    high: Ints


class Plan(NamedTuple):
    """What decides where a class is cut.

    `mode` is one of those below; `fewest` rows must be left on both sides; a cut by the answers
    must explain `least_gain` times the mean impurity of a row; `tries` cuts are compared by what
    they save in all attributes.
    """

    mode: int
    fewest: int
    least_gain: float
    tries: int


class Grown(NamedTuple):
    """A tree as flat arrays; `masks` holds one bit per code where codes have no order."""

    attribute: NDArray[np.int32]
    threshold: NDArray[np.int32]
    missing_left: Flags
    mask_at: Ints
    children: NDArray[np.int32]
    leaf: NDArray[np.int32]
    masks: NDArray[np.uint8]


MEDIAN, RELAXED, LOSS, IMPURITY, BOTH = range(5)
# What a cut consists of, in `Room.cut`.
THRESHOLD, MISSING_LEFT, MASKED, SHARED, QUOTA = range(5)
LEAF = -1


def scales_of(attributes: Sequence[Attribute]) -> Scales:
    """Lay out what spans of codes cost.

    Parameters
    ----------
    attributes : sequence of Attribute
    """
    sizes = np.array([attribute.size for attribute in attributes], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    lows, highs = np.zeros(sizes.sum()), np.zeros(sizes.sum())
    missing = np.full(len(sizes), -1, dtype=np.int64)
    for attribute, start, code in zip(attributes, starts, range(len(sizes)), strict=True):
        if not attribute.ordered:
            continue
        inside = slice(start, start + attribute.n_values)
        lows[inside], highs[inside] = _scaled(attribute)
        if attribute.missing:
            missing[code] = attribute.n_values
    ordered = np.array([attribute.ordered for attribute in attributes], dtype=np.bool_)
    return Scales(starts, sizes, lows, highs, 1.0 / np.maximum(1, sizes - 1), ordered, missing)


def _scaled(attribute: Attribute) -> tuple[Floats, Floats]:
    if not attribute.numeric:
        steps = np.linspace(0.0, 1.0, attribute.n_values)
        return steps, steps
    # halves keep the difference of two huge numbers finite
    low, high = attribute.lows / 2, attribute.highs / 2
    width = high[-1] - low[0]
    if not width > 0:
        return np.zeros_like(low), np.zeros_like(high)
    return (low - low[0]) / width, (high - low[0]) / width


def pack_rows(
    codes: NDArray[np.uint16],
    sizes: Ints,
    labels: NDArray[np.integer] | None = None,
    n_labels: int = 0,
    response: Floats | None = None,
) -> Packed:
    """Copy codes into packed rows.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    sizes : ndarray of int
        Number of codes of each attribute.
    labels : ndarray of int, optional
        From 0 to `n_labels` - 1.
    n_labels : int, default=0
    response : ndarray of float, optional
        A number for each row, instead of a label.
    """
    n_rows, n_attributes = codes.shape
    kind: type[np.unsignedinteger] = (
        np.uint8 if max(int(sizes.max()), n_labels) <= 256 else np.uint16
    )
    width = (n_attributes + (labels is not None)) * np.dtype(kind).itemsize + 4
    words = np.zeros((n_rows, -(-width // 8)), dtype=np.uint64)
    cells: Cells = words.view(kind)
    for column in range(n_attributes):
        cells[:, column] = codes[:, column]
    if labels is not None:
        cells[:, n_attributes] = labels
    numbers = words.view(np.uint32)[:, -1]
    numbers[:] = np.arange(n_rows, dtype=np.uint32)
    given = np.empty(0) if response is None else response
    return Packed(words, np.empty_like(words), cells, numbers, given)


def make_room(scales: Scales, n_responses: int = 0) -> Room:
    """Set memory aside for counting one class at a time.

    Parameters
    ----------
    scales : Scales
    n_responses : int, default=0
        Labels, or 1 for a number.
    """
    n_cells, most, n = int(scales.sizes.sum()), int(scales.sizes.max()), len(scales.sizes)
    return Room(
        counts=np.zeros(n_cells, np.int64),
        part=np.zeros(n_cells, np.int64),
        sums=np.zeros((n_cells if n_responses else 1, max(1, n_responses))),
        goes_left=np.zeros(most, np.bool_),
        cut=np.zeros(5, np.int64),
        order=np.zeros(most, np.int64),
        keys=np.zeros(most),
        gains=np.zeros(n),
        places=np.zeros(n, np.int64),
        sides=np.zeros(n, np.bool_),
    )
