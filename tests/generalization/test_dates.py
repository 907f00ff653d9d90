"""Dates, times of day and dates of birth: one answer, whoever asks and however."""

from __future__ import annotations

import calendar
import datetime
import json
import re
from importlib.metadata import version
from typing import Any

import duckdb
import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, DocumentError, ParameterError
from sparsam.data import NumericDomain, read
from sparsam.generalization import Generalization, numeric_partition
from sparsam.generalization._partition import NumericPartition

DATE, TIME = datetime.date, datetime.time
FIRST, LAST = DATE(1900, 1, 1), DATE(2050, 12, 31)
BORN: Any = {"low": "1900-01-01", "high": "2050-12-31", "unit": "date"}
DAY: Any = {"low": "00:00", "high": "23:59", "unit": "time"}
DATES = st.dates(FIRST, LAST)
SCHEMA = jsonschema.Draft202012Validator(Generalization.schema())


def births(*cuts: Any, missing: int | None = None, beyond: Any = "clamp") -> NumericPartition:
    return numeric_partition("birth", NumericDomain(**BORN), cuts, missing, beyond)


@st.composite
def edges(draw: st.DrawFn) -> list[DATE]:
    """Cuts at the first of years, of months, and anywhere."""
    days = draw(st.lists(DATES, min_size=1, max_size=6))
    first = [draw(st.sampled_from([d, d.replace(day=1), d.replace(month=1, day=1)])) for d in days]
    return sorted({d for d in first if d > FIRST}) or [DATE(1960, 1, 1)]


_MONTHS = list(calendar.month_name)


def _day(text: str, *, last: bool) -> DATE:
    """The first or the last day that "1960", "March 1960" or "4 March 1960" can mean."""
    *days, month, year = (["December" if last else "January"] * (" " not in text)) + text.split()
    number = _MONTHS.index(month)
    final = calendar.monthrange(int(year), number)[1]
    return DATE(int(year), number, int(days[0]) if days else final if last else 1)


def holds(label: str, date: DATE) -> bool:
    """Whether a reader of the label would say that it holds the date."""
    if label.startswith("before "):
        return date < _day(label.removeprefix("before "), last=False)
    if label.endswith(" and after"):
        return date >= _day(label.removesuffix(" and after"), last=False)
    low, _, high = re.sub(r"(\d)–(\d)", r"\1 – \2", label).partition(" – ")
    return _day(low, last=False) <= date <= _day(high or low, last=True)


@given(edges(), DATES)
def test_every_date_is_in_the_one_bucket_whose_label_holds_it(cuts: list[DATE], date: DATE) -> None:
    partition = births(*cuts)
    held = [holds(label, date) for label in partition.labels]
    assert held.index(True) == partition.bucket(date)
    assert sum(held) == 1


@given(edges(), st.sampled_from([None, 0]))
def test_what_is_saved_is_read_again(cuts: list[DATE], missing: int | None) -> None:
    g = Generalization([births(*cuts, missing=missing)])
    document = json.loads(g.to_json())
    assert Generalization.from_json(g.to_json()) == g
    assert Generalization.from_json(g.to_json())["birth"] == g["birth"]
    assert document["attributes"][0]["cuts"] == [cut.isoformat() for cut in cuts]
    SCHEMA.validate(document)


G = Generalization(
    [
        births("1960-01-01", "1970-03-01", "1970-03-05", missing=4),
        numeric_partition("arrival", NumericDomain(**DAY), ["08:30", "12:00"], missing=0),
        numeric_partition("age", NumericDomain(0, 100, age_on="2024-12-31"), [18, 65], missing=3),
    ]
)
RECORDS = st.fixed_dictionaries(
    {
        "birth": st.none() | DATES | st.sampled_from([DATE(1959, 12, 31), DATE(1970, 3, 4)]),
        "arrival": st.none() | st.times().map(lambda t: t.replace(microsecond=0)),
        "age": st.none() | DATES | st.sampled_from([DATE(2006, 12, 31), DATE(2007, 1, 1)]),
    }
)
TYPES = {"birth": pl.Date, "arrival": pl.Time, "age": pl.Date}


def relation(frame: pl.DataFrame, birth: str = "birth") -> duckdb.DuckDBPyRelation:
    return duckdb.sql(f'SELECT {birth} AS birth, "arrival"::TIME AS arrival, age FROM frame')


@settings(max_examples=20)
@given(st.lists(RECORDS, min_size=1, max_size=12))
def test_all_engines_agree_with_the_record(records: list[dict[str, Any]]) -> None:
    one = [G.apply_record(record) for record in records]
    frame = pl.DataFrame(records, schema=TYPES)
    moments = frame.with_columns(
        pl.col("birth").cast(pl.Datetime) + pl.duration(hours=23),
        pl.col("age").cast(pl.Datetime).dt.replace_time_zone("Asia/Tokyo"),
    )
    texts = frame.cast(pl.String)
    objects = pd.DataFrame(records, columns=list(TYPES), dtype=object)
    assert G.apply(frame).to_dicts() == one
    assert G.apply(moments).to_dicts() == one
    assert G.apply(texts).to_dicts() == one
    assert G.apply(frame.lazy()).collect().to_dicts() == one
    assert G.apply(moments.lazy()).collect().to_dicts() == one
    assert G.apply(frame.to_arrow()).to_pylist() == one
    assert G.apply(objects).astype(object).to_dict("records") == one
    days = objects.assign(birth=objects["birth"].astype("datetime64[s]"))
    assert G.apply(days).astype(object).to_dict("records") == one
    arrays = G.apply({name: objects[name].to_numpy() for name in TYPES})
    assert [
        dict(zip(arrays, row, strict=True)) for row in zip(*arrays.values(), strict=True)
    ] == one


ZONED = pytest.param(
    "birth::TIMESTAMPTZ",
    marks=pytest.mark.skipif(
        tuple(map(int, version("narwhals").split(".")[:2])) < (2, 28),
        reason="before 2.28 narwhals does not know the zone of moments in DuckDB 2",
    ),
)


@pytest.mark.parametrize("birth", ["birth", "birth::TIMESTAMP", ZONED])
def test_duckdb_agrees_with_the_record(birth: str) -> None:
    days = [DATE(1959, 12, 31), DATE(1960, 1, 1), DATE(1970, 3, 4), None]
    times = [TIME(8, 29, 59), TIME(8, 30), None, TIME(12)]
    born = [DATE(2007, 1, 1), DATE(2006, 12, 31), None, DATE(1960, 2, 29)]
    frame = pl.DataFrame({"birth": days, "arrival": times, "age": born}, schema=TYPES)
    one = [tuple(G.apply_record(record).values()) for record in frame.to_dicts()]
    assert G.apply(relation(frame, birth)).fetchall() == one


@given(st.lists(DATES, min_size=2, max_size=30), st.integers(2, 40))
def test_codes_agree_with_the_record(dates: list[DATE], most: int) -> None:
    table = read({"birth": dates}, max_codes=most)
    finest = Generalization.identity(table)
    records = [finest.apply_record({"birth": d}, "codes").get("birth", 0) for d in dates]
    assert finest.apply_codes(table)[:, 0].tolist() == records
    assert Generalization.from_json(finest.to_json()) == finest
    part = finest["birth"]
    assert isinstance(part, NumericPartition)
    days = table.attributes[0].borders
    assert [float(cut) for cut in part.cuts] == days.tolist()


@pytest.mark.parametrize(
    ("cuts", "labels"),
    [
        (["1960-01-01", "1970-01-01"], ["before 1960", "1960–1969", "1970 and after"]),
        (["1960-01-01", "1961-01-01"], ["before 1960", "1960", "1961 and after"]),
        (
            ["1962-03-01", "1965-01-01"],
            ["before March 1962", "March 1962 – December 1964", "1965 and after"],
        ),
        (
            ["1960-02-01", "1960-03-01"],
            ["before February 1960", "February 1960", "March 1960 and after"],
        ),
        (
            ["2020-05-12", "2020-05-13"],
            ["before 12 May 2020", "12 May 2020", "13 May 2020 and after"],
        ),
        (
            ["2020-05-12", "2020-06-01"],
            ["before 12 May 2020", "12 May 2020 – 31 May 2020", "June 2020 and after"],
        ),
    ],
)
def test_buckets_of_dates_in_words(cuts: list[str], labels: list[str]) -> None:
    assert list(births(*cuts).labels) == labels


def test_times_in_words() -> None:
    partition = numeric_partition("t", NumericDomain(**DAY), ["08:30", "12:00", TIME(12, 1)], 4)
    assert partition.labels == (
        "before 08:30",
        "08:30–11:59",
        "12:00",
        "12:01 and after",
        "missing",
    )
    assert partition.words().startswith("t: times 00:00–23:59 → before 08:30")
    assert births().before() == "dates 1900–2050"
    assert G["age"].before() == "ages 0 to 100 on 2024-12-31"


def test_the_document_is_written_as_dates() -> None:
    document = json.loads(G.to_json())["attributes"]
    assert document[0]["domain"] == {"type": "numeric", **BORN, "integer": True}
    assert document[1]["cuts"] == ["08:30", "12:00"]
    assert document[2]["domain"]["age_on"] == "2024-12-31"
    assert document[2]["cuts"] == [18, 65]


def test_documents_without_dates_are_written_as_before() -> None:
    document = json.loads(
        Generalization([numeric_partition("a", NumericDomain(0, 9), [3])]).to_json()
    )
    assert list(document["attributes"][0]["domain"]) == ["type", "low", "high", "integer"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("low", "1960-02-30", "must have ends and cuts such as '1960-01-31'"),
        ("low", 1960, "must have ends and cuts such as '1960-01-31'"),
        ("low", "31.12.1960", "matching regex"),
        ("unit", "week", "Invalid enum value"),
        ("high", "1800-01-01", "low <= high"),
        ("age_on", "2020-01-01", "no unit of its own"),
    ],
)
def test_a_damaged_document_is_refused(field: str, value: object, message: str) -> None:
    document = json.loads(G.to_json())
    document["attributes"][0]["domain"][field] = value
    with pytest.raises(DocumentError, match=message):
        Generalization.from_json(json.dumps(document))
    document = json.loads(G.to_json())
    document["attributes"][0]["cuts"][0] = 5
    with pytest.raises(DocumentError, match=r"attributes\[0\]\.cuts"):
        Generalization.from_json(json.dumps(document))


def test_bare_numbers_are_no_dates() -> None:
    with pytest.raises(ParameterError, match="such as '1960-01-31'"):
        births(1960)
    with pytest.raises(DataError, match="such as '08:30'"):
        NumericDomain(0, 1439, unit="time")
    with pytest.raises(DataError, match="give unit='date'"):
        NumericDomain("1960-01-01", "1970-01-01")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1960, "3/4/1960", "soon", True, TIME(8), [1]])
def test_what_is_no_date_is_of_the_wrong_type(value: object) -> None:
    partition = births("1960-01-01", missing=0)
    with pytest.raises(DataError, match="has the wrong type"):
        partition.bucket(value)
    frame = {"birth": np.array([value, None], dtype=object)}
    with pytest.raises(DataError, match="has the wrong type"):
        Generalization([partition]).apply(frame)


def test_columns_of_other_types_are_refused_in_every_engine() -> None:
    g = Generalization([births("1960-01-01", missing=0)])
    for frame in (
        pl.DataFrame({"birth": [1960, 1961]}),
        pl.DataFrame({"birth": [TIME(8)]}),
        pl.DataFrame({"birth": ["soon"]}),
        pl.LazyFrame({"birth": [1960]}),
        duckdb.sql("SELECT 1960 AS birth"),
    ):
        with pytest.raises(DataError, match="wrong type"):
            g.apply(frame)
    with pytest.raises(
        DataError, match=r"(?s)engine is not asked.*Hint: Cast the column to a date"
    ):
        g.apply(pl.LazyFrame({"birth": ["1960-01-01"]}))


def test_an_order_reads_texts_that_need_one() -> None:
    domain = NumericDomain(**BORN, order="month/day/year")
    g = Generalization([numeric_partition("birth", domain, ["1960-03-04"], missing=0)])
    texts = ["3/3/1960", "3/4/1960", "1960-03-03", "4.3.1960", None]
    codes = [0, 1, 0, 1, 0]
    assert [g.apply_record({"birth": text}, "codes")["birth"] for text in texts] == codes
    assert g.apply(pl.DataFrame({"birth": texts}), output="codes")["birth"].to_list() == codes
    assert Generalization.from_json(g.to_json()) == g


def test_days_as_whole_numbers_are_read() -> None:
    g = Generalization([births("1960-01-31", missing=0)])
    assert g.apply_record({"birth": 19600131}, "codes") == {"birth": 1}
    frame = pl.DataFrame({"birth": [19600130, 19600131, None]})
    assert g.apply(frame, output="codes")["birth"].to_list() == [0, 1, 0]


def test_dates_outside_a_strict_domain_are_refused_in_every_engine() -> None:
    g = Generalization([births("1960-01-01", missing=0, beyond="error")])
    far = [DATE(1899, 12, 31), DATE(1960, 1, 1), None]
    for frame in (pl.DataFrame({"birth": far}), pl.LazyFrame({"birth": far}), {"birth": far}):
        with pytest.raises(DataError, match="A value of 'birth' is outside the domain"):
            g.apply(frame)
    with pytest.raises(DataError, match="outside"):
        g.apply_record({"birth": DATE(2051, 1, 1)})


def test_an_age_is_taken_from_ages_and_from_dates_of_birth() -> None:
    part = G["age"]
    assert [part.bucket(value) for value in (17, 18, 64.0, 65, None)] == [0, 1, 1, 2, 3]
    assert part.bucket("2006-12-31") == 1
    assert part.bucket(datetime.datetime(2007, 1, 1, 12)) == 0
    g = Generalization([part])
    frame = pl.DataFrame({"age": [17.0, 65, 20070101, 20061231, None, float("nan")]})
    assert g.apply(frame, output="codes")["age"].to_list() == [0, 2, 0, 1, 3, 3]
    for number in (1960, 151, 19601301):
        with pytest.raises(DataError, match="wrong type"):
            part.bucket(number)
        with pytest.raises(DataError, match="wrong type"):
            g.apply(pl.DataFrame({"age": [number]}))
    with pytest.raises(DataError, match="wrong type"):
        g.apply(pl.LazyFrame({"age": [17, 65]}))


def test_dates_obey_the_algebra() -> None:
    fine = Generalization([births("1960-01-01", "1970-01-01", missing=0)])
    coarse = Generalization([births("1960-01-01", missing=0)])
    other = Generalization([births("1970-01-01", missing=0)])
    assert fine.refines(coarse)
    assert coarse.intersect(other) == fine
    assert fine.merge(coarse) == coarse
    assert coarse.diff(fine)[0]["relation"] == "finer"
