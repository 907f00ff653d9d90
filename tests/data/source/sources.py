"""The same table from every kind of source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

AGES = [30, None, 41, 52, -5]


WORK = ["state", "private", None, "?", "farm"]


FLAG = [True, False, None, True, True]


CODE = [1, 2, 3, None, 1]


DATA = {"age": AGES, "work": WORK, "flag": FLAG, "code": CODE, "name": list("vwxyz")}


def every_source(folder: Path) -> dict[str, Any]:
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
