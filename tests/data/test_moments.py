"""Columns of dates, of times of day and of dates of birth."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from sparsam._errors import DataError, RoleError
from sparsam.data import NumericDomain, Roles, Table, read, resolve
from sparsam.data._moments import moment_numbers

DATE = datetime.date
BIRTHS = [DATE(1931 + i % 79, 1 + i % 12, 1 + i % 28) for i in range(400)]
ARRIVALS = [datetime.time(i % 24, i * 7 % 60) for i in range(400)]
ADMITTED = [datetime.datetime(2020, 1, 1, 8) + datetime.timedelta(hours=5 * i) for i in range(400)]
BORN = NumericDomain("1931-01-01", "2009-12-31", unit="date")  # type: ignore[arg-type]


def columns(written: str | None = None) -> dict[str, list[Any]]:
    births: list[Any] = [date.strftime(written) for date in BIRTHS] if written else [*BIRTHS]
    return {"birth": births, "arrival": [*ARRIVALS], "admitted": [*ADMITTED]}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The same table as CSV and as Parquet."""
    frame = pl.DataFrame(columns())  # noqa: F841 - DuckDB reads it by its name
    relation = duckdb.sql('SELECT birth, "arrival"::TIME AS arrival, admitted FROM frame')
    paths = {"csv": tmp_path / "people.csv", "parquet": tmp_path / "people.parquet"}
    relation.write_csv(str(paths["csv"]), header=True)
    relation.write_parquet(str(paths["parquet"]))
    return paths


def check(table: Table) -> None:
    birth, arrival, admitted = table.attributes
    assert isinstance(birth.domain, NumericDomain)
    assert isinstance(arrival.domain, NumericDomain)
    assert isinstance(admitted.domain, NumericDomain)
    assert (birth.domain.unit, arrival.domain.unit) == ("date", "time")
    assert [str(birth.domain.low), str(birth.domain.high)] == ["1931-01-01", "2009-12-31"]
    assert birth.n_values == 79  # 948 months are too many, so years
    assert admitted.n_values == 3  # three months
    assert [str(admitted.domain.low), str(admitted.domain.high)] == ["2020-01-01", "2020-03-31"]
    years = birth.decode(table.column("birth")).astype("datetime64[Y]").astype(int) + 1970
    assert years.tolist() == [date.year for date in BIRTHS]
    read_back = arrival.decode(table.column("arrival"))
    assert [time.hour for time in read_back] == [time.hour for time in ARRIVALS]
    assert any(note.startswith("admitted: read as ") for note in table.notes)
    assert any("without the time of day" in note for note in table.notes)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_of_dates_are_read_in_calendar_periods(files: dict[str, Path], ending: str) -> None:
    table = read(files[ending])
    check(table)
    told = "told apart by year (79)"
    read_as = f"birth: read as dates (year-month-day); {told}"
    assert table.notes[0] == (read_as if ending == "csv" else f"birth: {told}")


@pytest.mark.parametrize(
    "frame",
    [
        columns(),
        pd.DataFrame(columns()),
        pd.DataFrame(columns()).astype({"birth": "datetime64[s]"}),
        pl.DataFrame(columns()),
        pl.LazyFrame(columns()),
        pl.DataFrame(columns()).to_arrow(),
        columns("%d.%m.%Y"),
        columns("%m/%d/%Y"),
        columns("%d/%m/%Y"),
    ],
)
def test_frames_of_dates_are_read_in_calendar_periods(frame: Any) -> None:
    check(read(frame))


def test_the_note_names_how_dates_are_written() -> None:
    notes = read({"birth": ["31.12.1960", None, "1.2.1969"]}).notes
    assert notes == ("birth: read as dates (day.month.year); told apart by month (2)",)


def test_months_are_dates_and_the_note_says_so() -> None:
    table = read({"issued": ["Apr-2016", "Dec-2014", None, "Apr-2016"]})
    assert table.notes == (
        "issued: read as dates (name of the month-year); told apart by month (2)",
    )
    assert table.attributes[0].numeric


def test_a_time_zone_shows_the_day_on_its_own_clock() -> None:
    moments = pd.to_datetime(pd.Series(["2020-01-01 00:30"] * 5)).dt.tz_localize("Asia/Tokyo")
    for frame in (pd.DataFrame({"at": moments}), pl.DataFrame({"at": pl.Series(moments)})):
        attribute = read(frame).attributes[0]
        assert isinstance(attribute.domain, NumericDomain)
        assert str(attribute.domain.low) == "2020-01-01"
    text = read({"at": ["2020-01-01T00:30:00+09:00"] * 5}).attributes[0]
    assert isinstance(text.domain, NumericDomain)
    assert str(text.domain.low) == "2020-01-01"


def test_one_text_that_is_no_date_makes_categories() -> None:
    table = read({"birth": ["1960-01-31", "1961-01-31", "unknown"]})
    assert table.attributes[0].kind == "categorical"
    known = read({"birth": ["1960-01-31", "unknown"]}, roles=Roles(missing_values=["unknown"]))
    assert known.attributes[0].missing
    assert known.attributes[0].numeric


def test_dates_that_could_be_either_way_round_stay_text_and_say_so() -> None:
    table = read({"day": ["3/4/2020", "5/6/2020"]})
    assert table.attributes[0].kind == "categorical"
    assert "stays text" in table.notes[0]
    assert "'day/month/year'" in table.notes[0]
    with pytest.raises(DataError, match=r"(?s)'day' must hold dates.*Hint: say date_order ="):
        read({"day": ["3/4/2020", "5/6/2020"]}, roles=Roles(dates=["day"]))
    for order, first in (("day/month/year", "2020-04-03"), ("month/day/year", "2020-03-04")):
        attribute = read(
            {"day": ["3/4/2020"] * 5}, roles=Roles(file={"date_order": order})
        ).attributes[0]  # type: ignore[arg-type]
        assert isinstance(attribute.domain, NumericDomain)
        assert str(attribute.domain.low) == first
        assert attribute.domain.order == order


def test_declared_dates_must_be_dates() -> None:
    with pytest.raises(DataError, match=r"'birth' must hold dates such as 1960-01-31\. Got 1 rows"):
        read({"birth": ["1960-01-31", "soon"]}, roles=Roles(dates=["birth"]))
    numbers = read({"birth": [19600131, 19610131]}, roles=Roles(dates=["birth"])).attributes[0]
    assert isinstance(numbers.domain, NumericDomain)
    assert numbers.domain.unit == "date"
    with pytest.raises(DataError, match="Got 2 rows with something else"):
        read({"birth": [1960, 1961]}, roles=Roles(dates=["birth"]))
    with pytest.raises(DataError, match=r"(?s)'birth' must hold numbers. Got dates.*Hint"):
        read({"birth": BIRTHS}, roles=Roles(numeric=["birth"]))


def test_declared_categories_stay_categories() -> None:
    table = read({"birth": ["1960-01-31", "1961-01-31"]}, roles=Roles(categorical=["birth"]))
    assert table.attributes[0].kind == "categorical"


def test_a_declared_range_of_dates() -> None:
    roles = Roles(domains={"birth": BORN})
    attribute = read({"birth": BIRTHS}, roles=roles).attribute("birth")
    assert attribute.domain == BORN
    with pytest.raises(DataError, match=r"must lie in its declared domain\. Got 1 rows outside it"):
        read({"birth": [*BIRTHS, DATE(2020, 1, 1)]}, roles=roles)
    assert read({"birth": [None, None]}, roles=roles).attributes[0].missing
    # read first, declared later
    table = resolve(read({"birth": BIRTHS, "y": [0, 1] * 200}), Roles("y", domains={})).table
    assert table.attribute("birth").numeric


def test_an_end_that_few_people_share_moves_to_the_edge_of_a_longer_period() -> None:
    births = [DATE(1960, 3, 5)] * 20 + [DATE(1961, 8, 9)] * 3
    domain = read({"birth": births}).attributes[0].domain
    assert isinstance(domain, NumericDomain)
    assert [str(domain.low), str(domain.high)] == ["1960-03-01", "1961-12-31"]


def test_ages_on_a_day() -> None:
    roles = Roles(ages={"birth": "2009-12-31"})
    for source in (columns(), columns("%d.%m.%Y"), pd.DataFrame(columns())):
        table = read(source, roles=roles)
        attribute = table.attribute("birth")
        assert attribute.domain == NumericDomain(0, 78, integer=True, age_on="2009-12-31")
        assert attribute.decode(table.column("birth")).tolist() == [2009 - d.year for d in BIRTHS]
        assert "read as the age in whole years on 2009-12-31" in table.notes[0]
    days = read({"birth": [19600131] * 9 + [20000131] * 9}, roles=roles).attributes[0]
    assert days.lows.tolist() == [9, 49]
    with pytest.raises(DataError, match="Got 2 rows with something else"):
        read({"birth": [1960, 1961]}, roles=roles)
    with pytest.raises(DataError, match=r"dates of birth up to 2000-01-01\. Got"):
        read(columns(), roles=Roles(ages={"birth": "2000-01-01"}))


def test_ages_with_a_declared_range_are_declared_once() -> None:
    roles = Roles("y", ages={"birth": "2009-12-31"}, domains={"birth": NumericDomain(0, 120, True)})
    people = {"birth": BIRTHS, "y": [0, 1] * 200}
    table = resolve(read(people, roles=roles), roles).table
    domain = table.attribute("birth").domain
    assert domain == NumericDomain(0, 120, integer=True, age_on="2009-12-31")


def test_dates_read_before_they_are_declared() -> None:
    people = {"birth": [date.isoformat() for date in BIRTHS], "y": [0, 1] * 200}
    as_text = read(people, roles=Roles(categorical=["birth"]))
    table = resolve(as_text, Roles("y", dates=["birth"])).table
    assert table.attribute("birth").n_values == 79
    with pytest.raises(DataError, match="was cut into bins on reading"):
        resolve(read(people), Roles("y", categorical=["birth"]))


def test_cuts_and_targets_lie_at_the_edge_of_a_code() -> None:
    cut = BORN.number("1960-03-15")
    attribute = read({"birth": BIRTHS}, cuts={"birth": [cut]}).attribute("birth")
    assert cut in attribute.lows
    task = resolve({"birth": BIRTHS, "x": [0, 1] * 200}, Roles("birth>1960-03-15"))
    assert task.classes == ("birth <= 1960-03-15", "birth > 1960-03-15")
    assert task.target.sum() == sum(date > DATE(1960, 3, 15) for date in BIRTHS)
    with pytest.raises(RoleError, match="must compare 'birth' with values such as 1980-01-31"):
        resolve({"birth": BIRTHS, "x": [0, 1] * 200}, Roles("birth>1960"))
    with pytest.raises(RoleError, match="The target 'birth' must be a list of classes"):
        resolve({"birth": BIRTHS, "x": [0, 1] * 200}, Roles("birth"))
    with pytest.raises(RoleError, match="must compare 'x' with values such as 50000"):
        resolve({"birth": BIRTHS, "x": [0, 1] * 200}, Roles("x>1960-01-01"))


def test_new_dates_between_two_codes_go_where_the_calendar_parts_them() -> None:
    attribute = read({"day": [DATE(1959, 2, 1)] * 5 + [DATE(1960, 11, 1)] * 5}).attributes[0]
    new = np.array(["1959-12-31", "1960-01-01", "1800-01-01", "NaT"], "datetime64[D]")
    assert attribute.encode(new[:3]).tolist() == [0, 1, 0]
    assert attribute.encode(np.array(["31.12.1959"], object)).tolist() == [0]


def test_a_column_as_numbers() -> None:
    holes = moment_numbers(np.array(["1970-01-02", None], object))
    assert holes is not None
    assert np.isnan(holes).tolist() == [False, True]
    assert moment_numbers(np.array(["3/4/2020"], object)) is None
    assert moment_numbers(np.array(["a"], object)) is None
    times = moment_numbers(np.array([datetime.time(8, 30)], object))
    assert times is not None
    assert times.tolist() == [510.0]
    days = moment_numbers(np.array(["1970-01-02T08:00"], "datetime64[s]"))
    assert days is not None
    assert days.tolist() == [1.0]
