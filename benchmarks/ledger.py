"""Speed of the ledger: a charge, a repeated question, and opening, side by side with bare SQLite.

    python benchmarks/ledger.py [folder]

A charge writes to the disk twice and waits for it each time: before the answer is computed, and
before it is given. Bare SQLite is the least that this can take: two rows appended to a table, each
with a flush; as one file, which holds every charge at once (what a ledger is), and with a log
beside it, which a copy of the file lacks (what ledgers were).
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from sparsam.explore import Ledger, laplace_cost

COST = laplace_cost("0.0001")
TIMES = 500


def bare(folder: Path, journal: str, synchronous: str) -> float:
    connection = sqlite3.connect(folder / f"{journal}.db", isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute("CREATE TABLE rows (text)")
    start = time.perf_counter()
    for _ in range(TIMES):
        for _ in range(2):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO rows VALUES (?)", ("x" * 600,))
            connection.execute("COMMIT")
    spent = time.perf_counter() - start
    connection.close()
    return spent / TIMES


def asked(ledger: Ledger) -> float:
    start = time.perf_counter()
    for i in range(TIMES):
        ledger.ask({"count": "age", "cell": i}, COST, lambda: 1, fingerprint="rows")
    return (time.perf_counter() - start) / TIMES


def main() -> None:
    place = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=place) as name:
        folder = Path(name)
        path = folder / "people.ledger"
        logged = bare(folder, "WAL", "FULL")
        least = bare(folder, "DELETE", "EXTRA")
        with Ledger.create(path, fingerprint="rows", epsilon=1) as ledger:
            charged, repeated = asked(ledger), asked(ledger)
        start = time.perf_counter()
        with Ledger.open(path) as ledger:
            opened = time.perf_counter() - start
            entries = ledger.verify().entries
    print(f"bare SQLite, two flushed rows  {least * 1e3:8.2f} ms")
    print(f"the same with a log            {logged * 1e3:8.2f} ms   {logged / least:6.2f} × bare")
    print(f"a charge and its answer        {charged * 1e3:8.2f} ms   {charged / least:6.2f} × bare")
    print(
        f"the same question again        {repeated * 1e3:8.3f} ms   {repeated / least:6.3f} × bare"
    )
    print(f"opening and checking {entries:,} entries {opened * 1e3:6.1f} ms")


if __name__ == "__main__":
    main()
