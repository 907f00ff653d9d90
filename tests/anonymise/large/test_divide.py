"""A table that does not fit gives the release that it would give in memory, on every engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import numpy as np
import pandas as pd
import polars as pl
import pytest

from sparsam._errors import DataError, ParameterError
from sparsam.anonymise import (
    Anonymiser,
    Certificate,
    Closeness,
    DistinctDiversity,
    FullDomain,
    Greedy,
    Hybrid,
    Mondrian,
    verify,
)

KNOWN = ["age", "weight", "job", "sex"]
KEPT = ["employed", "visits"]


def people(n_rows: int = 1500, seed: int = 0) -> pd.DataFrame:
    """People of whom some lack an age or a job, many of them alike."""
    rng = np.random.default_rng(seed)
    age = np.where(rng.random(n_rows) < 0.1, np.nan, rng.integers(18, 60, n_rows))
    job = np.array(["nurse", "cook", "teacher, old", None], object)
    return pd.DataFrame(
        {
            "employed": rng.random(n_rows) < 0.5,
            "age": age,
            "weight": np.round(rng.normal(70, 9, n_rows), 1),
            "name": [f"person {i}" for i in range(n_rows)],
            "job": job[rng.choice(4, n_rows, p=[0.5, 0.3, 0.15, 0.05])],
            "sex": rng.choice(["f", "m"], n_rows),
            "visits": rng.choice([0, 1, 2, 5], n_rows),
        }
    )


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "people.parquet"
    pl.from_pandas(people()).write_parquet(path)
    return path


SOURCES: dict[str, Callable[[Path], Any]] = {
    "file": str,
    "duckdb": lambda path: duckdb.connect().read_parquet(str(path)),
    "polars": pl.scan_parquet,
}
WHOLE, IN_PARTS = 600_000, 60_000  # bytes: all rows at once, or a few hundred at a time


def maker(method: Any = None, **more: Any) -> Anonymiser:
    settings = {"k": 5, "quasi_identifiers": KNOWN, "keep": KEPT, **more}
    return Anonymiser(method or Mondrian(), accept_unique=True, **settings)


def told(paper: Certificate, *but: str) -> dict[str, Any]:
    """All that a certificate says, but for the bytes of the file and the last digit of losses."""
    told = msgspec.to_builtins(paper)
    told["information_loss"] = {n: round(v, 12) for n, v in told["information_loss"].items()}
    told["parameters"].pop("parts", None)
    return {name: value for name, value in told.items() if name not in ("file_sha256", *but)}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("most", [WHOLE, IN_PARTS])
def test_mondrian_gives_the_same_cells_on_every_engine(
    table: Path, source: str, most: int, tmp_path: Path
) -> None:
    known = maker().fit_release(people(), path=tmp_path / "known.parquet").certificate
    own = maker()
    release = own.fit_release(SOURCES[source](table), path=tmp_path / "r.parquet", max_memory=most)
    assert told(release.certificate) == told(known)
    assert (release.certificate.parameters.get("parts", 1) > 1) == (most == IN_PARTS)
    assert own.certificate_ == release.certificate
    assert verify(release.path, release.certificate).ok
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


@pytest.mark.filterwarnings("ignore")  # Spark warns of its own libraries
def test_spark_gives_the_same(spark: Any, table: Path, tmp_path: Path) -> None:
    known = maker().fit_release(people(), path=tmp_path / "known.parquet").certificate
    rows = spark.read.parquet(str(table))
    for most in (WHOLE, IN_PARTS):
        release = maker().fit_release(rows, path=tmp_path / "r.parquet", max_memory=most)
        assert told(release.certificate) == told(known)


@pytest.mark.parametrize("publish", ["mean", "mode", "ranges"])
def test_whatever_is_published(table: Path, publish: Any, tmp_path: Path) -> None:
    settings = {"publish": publish, "missing": "known" if publish == "mode" else "own"}
    known = maker(**settings).fit_release(people(), path=tmp_path / "known.parquet")
    release = maker(**settings).fit_release(table, path=tmp_path / "r.parquet", max_memory=IN_PARTS)
    assert told(release.certificate) == told(known.certificate)


METHODS = {
    "relaxed": (Mondrian(strict=False), {}),
    "greedy": (Greedy(), {}),
    "hybrid": (Hybrid(), {}),
    "diverse": (Mondrian(), {"privacy": DistinctDiversity(2, "visits")}),
}


@pytest.mark.parametrize("name", METHODS)
def test_other_methods(table: Path, name: str, tmp_path: Path) -> None:
    method, more = METHODS[name]
    label = people()["employed"].to_numpy() if name == "hybrid" else None
    known = maker(method, **more)
    paper = known.fit_release(people(), label, path=tmp_path / "known.parquet").certificate
    column: Any = None if label is None else "employed"
    own = maker(method, **more)
    whole = own.fit_release(table, column, path=tmp_path / "r.parquet", max_memory=WHOLE)
    assert told(whole.certificate) == told(paper)
    parts = own.fit_release(table, column, path=tmp_path / "p.parquet", max_memory=100_000)
    assert parts.certificate.parameters["parts"] > 1
    assert parts.certificate.smallest >= 5
    assert parts.certificate.n_rows == paper.n_rows
    assert verify(parts.path, parts.certificate).ok
    assert own.loss_.overall <= 1.15 * known.loss_.overall + 0.01


def test_full_domain_and_what_it_suppresses(table: Path, tmp_path: Path) -> None:
    settings = {"publish": "hierarchy", "max_suppressed": 0.1, "quasi_identifiers": ["age", "sex"]}
    known = maker(FullDomain(), **settings).fit_release(people(), path=tmp_path / "known.parquet")
    own = maker(FullDomain(), **settings)
    release = own.fit_release(table, path=tmp_path / "r.parquet", max_memory=WHOLE)
    assert told(release.certificate) == told(known.certificate)
    with pytest.raises(DataError, match="all 1,500 rows in memory"):
        own.fit_release(table, path=tmp_path / "r.parquet", max_memory=IN_PARTS)


def test_the_order_is_drawn_and_a_seed_draws_it_again(table: Path, tmp_path: Path) -> None:
    def release(seed: int, most: int) -> pl.DataFrame:
        path = tmp_path / "r.parquet"
        maker(random_state=seed).fit_release(table, path=path, max_memory=most)
        return pl.read_parquet(path)

    first = release(1, WHOLE)
    assert first.equals(release(1, IN_PARTS))
    assert not first.equals(release(2, WHOLE))
    assert first.columns == ["employed", "age", "weight", "job", "sex", "visits"]


def test_csv(table: Path, tmp_path: Path) -> None:
    settings = {"quasi_identifiers": ["age", "weight", "sex"]}
    known = maker(**settings).fit_release(people(), path=tmp_path / "known.csv").certificate
    release = maker(**settings).fit_release(table, path=tmp_path / "r.csv", max_memory=WHOLE)
    assert told(release.certificate) == told(known)
    assert verify(release.path, release.certificate).ok
    assert verify(release.path, release.certificate, max_memory=1).ok
    with pytest.raises(ParameterError, match=r"must be a \.parquet file"):  # "teacher, old"
        maker().fit_release(table, path=tmp_path / "r.csv", max_memory=WHOLE)


def test_what_needs_all_rows_in_memory_is_refused(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    for settings, what in (
        ({"entity": "name"}, "whose row it is"),
        ({"publish": "nearest"}, "a real person"),
        ({"privacy": DistinctDiversity(2, "visits"), "keep": []}, "not published"),
    ):
        with pytest.raises(ParameterError, match=what):
            maker(**settings).fit_release(table, path=path, max_memory=WHOLE)
    labels, close = np.zeros(1500), maker(privacy=Closeness(0.5, "visits"))
    with pytest.raises(ParameterError, match="name of a column"):
        maker(Hybrid()).fit_release(table, labels, path=path, max_memory=WHOLE)
    with pytest.raises(DataError, match="t-closeness"):
        close.fit_release(table, path=path, max_memory=IN_PARTS)
    with pytest.raises(DataError, match="rows together must satisfy"):
        maker(k=4000).fit_release(table, path=path, max_memory=WHOLE)
    assert not path.exists()


def test_a_column_kept_that_names_people_is_refused(tmp_path: Path) -> None:
    rows = pl.DataFrame({"age": np.arange(70_000) % 50, "id": np.arange(70_000)}).lazy()
    with pytest.raises(DataError, match="at most 65,000 of them"):
        Anonymiser(Mondrian(), quasi_identifiers=["age"], keep=["id"]).fit_release(
            rows, path=tmp_path / "r.parquet", max_memory=WHOLE
        )
