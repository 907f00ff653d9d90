"""What the model predicts: a column, or a cut through a numeric one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, RoleError
from sparsam.data._attribute import Attribute

_NUMBER = r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_COMPARE = re.compile(rf"\s*(?P<column>.+?)\s*(?P<sign>>=|<=|>|<)\s*(?P<edge>{_NUMBER})\s*")
_BINS = re.compile(r"\s*(?P<column>.+?)\s+in\s+bins\s*\((?P<edges>[^()]*)\)\s*")

TargetKind = Literal["as is", ">", ">=", "<", "<=", "bins"]


@dataclass(frozen=True)
class Target:
    """What the model predicts, and how it is made from a column.

    Parameters
    ----------
    column : str
        The column it is made from.
    kind : {"as is", ">", ">=", "<", "<=", "bins"}
        The column as it is, a comparison with one number, or bins ``[a, b)``.
    edges : tuple of float
        The number or numbers to compare with, ascending.

    Examples
    --------
    >>> Target.parse("income>50000")
    Target(column='income', kind='>', edges=(50000.0,))
    >>> Target.parse("income in bins(20000, 50000)").classes
    ('income under 20000', 'income 20000 to under 50000', 'income 50000 and over')
    """

    column: str
    kind: TargetKind = "as is"
    edges: tuple[float, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Target:
        """Read a target as the user writes it; a name without an operator is a column."""
        match = _COMPARE.fullmatch(text)
        if match:
            sign: TargetKind = match["sign"]  # type: ignore[assignment]
            return cls(match["column"], sign, (float(match["edge"]),))
        match = _BINS.fullmatch(text)
        if match:
            return cls(match["column"], "bins", _edges(text, match["edges"]))
        if re.search(r"[<>]=?\s*\S*$|\bbins\s*\(", text):
            raise _unreadable(text)
        return cls(text)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes of an expression, from least to most."""
        edges = [f"{edge:.15g}" for edge in self.edges]
        if self.kind == "as is":
            return ()
        if self.kind != "bins":
            below, above = ("<=", ">") if self.kind in (">", "<=") else ("<", ">=")
            return (f"{self.column} {below} {edges[0]}", f"{self.column} {above} {edges[0]}")
        between = [f"{a} to under {b}" for a, b in pairwise(edges)]
        words = [f"under {edges[0]}", *between, f"{edges[-1]} and over"]
        return tuple(f"{self.column} {word}" for word in words)

    def segments(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class of every number."""
        # "> e" keeps e itself below the cut, ">= e" and bins put it above
        side: Literal["left", "right"] = "left" if self.kind in (">", "<=") else "right"
        return np.searchsorted(np.array(self.edges), values, side=side)

    def labels(self, attribute: Attribute, codes: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the class of every row of the column that the expression is about."""
        if not attribute.numeric:
            raise RoleError(
                f"The target expression needs '{self.column}' to be numeric. It is categorical."
            )
        low, high = self.segments(attribute.lows), self.segments(attribute.highs)
        if (low != high).any():
            raise DataError(
                f"'{self.column}' was cut into bins on reading, and one of them lies across the "
                "target's cut.\n\nHint: read the table with these roles: read(source, roles=roles)."
            )
        return low.astype(np.uint16)[codes]


def _edges(text: str, listed: str) -> tuple[float, ...]:
    parts = [part.strip() for part in listed.split(",")]
    if not all(re.fullmatch(_NUMBER, part) for part in parts):
        raise _unreadable(text)
    edges = tuple(float(part) for part in parts)
    if any(a >= b for a, b in pairwise(edges)):
        raise RoleError(f"The bins of a target must ascend. Got '{text}'.")
    return edges


def _unreadable(text: str) -> RoleError:
    return RoleError(
        "A target must be a column, a comparison such as 'income>50000' or bins such as "
        f"'income in bins(20000, 50000)'. Got '{text}'."
    )
