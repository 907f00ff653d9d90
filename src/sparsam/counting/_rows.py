"""The rows of a table in memory, and the joint counts that a tree asks them for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, hint
from sparsam.counting._compiled import compiled

MOST_ROWS = 2**31 - 1  # so that no count of rows runs over
_ROWS_WORTH_A_THREAD = 20_000
_ROWS_AT_ONCE = 1 << 14  # few enough to stay in a core's cache
_FEW_CODES = 256  # that a byte holds

Codes = NDArray[np.unsignedinteger]
_KEEP_WHEN_RECOUNTING_COSTS = 4  # times as many increments as there are cells


@dataclass(repr=False)
class Node:
    """A set of rows of which only the counts leave this folder.

    Attributes
    ----------
    start, stop : int
        Where the rows of the node lie in the current order of rows.
    counts : ndarray of shape (n_cells, n_response_cells) or None
        Joint counts of every attribute with every response; None once released.
    """

    start: int
    stop: int
    counts: NDArray[np.int32] | None

    @property
    def n_rows(self) -> int:
        """How many rows the node holds."""
        return self.stop - self.start


class _Column(NamedTuple):
    """Codes of an attribute, of a response, whose cells start somewhere, or of both."""

    codes: NDArray[np.uint16]
    size: int
    attribute: int | None
    start: int | None


class Rows:
    """Rows in memory that can be counted and divided, but not looked at.

    Parameters
    ----------
    codes : ndarray of uint16 of shape (n_rows, n_attributes)
    sizes : sequence of int
        Number of codes of each attribute.
    responses : sequence of (ndarray of uint16, int)
        Codes and number of codes of each response that is counted jointly with the attributes.
    also : sequence of int
        Attributes that are responses too, after the others.

    Notes
    -----
    A line of `counts` is one code of one attribute (`starts` says where an attribute's lines
    begin); its cells are the codes of the responses, one response after the other
    (`response_starts`). A node's larger child is counted by subtraction, never by looking.
    """

    def __init__(
        self,
        codes: NDArray[np.uint16],
        sizes: Sequence[int],
        responses: Sequence[tuple[NDArray[np.uint16], int]],
        also: Sequence[int] = (),
    ) -> None:
        self.n_rows = int(codes.shape[0])
        if self.n_rows > MOST_ROWS:
            raise DataError(
                f"A tree grows on at most {MOST_ROWS:,} rows. Got {self.n_rows:,}."
                + hint("learn from a sample: read(..., max_memory='4GB')", "--max-memory")
            )
        self.sizes = tuple(sizes)
        self.starts = _starts(self.sizes)
        self.response_sizes = (*(size for _, size in responses), *(self.sizes[a] for a in also))
        self.response_starts = _starts(self.response_sizes)
        self._places: dict[int, tuple[Codes, int]] = {}
        self._responses: list[tuple[Codes, NDArray[np.int64]]] = []
        rest = [a for a in range(len(self.sizes)) if a not in also]
        own: list[tuple[NDArray[np.uint16], int, int | None]]
        own = [(*response, None) for response in responses]
        own += [(codes[:, a], self.sizes[a], a) for a in (*also, *rest)]
        starts = chain(self.response_starts, repeat(None))
        columns = [_Column(*column, start) for column, start in zip(own, starts, strict=False)]
        self._keep([column for column in columns if column.size <= _FEW_CODES], np.uint8)
        self._keep([column for column in columns if column.size > _FEW_CODES], np.uint16)
        self._order = np.arange(self.n_rows, dtype=np.int32)
        self._spare = np.empty(self.n_rows, dtype=np.int32)
        self._threads = min(2, os.cpu_count() or 1)

    def _keep(self, columns: Sequence[_Column], kind: type[np.unsignedinteger]) -> None:
        """Put columns side by side, a line for each row: the responses, then the others."""
        codes = np.empty((self.n_rows, len(columns)), dtype=kind)
        for start in range(0, self.n_rows, _ROWS_AT_ONCE):
            block = slice(start, start + _ROWS_AT_ONCE)
            for place, column in enumerate(columns):
                codes[block, place] = column.codes[block]
        for place, column in enumerate(columns):
            if column.attribute is not None:
                self._places[column.attribute] = (codes, place)
        starts = [column.start for column in columns if column.start is not None]
        if starts:
            self._responses.append((codes, np.array(starts)))

    def root(self) -> Node:
        """All rows, counted."""
        node = Node(0, self.n_rows, None)
        node.counts = self._count(node)
        return node

    def divide(self, node: Node, attribute: int, goes_left: NDArray[np.bool_]) -> tuple[Node, Node]:
        """Part a node in two by the code of one attribute, and count both parts.

        The node's own counts are used up.
        """

        rows = self._order[node.start : node.stop]
        n_left = divide_rows(rows, *self._places[attribute], goes_left, self._spare)
        middle = node.start + int(n_left)
        left, right = Node(node.start, middle, None), Node(middle, node.stop, None)
        smaller, larger = sorted((left, right), key=lambda part: part.n_rows)
        smaller.counts = self._count(smaller)
        if node.counts is None:
            larger.counts = self._count(larger)
        else:
            larger.counts = np.subtract(node.counts, smaller.counts, out=node.counts)
            node.counts = None
        return left, right

    def recount(self, node: Node) -> None:
        """Count a node again whose counts were released or used up."""
        node.counts = self._count(node)

    def release(self, node: Node) -> None:
        """Forget the counts of a node when counting it again is cheap."""
        if node.counts is None:
            return
        increments = node.n_rows * len(self.sizes) * len(self.response_sizes)
        if increments < _KEEP_WHEN_RECOUNTING_COSTS * node.counts.size:
            node.counts = None

    def _count(self, node: Node) -> NDArray[np.int32]:

        counts = np.zeros((sum(self.sizes), sum(self.response_sizes)), dtype=np.int32)
        rows = self._order[node.start : node.stop]

        def count(attribute: int) -> None:
            for responses, starts in self._responses:
                first = self.starts[attribute]
                count_block(rows, *self._places[attribute], first, responses, starts, counts)

        attributes = range(len(self.sizes))
        if node.n_rows < _ROWS_WORTH_A_THREAD or self._threads == 1:
            for attribute in attributes:
                count(attribute)
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                list(pool.map(count, attributes))
        return counts


def _starts(sizes: Sequence[int]) -> tuple[int, ...]:
    return (0, *np.cumsum(sizes)[:-1].tolist())


@compiled()
def count_block(
    rows: NDArray[np.int32],
    codes: Codes,
    column: int,
    first_cell: int,
    responses: Codes,
    starts: NDArray[np.int64],
    counts: NDArray[np.int32],
) -> None:
    """Add the joint counts of one column with some responses to `counts`.

    They are the first columns of `responses`; `starts` says where the cells of each begin in a
    line of `counts`.
    """
    n_responses = starts.shape[0]
    for i in range(rows.shape[0]):
        row = rows[i]
        line = first_cell + codes[row, column]
        for q in range(n_responses):
            counts[line, starts[q] + responses[row, q]] += 1


@compiled()
def divide_rows(
    rows: NDArray[np.int32],
    codes: Codes,
    column: int,
    goes_left: NDArray[np.bool_],
    spare: NDArray[np.int32],
) -> int:
    """Move the rows that go left to the front, keeping their order; return how many."""
    n_left = 0
    n_right = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        if goes_left[codes[row, column]]:
            rows[n_left] = row
            n_left += 1
        else:
            spare[n_right] = row
            n_right += 1
    for i in range(n_right):
        rows[n_left + i] = spare[i]
    return n_left
