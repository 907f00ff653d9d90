"""How one column is encoded: which small integer stands for which values."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, hint
from sparsam.data._calendar import Unit, ages, time_of
from sparsam.data._domain import (
    CategoricalDomain,
    Category,
    Domain,
    NumericDomain,
    cut_between,
    middles,
    plain,
    reader_of,
)
from sparsam.data._factor import Factored, factorise

# Codes are 16 bits wide; a few are left for the missing value and for later use.
MAX_CATEGORIES = 65_000


def _none() -> NDArray[np.float64]:
    return np.empty(0)


@dataclass(frozen=True, eq=False, repr=False)
class Attribute:
    """One attribute of the table, and how its values become codes and come back.

    Parameters
    ----------
    name : str
        The name of the column.
    domain : NumericDomain or CategoricalDomain
        The values it can take.
    lows, highs : ndarray of float
        Numeric attributes: the smallest and the largest value that each code stands for,
        ascending. They are equal where every distinct value has a code of its own. Of dates, the
        first and the last day of a calendar month or year, as the domain counts days.
        Empty for categories, whose codes are positions in the domain's list.
    missing : bool, default=False
        Whether values may be missing; their code is `n_values`.

    Examples
    --------
    >>> sex = Attribute("sex", CategoricalDomain(("female", "male")), missing=True)
    >>> sex.encode(np.array(["male", None, "female"], dtype=object))
    array([1, 2, 0], dtype=uint16)
    """

    name: str
    domain: Domain
    lows: NDArray[np.float64] = field(default_factory=_none)
    highs: NDArray[np.float64] = field(default_factory=_none)
    missing: bool = False

    def __post_init__(self) -> None:
        for end in ("lows", "highs"):
            values = np.array(getattr(self, end), dtype=np.float64)
            values.setflags(write=False)
            object.__setattr__(self, end, values)
        self._check()

    def _check(self) -> None:
        if self.n_values > MAX_CATEGORIES:
            raise DataError(
                f"'{self.name}' must have at most {MAX_CATEGORIES:,} values. "
                f"Got {self.n_values:,} instead."
            )
        if not self.numeric:
            if not self.n_values:
                raise DataError(f"'{self.name}' must have at least one category. Got none.")
            return
        if self.lows.shape != self.highs.shape or not self.lows.size:
            raise DataError(f"'{self.name}' must have as many lows as highs, and at least one.")
        together = np.column_stack([self.lows, self.highs]).ravel()
        if (together[1:] < together[:-1]).any() or (self.lows[1:] <= self.lows[:-1]).any():
            raise DataError(f"'{self.name}' must have ascending lows and highs.")

    @property
    def kind(self) -> str:
        """Numeric, date, time, ordered or categorical."""
        if isinstance(self.domain, NumericDomain):
            return self.domain.unit or "numeric"
        return "ordered" if self.ordered else "categorical"

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return isinstance(self.domain, NumericDomain)

    @property
    def ordered(self) -> bool:
        """Whether the codes run from least to most."""
        return isinstance(self.domain, NumericDomain) or self.domain.ordered

    @property
    def binned(self) -> bool:
        """Whether a code stands for several numbers."""
        return bool((self.lows != self.highs).any())

    @property
    def n_values(self) -> int:
        """The number of codes, the missing value not counted."""
        if isinstance(self.domain, CategoricalDomain):
            return len(self.domain.categories)
        return len(self.lows)

    @property
    def size(self) -> int:
        """The number of codes, the missing value counted."""
        return self.n_values + self.missing

    def encode(self, values: NDArray[Any]) -> NDArray[np.uint16]:
        """Turn values into codes.

        A number between two codes gets the nearer one (the upper at equal distance), a number
        beyond the range the first or the last. Between two months of dates the calendar decides:
        a year that begins there, if one does. A category that is not in the domain, or a
        missing value where none is allowed, is an error.

        Parameters
        ----------
        values : ndarray
            One value per row; None, NaN and NaT are missing.
        """
        mixed = not self.numeric and isinstance(self._categories()[0], str)
        values = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
        return self.encode_factored(factorise(self.name, values, as_text=mixed))

    def encode_factored(self, factored: Factored) -> NDArray[np.uint16]:
        """Turn the distinct values of a column into codes, then the rows."""
        lookup = self._number_codes(factored) if self.numeric else self._category_codes(factored)
        if not self.missing and factored.has_missing:
            raise DataError(
                f"'{self.name}' must have no missing values. "
                f"Got {factored.n_missing:,} rows without one."
            )
        return np.append(lookup, np.uint16(self.n_values))[factored.codes]

    def decode(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Turn codes back into values.

        Categories come back as they are, numbers as the value or the middle of the bin that
        the code stands for, dates as datetime64 and times of day as `datetime.time`. A missing
        value is None among categories and times, NaT among dates and NaN among numbers.

        Parameters
        ----------
        codes : ndarray of int
            Codes of this attribute.
        """
        values = self._representatives()
        if isinstance(self.domain, NumericDomain) and self.domain.unit is not None:
            moments: NDArray[Any] = _calendar_values(self.domain.unit, values)[codes]
            return moments
        if self.missing and (codes == self.n_values).any():
            longer = np.empty(self.size, dtype=float if self.numeric else object)
            longer[:-1], longer[-1] = values, np.nan if self.numeric else None
            values = longer
        decoded: NDArray[Any] = values[codes]
        return decoded

    def _representatives(self) -> NDArray[Any]:
        if isinstance(self.domain, CategoricalDomain):
            return _array(self.domain.categories)
        if self.binned:
            return middles(self.lows, self.highs)
        return self.lows.astype(np.int64) if self.domain.integer else self.lows.copy()

    def _categories(self) -> tuple[Category, ...]:
        return self.domain.categories if isinstance(self.domain, CategoricalDomain) else ()

    def _category_codes(self, factored: Factored) -> NDArray[np.uint16]:
        place = {category: code for code, category in enumerate(self._categories())}
        keys = [plain(value) for value in factored.values]
        # a column that was read as text may come back as numbers
        codes = [place.get(key, place.get(str(key), -1)) for key in keys]
        lookup = np.array(codes, dtype=np.int64)
        unseen = int((lookup < 0).sum())
        if unseen:
            rows = int(factored.counts()[lookup < 0].sum())
            raise DataError(
                f"'{self.name}' must hold only the {len(place):,} categories of its domain. "
                f"Got {unseen:,} unknown in {rows:,} rows."
                "\n\nHint: declare the whole list of categories as the attribute's domain."
            )
        return lookup.astype(np.uint16)

    def _number_codes(self, factored: Factored) -> NDArray[np.uint16]:
        assert isinstance(self.domain, NumericDomain)
        values = as_numbers(self.name, factored, self.domain)
        if self.domain.unit is not None:
            return np.searchsorted(self.borders, values, side="right").astype(np.uint16)
        code = np.maximum(np.searchsorted(self.lows, values, side="right") - 1, 0)
        above = np.minimum(code + 1, self.n_values - 1)
        with np.errstate(over="ignore"):
            nearer = self.lows[above] - values <= values - self.highs[code]
        code = np.where((values > self.highs[code]) & nearer, above, code)
        return code.astype(np.uint16)

    @cached_property
    def borders(self) -> NDArray[np.float64]:
        """Of dates and times of day: where each code but the first begins, at a calendar's edge."""
        assert isinstance(self.domain, NumericDomain)
        ends = zip(self.highs[:-1].tolist(), self.lows[1:].tolist(), strict=True)
        return np.array([cut_between(self.domain, below, above) for below, above in ends])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Attribute):
            return NotImplemented
        return (self.name, self.domain, self.missing) == (
            other.name,
            other.domain,
            other.missing,
        ) and bool(
            np.array_equal(self.lows, other.lows) and np.array_equal(self.highs, other.highs)
        )

    def __hash__(self) -> int:
        return hash((self.name, self.domain, self.missing, self.lows.tobytes()))

    def __repr__(self) -> str:
        rest = ", missing" if self.missing else ""
        return f"Attribute({self.name!r}, {self.kind}, {self.n_values:,} values{rest})"


def as_numbers(
    name: str, factored: Factored, domain: NumericDomain | None = None
) -> NDArray[np.float64]:
    """Read the distinct values of a column as numbers; text that is no number is an error.

    Parameters
    ----------
    name : str
        The column, for error messages.
    factored : Factored
    domain : NumericDomain, optional
        Says whether dates, times of day or dates of birth are expected.
    """
    if domain is not None and (domain.unit is not None or domain.age_on is not None):
        return _as_moments(name, factored, domain)
    if factored.kind in ("date", "time"):
        raise DataError(
            f"'{name}' must hold numbers. Got {factored.kind}s instead."
            f"\n\nHint: do not declare the column numeric: {factored.kind}s are read as they are."
        )
    if factored.kind != "text":
        return factored.values.astype(np.float64)
    numbers = np.array([_number(text) for text in factored.values])
    bad = ~np.isfinite(numbers)
    if bad.any():
        rows = int(factored.counts()[bad].sum())
        raise DataError(
            f"'{name}' must hold numbers. Got {rows:,} rows with other text instead."
            + hint(
                "name the texts that mean missing under missing_values, or do not declare the "
                "column numeric",
                "name the texts that mean missing with --missing, or see what sparsam roles "
                "proposes for the column",
            )
        )
    return numbers


def _as_moments(name: str, factored: Factored, domain: NumericDomain) -> NDArray[np.float64]:
    if factored.kind == (domain.unit or "date"):
        if domain.age_on is None:
            return factored.values.astype(np.float64)
        return ages(domain.age_on, factored.values)
    reader, numbers, bad = reader_of(domain), [], []
    assert reader is not None
    for value in factored.values:
        try:
            numbers.append(reader(value))
        except TypeError:
            bad.append(value)
    if bad:
        raise not_moments(name, factored, domain, set(bad))
    return np.array(numbers, dtype=np.float64)


def not_moments(name: str, factored: Factored, domain: NumericDomain, bad: set[Any]) -> DataError:
    """Make the error for a column that is declared to hold dates, and does not."""
    counts = factored.counts().tolist()
    rows = sum(n for value, n in zip(factored.values, counts, strict=True) if value in bad)
    what = "times of day such as 08:30" if domain.unit == "time" else "dates such as 1960-01-31"
    return DataError(
        f"'{name}' must hold {what}. Got {rows:,} rows with something else instead."
        + hint(
            "name the texts that mean missing under missing_values, correct the rows, or say what "
            "3/4/2020 means: date_order under [file] of the roles",
            "name the texts that mean missing with --missing, correct the rows, or say what "
            "3/4/2020 means with --date-order",
        )
    )


def _calendar_values(unit: Unit, values: NDArray[Any]) -> NDArray[Any]:
    """Return the values of all codes as dates or times of day, with one more for missing."""
    if unit == "date":
        days = values.astype(np.int64).astype("datetime64[D]")
        return np.append(days, np.datetime64("NaT", "D"))
    times = np.empty(len(values) + 1, dtype=object)
    times[:-1] = [time_of(value) for value in values]
    return times


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def _array(categories: tuple[Category, ...]) -> NDArray[Any]:
    kinds = {type(category) for category in categories}
    if kinds <= {int} or kinds <= {bool} or kinds <= {int, float}:
        return np.array(categories)
    values = np.empty(len(categories), dtype=object)
    values[:] = categories
    return values
