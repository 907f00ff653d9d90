"""The cells that one attribute is counted in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.data import CategoricalDomain, Category, NumericDomain
from sparsam.explore._declared import Declared
from sparsam.generalization import (
    CategoricalPartition,
    NumericPartition,
    category_label,
    unique_labels,
)

OTHER = "(other)"
MISSING = "(missing)"
# Codes are 16 bits wide.
MOST_CELLS = 65_000


@dataclass(frozen=True)
class Bins:
    """The cells of one attribute: every row is in exactly one of them.

    The real cells come first, then (for categories only) one cell for whatever is not declared,
    and last one cell for missing values. So a row more makes one count larger by one, whatever it
    holds, and changes no other.

    Parameters
    ----------
    name : str
        The attribute.
    kind : {"numeric", "ordered", "categorical"}
    edges : tuple of float
        Numeric attributes: cell i holds the numbers ``[edges[i], edges[i + 1])``, the last one its
        upper end too. Numbers below and above count in the first and in the last cell.
    categories : tuple
        Other attributes: the declared categories, one cell each.
    integer : bool, default=False
        Whether only whole numbers are expected; the last edge is then the first number beyond.
    groups : tuple of tuple
        The values that each category stands for; empty where it stands for itself.
    missing_cell, other_cell : int or None
        Where a generalization puts missing and undeclared values; None is their own cell.

    Examples
    --------
    >>> age = Bins("age", "numeric", edges=(0.0, 18.0, 65.0, 100.0), integer=True)
    >>> age.size, age.labels
    (4, ('0–17', '18–64', '65–99', '(missing)'))
    """

    name: str
    kind: Literal["numeric", "ordered", "categorical"]
    edges: tuple[float, ...] = ()
    categories: tuple[Category, ...] = ()
    integer: bool = False
    groups: tuple[tuple[Category, ...], ...] = ()
    missing_cell: int | None = None
    other_cell: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", tuple(map(float, self.edges)))
        object.__setattr__(self, "categories", tuple(self.categories))
        if self.numeric:
            edges = np.asarray(self.edges)
            single = len(edges) == 2 and edges[0] == edges[1]
            if len(edges) < 2 or not np.isfinite(edges).all() or not (single or _ascend(edges)):
                raise ParameterError(
                    f"The edges of '{self.name}' must be at least two finite ascending numbers."
                )
        elif not self.categories:
            raise ParameterError(f"'{self.name}' must have at least one category. Got none.")
        if self.size > MOST_CELLS:
            raise ParameterError(
                f"'{self.name}' must have at most {MOST_CELLS:,} cells. Got {self.size:,} instead."
            )

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.kind == "numeric"

    @property
    def n_cells(self) -> int:
        """The number of real cells: neither other nor missing."""
        return len(self.edges) - 1 if self.numeric else len(self.categories)

    @property
    def size(self) -> int:
        """The number of all cells."""
        return self.n_cells + (1 if self.numeric else 2)

    @property
    def missing(self) -> int:
        """The cell that missing values are counted in."""
        return self.size - 1 if self.missing_cell is None else self.missing_cell

    @property
    def other(self) -> int:
        """The cell that undeclared categories are counted in."""
        return self.n_cells if self.other_cell is None else self.other_cell

    @property
    def lows(self) -> NDArray[np.float64]:
        """The lower end of every real cell."""
        return np.array(self.edges[:-1])

    @property
    def highs(self) -> NDArray[np.float64]:
        """The largest number of every real cell, in the declared range."""
        return np.array(self.edges[1:]) - (1 if self.integer else 0)

    @property
    def middles(self) -> NDArray[np.float64]:
        """The middle of every real cell; the number itself where a cell holds only one."""
        return self.lows + (self.highs - self.lows) / 2

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """A name for every cell."""
        if self.numeric:
            own = [_interval(a, b, self.integer) for a, b in pairwise(self.edges)]
            return unique_labels([*own, MISSING])
        own = [category_label(category) for category in self.categories]
        return unique_labels([*own, OTHER, MISSING])


def full_bins(declared: Declared, name: str, most: int = 1024) -> Bins:
    """Return the finest cells of an attribute.

    Categories have a cell each. A range of whole numbers has a cell for each number where there
    are at most `most`; any other range is cut into `most` cells of equal width. A generalized
    attribute has the cells of its buckets.

    Parameters
    ----------
    declared : Declared
    name : str
    most : int, default=1024
        The largest number of cells of a numeric attribute.

    Examples
    --------
    >>> from sparsam.explore._declared import declared
    >>> full_bins(declared({"age": (17, 90, "integer")}), "age").n_cells
    74
    """
    domain = declared[name]
    partition = declared.partitions.get(name)
    if isinstance(domain, CategoricalDomain):
        return _categorical(name, domain, partition)
    if isinstance(partition, NumericPartition):
        top = domain.high + 1 if domain.integer else domain.high
        own = _own_cell(partition.missing, partition.n_intervals)
        edges = (domain.low, *(cut for cut in partition.cuts if cut < top), top)
        return Bins(name, "numeric", edges, integer=domain.integer, missing_cell=own)
    return Bins(name, "numeric", _grid(domain, most), integer=domain.integer)


def equal_bins(declared: Declared, name: str, n_cells: int) -> Bins:
    """Cut a numeric attribute into at most `n_cells` cells of about equal width.

    The buckets of a generalized attribute are joined, never cut.

    Examples
    --------
    >>> from sparsam.explore._declared import declared
    >>> equal_bins(declared({"age": (0, 99, "integer")}), "age", 4).edges
    (0.0, 25.0, 50.0, 75.0, 100.0)
    """
    full = full_bins(declared, name, n_cells)
    if not full.numeric or full.n_cells <= n_cells:
        return full
    wanted = np.linspace(full.edges[0], full.edges[-1], n_cells + 1)
    return coarse_bins(full, wanted[1:-1])


def coarse_bins(full: Bins, cuts: Sequence[float] | NDArray[np.float64]) -> Bins:
    """Join the cells of a numeric attribute, keeping the edges that lie nearest to the cuts."""
    edges = np.asarray(full.edges)
    inner = edges[1:-1]
    if not len(inner) or not len(cuts):
        kept = np.empty(0)
    else:
        kept = inner[np.abs(inner[None, :] - np.asarray(cuts)[:, None]).argmin(axis=1)]
    chosen = np.unique([edges[0], *kept, edges[-1]])
    where = full.missing_cell
    if where is not None:  # the joined cell that holds the one missing values were put into
        where = int(np.searchsorted(chosen[1:-1], edges[where], side="right"))
    return Bins(full.name, "numeric", tuple(chosen), integer=full.integer, missing_cell=where)


def edge_bins(declared: Declared, name: str, edges: Sequence[float]) -> Bins:
    """Cut a numeric attribute at given inner edges inside its declared range."""
    domain = declared[name]
    if not isinstance(domain, NumericDomain):
        raise ParameterError(f"'{name}' must be numeric to be cut at edges.")
    if name in declared.partitions:
        return coarse_bins(full_bins(declared, name), edges)
    top = domain.high + 1 if domain.integer else domain.high
    inner = np.asarray(edges, dtype=np.float64)
    if not np.isfinite(inner).all():
        raise ParameterError(f"The edges of '{name}' must be finite numbers.")
    inner = np.ceil(inner) if domain.integer else inner
    kept = np.unique(inner[(inner > domain.low) & (inner < top)])
    return Bins(name, "numeric", (domain.low, *kept, top), integer=domain.integer)


def _grid(domain: NumericDomain, most: int) -> tuple[float, ...]:
    if most < 1:
        raise ParameterError(f"The number of cells must be at least 1. Got {most} instead.")
    if not domain.integer:
        if domain.low == domain.high:
            return (domain.low, domain.high)
        with np.errstate(over="ignore"):
            steps = np.linspace(0, 1, most + 1)
            edges = domain.low * (1 - steps) + domain.high * steps
        return tuple(np.unique([domain.low, *edges[1:-1], domain.high]).tolist())
    low, top = np.ceil(domain.low), np.floor(domain.high) + 1
    n_cells = int(min(most, max(top - low, 1)))
    inner = np.ceil(np.linspace(low, top, n_cells + 1))
    return tuple(np.unique(inner).tolist())


def _categorical(name: str, domain: CategoricalDomain, partition: object) -> Bins:
    kind: Literal["ordered", "categorical"] = "ordered" if domain.ordered else "categorical"
    if not isinstance(partition, CategoricalPartition):
        return Bins(name, kind, categories=domain.categories)
    n_groups = len(partition.groups)
    unseen = partition.unseen
    return Bins(
        name,
        kind,
        categories=domain.categories,
        groups=partition.groups,
        missing_cell=_own_cell(partition.missing, n_groups),
        other_cell=_own_cell(unseen, n_groups),
    )


def _own_cell(bucket: int | None, n_cells: int) -> int | None:
    """Where a generalization joins missing values with a bucket; None where they stay apart."""
    return bucket if bucket is not None and bucket < n_cells else None


def _ascend(edges: NDArray[np.float64]) -> bool:
    return bool((edges[1:] > edges[:-1]).all())


def _interval(low: float, high: float, integer: bool) -> str:
    if integer:
        last = high - 1
        return f"{low:.17g}" if last <= low else f"{low:.17g}–{last:.17g}"
    return f"{low:.6g} to {high:.6g}"
