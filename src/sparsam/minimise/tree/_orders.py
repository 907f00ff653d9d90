"""In which orders the codes of an attribute may be cut."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute
from sparsam.minimise.tree._hierarchy import Hierarchy


class OrderRule:
    """The orders that a tree tries for one attribute.

    Numbers and ordered categories are cut in their own order, a missing value being tried at
    either end. Other categories are sorted by the share of a class among them, and on demand by
    the shares of personal values too (the fairness-aware orders of Staab et al., section 7).

    Parameters
    ----------
    attribute : Attribute
    hierarchy : Hierarchy or None
    by : {"target", "personal"}
    """

    def __init__(self, attribute: Attribute, hierarchy: Hierarchy | None, by: str) -> None:
        self._ordered = attribute.ordered and hierarchy is None
        self._missing = attribute.n_values if attribute.missing else None
        self._hierarchy = hierarchy
        self._by = by

    def orders(
        self,
        lines: NDArray[np.int32],
        present: NDArray[np.int64],
        starts: NDArray[np.int64],
        grouped: bool,
    ) -> Iterator[NDArray[np.int64]]:
        """Yield orders of the present codes (of the present buckets when `grouped`)."""
        if self._ordered:
            yield present
            if not grouped and self._missing is not None and present[-1] == self._missing:
                yield np.roll(present, 1)
            return
        blocks = len(starts) - 1 if self._by == "personal" else 1
        for q in range(blocks):
            yield from self._by_shares(lines[present, starts[q] : starts[q + 1]], present, grouped)

    def _by_shares(
        self, cells: NDArray[np.int32], present: NDArray[np.int64], grouped: bool
    ) -> Iterator[NDArray[np.int64]]:
        shares = cells / cells.sum(axis=1, keepdims=True)
        columns = [1] if shares.shape[1] == 2 else range(shares.shape[1])
        for column in columns:
            if not cells[:, column].any():
                continue
            if self._hierarchy is None or grouped:
                yield present[np.argsort(shares[:, column], kind="stable")]
            else:
                yield self._by_level(cells, present, column)

    def _by_level(
        self, cells: NDArray[np.int32], present: NDArray[np.int64], column: int
    ) -> NDArray[np.int64]:
        assert self._hierarchy is not None
        line_of = {int(code): line for line, code in enumerate(present)}

        def share(codes: list[int]) -> float:
            lines = [line_of[code] for code in codes if code in line_of]
            total = cells[lines].sum()
            return float(cells[lines, column].sum() / total) if total else 0.0

        order = self._hierarchy.order(share)
        return np.array([code for code in order if code in line_of], dtype=np.int64)
