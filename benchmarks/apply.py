"""How fast a generalization is applied: cells a second, beside a plain loop over the rows.

Run `python benchmarks/apply.py`. Rows come from the bundled example, repeated, and where it is
there from ../shared/data/acs_income_2018_35states.parquet.

Beside the time by the clock it prints cells per second of CPU time, all threads together: what the
clock shows on a machine that does other work too is not what the engine needs. DuckDB's rows are in
a table of its own, because it reads a batch of Arrow's with one thread however long it is. Its
"copy" hands over labels that are there already, which is as fast as any way of making them can be.
Lazy engines read and plan a query for some hundredths of a second however few rows there are: what
they do once rows are many is measured on ten million of them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from sparsam.data import CategoricalDomain, NumericDomain, load_example
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
NUMERIC = {"AGEP", "SCHL", "WKHP", "age"}
LOOP_ROWS = 20_000
MANY_ROWS = 10_000_000


def partition(name: str, values: list[Any], most: int = 12) -> Any:
    if name in NUMERIC:
        domain = NumericDomain(values[0], values[-1], integer=True)
        return numeric_partition(name, domain, [values[len(values) * i // 4] for i in (1, 2, 3)])
    n_groups = min(most, len(values))
    groups = [values[i::n_groups] for i in range(n_groups)]
    return categorical_partition(name, CategoricalDomain(tuple(values)), groups)


def learn(frame: pl.DataFrame) -> Generalization:
    columns = {name: frame[name].unique().sort().to_list() for name in frame.columns}
    return Generalization(partition(n, v) for n, v in columns.items() if len(v) > 1)


def best(action: Callable[[], Any], times: int = 5) -> float:
    return fastest(action, times)[0]


def fastest(action: Callable[[], Any], times: int) -> tuple[float, float]:
    """The least seconds by the clock, and of CPU time."""
    seconds = []
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        action()
        seconds.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(wall for wall, _ in seconds), min(cpu for _, cpu in seconds)


def duckdb_tables(g: Generalization, frame: pl.DataFrame) -> tuple[Any, Any]:
    """The rows in a table of DuckDB, and their labels in another one."""
    connection = duckdb.connect()
    connection.from_arrow(frame.to_arrow()).create("people")
    people = connection.table("people")
    g.apply(people).create("labels")
    return people, connection.table("labels")


def loop(g: Generalization, rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """What a straightforward program does: every row, every attribute, in plain Python."""
    out = []
    for row in rows:
        made = {}
        for part in g.partitions:
            made[part.name] = part.labels[part.bucket(row[part.name])]
        out.append(made)
    return out


def report(title: str, g: Generalization, frame: pl.DataFrame) -> None:
    rows = frame.head(LOOP_ROWS).to_dicts()
    slow = len(rows) * len(g.collected) / best(lambda: loop(g, rows), 2)
    arrow = frame.to_arrow()
    pandas = frame.to_pandas()
    people, labels = duckdb_tables(g, frame)
    file = Path(tempfile.mkdtemp()) / "people.parquet"
    frame.write_parquet(file)
    ways: dict[str, tuple[Any, Callable[[Any], Any]]] = {
        "polars": (frame, lambda out: out),
        "pandas": (pandas, lambda out: out),
        "pyarrow": (arrow, lambda out: out),
        "polars lazy": (frame.lazy(), lambda out: out.collect()),
        "duckdb": (people, lambda out: out.to_arrow_table()),
        "from a file": (duckdb.read_parquet(str(file)), lambda out: out.to_arrow_table()),
    }
    actions = {name: (lambda s=s, f=f: f(g.apply(s))) for name, (s, f) in ways.items()}
    actions["duckdb copy"] = labels.to_arrow_table
    print(f"\n{title}: {len(frame):,} rows x {len(g.collected)} attributes, labels out")
    print(f"  {'python loop':<12} {slow / 1e6:8.2f} million cells/s")
    n_cells = len(frame) * len(g.collected)
    for name, action in actions.items():
        wall, cpu = fastest(action, 5)
        print(
            f"  {name:<12} {n_cells / wall / 1e6:8.1f} million cells/s   "
            f"{n_cells / cpu / 1e6:8.1f} for each second of CPU   "
            f"{n_cells / wall / slow:6.0f} x the loop"
        )
    shutil.rmtree(file.parent)
    row = rows[0]
    micro = best(lambda: [g.apply_record(row) for _ in range(1000)]) * 1000
    print(f"  one record   {micro:8.1f} microseconds")


def report_many(title: str, g: Generalization, frame: pl.DataFrame) -> None:
    """Rows enough that planning a query no longer shows."""
    frame = pl.concat([frame] * -(-MANY_ROWS // len(frame)), rechunk=True).head(MANY_ROWS)
    people, _ = duckdb_tables(g, frame)
    print(f"\n{title}: {len(frame):,} rows x {len(g.collected)} attributes, labels out")
    ways: dict[str, Callable[[], Any]] = {
        "polars lazy": lambda: g.apply(frame.lazy()).collect(),
        "duckdb": lambda: g.apply(people).to_arrow_table(),
    }
    n_cells = len(frame) * len(g.collected)
    for name, action in ways.items():
        wall, cpu = fastest(action, 3)
        print(
            f"  {name:<12} {n_cells / wall / 1e6:8.1f} million cells/s   "
            f"{n_cells / cpu / 1e6:8.1f} for each second of CPU"
        )


def main() -> None:
    print(f"{os.cpu_count()} cores")
    people = load_example().to_frame("polars").select(pl.exclude("employed"))
    report("bundled census records, text", learn(people), pl.concat([people] * 50, rechunk=True))
    path = SHARED / "acs_income_2018_35states.parquet"
    if not path.exists():
        print("\nacs_income_2018_35states.parquet is not beside this checkout: left out")
        return
    income = pl.read_parquet(path).select(pl.exclude("PINCP_gt_50000"))
    g = learn(income)
    for kind in (pl.Int16, pl.Int64, pl.Float64):
        cast = {name: kind for name in income.columns if name != "STATE"}
        report(f"ACS income, {kind}", g, income.cast(cast))
    fine = Generalization(
        partition(name, income[name].unique().sort().to_list(), most=10_000)
        for name in income.columns
    )
    report("ACS income, every category its own bucket", fine, income)
    occupation = pl.col("OCCP").cast(pl.String)
    texts = income.select(occupation.alias(f"occupation {i}") for i in range(4))
    report("four texts of 529 categories, 12 buckets each", learn(texts), texts)
    report_many("the same texts", learn(texts), texts)
    own = Generalization(
        partition(name, texts[name].unique().sort().to_list(), most=10_000)
        for name in texts.columns
    )
    report("four texts of 529 categories, each its own bucket", own, texts)
    numbers = income.select(pl.exclude("STATE")).cast(pl.Int64)
    report("ACS income, numbers alone", learn(numbers), numbers)
    report_many("the same numbers", learn(numbers), numbers)


if __name__ == "__main__":
    main()
