"""The first cuts of a table that does not fit: Mondrian's own, found by counting in the engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.kernels._packed_rows import THRESHOLD, Scales, make_room
from sparsam.data.large import CodedRows

Codes = NDArray[np.unsignedinteger]


@dataclass(repr=False)
class _Part:
    """People behind the same answers: how many, and of each code of each attribute."""

    n_rows: int = 0
    counts: NDArray[np.int64] | None = None
    final: bool = False


@dataclass
class Parts:
    """Questions that lead every row to a part of the table.

    Attributes
    ----------
    nodes : list of tuple
        Of each node the attribute that it asks for, the largest code that goes left, and the node
        where those go; the others go to the next one. None where it is a part.
    rows : list of int
        The rows of every part, in the order of the nodes.
    """

    nodes: list[tuple[int, int, int] | None] = field(default_factory=lambda: [None])
    rows: list[int] = field(default_factory=list)

    @property
    def places(self) -> list[int]:
        """The nodes that are parts."""
        return [node for node, cut in enumerate(self.nodes) if cut is None]

    def route(self, columns: list[Codes]) -> NDArray[np.int64]:
        """Find the node at which each row ends.

        Parameters
        ----------
        columns : list of ndarray
            The codes of the rows.
        """
        at = np.zeros(len(columns[0]), np.int64)
        for node, cut in enumerate(self.nodes):  # children come after their parents
            if cut is not None:
                attribute, threshold, child = cut
                here = np.flatnonzero(at == node)
                at[here] = child + (columns[attribute][here] > threshold)
        return at

    def batches(self, rows: CodedRows, node: int) -> Iterator[list[Codes]]:
        """Bring the rows of one part home.

        Parameters
        ----------
        rows : CodedRows
        node : int
            One of the places.
        """
        for columns in rows.batches():
            if len(self.nodes) == 1:
                yield columns
                continue
            here = np.flatnonzero(self.route(columns) == node)
            if len(here):
                yield [codes[here] for codes in columns]


def first_cuts(rows: CodedRows, scales: Scales, fewest: int, most_rows: int) -> Parts:
    """Cut a table at the median of its widest attribute until no part has too many rows.

    These are the cuts that strict Mondrian makes first, so that it finds the same classes in the
    parts as in the whole. For each level all rows pass once; nothing but their counts stays.

    Parameters
    ----------
    rows : CodedRows
    scales : Scales
        Of the quasi-identifiers, the first columns.
    fewest : int
        Rows that both sides of a cut must have.
    most_rows : int
        A part that cannot be cut may have more.
    """
    parts = Parts()
    known: dict[int, _Part] = {0: _Part(rows.n_rows)}
    while True:
        large = [n for n, p in known.items() if p.n_rows > most_rows and not p.final]
        if not large:
            break
        _count(rows, scales, parts, {node: known[node] for node in large})
        for node in large:
            part = known[node]
            cut = _cut(scales, part, fewest)
            if cut is None:
                part.final = True
                continue
            attribute, threshold, n_left = cut
            child = len(parts.nodes)
            parts.nodes[node] = (attribute, threshold, child)
            parts.nodes += [None, None]
            known |= {child: _Part(n_left), child + 1: _Part(part.n_rows - n_left)}
            del known[node]
    parts.rows = [known[node].n_rows for node in parts.places]
    return parts


def _count(rows: CodedRows, scales: Scales, parts: Parts, large: dict[int, _Part]) -> None:
    """Count the codes of all attributes in some parts, in one pass."""
    starts, sizes = scales.starts.tolist(), scales.sizes.tolist()
    place = np.full(len(parts.nodes), -1, np.int64)
    place[list(large)] = np.arange(len(large))
    counts = np.zeros((len(large), sum(sizes)), np.int64)
    for columns in rows.batches():
        at = place[parts.route(columns)]
        here = np.flatnonzero(at >= 0)
        for codes, start, size in zip(columns, starts, sizes, strict=False):
            keys = at[here] * size + codes[here]
            counted = np.bincount(keys, minlength=len(large) * size)
            counts[:, start : start + size] += counted.reshape(len(large), size)
    for part, own in zip(large.values(), counts, strict=True):
        part.counts = own


def _cut(scales: Scales, part: _Part, fewest: int) -> tuple[int, int, int] | None:
    from sparsam.anonymise.kernels._weighted_kernels import choose_counted

    room = make_room(scales)
    assert part.counts is not None
    room.counts[:] = part.counts
    low, high = np.zeros_like(scales.sizes), scales.sizes - 1
    attribute = int(choose_counted(scales, room, low, high, fewest, part.n_rows))
    if attribute < 0:
        return None
    first, threshold = int(scales.starts[attribute]), int(room.cut[THRESHOLD])
    return attribute, threshold, int(part.counts[first : first + threshold + 1].sum())
