"""What the model predicts: a column, or a cut through a numeric one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sparsam._documents import Written
from sparsam._errors import DataError, RoleError
from sparsam.data._attribute import Attribute
from sparsam.data._calendar import Day, Minute, Unit, moment, number_of
from sparsam.data._domain import NumericDomain

_NUMBER = r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_EDGE = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|[0-9]{{1,2}}:[0-9]{{2}}|{_NUMBER}"
_COMPARE = re.compile(rf"\s*(?P<column>.+?)\s*(?P<sign>>=|<=|>|<)\s*(?P<edge>{_EDGE})\s*")
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
        The number or numbers to compare with, ascending; or dates, or times of day.

    Examples
    --------
    >>> Target.parse("income>50000")
    Target(column='income', kind='>', edges=(50000.0,))
    >>> Target.parse("income in bins(20000, 50000)").classes
    ('income under 20000', 'income 20000 to under 50000', 'income 50000 and over')
    >>> Target.parse("birth>=1980-01-01")
    Target(column='birth', kind='>=', edges=('1980-01-01',))
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
            return cls(match["column"], sign, (_edge(text, match["edge"]),))
        match = _BINS.fullmatch(text)
        if match:
            return cls(match["column"], "bins", _edges(text, match["edges"]))
        if re.search(r"[<>]=?\s*\S*$|\bbins\s*\(", text):
            raise _unreadable(text)
        return cls(text)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes of an expression, from least to most."""
        edges = [str(e) if isinstance(e, Written) else f"{e:.15g}" for e in self.edges]
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
        self._check_unit(attribute)
        low, high = self.segments(attribute.lows), self.segments(attribute.highs)
        if (low != high).any():
            raise DataError(
                f"'{self.column}' was cut into bins on reading, and one of them lies across the "
                "target's cut.\n\nHint: read the table with these roles: read(source, roles=roles)."
            )
        return low.astype(np.uint16)[codes]

    def _check_unit(self, attribute: Attribute) -> None:
        unit = attribute.domain.unit if isinstance(attribute.domain, NumericDomain) else None
        if all(_unit(edge) == unit for edge in self.edges):
            return
        example = {None: "50000", "date": "1980-01-31", "time": "08:30"}[unit]
        raise RoleError(
            f"The target must compare '{self.column}' with values such as {example}. "
            "It is compared with something else."
        )


def _unit(edge: float) -> Unit | None:
    return "date" if isinstance(edge, Day) else "time" if isinstance(edge, Minute) else None


def _edge(text: str, edge: str) -> float:
    unit: Unit | None = "date" if edge.count("-") == 2 else "time" if ":" in edge else None
    if unit is None or re.fullmatch(_NUMBER, edge):
        return float(edge)
    try:
        return moment(unit, number_of(unit, edge) or 0)
    except TypeError:
        raise _unreadable(text) from None


def _edges(text: str, listed: str) -> tuple[float, ...]:
    parts = [part.strip() for part in listed.split(",")]
    if not all(re.fullmatch(_EDGE, part) for part in parts):
        raise _unreadable(text)
    edges = tuple(_edge(text, part) for part in parts)
    if any(a >= b for a, b in pairwise(edges)):
        raise RoleError(f"The bins of a target must ascend. Got '{text}'.")
    return edges


def _unreadable(text: str) -> RoleError:
    return RoleError(
        "A target must be a column, a comparison such as 'income>50000' or bins such as "
        f"'income in bins(20000, 50000)'. Got '{text}'."
    )
