"""One pass over a column: its distinct values, and for every row which one it has."""

from __future__ import annotations

import datetime
import decimal
import math
import numbers
from collections.abc import Collection
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, hint
from sparsam.data._calendar import FIRST_DAY, LAST_DAY, days_of, number_of

Kind = Literal["number", "bool", "text", "date", "time", "empty"]

# A table of this many entries is cheaper than a sort, whatever the number of rows.
_DIRECT = 1 << 20
# Whole floats up to here are exact, so that they may be told apart as ints.
_EXACT = 2.0**53


class Factored(NamedTuple):
    """A column taken apart.

    Attributes
    ----------
    kind : {"number", "bool", "text", "date", "time", "empty"}
        What the values are; "empty" when every one is missing.
    values : ndarray
        The distinct values, ascending: int64, float64, bool or object (text). Of dates the days
        since 1970-01-01, of times of day the minutes.
    codes : ndarray of int32
        The position in `values` of every row's value, -1 where it is missing.
    clock : bool
        Whether dates came with a time of day, which is lost.
    weights : ndarray of int64 or None
        How many rows each entry of `codes` stands for, where equal rows were counted before.
    in_order : bool
        Whether such rows ascended or descended.
    n_values : int or None
        About how many distinct values there are, where those here stand for more.
    """

    kind: Kind
    values: NDArray[Any]
    codes: NDArray[np.int32]
    clock: bool = False
    weights: NDArray[np.int64] | None = None
    in_order: bool = False
    n_values: int | None = None

    @property
    def has_missing(self) -> bool:
        """Whether any row has no value."""
        return bool((self.codes < 0).any())

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.codes) if self.weights is None else int(self.weights.sum())

    @property
    def n_missing(self) -> int:
        """The number of rows without a value."""
        missing = self.codes < 0
        return int(missing.sum() if self.weights is None else self.weights[missing].sum())

    def counts(self) -> NDArray[np.int64]:
        """Count the rows of each distinct value."""
        known = self.codes >= 0
        if self.weights is None:
            return np.bincount(self.codes[known], minlength=len(self.values))
        counts = np.zeros(len(self.values), dtype=np.int64)
        np.add.at(counts, self.codes[known], self.weights[known])
        return counts

    def recoded(self, values: Factored) -> Factored:
        """The same rows with other values, given for each of the present ones."""
        rows = from_dictionary(values, self.codes)
        return rows._replace(weights=self.weights, in_order=self.in_order, n_values=self.n_values)


def factorise(
    name: str, values: NDArray[Any], *, missing: Collection[str] = (), as_text: bool = False
) -> Factored:
    """Find the distinct values of a column and the position of each row's value among them.

    Parameters
    ----------
    name : str
        The column, for error messages.
    values : ndarray
        One value per row. None, NaN, NaT and masked entries are missing.
    missing : collection of str
        Texts that mean missing.
    as_text : bool, default=False
        Turn a mixture of types into text instead of refusing it, and dates into text too.

    Examples
    --------
    >>> factored = factorise("age", np.array([30.0, 20.0, np.nan, 30.0]))
    >>> factored.kind, factored.values, factored.codes
    ('number', array([20, 30]), array([ 1,  0, -1,  1], dtype=int32))
    """
    if isinstance(values, np.ma.MaskedArray):
        return _masked(name, values, missing, as_text)
    kind = values.dtype.kind
    if kind in "iub":
        return _drop_missing(_whole(values)) if kind != "b" else _truth(values)
    if kind == "f":
        return _floats(name, values)
    if kind in "Mm":
        return _dates(name, values, as_text)
    if kind in "OUT":
        return _objects(name, values.astype(object, copy=False), missing, as_text)
    raise _unsupported(name, str(values.dtype))


def from_dictionary(dictionary: Factored, positions: NDArray[Any]) -> Factored:
    """Return the factors of rows that are given as positions in a dictionary (-1: missing)."""
    lookup = np.append(dictionary.codes, np.int32(-1))
    return _used(dictionary, lookup[np.asarray(positions, dtype=np.int64)])


def _used(inner: Factored, codes: NDArray[np.int32]) -> Factored:
    """Leave out the distinct values that no row has."""
    used = np.zeros(len(inner.values) + 1, dtype=bool)
    used[codes] = True
    lookup = np.append(np.cumsum(used[:-1]) - 1, -1).astype(np.int32)
    kind: Kind = inner.kind if used[:-1].any() else "empty"
    return Factored(kind, inner.values[used[:-1]], lookup[codes], inner.clock)


def _masked(
    name: str, values: np.ma.MaskedArray[Any, Any], missing: Collection[str], as_text: bool
) -> Factored:
    mask = np.ma.getmaskarray(values)
    kept = factorise(name, values.data[~mask], missing=missing, as_text=as_text)
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[~mask] = kept.codes
    return Factored(kept.kind, kept.values, codes, kept.clock)


def _drop_missing(factored: Factored) -> Factored:
    return factored if len(factored.values) else _empty(len(factored.codes))


def _empty(n_rows: int) -> Factored:
    return Factored("empty", np.empty(0, dtype=object), np.full(n_rows, -1, dtype=np.int32))


def _truth(values: NDArray[np.bool_]) -> Factored:
    distinct, codes = np.unique(values, return_inverse=True)
    return _drop_missing(Factored("bool", distinct, codes.astype(np.int32)))


def _whole(values: NDArray[Any]) -> Factored:
    if values.size == 0:
        return _empty(0)
    low, high = int(values.min()), int(values.max())
    if max(abs(low), abs(high)) >= _EXACT:
        values = values.astype(np.float64)
    elif high - low < max(_DIRECT, 2 * values.size):
        return _direct(values.astype(np.int64), low, high)
    distinct, codes = np.unique(values, return_inverse=True)
    return Factored("number", distinct, codes.astype(np.int32))


def _direct(values: NDArray[np.int64], low: int, high: int) -> Factored:
    """Find the distinct values with a table over the range: linear time, no sort."""
    offset = values - low
    seen = np.zeros(high - low + 1, dtype=bool)
    seen[offset] = True
    lookup = (np.cumsum(seen) - 1).astype(np.int32)
    return Factored("number", np.flatnonzero(seen) + low, lookup[offset])


def _floats(name: str, values: NDArray[Any]) -> Factored:
    known = ~np.isnan(values)
    everywhere = bool(known.all())
    numbers_ = (values if everywhere else values[known]).astype(np.float64)
    if np.isinf(numbers_).any():
        raise DataError(
            f"'{name}' must hold finite numbers. Some are infinite."
            + hint(
                f"say missing_in={{'{name}': ['inf']}} in the roles if it means missing, or "
                "replace them by a number with a meaning",
                "sparsam roles writes a roles file that takes them as missing; or replace them by "
                "a number with a meaning",
            )
        )
    numbers_ += 0.0  # -0.0 and 0.0 are one value
    whole = bool(((np.floor(numbers_) == numbers_) & (np.abs(numbers_) < _EXACT)).all())
    if numbers_.size == 0:
        return _empty(len(values))
    factored = _whole(numbers_.astype(np.int64)) if whole else _sorted(numbers_)
    if everywhere:
        return factored
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[known] = factored.codes
    return Factored("number", factored.values, codes)


def _sorted(values: NDArray[np.float64]) -> Factored:
    distinct, codes = np.unique(values, return_inverse=True)
    return Factored("number", distinct, codes.astype(np.int32))


def _dates(name: str, values: NDArray[Any], as_text: bool) -> Factored:
    if values.dtype.kind == "m":
        if not as_text:
            raise _duration_error(name)
        return _date_texts(values)
    known = ~np.isnat(values)
    if not known.any():
        return _empty(len(values))
    days, clock = days_of(values[known])
    if as_text:
        return _date_texts(values if clock else values.astype("datetime64[D]"))
    _check_years(name, days)
    factored = _whole(days)
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[known] = factored.codes
    return Factored("date", factored.values, codes, clock)


def _date_texts(values: NDArray[Any]) -> Factored:
    texts = values.astype(str).astype(object)
    texts[np.isnat(values)] = None
    return _texts(texts, frozenset())


def _check_years(name: str, days: NDArray[np.int64]) -> None:
    outside = int(((days < FIRST_DAY) | (days > LAST_DAY)).sum())
    if outside:
        raise DataError(
            f"'{name}' must hold dates of the years 1 to 9999. Got {outside:,} others."
            "\n\nHint: replace them by missing values."
        )


def _moments(values: NDArray[np.object_], unit: Literal["date", "time"]) -> Factored:
    found = [number_of(unit, value) for value in values]
    known = np.array([number is not None for number in found])
    factored = _whole(np.array([number for number in found if number is not None], dtype=np.int64))
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[known] = factored.codes
    clock = unit == "date" and any(map(_has_clock, values[known]))
    return _drop_missing(Factored(unit, factored.values, codes, clock))


def _has_clock(value: Any) -> bool:
    if isinstance(value, np.datetime64):
        return bool(value.astype("datetime64[D]") != value)
    return isinstance(value, datetime.datetime) and value.time() != datetime.time()


def _objects(
    name: str, values: NDArray[np.object_], missing: Collection[str], as_text: bool
) -> Factored:
    types = _types(values)
    if len(set(types.values()) - {"missing"}) > 1:
        # a NaN among texts is a missing value, and so is a text that means missing
        values = values.copy()
        values[[_is_gone(value, missing) for value in values]] = None
        types = _types(values)
    sorts = set(types.values()) - {"missing"}
    if as_text and (len(sorts) > 1 or sorts & {"date", "time", "duration", "other"}):
        return _texts(_stringify(values, types), missing)
    return _one_sort(name, values, types, sorts, missing)


def _types(values: NDArray[np.object_]) -> dict[type, str]:
    return {kind: _sort_of(kind) for kind in set(map(type, values))}


def _is_gone(value: object, missing: Collection[str]) -> bool:
    if isinstance(value, str):
        return value in missing
    return isinstance(value, float) and math.isnan(value)


def _one_sort(
    name: str,
    values: NDArray[np.object_],
    types: dict[type, str],
    sorts: set[str],
    missing: Collection[str],
) -> Factored:
    if not sorts:
        return _empty(len(values))
    if len(sorts) > 1:
        raise DataError(
            f"'{name}' must hold one type of value. Got a mixture of {', '.join(_named(types))}."
            "\n\nHint: convert the column to one type, or declare it categorical."
        )
    if sorts == {"text"}:
        return _texts(values, missing)
    if sorts in ({"date"}, {"time"}):
        return _moments(values, "date" if sorts == {"date"} else "time")
    if sorts == {"duration"}:
        raise _duration_error(name)
    if sorts == {"other"}:
        raise _unsupported(name, ", ".join(_named(types)))
    numbers_ = np.fromiter(
        (np.nan if types[type(v)] == "missing" else float(v) for v in values), float, len(values)
    )
    factored = _floats(name, numbers_)
    if sorts == {"bool"} and factored.kind == "number":
        return Factored("bool", factored.values.astype(bool), factored.codes)
    return factored


def _texts(values: NDArray[np.object_], missing: Collection[str]) -> Factored:
    index: dict[Any, int] = {}
    first = np.fromiter((index.setdefault(v, len(index)) for v in values), np.int32, len(values))
    known = sorted(str(v) for v in index if isinstance(v, str) and v not in missing)
    if not known:
        return _empty(len(values))
    place = {text: code for code, text in enumerate(known)}
    lookup = [place.get(v, -1) if isinstance(v, str) else -1 for v in index]
    distinct = np.empty(len(known), dtype=object)
    distinct[:] = known
    return Factored("text", distinct, np.array(lookup, dtype=np.int32)[first])


def _stringify(values: NDArray[np.object_], types: dict[type, str]) -> NDArray[np.object_]:
    texts = [None if types[type(value)] == "missing" else str(value) for value in values]
    return np.array(texts, dtype=object)


def _named(types: dict[type, str]) -> list[str]:
    return sorted(kind_.__name__ for kind_, sort in types.items() if sort != "missing")


def _sort_of(kind: type) -> str:
    if kind is type(None) or kind.__name__ in {"NAType", "NaTType"}:
        return "missing"
    if issubclass(kind, (bool, np.bool_)):
        return "bool"
    if issubclass(kind, (numbers.Real, decimal.Decimal)):
        return "number"
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, (datetime.date, np.datetime64)):
        return "date"
    if issubclass(kind, datetime.time):
        return "time"
    return "duration" if issubclass(kind, (datetime.timedelta, np.timedelta64)) else "other"


def _duration_error(name: str) -> DataError:
    return DataError(
        f"'{name}' must hold numbers, dates, text or truth values. Got durations instead."
        "\n\nHint: convert the column to a number, such as the days, or declare it categorical."
    )


def _unsupported(name: str, what: str) -> DataError:
    return DataError(
        f"'{name}' must hold numbers, dates, text or truth values. Got {what} instead."
        + hint(
            f"convert it to text or to numbers first, or leave it out: Roles(ignore=['{name}'])",
            "convert it to text or to numbers first, or leave it out with --ignore",
        )
    )
