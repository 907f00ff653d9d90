"""Mondrian: halve the widest attribute of a class, again and again."""

from __future__ import annotations

from sparsam.anonymise._classes import Division, Method
from sparsam.anonymise.kernels._packed_rows import MEDIAN, RELAXED
from sparsam.anonymise.methods._class_tree import ClassTree, grow_tree


class Mondrian(Method):
    """Part people into classes by halving the attribute in which they differ most.

    Multidimensional k-anonymity of LeFevre et al. 2006. Categories without an order are taken in
    the order of their codes. Missing values are parted from the others as soon as there are enough.

    Parameters
    ----------
    strict : bool, default=True
        Whether people with the same value always go the same way. Relaxed, a class that cannot be
        cut so is halved all the same, and those at the median are spread over both halves: no class
        that could be halved is left, but classes overlap. New people at a median that was spread go
        to the lower half.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.anonymise import Anonymiser
    >>> mondrian = Anonymiser(Mondrian(), k=2)
    >>> mondrian.fit_transform({"age": np.array([20, 21, 40, 41, 42])})
    {'age': array([20, 20, 41, 41, 41])}
    >>> mondrian.certificate_.smallest
    2
    """

    def __init__(self, *, strict: bool = True) -> None:
        self.strict = strict

    def part(self, division: Division) -> ClassTree:
        """Grow the tree of classes; see `Method.part`."""
        return grow_tree(division, MEDIAN if self.strict else RELAXED)
