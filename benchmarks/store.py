"""What a store costs, how large it is, and what is left of it when its writers are killed.

    python benchmarks/store.py [--kills 200] [--people 1000000] [--address postgresql://…]
    python benchmarks/store.py --questionnaire …                # 3. and 4. with interviews

1. CPU time for each record, one a transaction and fifty a transaction, with its receipt, and for
   each record that is taken back; in both modes, side by side. On the disk each time. (Of a
   PostgreSQL server only our own time is counted.)
2. The size of the database for so many people over 90 days: the bundled people, drawn again and
   again, in the buckets of a privacy tree.
3. Several processes that make, fill and clean one store at once.
4. Writers that are killed with -9 at random moments: what was acknowledged must be there, once,
   and what was acknowledged as forgotten must not; a transaction is there whole or not at all.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sparsam.collect import Questionnaire, Store
from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, Leaf, Recoding, numeric_partition

KEY = b"benchmark" * 3 + b"-----"
GROUP = 3  # records a transaction
COLUMNS = 4
FIRST_KILLED = 6_000_000  # of the numbers that killed writers write
NUMBERS = Generalization(
    numeric_partition(f"digit_{place}", NumericDomain(0, 127, integer=True), range(1, 128))
    for place in range(COLUMNS)
)
_LEAF = Leaf(NUMBERS.names, {})
# A questionnaire that asks for the same: each of its interviews is a number already.
INTERVIEWS = Questionnaire(
    Recoding(NUMBERS, {name: list(range(128)) for name in NUMBERS.names}, [_LEAF])
)
source: Generalization | Questionnaire = NUMBERS
"""What is collected; set by --questionnaire."""


def record(number: int) -> tuple[int, ...]:
    """A number as a record, so that everyone can be told apart."""
    if isinstance(source, Questionnaire):
        return (number,)
    return tuple((number >> (7 * place)) & 127 for place in range(COLUMNS))


def number_of(codes: Any) -> int:
    """The number of a record, as training has it: of an interview each answer is one more."""
    if isinstance(source, Questionnaire):
        return sum((int(c) - 1) << (7 * place) for place, c in enumerate(reversed(codes)))
    return sum(int(code) << (7 * place) for place, code in enumerate(codes))


@dataclass
class Killed:
    """What writers had acknowledged when they were killed, and what is there."""

    kills: int = 0
    acknowledged: set[int] = field(default_factory=set)
    forgotten: set[int] = field(default_factory=set)
    asked: set[int] = field(default_factory=set)
    lost: int = 0
    double: int = 0
    undead: int = 0
    halves: int = 0

    @property
    def good(self) -> bool:
        """Whether nothing was lost, doubled, brought back or halved."""
        return not (self.lost or self.double or self.undead or self.halves)

    def __str__(self) -> str:
        return (
            f"{self.kills} kills, {len(self.acknowledged):,} records acknowledged, "
            f"{len(self.forgotten):,} forgotten: {self.lost} lost, {self.double} double, "
            f"{self.undead} back from the dead, {self.halves} transactions halved"
        )


def write_until_killed(address: str, mode: str, start: int, pipe: int) -> None:
    with Store.open(address, source, keep_days=90, mode=mode, key=KEY) as store:
        for first in range(start, start + 60_000, GROUP):
            group = range(first, first + GROUP)
            receipts = store.add([record(number) for number in group])
            os.write(pipe, f"acknowledged {first}\n".encode())
            if first % (4 * GROUP) == 0:
                os.write(pipe, f"asked {first}\n".encode())
                store.forget(receipts[0])
                os.write(pipe, f"forgotten {first}\n".encode())


def kill_writers(address: str, mode: str, kills: int, seed: int | None = None) -> Killed:
    """Kill one writer after the other, and look at what is left."""
    draw, result = random.Random(seed), Killed()
    for run in range(kills):
        out, into = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                write_until_killed(address, mode, FIRST_KILLED + run * 60_000, into)
            finally:
                os._exit(1)
        os.close(into)
        with os.fdopen(out) as lines:
            said = [lines.readline() for _ in range(draw.randrange(12))]
            time.sleep(draw.random() * 0.01)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            said += list(lines)
        result.kills += 1
        for line in filter(None, said):
            what, first = line.split()
            if what == "acknowledged":
                result.acknowledged |= set(range(int(first), int(first) + GROUP))
            else:
                getattr(result, what).add(int(first))
    look(address, mode, result)
    return result


def look(address: str, mode: str, result: Killed) -> None:
    with Store.open(address, source, keep_days=90, mode=mode, key=KEY) as store:
        training = store.training()
    counts = {number_of(row): n for row, n in zip(training.codes, training.weights, strict=True)}
    there = {number for number in counts if number >= FIRST_KILLED}
    result.double = int(sum(counts.values())) - len(counts)
    result.lost = len(result.acknowledged - there - result.asked)
    result.undead = len(result.forgotten & there)
    groups: dict[int, int] = {}
    for number in there | result.asked:  # one that is being forgotten may be there or not
        groups[number // GROUP] = groups.get(number // GROUP, 0) + 1
    result.halves = sum(count != GROUP for count in groups.values())


def write_together(address: str, mode: str, writers: int, groups: int) -> tuple[int, int]:
    """Let several processes make, fill and clean one store at once.

    Returns how many records are there, and how many must be.
    """
    children = []
    for writer in range(1, writers + 1):
        child = os.fork()
        if child == 0:
            ending = 1
            try:
                _fill(address, mode, writer * 60_000, groups)
                ending = 0
            finally:
                os._exit(ending)
        children.append(child)
    failed = sum(os.waitpid(child, 0)[1] != 0 for child in children)
    with Store.open(address, source, keep_days=90, mode=mode, key=KEY) as store:
        return store.count() - failed, writers * groups * (GROUP - 1)


def _fill(address: str, mode: str, start: int, groups: int) -> None:
    with Store.open(address, source, keep_days=90, mode=mode, key=KEY) as store:
        for first in range(start, start + groups * GROUP, GROUP):
            receipts = store.add([record(number) for number in range(first, first + GROUP)])
            store.forget(receipts[0])
            store.settle()
            store.expire()


def cpu_per_record(
    store: Store, people: list[tuple[int, ...]], group: int
) -> tuple[float, float, list[str]]:
    """CPU and wall microseconds for each record, and the receipts."""
    receipts: list[str] = []
    cpu, wall = time.process_time(), time.perf_counter()
    for start in range(0, len(people), group):
        receipts += store.add(people[start : start + group])
    n_people = len(people)
    return (
        (time.process_time() - cpu) / n_people * 1e6,
        (time.perf_counter() - wall) / n_people * 1e6,
        receipts,
    )


def speeds(address: Callable[[str], str], generalization: Generalization, people: Any) -> None:
    print("\nmode    records a transaction   CPU µs a record   wall µs a record   receipt")
    for mode in ("counts", "rows"):
        with Store.open(
            address(f"speed_{mode}"), generalization, keep_days=90, mode=mode, key=KEY
        ) as store:
            for group, n_people in ((1, 500), (50, 20_000), (500, 20_000)):
                cpu, wall, receipts = cpu_per_record(store, people[:n_people], group)
                print(
                    f"{mode:6}  {group:>21}   {cpu:>15.1f}   {wall:>16.1f}   "
                    f"{len(receipts[0])} signs"
                )
            cpu, wall = time.process_time(), time.perf_counter()
            for receipt in receipts[:50]:
                store.forget(receipt)
            cpu, wall = (time.process_time() - cpu) / 50, (time.perf_counter() - wall) / 50
            print(f"{mode:6}  {'forget':>21}   {cpu * 1e6:>15.1f}   {wall * 1e6:>16.1f}")


def size(folder: Path, generalization: Generalization, people: Any, n_people: int) -> None:
    import sparsam.collect.store._store as module

    sizes = " × ".join(str(generalization[name].n_buckets) for name in generalization.collected)
    print(f"\nPeople over 90 days, in {sizes} buckets")
    draw, today = np.random.default_rng(0), module.current_day()
    before = module.current_day
    for mode, n_all in (("counts", n_people), ("rows", n_people // 10)):
        path = folder / f"size_{mode}.db"
        with Store.open(path, generalization, keep_days=90, mode=mode, key=KEY) as store:
            for day in range(90):
                module.current_day = lambda day=day: today - 89 + day
                chosen = draw.integers(0, len(people), n_all // 90 + (day < n_all % 90))
                store.add([people[place] for place in chosen])
            module.current_day = before
            n_records, rows = store.count(), len(store.training().weights)
        print(
            f"{mode:6}  {n_records:>9,} people   {path.stat().st_size / 1e6:6.3f} MB   "
            f"{rows} combinations of buckets"
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--people", type=int, default=1_000_000)
    options.add_argument("--address", help="an empty PostgreSQL database, for kills and speeds")
    options.add_argument("--questionnaire", action="store_true")
    given = options.parse_args()
    if given.questionnaire:
        global source  # noqa: PLW0603 - what the forked writers write
        source = INTERVIEWS

    import sparsam as sp

    bundled = sp.load_example()
    tree = sp.PrivacyTree(sp.Roles("employed"), max_leaves=20, privacy=0.7).fit(bundled)
    generalization = tree.generalization_
    codes = generalization.apply_codes(bundled)
    kept = [generalization.names.index(name) for name in generalization.collected]
    people = [tuple(row) for row in codes[:, kept].tolist()]

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)

        def address(name: str) -> str:
            if given.address is None:
                return str(folder / f"{name}.db")
            import psycopg

            with psycopg.connect(given.address, autocommit=True) as connection:
                connection.execute(f"CREATE SCHEMA {name}")
            sign = "&" if "?" in given.address else "?"
            return f"{given.address}{sign}options=-csearch_path%3D{name}"

        print("PostgreSQL" if given.address else "SQLite")
        if not given.questionnaire:
            speeds(address, generalization, people)
            if not given.address:
                size(folder, generalization, people, given.people)
        print()
        for mode in ("counts", "rows"):
            there, due = write_together(address(f"together_{mode}"), mode, writers=8, groups=20)
            print(f"{mode:6}  8 processes at once: {there} of {due} records are there")
            if there != due:
                raise SystemExit(1)
            if given.kills:
                killed = kill_writers(address(f"kills_{mode}"), mode, given.kills // 2)
                print(f"{mode:6}  {killed}")
                if not killed.good:
                    raise SystemExit(1)


if __name__ == "__main__":
    main()
