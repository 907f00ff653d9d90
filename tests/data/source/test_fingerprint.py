"""A fingerprint tells one table from another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from sparsam.data.source._fingerprint import fingerprint

AGES = [30, None, 41, 52, -5]


WORK = ["state", "private", None, "?", "farm"]


FLAG = [True, False, None, True, True]


CODE = [1, 2, 3, None, 1]


DATA = {"age": AGES, "work": WORK, "flag": FLAG, "code": CODE, "name": list("vwxyz")}


def _sources(folder: Path) -> dict[str, Any]:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    made: dict[str, Any] = {
        "mapping": DATA,
        "records": [dict(zip(DATA, row, strict=True)) for row in zip(*DATA.values(), strict=True)],
        "pandas": pd.DataFrame(DATA),
        "pandas nullable": pd.DataFrame(DATA).convert_dtypes(),
        "pandas category": pd.DataFrame(DATA).astype({"work": "category", "code": "category"}),
        "polars": pl.DataFrame(DATA),
        "lazy": pl.DataFrame(DATA).lazy(),
        "pyarrow": pa.table(DATA),
    }
    frame = made["polars"]
    frame.write_csv(folder / "people.csv")
    frame.write_parquet(folder / "people.parquet")
    made |= {"csv": folder / "people.csv", "parquet": str(folder / "people.parquet")}
    made["relation"] = duckdb.connect().from_parquet(made["parquet"])
    return made


def test_the_fingerprint_is_of_the_content_and_the_salt(tmp_path: Path) -> None:
    sources = _sources(tmp_path)
    same = ("mapping", "records", "pandas", "pandas nullable", "pandas category", "polars")
    prints = {kind: fingerprint(sources[kind], "salt") for kind in (*same, "pyarrow", "relation")}
    assert len(set(prints.values())) == 1
    assert fingerprint(sources["csv"], "salt") != prints["mapping"]
    assert fingerprint(DATA, "pepper") != prints["mapping"]
    assert fingerprint({**DATA, "age": [30, None, 41, 52, -6]}, "salt") != prints["mapping"]
    assert fingerprint({**DATA, "more": WORK}, "salt") != prints["mapping"]
    assert fingerprint(dict(reversed(DATA.items())), "salt") == prints["mapping"]
