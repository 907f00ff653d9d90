"""What is counted in published cells, and whether a promise holds for every record there."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.proof._cells import Column, Numbers, alike, numbered, shared_records
from sparsam.anonymise.proof._certificate import (
    ClosenessTerms,
    DistinctDiversityTerms,
    EntropyDiversityTerms,
    KAnonymityTerms,
    OneValue,
    RecursiveDiversityTerms,
    Terms,
    WholeRows,
)

_ROUND_OFF = 1e-9


@dataclass(frozen=True)
class Broken:
    """Where a promise does not hold.

    Attributes
    ----------
    classes, rows : int
        Published records that break it, and rows that have one of them.
    """

    classes: int
    rows: int


def broken_by(
    terms: Terms, of_row: Numbers, columns: Mapping[str, Column], counts: Numbers | None = None
) -> Broken:
    """Count the published records that break a promise.

    Parameters
    ----------
    terms : Terms
    of_row : ndarray of int
        Which record each row has.
    columns : mapping of str to ndarray or NumberedCells
        The columns that the promise speaks about.
    counts : ndarray of int, optional
        How many rows are like each, where only different rows are given.
    """
    sizes = summed(of_row, counts)
    if isinstance(terms, KAnonymityTerms):
        people = sizes if terms.entity is None else people_in(of_row, columns[terms.entity])
        bad = np.flatnonzero(people < terms.k)
    elif isinstance(terms, ClosenessTerms):
        bad = _far(terms, of_row, columns[terms.sensitive], counts)
    else:
        mixed = _spreads(of_row, alike(columns[terms.sensitive]), counts)
        bad = np.array([i for i, counts in mixed if not _is_mixed(terms, counts)], np.int64)
    return Broken(len(bad), int(sizes[bad].sum()))


def summed(number: Numbers, counts: Numbers | None) -> Numbers:
    """Count the rows that have each number.

    Parameters
    ----------
    number : ndarray of int
    counts : ndarray of int or None
        How many rows are like each.
    """
    # sums of floats are exact up to 2**53 rows
    return np.bincount(number, counts).astype(np.int64)


def people_in(of_row: Numbers, entity: Column) -> Numbers:
    """Count the people behind each record; rows that name nobody count as one person's.

    Parameters
    ----------
    of_row : ndarray of int
    entity : ndarray
        Whose row it is.

    Examples
    --------
    >>> people_in(np.array([0, 0, 1, 1]), np.array(["x", "x", "x", "y"])).tolist()
    [1, 2]
    """
    who = alike(entity)
    size = int(who.max()) + 1 if len(who) else 1
    pairs = np.unique(of_row * size + who) if len(of_row) else of_row
    return np.bincount(pairs // size).astype(np.int64)


def refuted_by(terms: Terms, sizes: Numbers) -> Broken:
    """Count the classes that are too small for a promise, whatever a column that is hidden says.

    Parameters
    ----------
    terms : Terms
    sizes : ndarray of int
        Rows of every class: fewer than k rows are not k people, and have no l different values.
    """
    if isinstance(terms, ClosenessTerms):
        return Broken(0, 0)
    fewest = terms.k if isinstance(terms, KAnonymityTerms) else terms.l
    bad = sizes[sizes < fewest]
    return Broken(len(bad), int(bad.sum()))


def _spreads(
    of_row: Numbers, number: Numbers, counts: Numbers | None
) -> Iterator[tuple[int, dict[int, int]]]:
    """Yield every record with the counts of its values."""
    size = int(number.max()) + 1 if len(number) else 1
    if counts is not None:
        cells, place = np.unique(of_row * size + number, return_inverse=True)
        totals = summed(place.ravel(), counts)
        owners, values = np.divmod(cells, size)
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        for own in np.split(np.arange(len(cells)), starts[1:]):
            each = zip(values[own].tolist(), totals[own].tolist(), strict=True)
            yield int(owners[own[0]]), dict(each)
        return
    order = np.lexsort((number, of_row))
    starts = np.flatnonzero(np.diff(of_row[order], prepend=-1))
    for rows in np.split(order, starts[1:]):
        present, often = np.unique(number[rows], return_counts=True)
        yield int(of_row[rows[0]]), dict(zip(present.tolist(), often.tolist(), strict=True))


def _is_mixed(
    terms: DistinctDiversityTerms | EntropyDiversityTerms | RecursiveDiversityTerms,
    counts: Mapping[int, int],
) -> bool:
    if isinstance(terms, DistinctDiversityTerms):
        return len(counts) >= terms.l
    total = sum(counts.values())
    if isinstance(terms, EntropyDiversityTerms):
        shares = [count / total for count in counts.values()]
        return math.fsum(p * math.log(1 / p) for p in shares) >= math.log(terms.l) - _ROUND_OFF
    falling = sorted(counts.values(), reverse=True)
    return falling[0] < terms.c * sum(falling[terms.l - 1 :])


def _far(terms: ClosenessTerms, of_row: Numbers, values: Column, counts: Numbers | None) -> Numbers:
    """Records whose spread of values is too far from that of the whole release."""
    number, cells = numbered(values)
    places = _places(terms, cells)
    if places is None:
        return np.unique(of_row)
    position = np.array([-1 if place is None else place for place in places])[number]
    whole = _shares(position, int(position.max()) + 1, counts)
    bad = []
    for record, spread in _spreads(of_row, position + 1, counts):
        inside = np.zeros(len(whole))
        for value, count in spread.items():
            inside[value] = count
        if _distance(terms, inside / inside.sum(), whole) > terms.t + _ROUND_OFF:
            bad.append(record)
    return np.array(bad, np.int64)


def _shares(position: Numbers, size: int, counts: Numbers | None) -> NDArray[np.float64]:
    """Shares of the release, missing first."""
    rows = np.zeros(size + 1, np.int64)
    rows[: int(position.max()) + 2] = summed(position + 1, counts)
    shares: NDArray[np.float64] = rows / rows.sum()
    return shares


def _distance(
    terms: ClosenessTerms, inside: NDArray[np.float64], whole: NDArray[np.float64]
) -> float:
    if terms.distance == "equal":
        return float(np.maximum(inside - whole, 0).sum())
    p, q = inside[0], whole[0]
    known = 0.0
    if p < 1 and q < 1 and len(whole) > 2:
        below = np.cumsum(inside[1:]) / (1 - p) - np.cumsum(whole[1:]) / (1 - q)
        known = float(np.abs(below).sum()) / (len(whole) - 2)
    return float(min(1.0, abs(p - q) + (1 - p) * known))


def _places(terms: ClosenessTerms, values: list[Any]) -> list[int | None] | None:
    """Return the place of each value among those that occur; None where there is no order."""
    if terms.bins is not None:
        ranks = [_bin(terms.bins, value) for value in values]
    elif terms.order is not None:
        known = {_key(category): i for i, category in enumerate(terms.order)}
        texts = {str(category): i for i, category in enumerate(terms.order)}
        ranks = [known.get(_key(value), texts.get(str(value))) for value in values]
    elif terms.distance == "ordered":
        ranks = [value if _is_number(value) else None for value in values]
    else:
        ranks = list(range(len(values)))
    lost = any(r is None and v is not None for r, v in zip(ranks, values, strict=True))
    if lost:
        return None
    kept = [r if v is not None else None for r, v in zip(ranks, values, strict=True)]
    place = {rank: i for i, rank in enumerate(sorted({r for r in kept if r is not None}))}
    return [None if rank is None else place[rank] for rank in kept]


def _bin(bins: tuple[float, ...], value: Any) -> int | None:
    return max(bisect.bisect_right(bins, value) - 1, 0) if _is_number(value) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _key(value: Any) -> tuple[bool, Any]:
    return isinstance(value, bool), value


Columns = Mapping[str, Column]


@dataclass(frozen=True, eq=False)
class Counted:
    """What was counted in the cells of a release.

    Attributes
    ----------
    of_row : ndarray of int
        The class of each row: rows that have the same quasi-identifiers.
    sizes : ndarray of int
        Rows of every class.
    whole_rows : WholeRows
    one_value : tuple of OneValue
    counts : ndarray of int or None
        How many rows are like each, where an engine has counted them.
    """

    of_row: Numbers
    sizes: Numbers
    whole_rows: WholeRows
    one_value: tuple[OneValue, ...]
    counts: Numbers | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.sizes.sum())

    @property
    def classes(self) -> int:
        """How many different combinations of quasi-identifiers."""
        return len(self.sizes)

    @property
    def smallest(self) -> int:
        """Rows of the smallest class."""
        return int(self.sizes.min()) if len(self.sizes) else 0


def counted(
    cells: Columns,
    quasi_identifiers: Sequence[str],
    demands: Sequence[Terms],
    counts: Numbers | None = None,
) -> Counted:
    """Count classes, and whole rows, as finely as any reader of the table could.

    Parameters
    ----------
    cells : mapping of str to ndarray or NumberedCells
        All published columns, as they are stored.
    quasi_identifiers : sequence of str
    demands : sequence of Terms
        The promises: what k is.
    counts : ndarray of int, optional
        How many rows are like each, where only different rows are given.
    """
    of_row = shared_records([cells[name] for name in quasi_identifiers])
    kept = {name: values for name, values in cells.items() if name not in set(quasi_identifiers)}
    k = max((terms.k for terms in demands if isinstance(terms, KAnonymityTerms)), default=2)
    alone = shared_records(list(kept.values())) if kept else np.zeros(len(of_row), np.int64)
    sizes = summed(shared_records([of_row, *kept.values()]) if kept else of_row, counts)
    by_kept = summed(alone, counts)
    whole = WholeRows(
        different=len(sizes),
        unique=int((sizes == 1).sum()),
        few=int(sizes[sizes < k].sum()),
        kept_different=len(by_kept) if kept else 0,
        kept_few=int(by_kept[by_kept < k].sum()) if kept else 0,
    )
    one_value = tuple(_one_value(name, of_row, values, counts) for name, values in kept.items())
    return Counted(of_row, summed(of_row, counts), whole, one_value, counts)


def _one_value(name: str, of_row: Numbers, values: Column, counts: Numbers | None) -> OneValue:
    number = alike(values)
    if not len(number):
        return OneValue(name, 0, 0)
    pairs = np.unique(of_row * (int(number.max()) + 1) + number)
    values_of = np.bincount(pairs // (int(number.max()) + 1))
    single = np.flatnonzero(values_of == 1)
    return OneValue(name, len(single), int(summed(of_row, counts)[single].sum()))
