"""Days and minutes: read as people write them, cut where calendars do."""

from __future__ import annotations

import calendar
import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam.data._calendar import (
    LEVELS,
    Day,
    Minute,
    TextMoments,
    Unit,
    ages,
    calendar_cut,
    coarser,
    date_of,
    day_of,
    ends,
    moment,
    number_of,
    period,
    read_texts,
    starts,
    time_of,
)

MONTHS = calendar.month_name
DATES = st.dates()
DAYS = DATES.map(day_of)
MINUTES = st.integers(0, 1439)


@given(DATES)
def test_a_date_is_read_back_however_it_is_written(date: datetime.date) -> None:
    day, padded = day_of(date), f"{date.year:04}"
    assert date_of(day) == date
    texts = [
        date.isoformat(),
        f"{date.day}.{date.month}.{padded}",
        f"{padded}/{date.month}/{date.day}",
        f"{date.isoformat()}T23:59:59.999+02:00",
        f" {date.isoformat()} ",
        f"{padded}{date.month:02}{date.day:02}",
        f"{date.day:02}-{MONTHS[date.month][:3]}-{padded}",
        f"{date.day} {MONTHS[date.month].upper()} {padded}",
        f"{MONTHS[date.month]} {date.day}, {padded} 8:30 pm",
    ]
    assert {number_of("date", text) for text in texts} == {day}
    assert number_of("date", f"{date.day}/{date.month}/{padded}", "day/month/year") == day
    assert number_of("date", f"{date.month}-{date.day}-{padded}", "month/day/year") == day
    assert number_of("date", date) == number_of("date", np.datetime64(date)) == day
    assert str(Day(day)) == date.isoformat()


@given(st.times())
def test_a_time_is_read_back(time: datetime.time) -> None:
    minute = time.hour * 60 + time.minute
    half = f"{(time.hour + 11) % 12 + 1}:{time.minute:02} {'am' if time.hour < 12 else 'PM'}"
    assert number_of("time", time.isoformat()) == number_of("time", half) == minute
    assert number_of("time", time) == minute
    assert time_of(minute) == time.replace(second=0, microsecond=0)
    assert str(Minute(minute)) == time.isoformat("minutes")


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        ("date", "3/4/2020"),
        ("date", "2020-02-30"),
        ("date", "2020-1"),
        ("date", "Foo-2020"),
        ("date", "2020-01-01 25:00"),
        ("date", "1.2.20"),
        ("date", "two thousand"),
        ("date", "٢٠٢٠-٠١-٠١"),
        ("date", 1960),
        ("date", 0.5),
        ("date", True),
        ("date", datetime.time(8)),
        ("date", [1]),
        ("time", "24:00"),
        ("time", "8:60"),
        ("time", "13:00 pm"),
        ("time", datetime.datetime(2020, 1, 1, 8)),
        ("time", 510),
    ],
)
def test_what_is_no_date_is_refused(unit: Unit, value: object) -> None:
    with pytest.raises(TypeError):
        number_of(unit, value)


@pytest.mark.parametrize("value", [None, float("nan"), np.datetime64("NaT", "D")])
def test_missing_is_no_number(value: object) -> None:
    assert number_of("date", value) is None


def test_texts_tell_together_what_they_mean() -> None:
    def reads(*texts: str) -> tuple[str, str | None] | str | None:
        read = read_texts(texts)
        return read if read is None or isinstance(read, str) else (read.written, read.order)

    assert reads("31/1/2020", "3/4/2020") == ("day/month/year", "day/month/year")
    assert reads("1-31-2020", "3-4-2020") == ("month-day-year", "month/day/year")
    assert reads("31.1.2020", "3.4.2020") == ("day.month.year", None)
    assert reads("2020-01-31", "31.1.2020") == ("day.month.year or year-month-day", None)
    assert reads("3/4/2020", "12/12/2020") == "ambiguous"
    assert reads("31/1/2020", "1/31/2020") is None
    assert reads("2020-01-31", "unknown") is None
    assert reads("08:30", "9:15") == ("hour:minute", None)
    assert reads("08:30", "2020-01-31") is None
    assert reads("1.31.2020") is None


def test_months_are_their_first_day_and_said_to_be_months() -> None:
    def reads(*texts: str) -> tuple[list[str], str] | str | None:
        read = read_texts(texts)
        if not isinstance(read, TextMoments):
            return read
        return [date_of(day).isoformat() for day in read.numbers], read.written

    firsts = ["2016-04-01", "2015-12-01"]
    assert reads("Apr-2016", "Dec-2015") == (firsts, "name of the month-year")
    assert reads("April 2016", "December 2015") == (firsts, "name of the month year")
    assert reads("2016-04", "2015-12") == (firsts, "year-month")
    assert reads("03-Apr-2016") == (["2016-04-03"], "day-name of the month-year")
    assert reads("Sept 2016", "3 May 2016") == (
        ["2016-09-01", "2016-05-03"],
        "day name of the month year or name of the month year",
    )
    # a code, a school year, two digits of a year, another language, no such month or day
    for text in ("1017-04", "2010-11", "Apr-16", "Mai 2016", "2016-13", "31-Apr-2016", "Mar"):
        assert reads(text) is None, text


def test_texts_say_whether_a_time_of_day_is_lost() -> None:
    for second, lost in (("2020-01-31T08:00:00Z", True), ("2020-01-31", False)):
        read = read_texts(["2020-01-31T00:00:00", second])
        assert isinstance(read, TextMoments)
        assert read.clock == lost


@given(st.dates(max_value=datetime.date(2024, 12, 31)), DATES)
def test_an_age_is_the_number_of_birthdays(birth: datetime.date, on: datetime.date) -> None:
    age = ages(on.isoformat(), np.array([day_of(birth)]))[0]
    had = (on.month, on.day) >= (birth.month, birth.day)
    assert age == on.year - birth.year - (not had)


@given(DAYS, st.sampled_from(["day", *LEVELS["date"]]))
def test_periods_of_days_hold_their_days_and_meet(day: int, level: str) -> None:
    first, last = int(starts(level, np.array([day]))[0]), int(ends(level, np.array([day]))[0])
    assert first <= day <= last
    assert starts(level, np.array([last]))[0] == first
    assert date_of(first).day == 1 or level == "day"
    if date_of(last) < datetime.date.max:
        assert starts(level, np.array([last + 1]))[0] == last + 1


@given(MINUTES, st.sampled_from(["minute", *LEVELS["time"]]))
def test_periods_of_minutes_hold_their_minutes(minute: int, level: str) -> None:
    first, last = int(starts(level, np.array([minute]))[0]), int(ends(level, np.array([minute]))[0])
    assert 0 <= first <= minute <= last <= 1439


def test_periods_are_the_finest_that_are_few_enough() -> None:
    years = np.arange(0, 365 * 80, 10)
    assert period("date", years, 256) == "year"
    assert period("date", years, 50) == "decade"
    assert period("date", years, 2) == "century"
    assert period("date", years[:100], 256) == "month"
    assert period("date", np.arange(60), 256) == "day"
    assert period("time", np.arange(1440), 256) == "quarter of an hour"
    assert period("time", np.arange(1440), 50) == "hour"
    assert period("time", np.arange(100), 256) == "minute"
    assert coarser("date", "day") == "month"
    assert coarser("date", "century") == "century"


@given(DAYS, DAYS)
def test_a_cut_lies_between_and_at_the_roundest_day(one: int, other: int) -> None:
    below, above = min(one, other), max(one, other) + 1
    if above > day_of(datetime.date.max):
        return
    cut = calendar_cut("date", below, above)
    assert below < cut <= above
    year = datetime.date(date_of(above).year, 1, 1)
    if day_of(year) > below:
        assert (date_of(cut).month, date_of(cut).day) == (1, 1)


def test_a_moment_is_whole_and_in_the_calendar() -> None:
    for unit, number in (("date", 0.5), ("date", 1e9), ("time", 1440), ("time", float("nan"))):
        with pytest.raises(ValueError, match="a whole number"):
            moment(unit, number)  # type: ignore[arg-type]
