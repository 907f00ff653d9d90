"""Ages on a day become days of birth, and say the same."""

from __future__ import annotations

import datetime

import duckdb
import pytest

from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, numeric_partition

DAYS = [datetime.date(1899, 12, 1) + datetime.timedelta(days=n) for n in range(46_000)]


@pytest.mark.parametrize("on", ["2024-02-29", "2023-02-28", "2024-12-31", "2025-01-01"])
@pytest.mark.parametrize("beyond", ["clamp", "error"])
def test_a_date_of_birth_is_as_old_as_in_python(on: str, beyond: str) -> None:
    domain = NumericDomain(3, 99, integer=True, age_on=on)
    aged = Generalization([numeric_partition("born", domain, [18, 21, 65], 4, beyond)])  # type: ignore[arg-type]
    days = [day for day in DAYS if abs((day.month - 2.5) * 31 + day.day - 15) < 50 or day.day < 3]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT unnest(?::DATE[]) AS born", [days])
    codes = connection.execute(aged.to_sql("people", output="codes")).fetchall()
    wanted = aged["born"].number_slots(_ages(on, days))
    assert [code for (code,) in codes] == [w if w < 5 else None for w in wanted.tolist()]


def _ages(on: str, days: list[datetime.date]):  # type: ignore[no-untyped-def]
    import numpy as np

    from sparsam.data import ages

    return ages(on, np.array([(day - datetime.date(1970, 1, 1)).days for day in days], float))


def test_a_moment_belongs_to_its_day_also_on_the_last_one() -> None:
    domain = NumericDomain("2000-01-01", "2000-01-31", unit="date")
    dated = Generalization([numeric_partition("x", domain, ["2000-01-10"], None, "error")])
    connection = duckdb.connect()
    days = ["1999-12-31 23:59", "2000-01-01", "2000-01-09 23:59", "2000-01-10"]
    moments = [*days, "2000-01-31 23:59", "2000-02-01"]
    connection.execute("CREATE TABLE people AS SELECT unnest(?::TIMESTAMP[]) AS x", [moments])
    codes = connection.execute(dated.to_sql("people", output="codes")).fetchall()
    assert [code for (code,) in codes] == [None, 0, 0, 1, 1, None]


def test_a_minute_has_seconds_also_the_last_one() -> None:
    domain = NumericDomain("08:00", "17:59", unit="time")
    timed = Generalization([numeric_partition("x", domain, ["12:00"], None, "error")])
    connection = duckdb.connect()
    times = ["07:59:59", "08:00", "11:59:59.9", "12:00", "17:59:59", "18:00"]
    connection.execute("CREATE TABLE people AS SELECT unnest(?::TIME[]) AS x", [times])
    codes = connection.execute(timed.to_sql("people", output="codes")).fetchall()
    assert [code for (code,) in codes] == [None, 0, 0, 1, 1, None]
