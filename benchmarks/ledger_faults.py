"""Kill analysts with -9 at random moments: no answer may be without its charge.

    python benchmarks/ledger_faults.py [kills]

Each child asks a ledger one question after another. It says what is being computed and what was
answered through a pipe, until it is killed. Then the ledger must be whole, and must hold a charge
for everything that was even computed.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from sparsam._errors import BudgetError
from sparsam.explore import Ledger, laplace_cost

COST, HUNDREDTH = laplace_cost("0.001"), laplace_cost("0.01")


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


def granted(processes: int, asks: int) -> int:
    """How many questions of a hundredth of the budget are granted to processes that ask at once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.ledger"
        Ledger.create(path, fingerprint="rows", epsilon=1).close()
        children = []
        for number in range(processes):
            pid = os.fork()
            if pid == 0:
                try:
                    with Ledger.open(path) as ledger:
                        for i in range(asks):
                            with contextlib.suppress(BudgetError):
                                question = {"q": f"{number}.{i}"}
                                ledger.ask(question, HUNDREDTH, lambda: 1, fingerprint="rows")
                finally:
                    os._exit(0)
            children.append(pid)
        for pid in children:
            os.waitpid(pid, 0)
        with Ledger.open(path) as ledger:
            ledger.verify()
            return sum(entry["kind"] == "answer" for entry in ledger.entries())


def without_charge(kills: int) -> tuple[int, int, int, int]:
    """Charges, unanswered charges, and what was computed and answered without a charge."""
    rng = random.Random()
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
    free = [len(seen[what] - charged) for what in ("computed", "answered")]
    return len(charged), checked.unanswered, free[0], free[1]


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    start = time.perf_counter()
    charges, unanswered, computed, answered = without_charge(kills)
    print(f"{kills} kills in {time.perf_counter() - start:.1f} s")
    print(f"{charges} charges, {unanswered} of them without an answer")
    print(f"{computed} computed and {answered} answered without a charge")
    print(f"8 processes that ask for 240 hundredths are granted {granted(8, 30)}")
    if computed or answered:
        raise SystemExit("an answer without its charge")


if __name__ == "__main__":
    main()
