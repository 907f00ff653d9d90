"""What is published for a class: one value for each attribute, a range or set, or a label."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, SparsamWarning
from sparsam.anonymise._classes import Classes
from sparsam.data import (
    Attribute,
    CategoricalDomain,
    NumericDomain,
    Table,
    Unit,
    moment,
)
from sparsam.generalization import ALL, Levels, category_label, moment_range, number_label

Places = NDArray[np.int64]
_Number = TypeVar("_Number", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class ReleasedRows:
    """The rows that are published, and which of the published records each one has.

    Attributes
    ----------
    rows : ndarray of int
        In the order of the table; suppressed rows are not among them.
    record : ndarray of int
        For each of them the number of its record, from 0.
    n_records : int
        Classes that have rows, in the order of their numbers.

    Examples
    --------
    >>> found = ReleasedRows.of(Classes(np.array([2, -1, 0, 2]), 3))
    >>> found.rows.tolist(), found.record.tolist(), found.n_records
    ([0, 2, 3], [1, 0, 1], 2)
    """

    rows: Places
    record: Places
    n_records: int

    @classmethod
    def of(cls, classes: Classes) -> ReleasedRows:
        """Leave out the suppressed rows and the empty classes."""
        rows = np.flatnonzero(classes.of_row >= 0)
        if not len(rows):
            raise DataError(
                f"A release must have rows. All {len(classes.of_row):,} are suppressed."
                "\n\nHint: ask for a smaller k, or name fewer quasi-identifiers."
            )
        number = np.cumsum(classes.sizes() > 0) - 1
        return cls(rows, number[classes.of_row[rows]].astype(np.int64), int(number[-1]) + 1)

    def tally(self, codes: NDArray[np.uint16], attribute: Attribute) -> Tally:
        """Count the values of one attribute in each class.

        Parameters
        ----------
        codes : ndarray of uint16
            The codes of all rows of the table.
        attribute : Attribute
        """
        size = attribute.n_values + 1  # missing is the last code, whether it may occur or not
        keys = self.record * size + codes[self.rows]
        cells, counts = np.unique(keys, return_counts=True)
        starts = np.searchsorted(cells, np.arange(self.n_records) * size)
        return Tally(cells // size, cells % size, counts.astype(np.int64), starts, size - 1)


@dataclass(frozen=True, eq=False)
class Tally:
    """The values of one attribute in each class, ascending, missing last.

    Attributes
    ----------
    record, code, count : ndarray of int, shape (n_cells,)
        A record, a code, and how many rows with this record have this code.
    starts : ndarray of int, shape (n_records,)
        Where the cells of each record begin.
    missing : int
        The code of missing values.
    """

    record: Places
    code: Places
    count: Places
    starts: Places
    missing: int

    @property
    def n_missing(self) -> Places:
        """Rows of each class without a value."""
        return self._sums(np.where(self.code == self.missing, self.count, 0))

    @property
    def n_known(self) -> Places:
        """Rows of each class with a value."""
        return self._sums(np.where(self.code == self.missing, 0, self.count))

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of the known values of each class, NaN where it has none.

        Parameters
        ----------
        values : ndarray of float
            The number that each code stands for, missing not among them.
        """
        weights = np.where(self.code == self.missing, 0, self.count)
        sums = self._sums(np.append(values, 0.0)[self.code] * weights)
        known = self._sums(weights)
        low, high = (np.append(values, np.nan)[codes] for codes in self.ends())
        # round-off must not push the mean of equal numbers out of them
        means: NDArray[np.float64] = np.clip(sums / np.maximum(known, 1), low, high)
        return means

    def at(self, places: Places) -> Places:
        """Code at a place among the rows of each class, when they are sorted by code.

        Parameters
        ----------
        places : ndarray of int, shape (n_records,)
            Counted from 0 in each class.
        """
        ends = np.cumsum(self.count)
        before = (ends - self.count)[self.starts]
        codes: Places = self.code[np.searchsorted(ends, before + places, side="right")]
        return codes

    def mode(self, *, known: bool) -> Places:
        """Most common code of each class; the smallest of several.

        Parameters
        ----------
        known : bool
            Whether missing counts only where there is nothing else.
        """
        weights = self.count
        if known:
            weights = np.where(self.code == self.missing, 0, weights)
        order = np.lexsort((self.code, -weights, self.record))
        modes: Places = self.code[order[self.starts]]
        return modes

    def ends(self) -> tuple[Places, Places]:
        """Smallest and largest known code of each class; missing where it has none."""
        low = self.code[self.starts]
        return low, self.at(np.maximum(self.n_known - 1, 0))

    def members(self) -> list[Places]:
        """Codes of each class, ascending."""
        return np.split(self.code, self.starts[1:])

    def _sums(self, values: NDArray[_Number]) -> NDArray[_Number]:
        sums: NDArray[_Number] = np.add.reduceat(values, self.starts)
        return sums


Average = Literal["mean", "median", "mode"]
Missing = Literal["own", "known"]


def values_of(attribute: Attribute) -> list[Any]:
    """Return the plain value of every code, missing last; a bin of numbers is its middle.

    Dates and times of day are texts, which are the same in every file.

    Parameters
    ----------
    attribute : Attribute

    Examples
    --------
    >>> values_of(Attribute("age", NumericDomain(0, 9, integer=True), [0, 4], [3, 9]))
    [2, 6, None]
    """
    domain = attribute.domain
    if isinstance(domain, NumericDomain) and domain.unit is not None:
        middles = attribute.lows + np.floor((attribute.highs - attribute.lows) / 2)
        return [*(str(moment(domain.unit, middle)) for middle in middles.tolist()), None]
    values = attribute.decode(np.arange(attribute.n_values))
    if isinstance(domain, NumericDomain) and domain.integer:
        values = np.rint(values).astype(np.int64)
    return [*values.tolist(), None]


def averages(attribute: Attribute, tally: Tally, how: Average, missing: Missing) -> list[Any]:
    """Return the middle of every class, in values that the attribute can take.

    Parameters
    ----------
    attribute : Attribute
    tally : Tally
    how : {"mean", "median", "mode"}
        The mean of numbers (a whole one where all are whole), the median of numbers and of ordered
        categories (the lower of two), or the most common value. What has no mean has a median, and
        what has no order its most common value.
    missing : {"own", "known"}
        Whether missing is a value like any other, published where most of the class lack one, or
        published only where the whole class lacks one.

    Returns
    -------
    list
        One plain value for each record, None for missing.
    """
    values = values_of(attribute)
    if how == "mean" and attribute.numeric:
        lacking = _lacking(tally, missing)
        if isinstance(attribute.domain, NumericDomain) and attribute.domain.unit is not None:
            return _mean_moments(attribute, attribute.domain.unit, tally, lacking)
        means = tally.mean(np.asarray(values[:-1], np.float64))
        if isinstance(attribute.domain, NumericDomain) and attribute.domain.integer:
            whole = np.rint(np.where(lacking, 0.0, means)).astype(np.int64)
            return _with_holes(whole, lacking)
        return _with_holes(means, lacking)
    return [values[code] for code in middle_codes(attribute, tally, how, missing).tolist()]


def _mean_moments(
    attribute: Attribute, unit: Unit, tally: Tally, lacking: NDArray[np.bool_]
) -> list[Any]:
    """Return the mean day or time of day of every class."""
    means = tally.mean(attribute.lows + np.floor((attribute.highs - attribute.lows) / 2))
    return [
        None if none else str(moment(unit, round(mean)))
        for mean, none in zip(means.tolist(), lacking.tolist(), strict=True)
    ]


def middle_codes(attribute: Attribute, tally: Tally, how: Average, missing: Missing) -> Places:
    """Return the code in the middle of every class: the median where there is an order.

    Parameters
    ----------
    attribute : Attribute
    tally : Tally
    how : {"mean", "median", "mode"}
    missing : {"own", "known"}
    """
    if how == "mode" or not attribute.ordered:
        return tally.mode(known=missing == "known")
    median = tally.at(np.maximum(tally.n_known - 1, 0) // 2)
    return np.where(_lacking(tally, missing), tally.missing, median)


def draws(
    attribute: Attribute, tally: Tally, missing: Missing, rng: np.random.Generator
) -> list[Any]:
    """Draw a value of every class at random, as often as it occurs there.

    Parameters
    ----------
    attribute : Attribute
    tally : Tally
    missing : {"own", "known"}
        Whether missing is drawn like any other value, or only where there is nothing else.
    rng : numpy Generator
    """
    among = tally.n_known
    if missing == "own":
        among = among + tally.n_missing
    places = rng.integers(0, np.maximum(among, 1))
    values = values_of(attribute)
    return [values[code] for code in tally.at(places).tolist()]


def _lacking(tally: Tally, missing: Missing) -> NDArray[np.bool_]:
    known = tally.n_known
    lacking: NDArray[np.bool_] = known == 0 if missing == "known" else tally.n_missing > known
    return lacking


def _with_holes(values: NDArray[Any], holes: NDArray[np.bool_]) -> list[Any]:
    return [None if hole else value for value, hole in zip(values.tolist(), holes, strict=True)]


def nearest_records(
    table: Table, released: ReleasedRows, answers: NDArray[Any] | None, missing: Missing
) -> dict[str, list[Any]]:
    """Return the record of every class that is nearest to its middle, among the majority.

    Goldsteen et al. 2021 (anonymising models), §3: the point closest to the median of the class
    among the points with the majority label. Numbers and ordered categories are scaled to their
    range, so that no attribute decides alone; a category is 0 or 1 from the most common one, and so
    is a missing value from one that is not.

    Parameters
    ----------
    table : Table
        The quasi-identifiers.
    released : ReleasedRows
    answers : ndarray or None
        The model's answer, or the true label, for every row of the table; None: all rows count.
    missing : {"own", "known"}
        See `averages`.

    Returns
    -------
    dict of str to list
        For each attribute one plain value for each record.
    """
    warnings.warn(
        "'nearest' publishes the record of a real person for every class: whoever knows the "
        "person learns that they are in the data. Publish the 'mean' or 'median' instead if that "
        "must not be.",
        SparsamWarning,
        stacklevel=4,
    )
    away = np.zeros(len(released.rows))
    for place, attribute in enumerate(table.attributes):
        codes = table.codes[:, place]
        middle = middle_codes(attribute, released.tally(codes, attribute), "median", missing)
        away += _apart(attribute, codes[released.rows].astype(np.int64), middle[released.record])
    chosen = released.rows[_first_of_each(released, away, _majority(table, released, answers))]
    return {
        attribute.name: [values_of(attribute)[code] for code in table.codes[chosen, place].tolist()]
        for place, attribute in enumerate(table.attributes)
    }


def _apart(attribute: Attribute, codes: Places, middle: Places) -> NDArray[np.float64]:
    """Squared distance of each code from another, from 0 to 1."""
    differ: NDArray[np.float64] = (codes != middle).astype(np.float64)
    if not attribute.ordered:
        return differ
    numbers = np.arange(attribute.n_values, dtype=np.float64)
    if attribute.numeric:
        numbers = attribute.lows + (attribute.highs - attribute.lows) / 2
    span = float(numbers[-1] - numbers[0])
    scaled = np.append((numbers - numbers[0]) / span if span else numbers * 0.0, np.nan)
    squared = (scaled[codes] - scaled[middle]) ** 2
    apart: NDArray[np.float64] = np.where(np.isnan(squared), differ, squared)
    return apart


def _majority(
    table: Table, released: ReleasedRows, answers: NDArray[Any] | None
) -> NDArray[np.bool_]:
    """Whether each row has the most common answer of its class (the first of several)."""
    if answers is None:
        return np.ones(len(released.rows), dtype=bool)
    if np.shape(answers) != (table.n_rows,):
        raise DataError(
            f"The answers must be one for each of the {table.n_rows:,} rows. "
            f"Got the shape {np.shape(answers)} instead."
        )
    labels, index = np.unique(np.asarray(answers)[released.rows], return_inverse=True)
    keys = released.record * len(labels) + index
    cells, counts = np.unique(keys, return_counts=True)
    record = cells // len(labels)
    order = np.lexsort((cells, -counts, record))
    starts = np.searchsorted(record, np.arange(released.n_records))
    common: NDArray[np.bool_] = keys == cells[order[starts]][released.record]
    return common


def _first_of_each(
    released: ReleasedRows, away: NDArray[np.float64], allowed: NDArray[np.bool_]
) -> Places:
    """The allowed row of each class that is nearest, the first of several."""
    order = np.lexsort((away, ~allowed, released.record))
    starts = np.searchsorted(released.record[order], np.arange(released.n_records))
    return order[starts]


# Texts that would read like a range or a set when they stand in one.
_AMBIGUOUS = re.compile(r', | – | or missing$|^"|^missing$|^' + ALL + "$")


def ranges(attribute: Attribute, tally: Tally) -> list[str | None]:
    """Return the values of every class in words: "30–39", "nurse, teacher", "all values".

    A range is from the smallest to the largest number of the class, both included. A class in which
    some values are missing says so; one in which all are missing is published as missing.

    Parameters
    ----------
    attribute : Attribute
    tally : Tally

    Returns
    -------
    list of str or None
    """
    words = (
        _intervals(attribute, attribute.domain, tally)
        if isinstance(attribute.domain, NumericDomain)
        else _sets(attribute.domain, tally)
    )
    holes, known = tally.n_missing.tolist(), tally.n_known.tolist()
    return [
        None if not some else f"{text} or missing" if hole else text
        for text, hole, some in zip(words, holes, known, strict=True)
    ]


def _intervals(attribute: Attribute, domain: NumericDomain, tally: Tally) -> list[str]:
    low, high = tally.ends()
    none = low == tally.missing
    smallest = attribute.lows[np.where(none, 0, low)].tolist()
    largest = attribute.highs[np.where(none, 0, high)].tolist()
    return [interval_label(a, b, domain) for a, b in zip(smallest, largest, strict=True)]


def interval_label(low: float, high: float, domain: NumericDomain) -> str:
    """Write the range from a number to another, both included.

    Examples
    --------
    >>> interval_label(30, 39, NumericDomain(0, 99, integer=True))
    '30–39'
    >>> interval_label(0.5, 2, NumericDomain(0, 9)), interval_label(3, 3, NumericDomain(0, 9))
    ('0.5 to 2', '3')
    >>> interval_label(0, 364, NumericDomain("1960-01-01", "2009-12-31", unit="date"))
    '1970'
    """
    if domain.unit is not None:
        return moment_range(domain.unit, low, high)
    if low == high:
        return number_label(low)
    dash = "–" if domain.integer and low >= 0 else " to "
    return f"{number_label(low)}{dash}{number_label(high)}"


def _sets(domain: CategoricalDomain, tally: Tally) -> list[str]:
    names = [_quoted(category_label(category)) for category in domain.categories]
    words: dict[bytes, str] = {}  # many classes share a set
    labels = []
    for codes in tally.members():
        key = codes.tobytes()
        if key not in words:
            words[key] = set_label(names, codes[codes < tally.missing], ordered=domain.ordered)
        labels.append(words[key])
    return labels


def set_label(names: list[str], codes: Places, *, ordered: bool) -> str:
    """Write a set of categories: their names, the ends of a run, or that it is all of them.

    Examples
    --------
    >>> names = ["low", "middle", "high", "top"]
    >>> set_label(names, np.array([0, 2]), ordered=True)
    'low, high'
    >>> set_label(names, np.array([0, 1, 2]), ordered=True)
    'low – high'
    """
    if len(codes) == len(names) > 1:
        return ALL
    if ordered and len(codes) > 2 and codes[-1] - codes[0] == len(codes) - 1:
        return f"{names[codes[0]]} – {names[codes[-1]]}"
    return ", ".join(names[code] for code in codes)


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False) if _AMBIGUOUS.search(name) else name


def hierarchy_labels(attribute: Attribute, tally: Tally, levels: Levels) -> list[Any]:
    """Return for every class the label of the lowest level on which all of its values agree.

    Parameters
    ----------
    attribute : Attribute
    tally : Tally
    levels : sequence of sequence
        For each level, from fine to coarse, the label of every code, missing (where it may occur)
        last. Give one level only where a whole attribute is published on it.

    Returns
    -------
    list
        One label for each record.

    Examples
    --------
    >>> from sparsam.anonymise._classes import Classes
    >>> from sparsam.anonymise._published_values import ReleasedRows
    >>> from sparsam.data import read
    >>> table = read({"place": ["Bonn", "Ulm", "Wien"]})
    >>> released = ReleasedRows.of(Classes(np.array([0, 0, 1]), 2))
    >>> tally = released.tally(table.codes[:, 0], table.attributes[0])
    >>> hierarchy_labels(table.attributes[0], tally, [["Bonn", "Ulm", "Wien"], ["D", "D", "A"]])
    ['D', 'Wien']
    """
    chosen: list[Any] = [None] * len(tally.starts)
    open_ = np.ones(len(chosen), dtype=bool)
    for labels in levels:
        _check_labels(attribute, labels)
        number = _numbered([*labels, None][: attribute.n_values + 1])[tally.code]
        agrees = np.minimum.reduceat(number, tally.starts) == np.maximum.reduceat(
            number, tally.starts
        )
        for record in np.flatnonzero(open_ & agrees).tolist():
            code = int(tally.code[tally.starts[record]])
            chosen[record] = labels[code]
        open_ &= ~agrees
    if open_.any():
        raise DataError(
            f"The values of every class must have one label of '{attribute.name}' on some level. "
            f"{int(open_.sum()):,} of {len(chosen):,} classes have several on all "
            f"{len(levels)} levels.\n\nHint: add a level on which all values have one label."
        )
    return chosen


def _check_labels(attribute: Attribute, labels: Sequence[Any]) -> None:
    if len(labels) != attribute.size:
        raise DataError(
            f"Every level of the hierarchy of '{attribute.name}' must have a label for each of its "
            f"{attribute.size:,} values. One has {len(labels):,}."
        )


def _numbered(labels: Sequence[Any]) -> Places:
    place: dict[Any, int] = {}
    return np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.int64)
