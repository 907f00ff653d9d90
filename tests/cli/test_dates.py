"""A table with a date of birth, a moment of admission and a time of arrival, on every command."""

from __future__ import annotations

import datetime
import json

import duckdb
import numpy as np
import polars as pl
import pytest

from sparsam.attack import task_for
from sparsam.generalization import Generalization

SWEEP = ("--min-leaf", "20", "--jobs", "1", "--max-utility-loss", "0.15")


@pytest.fixture(scope="module")
def hospital(tmp_path_factory):
    """The same 400 people as CSV, with days written as in Germany, and as Parquet."""
    rng = np.random.default_rng(0)
    first, start = datetime.date(1931, 1, 1), datetime.datetime(2020, 1, 1)
    births = [first + datetime.timedelta(int(days)) for days in rng.integers(0, 28_000, 400)]
    hours, minutes = rng.integers(0, 15_000, 400).tolist(), rng.integers(0, 1440, 400).tolist()
    frame = pl.DataFrame(
        {
            "birth": [None if i % 20 == 0 else born for i, born in enumerate(births)],
            "admitted": [start + datetime.timedelta(hours=h) for h in hours],
            "arrival": [datetime.time(m // 60, m % 60) for m in minutes],
            "sex": rng.choice(["f", "m"], 400),
            "ill": ["yes" if born.year < 1970 else "no" for born in births],
        }
    )
    folder = tmp_path_factory.mktemp("hospital")
    frame.with_columns(
        pl.col("birth").dt.strftime("%d.%m.%Y"), pl.col("arrival").dt.strftime("%H:%M")
    ).write_csv(folder / "people.csv")
    duckdb.sql(
        'SELECT birth, admitted, "arrival"::TIME AS arrival, sex, ill FROM frame'
    ).write_parquet(str(folder / "people.parquet"))
    return folder


@pytest.fixture(scope="module")
def learned(run, hospital):
    """What `minimise` finds in the CSV file."""
    result = run("minimise", hospital / "people.csv", "--target", "ill", "--personal", "sex,birth",
                 "-o", hospital / "g.json", "--report", hospital / "r.md", *SWEEP)  # fmt: skip
    assert result.exit_code in (0, 1, 3), result.output
    assert "read as dates" in result.output
    return hospital / "g.json"


def test_cuts_fall_at_the_edges_of_the_calendar(learned, hospital):
    birth = json.loads(learned.read_text())["attributes"][0]
    assert birth["domain"]["unit"] == "date"
    assert birth["cuts"]
    assert all(cut.endswith("-01-01") for cut in birth["cuts"])
    assert birth["labels"][0].startswith("before 19")
    assert "exact dates" in (hospital / "r.md").read_text()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_artifact_takes_both_files(run, learned, hospital, tmp_path, ending):
    people = hospital / f"people.{ending}"
    out = tmp_path / "out.parquet"
    assert run("apply", learned, people, "-o", out).exit_code == 0
    found = pl.read_parquet(out)["birth"].to_list()
    records = pl.read_parquet(hospital / "people.parquet").to_dicts()
    g = Generalization.load(learned)
    assert found == [g.apply_record(record)["birth"] for record in records]
    command = "attack" if ending == "parquet" else "assess"
    assert run(command, learned, people).exit_code in (0, 1, 3)


@pytest.mark.parametrize("publish", ["median", "mean", "ranges"])
def test_a_release_of_dates_is_checked(run, hospital, tmp_path, publish):
    for ending in ("csv", "parquet"):
        out = tmp_path / f"out.{ending}"
        result = run("anonymise", hospital / f"people.{ending}", "-o", out, "--k", "10",
                     "--quasi-identifiers", "birth,admitted", "--target", "ill", "-q",
                     "--keep", "arrival", "--accept-unique", "--publish", publish)  # fmt: skip
        assert result.exit_code == 0, result.output
        certificate = tmp_path / "out.certificate.json"
        assert run("verify", out, certificate).exit_code == 0


def test_masks_and_explorations(run, hospital, tmp_path):
    mask = tmp_path / "m.npz"
    result = run("individual", hospital / "people.parquet", "--target", "ill", "--keep", "0.5",
                 "--compare", "none", "--membership", "none", "--leave-out-incomplete",
                 "-o", mask)  # fmt: skip
    assert result.exit_code in (0, 1, 3), result.output
    assert run("apply", mask, hospital / "people.parquet", "-o", tmp_path / "o.csv").exit_code == 0
    roles = tmp_path / "roles.toml"
    roles.write_text('[attributes.birth]\nkind = "date"\nlow = 1930-01-01\nhigh = 2009-12-31\n')
    result = run("explore", "plan", "--domains", roles, "--epsilon", "1")
    assert result.exit_code == 2
    assert "make a column of the year" in result.output


def test_ages_are_found_from_dates_of_birth(run, hospital, tmp_path):
    roles = tmp_path / "roles.toml"
    roles.write_text('[attributes.birth]\nkind = "date"\nage_on = 2009-12-31\n')
    artifact = tmp_path / "g.json"
    result = run("minimise", hospital / "people.csv", "--roles", roles, "--target", "ill",
                 "--personal", "sex", "-o", artifact, *SWEEP)  # fmt: skip
    assert result.exit_code in (0, 1, 3), result.output
    birth = json.loads(artifact.read_text())["attributes"][0]
    assert birth["domain"]["age_on"] == "2009-12-31"
    assert all(0 < cut < 80 for cut in birth["cuts"])
    out = tmp_path / "out.parquet"
    assert run("apply", artifact, hospital / "people.csv", "-o", out).exit_code == 0
    g = Generalization.load(artifact)
    records = pl.read_parquet(hospital / "people.parquet").to_dicts()
    assert pl.read_parquet(out)["birth"].to_list() == [g.apply_record(r)["birth"] for r in records]
    task = task_for(g, hospital / "people.parquet")
    assert task.table.attribute("birth").domain.age_on == "2009-12-31"


def test_the_order_of_day_and_month_is_said(run, tmp_path):
    file = tmp_path / "visits.csv"
    file.write_text("day,y\n" + "3/4/2020,1\n5/6/2020,0\n" * 20)
    unsaid = run("describe", file)
    assert "categorical" in unsaid.output
    said = run("describe", file, "--date-order", "day/month/year")
    assert said.exit_code == 0, said.output
    assert "date" in said.output
