"""A release that verifies is k-anonymous, whoever reads the file, and with what."""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsam._errors import ReleaseError
from sparsam.anonymise import Anonymiser, Greedy, Mondrian, certify, verify
from sparsam.anonymise.proof._certificate import KAnonymityTerms

Sizes = list[int]


def by_pandas(path: Path, names: list[str]) -> Sizes:
    frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    return frame.groupby(names, dropna=False, observed=True).size().tolist()


def by_pandas_as_texts(path: Path, names: list[str]) -> Sizes:
    if path.suffix == ".csv":
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    else:
        frame = pd.read_parquet(path)
    return list(Counter(zip(*(map(repr, frame[name]) for name in names), strict=True)).values())


def by_polars(path: Path, names: list[str]) -> Sizes:
    if path.suffix == ".csv":
        frame = pl.read_csv(path, infer_schema_length=None)
    else:
        frame = pl.read_parquet(path)
    return frame.group_by(names).len()["len"].to_list()


def by_pyarrow(path: Path, names: list[str]) -> Sizes:
    if path.suffix == ".csv":
        table = pyarrow.csv.read_csv(path)
    else:
        table = pyarrow.parquet.read_table(path)
    rows = zip(*(map(repr, table[name].to_pylist()) for name in names), strict=True)
    return list(Counter(rows).values())


def by_csv(path: Path, names: list[str]) -> Sizes:
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as lines:
            rows = [tuple(row[name] for name in names) for row in csv.DictReader(lines)]
    else:
        rows = duckdb.sql(f"SELECT {','.join(names)} FROM '{path}'").fetchall()
    return list(Counter(map(repr, rows)).values())


def by_a_text_editor(path: Path, names: list[str]) -> Sizes:
    """Lines, cut at the commas; the other columns come last, and nothing here has a comma."""
    if path.suffix != ".csv":
        return by_csv(path, names)
    head, *lines = path.read_bytes().decode().removesuffix("\n").split("\n")
    assert head.split(",")[: len(names)] == names
    return list(Counter(tuple(line.split(",")[: len(names)]) for line in lines).values())


READERS: list[Callable[[Path, list[str]], Sizes]] = [
    by_pandas, by_pandas_as_texts, by_polars, by_pyarrow, by_csv, by_a_text_editor
]  # fmt: skip

NUMBERS = [0.0, -0.0, float("nan"), None, 1.0, 1.5, -2.25, 1e16]
TEXTS = ["", None, "x", "x ", " x", "1", "1.0", "01", "nan", "NA", "#", "-0"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("method", [Greedy, Mondrian])
@pytest.mark.parametrize("publish", ["median", "mean", "mode", "ranges"])
@given(seed=st.integers(0, 10_000))
@settings(
    max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_a_release_of_odd_cells(
    tmp_path: Path, ending: str, method: Any, publish: Any, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    choose: Any = lambda among: [among[i] for i in rng.integers(0, len(among), 60)]  # noqa: E731
    table = pl.DataFrame({"n": choose(NUMBERS), "t": choose(TEXTS), "w": choose([1, 2, None])})
    anonymiser = Anonymiser(
        method(), k=6, quasi_identifiers=["n", "t", "w"], publish=publish, random_state=seed
    )
    path = tmp_path / f"{next(_NUMBER)}.{ending}"
    release = anonymiser.fit_release(table.with_columns(y=pl.lit("a")), path=path)
    assert verify(path, release.certificate).ok
    for reader in READERS:
        assert min(reader(path, ["n", "t", "w"])) >= 6, reader.__name__


_NUMBER = itertools.count()


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ([0.0] * 5 + [-0.0], None),
        ([None] * 5 + [float("nan")], None),
        (["x"] * 5 + ["x "], None),
        ([""] * 5 + [None], None),
        (None, "a,y\n" + "1,u\n" * 5 + "1.0,u\n"),
        (None, 'a,y\n' + 'x,u\n' * 5 + '"x",u\n'),
        (None, 'a,y\n' + ',u\n' * 5 + '"",u\n'),
        (None, 'a,y\n' + '"",u\n' * 5 + '" ",u\n'),
        (None, "a,y\n" + "0,u\n" * 5 + "-0,u\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_one_reader_could_tell_apart_is_refused(
    tmp_path: Path, cells: Any, text: str | None, ending: str
) -> None:
    """Five people who are equal and one whom some program would tell from them."""
    path = tmp_path / f"r.{ending}"
    if text is not None:
        path = path.with_suffix(".csv")
        path.write_text(text, encoding="utf-8", newline="")
    else:
        frame = pl.DataFrame({"a": cells, "y": ["u"] * 6}, strict=False)
        frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
        if ending == "csv" and None in cells and "" not in cells:
            frame.write_csv(path, null_value="", float_precision=None)
    apart = min(min(reader(path, ["a"])) for reader in READERS) < 6
    try:
        certify(path, ["a"], [KAnonymityTerms(k=6)])
    except ReleaseError:
        return
    assert not apart


def test_the_file_that_the_command_writes(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from sparsam.cli._main import cli

    rng = np.random.default_rng(0)
    raw = pd.DataFrame(
        {
            "n": rng.choice(["0.0", "-0.0", "1.50", "1.5", "", "7"], 300),
            "t": rng.choice(["x", "x ", "1", "1.0", ""], 300),
            "y": rng.choice(["yes", "no"], 300),
        }
    )
    raw.to_csv(tmp_path / "raw.csv", index=False)
    for ending in ("csv", "parquet"):
        path = tmp_path / f"o.{ending}"
        done = CliRunner().invoke(
            cli,
            ["anonymise", str(tmp_path / "raw.csv"), "--quasi-identifiers", "n,t", "--target", "y",
             "--k", "8", "-o", str(path), "--json"],
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["certificate"]["smallest"] >= 8
        for reader in READERS:
            assert min(reader(path, ["n", "t"])) >= 8, reader.__name__
