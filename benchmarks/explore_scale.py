"""A planned exploration of 10^6, 10^7 and 10^8 rows: its time and memory, wherever the rows are.

Run `python benchmarks/explore_scale.py FOLDER [n_rows ...] [--ways file,relation,...]`. The tables
are those of `large_tables.py`, which are made in FOLDER unless they are there. Every line is a
process of its own: CPU seconds of opening the table, of its fingerprint and of the exploration
itself, and the largest resident memory of the whole. In memory, the table is a frame of pyarrow
that was read before the clock started; its rows are in the peak. It stops at 10^7 rows. Of Spark,
which runs in a process of its own, only what the driver's Python takes is seen.

The last line says whether all ways counted the same exact tables of the first size.
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
import tempfile
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import duckdb

from large_tables import SIZES, SOURCE, large_table
from sparsam.explore import Ledger, explore_table
from sparsam.explore._bins import equal_bins
from sparsam.explore._declared import Declared, declared
from sparsam.explore._private_table import PrivateTable

WAYS = ("memory", "file", "relation", "polars")
NUMBERS = {"AGEP": (16, 99, "integer"), "WKHP": (0, 99, "integer")}
MOST_IN_MEMORY = 10**7


def domains() -> Declared:
    """Declare the columns: two numbers, ten lists of categories, as the code book has them."""
    people = duckdb.connect().from_parquet(str(SOURCE))
    lists = {
        name: sorted(row[0] for row in people.project(f'"{name}"').distinct().fetchall())
        for name in people.columns
        if name not in NUMBERS
    }
    return declared({**NUMBERS, **lists})


def opened(path: str, way: str) -> Any:
    """Hand the table over in some way."""
    if way == "file":
        return path
    if way == "relation":
        return duckdb.connect().from_parquet(path)
    if way == "polars":
        import polars as pl

        return pl.scan_parquet(path)
    if way == "spark":
        return _spark().read.parquet(path)
    import pyarrow.parquet as pq

    return pq.read_table(path)


def _spark() -> Any:
    from pyspark.sql import SparkSession

    settings = {
        "spark.master": "local[2]",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
    }
    return SparkSession.builder.config(map=settings).getOrCreate()


def measure(path: str, way: str, exact: bool) -> dict[str, Any]:
    """Explore once, and return what it took."""
    what, source = domains(), opened(path, way)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "people.ledger"
        with Ledger.create(place, epsilon=1, delta="1e-6", domains=what) as ledger:
            marks = [_cpu()]
            table = PrivateTable(source, what)
            marks.append(_cpu())
            table.fingerprint(ledger.salt)
            marks.append(_cpu())
            exploration = explore_table(table, ledger)
            marks.append(_cpu())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    steps = [after - before for before, after in pairwise(marks)]
    counts = _digest(table, what) if exact else ""
    return {"steps": steps, "peak": peak, "answers": len(exploration.answers), "counts": counts}


def explored(n_rows: int) -> tuple[float, float]:
    """CPU seconds of a whole planned exploration of a file, and the peak of memory in GB."""
    with tempfile.TemporaryDirectory() as folder:
        told = measure(str(large_table(Path(folder), n_rows)), "file", exact=False)
    return sum(told["steps"]), told["peak"]


def _digest(table: PrivateTable, what: Declared) -> str:
    cells = [equal_bins(what, name, 12) for name in what.names]
    tables = table.counts([(), *((own,) for own in cells), *combinations(cells, 2)])
    return hashlib.sha256(b"".join(counts.tobytes() for counts in tables)).hexdigest()


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main(arguments: list[str]) -> None:
    """Print a line for every size and way."""
    ways = WAYS
    if "--ways" in arguments:
        at = arguments.index("--ways")
        ways = tuple(arguments[at + 1].split(","))
        arguments = arguments[:at] + arguments[at + 2 :]
    folder, sizes = Path(arguments[0]), [int(float(size)) for size in arguments[1:]] or SIZES
    print("CPU seconds             open  fingerprint  exploration   peak GB  answers")
    digests = set()
    for size in sizes:
        path = large_table(folder, size)
        for way in ways:
            if way == "memory" and size > MOST_IN_MEMORY:
                continue
            exact = "exact" if size == sizes[0] else ""
            told = subprocess.run(
                [sys.executable, __file__, "--measure", str(path), way, exact],
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            ).stdout
            result = json.loads(told.splitlines()[-1])
            first, second, third = result["steps"]
            print(
                f"{size:>11,} {way:<9} {first:6.1f} {second:12.1f} {third:12.1f} "
                f"{result['peak']:9.2f} {result['answers']:8}",
                flush=True,
            )
            digests.update({result["counts"]} - {""})
    print("the same exact tables:", len(digests) == 1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2], sys.argv[3], bool(sys.argv[4]))))
    else:
        main(sys.argv[1:])
