"""Columns of dates, of times of day and of dates of birth: how they are found and encoded."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, RoleError, hint
from sparsam.data._attribute import Attribute, as_numbers
from sparsam.data._calendar import (
    AMBIGUOUS,
    FIRST_DAY,
    LAST_DAY,
    LAST_MINUTE,
    Day,
    Minute,
    Order,
    TextMoments,
    Unit,
    ends,
    period,
    read_texts,
    starts,
)
from sparsam.data._domain import Domain, NumericDomain, calendar_range
from sparsam.data._factor import Factored, factorise
from sparsam.data._target import Target
from sparsam.data.roles._roles import Roles

_WHOLE_CALENDAR = NumericDomain(Day(FIRST_DAY), Day(LAST_DAY), unit="date")
_WHOLE_DAY = NumericDomain(Minute(0), Minute(LAST_MINUTE), unit="time")
_EITHER = "day and month could be either way round in every text"
_SAY = (
    "say date_order = 'day/month/year' or 'month/day/year' under [file] of the roles",
    "say --date-order day/month/year or --date-order month/day/year",
)


class Moments(NamedTuple):
    """A column of dates, of times of day, or of ages found from dates of birth.

    Attributes
    ----------
    factored : Factored
        The days, the minutes of the day, or the ages.
    domain : NumericDomain
        Its unit, its order and its day; its ends only where they were declared.
    remarks : tuple of str
        What there is to say about the column.
    """

    factored: Factored
    domain: NumericDomain
    remarks: tuple[str, ...]

    def note(self, name: str, *more: str) -> tuple[str, ...]:
        """Return all remarks in one note, or none."""
        remarks = "; ".join((*self.remarks, *more))
        return (f"{name}: {remarks}",) if remarks else ()


def moments_of(
    name: str, factored: Factored, roles: Roles, declared: Domain | None = None
) -> Moments | str | None:
    """Return the dates, times of day or ages of a column, if it holds or must hold them.

    Parameters
    ----------
    name : str
    factored : Factored
        The column as it came.
    roles : Roles
    declared : NumericDomain, optional
        The declared range.

    Returns
    -------
    Moments, str or None
        A text is a note on dates that nobody can tell the order of. They stay text.

    Raises
    ------
    DataError
        The column is declared to hold dates, and does not.
    """
    unit = declared.unit if isinstance(declared, NumericDomain) else None
    on = roles.ages.get(name) or (declared.age_on if isinstance(declared, NumericDomain) else None)
    must = unit is not None or on is not None or name in roles.dates
    if not must and (declared is not None or name in roles.numeric):
        return None
    order = roles.file.date_order
    if isinstance(declared, NumericDomain) and declared.order is not None:
        order = declared.order
    notes: list[str] = []
    if factored.kind == "text":
        texts = read_texts(factored.values, order)
        if texts == AMBIGUOUS:
            if must:
                raise DataError(f"'{name}' must hold dates, but {_EITHER}." + hint(*_SAY))
            return f"{name}: {_EITHER}, so that it stays text; {_SAY[0]} (or: {_SAY[1]})"
        if texts is not None and (unit or texts.unit) == texts.unit:
            factored, order = _read(factored, texts), texts.order
            notes.append(f"read as {texts.unit}s ({texts.written})")
    if not must and factored.kind not in ("date", "time"):
        return None
    domain = _domain(factored, unit, on, order, declared)
    numbers = factorise(name, as_numbers(name, factored, domain))
    found = factored.recoded(numbers)
    if on is not None:
        _check_born(name, found, on)
        notes.append(f"read as the age in whole years on {on}")
    elif factored.clock:
        notes.append(
            "without the time of day" if notes else "read as dates, without the time of day"
        )
    return Moments(found, domain, tuple(notes))


def check_no_dates(attribute: Attribute) -> None:
    """Raise for dates and times of day where only numbers and categories can be."""
    if isinstance(attribute.domain, NumericDomain) and attribute.domain.unit is not None:
        raise no_dates(attribute.name)


def check_no_date_target(attribute: Attribute, name: str) -> None:
    """Raise for a target of dates: these are neither classes nor a quantity."""
    unit = attribute.domain.unit if isinstance(attribute.domain, NumericDomain) else None
    if unit is not None:
        edge = "1980-01-01" if unit == "date" else "08:30"
        raise RoleError(
            f"The target '{name}' must be a list of classes, or a number. It holds {unit}s."
            + hint(
                f"compare it, such as '{name}>={edge}', or declare the column categorical",
                f"--target '{name}>={edge}', or --categorical '{name}'",
            )
        )


def no_dates(name: str) -> DataError:
    """Make the error for dates where only numbers and categories can be."""
    return DataError(
        f"'{name}' must hold numbers, text or truth values here. It holds dates or times."
        + hint(
            "convert the column to a number, such as the year or the age in years, or declare it "
            "categorical",
            f"convert the column to a number, such as the year or the age in years, or "
            f"--categorical '{name}'",
        )
    )


def _read(factored: Factored, texts: TextMoments) -> Factored:
    moments = factorise("", texts.numbers)._replace(kind=texts.unit, clock=texts.clock)
    return factored.recoded(moments)


def _domain(
    factored: Factored,
    unit: Unit | None,
    on: str | None,
    order: Order | None,
    declared: Domain | None,
) -> NumericDomain:
    low, high = (declared.low, declared.high) if isinstance(declared, NumericDomain) else (0, 0)
    if on is not None:
        return NumericDomain(low, high, age_on=on, order=order)
    if (unit or factored.kind) == "time":
        whole = _WHOLE_DAY
    else:
        whole = msgspec.structs.replace(_WHOLE_CALENDAR, order=order)
    return declared if isinstance(declared, NumericDomain) and unit is not None else whole


def _check_born(name: str, ages: Factored, on: str) -> None:
    later = int(ages.counts()[ages.values.astype(np.float64) < 0].sum())
    if later:
        raise DataError(
            f"'{name}' must hold dates of birth up to {on}. Got {later:,} rows with later ones."
            "\n\nHint: name a later day, or correct the rows."
        )


def moment_numbers(values: NDArray[Any], order: Order | None = None) -> NDArray[np.float64] | None:
    """Return a column of dates as days, one of times as minutes; None where it is neither.

    NaN where a value is missing. A column whose order of day and month nobody can tell is neither.

    Examples
    --------
    >>> moment_numbers(np.array(["1970-01-02", None, "1969-12-31"], dtype=object))
    array([ 1., nan, -1.])
    """
    factored = factorise("", values, as_text=True)
    if values.dtype.kind == "M":
        factored = factorise("", values)
    if factored.kind == "text":
        texts = read_texts(factored.values, order)
        if isinstance(texts, TextMoments):
            factored = _read(factored, texts)
    if factored.kind not in ("date", "time"):
        return None
    numbers = np.append(factored.values.astype(np.float64), np.nan)
    rows: NDArray[np.float64] = numbers[factored.codes]
    return rows


def encode_moments(
    name: str,
    moments: Moments,
    declared: NumericDomain | None,
    max_codes: int,
    target: Target | None,
) -> tuple[Attribute, NDArray[np.uint16], tuple[str, ...]]:
    """Encode days by the calendar month or year that they lie in, minutes by the quarter hour.

    Parameters
    ----------
    name : str
    moments : Moments
        At least one of them is known.
    declared : NumericDomain or None
        The declared range.
    max_codes : int
        The periods are the finest of which there are at most so many.
    target : Target or None
        An expression over this column, whose edges no code may lie across.

    Returns
    -------
    attribute : Attribute
    codes : ndarray of uint16
    notes : tuple of str
    """
    factored, unit = moments.factored, moments.domain.unit
    assert unit is not None
    values, counts = factored.values.astype(np.int64), factored.counts()
    level = period(unit, values, max_codes)
    domain = declared
    if domain is None:
        low, high = calendar_range(unit, level, values, counts)
        domain = NumericDomain(low, high, unit=unit, order=moments.domain.order)
    lows = np.maximum(starts(level, values), int(domain.low))
    highs = np.minimum(ends(level, values), int(domain.high))
    for edge in () if target is None else _edges(target):
        lows = np.where(values >= edge, np.maximum(lows, edge), lows)
        highs = np.where(values < edge, np.minimum(highs, edge - 1), highs)
    firsts, bins = np.unique(lows, return_inverse=True)
    lasts = highs[np.searchsorted(lows, firsts)]
    attribute = Attribute(name, domain, firsts, lasts, factored.has_missing)
    lookup = np.append(bins, attribute.n_values).astype(np.uint16)
    apart = [f"told apart by {level} ({attribute.n_values:,})"] if attribute.binned else []
    return attribute, lookup[factored.codes], moments.note(name, *apart)


def _edges(target: Target) -> list[int]:
    """The first day of each class but the first: "> e" keeps e itself below the cut."""
    after = target.kind in (">", "<=")
    return [int(np.floor(edge)) + 1 if after else int(np.ceil(edge)) for edge in target.edges]
