"""Ten million rows from Parquet: the time and memory of all one- and two-way tables, and the EDA.

Run `python benchmarks/explore_scale.py [n_rows]`. The file is made by DuckDB in a temporary folder.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np

from sparsam.explore import Ledger, explore_table
from sparsam.explore._bins import equal_bins, full_bins
from sparsam.explore._declared import Declared, declared
from sparsam.explore._private_table import PrivateTable

N_NUMERIC, N_CATEGORICAL = 7, 9
CATEGORIES = (2, 5, 7, 8, 14, 15, 16, 42, 5)


def make(path: Path, n_rows: int) -> None:
    """Write a table of seven numeric and nine categorical columns, some values missing."""
    numbers = [
        "CAST(17 + 73 * random() * random() AS INTEGER) AS n0",
        "CASE WHEN random() < .9 THEN 0 ELSE 99999 * random() END AS n1",
        *(
            f"CASE WHEN random() < .05 THEN NULL ELSE 1000 * random() ^ {k} END AS n{k}"
            for k in range(2, N_NUMERIC)
        ),
    ]
    texts = [
        f"'group ' || CAST(floor({k} * random() * random()) AS INTEGER) AS c{i}"
        for i, k in enumerate(CATEGORIES)
    ]
    query = f"SELECT {', '.join([*numbers, *texts])} FROM range({n_rows})"
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")


def domains() -> Declared:
    """Declare the columns that `make` writes."""
    ranges = {"n0": (0, 99, "integer"), "n1": (0, 100_000)}
    ranges |= {f"n{k}": (0, 1000) for k in range(2, N_NUMERIC)}
    lists = {f"c{i}": [f"group {g}" for g in range(k)] for i, k in enumerate(CATEGORIES)}
    return declared({**ranges, **lists})


def explored(n_rows: int) -> tuple[float, float]:
    """CPU seconds of the whole planned exploration, and the peak of memory in GB."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        make(path, n_rows)
        with Ledger.create(Path(folder) / "people.ledger", epsilon=1, delta="1e-6") as ledger:
            start = time.process_time()
            explore_table(path, ledger, domains=domains())
            seconds = time.process_time() - start
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main(n_rows: int) -> None:
    """Print the times and the peak of memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        start = time.perf_counter()
        make(path, n_rows)
        _say("made the file", start, f"{path.stat().st_size / 1e6:,.0f} MB")
        what = domains()
        start = time.perf_counter()
        source = PrivateTable(path, what)
        source.fingerprint("salt")
        _say("opened and hashed", start)
        start = time.perf_counter()
        fine = [full_bins(what, name) for name in what.numeric]
        one = source.tables(fine, [(name,) for name in what.numeric])
        _say("one-way, 1,024 cells", start)
        start = time.perf_counter()
        coarse = [equal_bins(what, name, 12) for name in what.names]
        wanted = [(), *((n,) for n in what.names), *combinations(what.names, 2)]
        tables = source.tables(coarse, wanted)
        _say(f"{len(wanted)} tables", start, f"{sum(t.size for t in tables.values()):,} cells")
        start = time.perf_counter()
        with Ledger.create(Path(folder) / "people.ledger", epsilon=1, delta="1e-6") as ledger:
            found = explore_table(path, ledger, domains=what)
        _say("the whole planned EDA", start, f"{len(found.answers)} answers")
        sums = {int(np.sum(t)) for t in (*one.values(), *tables.values())}
        print("every table counts every row:", sums == {n_rows})


def _say(what: str, start: float, more: str = "") -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{what:<24} {time.perf_counter() - start:6.2f} s   peak {peak:5.2f} GB   {more}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
