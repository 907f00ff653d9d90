"""What minimising, assessing and applying cost where rows stay in a file: CPU-seconds and memory.

Run `python benchmarks/engine_scale.py FOLDER [n_rows ...]` after `large_tables.py` has filled the
folder. Every way runs in a process of its own; "memory" has the same rows as an Arrow table first,
which is not counted among its seconds but among its memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from large_tables import SIZES, large_table

TARGET = "PINCP_gt_50000"
CODES = ["COW", "MAR_2", "OCCP", "POBP", "RELP", "SEX", "RAC1P_5"]
WAYS = (
    *("tree from the file", "tree from memory", "minimise", "minimise in 1 GB"),
    *("assess", "assess in 1 GB", "apply", "minimise from CSV", "apply from CSV"),
)
# Above it the rows do not fit into this machine's memory as an Arrow table, and as codes; nor is a
# CSV file of them written.
MOST_IN_MEMORY = 2 * 10**7
FOR_MANY = ("minimise", "minimise in 1 GB", "assess", "assess in 1 GB", "apply")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("sizes", type=float, nargs="*", default=SIZES)
    parser.add_argument("--way", choices=WAYS, help="measure one, in this process")
    parser.add_argument("--artifact", type=Path)
    options = parser.parse_args()
    if options.way:
        file = large_table(options.folder, int(options.sizes[0]))
        print(json.dumps(measure(options.way, file, options.artifact)))
        return
    with tempfile.TemporaryDirectory() as folder:
        artifact = Path(folder) / "people.json"
        print(f"{'rows':>12}  {'way':<20} {'CPU-s':>8} {'GB':>6}  result")
        for size in map(int, options.sizes):
            for way in WAYS:
                if size <= MOST_IN_MEMORY or way in FOR_MANY:
                    command = [sys.executable, __file__, options.folder]
                    command += [str(size), "--way", way, "--artifact", artifact]
                    told = subprocess.run(command, capture_output=True, text=True, check=True)
                    figures = json.loads(told.stdout.splitlines()[-1])
                    print(
                        f"{size:>12,}  {way:<20} {figures['cpu']:>8.1f} {figures['memory']:>6.2f}  "
                        f"{figures['result']}",
                        flush=True,
                    )


def measure(way: str, file: Path, artifact: Path) -> dict[str, object]:
    """Measure one way; commands run in a process of their own."""
    if way.startswith("tree"):
        return tree(file, in_memory=way.endswith("memory"))
    if way.endswith("CSV"):
        file, way = as_csv(file), way.removesuffix(" from CSV")
    roles = ["--target", TARGET, "--categorical", ",".join(CODES)]
    page, output = artifact.with_suffix(".html"), artifact.with_suffix(".parquet")
    commands: dict[str, list[object]] = {
        "minimise": ["minimise", file, *roles, "-o", artifact, "--report", page],
        "minimise in 1 GB": [
            *("minimise", file, *roles, "--max-memory", "1GB"),
            *("-o", artifact, "--report", page),
        ],
        "assess": ["assess", artifact, file],
        "assess in 1 GB": ["assess", artifact, file, "--max-memory", "1GB"],
        "apply": ["apply", artifact, file, "-o", output, "--keep", TARGET],
    }
    command = [sys.executable, "-m", "sparsam", *map(str, commands[way])]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = (told.stdout or told.stderr).strip().splitlines()
    return {
        "cpu": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss / 1e6,
        "result": f"exit code {told.returncode}" + (f": {words[-1][:60]}" if words else ""),
    }


def as_csv(file: Path) -> Path:
    """The same rows as a CSV file, unless it is there."""
    text = file.with_suffix(".csv")
    if not text.is_file():
        duckdb.read_parquet(str(file)).write_csv(str(text))
    return text


def tree(file: Path, *, in_memory: bool) -> dict[str, object]:
    """Grow a privacy tree of 200 leaves."""
    import pyarrow.parquet

    import sparsam as sp

    people: object = pyarrow.parquet.read_table(file) if in_memory else file
    roles = sp.Roles(TARGET, categorical=CODES)
    start = time.process_time()
    grown = sp.PrivacyTree(roles, max_leaves=200).fit(people)
    return {
        "cpu": time.process_time() - start,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "result": f"{grown.generalization_.n_buckets} buckets",
    }


if __name__ == "__main__":
    main()
