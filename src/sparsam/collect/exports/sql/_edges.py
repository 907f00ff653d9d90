"""Comparisons with cuts: of numbers, dates, times of day and dates of birth."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from sparsam.collect.exports.sql._dialects import Dialect
from sparsam.collect.exports.sql._expressions import Expression
from sparsam.data import NumericDomain, date_of

_DAY: Final = datetime.timedelta(days=1)
_MINUTES: Final = 24 * 60


@dataclass(frozen=True)
class Edges:
    """How the numbers of a domain are compared: by default as doubles.

    Parameters
    ----------
    domain : NumericDomain
    dialect : Dialect
    """

    domain: NumericDomain
    dialect: Dialect

    def below(self, value: Expression, cut: float) -> Expression:
        """Whether a value lies below a cut."""
        return exp.LT(this=value.copy(), expression=self.dialect.number(cut))

    def above(self, value: Expression, last: float) -> Expression:
        """Whether a value lies above the last of a range."""
        return exp.GT(this=value.copy(), expression=self.dialect.number(last))

    def outside(self, value: Expression) -> Expression:
        """Whether a value lies outside the domain."""
        return exp.or_(self.below(value, self.domain.low), self.above(value, self.domain.high))


class Dates(Edges):
    """Dates, or moments, which are compared as they are: a day ends where the next one begins."""

    def below(self, value: Expression, cut: float) -> Expression:
        """Whether a moment lies before a day."""
        return exp.LT(this=value.copy(), expression=self._day(date_of(cut)))

    def above(self, value: Expression, last: float) -> Expression:
        """Whether a moment lies after a day."""
        day = date_of(last)
        if day == datetime.date.max:
            return exp.GT(this=value.copy(), expression=self._day(day))
        return exp.GTE(this=value.copy(), expression=self._day(day + _DAY))

    def _day(self, day: datetime.date) -> Expression:
        return self.dialect.date(day.isoformat())


class Times(Edges):
    """Times of day, which count as the minute that they are in."""

    def below(self, value: Expression, cut: float) -> Expression:
        """Whether a time of day lies before a minute."""
        return exp.LT(this=value.copy(), expression=self._time(int(cut)))

    def above(self, value: Expression, last: float) -> Expression:
        """Whether a time of day lies after a minute; nothing lies after the last one."""
        if last + 1 >= _MINUTES:
            return exp.false()
        return exp.GTE(this=value.copy(), expression=self._time(int(last) + 1))

    def _time(self, minute: int) -> Expression:
        return self.dialect.time(f"{minute // 60:02}:{minute % 60:02}:00")


class Births(Dates):
    """Dates of birth, where the cuts are ages on one day: the later born is the younger."""

    def below(self, value: Expression, cut: float) -> Expression:
        """Whether somebody born on a date is younger than an age."""
        first = self._first_younger(math.ceil(cut))
        return exp.GTE(this=value.copy(), expression=self._day(first))

    def above(self, value: Expression, last: float) -> Expression:
        """Whether somebody born on a date is older than an age."""
        first = self._first_younger(math.floor(last) + 1)
        return exp.LT(this=value.copy(), expression=self._day(first))

    def _first_younger(self, age: int) -> datetime.date:
        """The first day on which somebody is born who is younger than an age on the day it is."""
        on = datetime.date.fromisoformat(str(self.domain.age_on))
        year = on.year - age
        if year < datetime.MINYEAR:
            return datetime.date.min
        if (on.month, on.day) == (2, 29):  # as old on the day before March as on this one
            return datetime.date(year, 3, 1)
        return on.replace(year=year) + _DAY


def edges_of(domain: NumericDomain, dialect: Dialect) -> Edges:
    """Return how the numbers of a domain are compared in a dialect."""
    if domain.age_on is not None:
        return Births(domain, dialect)
    kinds: dict[str | None, type[Edges]] = {"date": Dates, "time": Times}
    return kinds.get(domain.unit, Edges)(domain, dialect)
