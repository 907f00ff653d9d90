"""Kill analysts with -9 at random moments: no answer may be without its charge.

    python benchmarks/ledger_faults.py [kills]

Each child asks a ledger one question after another. It says what is being computed and what was
answered through a pipe, until it is killed. Then the ledger must be whole, and must hold a charge
for everything that was even computed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from sparsam.explore import Ledger, laplace_cost

COST = laplace_cost("0.001")


def ask_until_killed(path: Path, run: int, pipe: int) -> None:
    with Ledger.open(path) as ledger:
        for i in range(10_000):
            name = f"{run}.{i}"

            def compute(name: str = name) -> int:
                os.write(pipe, f"computed {name}\n".encode())
                time.sleep(random.random() * 0.002)
                return 1

            ledger.ask({"q": name}, COST, compute, fingerprint="rows")
            os.write(pipe, f"answered {name}\n".encode())


def one_kill(path: Path, run: int, rng: random.Random) -> list[str]:
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            ask_until_killed(path, run, into)
        finally:
            os._exit(1)
    os.close(into)
    with os.fdopen(out) as lines:
        said = [lines.readline() for _ in range(rng.randrange(5))]
        time.sleep(rng.random() * 0.01)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return said + list(lines)


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    rng = random.Random()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.ledger"
        Ledger.create(path, fingerprint="rows", epsilon=1000).close()
        seen: dict[str, set[str]] = {"computed": set(), "answered": set()}
        for run in range(kills):
            for line in one_kill(path, run, rng):
                what, name = line.split()
                seen[what].add(name)
        with Ledger.open(path) as ledger:
            checked = ledger.verify()
            charged = {b["question"]["q"] for b in ledger.entries() if b["kind"] == "reserve"}
    print(f"{kills} kills in {time.perf_counter() - start:.1f} s")
    print(f"{len(charged)} charges, {checked.unanswered} of them without an answer")
    print(f"{len(seen['computed'])} computed, {len(seen['computed'] - charged)} without a charge")
    print(f"{len(seen['answered'])} answered, {len(seen['answered'] - charged)} without a charge")
    if seen["computed"] - charged or seen["answered"] - charged:
        raise SystemExit("an answer without its charge")


if __name__ == "__main__":
    main()
