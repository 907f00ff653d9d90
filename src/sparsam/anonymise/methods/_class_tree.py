"""A tree whose leaves are the classes: it finds the class of new people too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.anonymise._classes import Classes
from sparsam.anonymise.kernels._packed_rows import Grown


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
    >>> from sparsam.anonymise.methods._mondrian import Mondrian
    >>> from sparsam.data import read
    >>> class TwoPeople:
    ...     def holds(self, rows):
    ...         return len(rows) >= 2
    >>> table = read({"age": [20, 21, 40, 41]})
    >>> tree = Mondrian().part(table.codes, table.attributes, TwoPeople())
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
        from sparsam.anonymise.kernels._partition_kernels import route_rows

        codes = checked_codes(codes, self.sizes)
        missing = np.array(self.missing, dtype=np.int64)
        found: NDArray[np.int64] = route_rows(self.nodes, missing, codes)
        return found

    def __repr__(self) -> str:
        return f"ClassTree({self.n_classes:,} classes, depth {self.depth})"


def checked_codes(codes: NDArray[Any], sizes: tuple[int, ...]) -> NDArray[np.uint16]:
    """Raise unless these are codes of attributes of these sizes."""
    codes = np.asarray(codes)
    if codes.ndim != 2 or codes.shape[1] != len(sizes) or not sizes:
        raise DataError(
            f"The codes must have one column per quasi-identifier, and at least one. "
            f"Got {len(sizes)} quasi-identifiers and the shape {codes.shape}."
        )
    if codes.dtype.kind not in "ui":
        raise DataError(f"Codes must be whole numbers. Got {codes.dtype} instead.")
    beyond = sum(
        int(((column < 0) | (column >= size)).sum())
        for column, size in zip(codes.T, sizes, strict=True)
    )
    if beyond:
        raise DataError(
            f"Codes must lie within the domain of their attribute. Got {beyond:,} that do not."
            "\n\nHint: encode new rows with the attributes of the table that was anonymised."
        )
    return codes.astype(np.uint16, copy=False)
