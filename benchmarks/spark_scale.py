"""What each step costs on a table in Spark, with a driver of 1 GB, beside DuckDB.

Run `python benchmarks/spark_scale.py people.parquet [step ...]` with pyspark and Java: `make
test-spark` makes an environment, .venv-spark, that has it. The table has the columns of
../shared/data/acs_income_2018_35states.parquet, redrawn to as many rows as are wanted. Steps: read,
draw, tree, minimise, attack, apply, explore, verify; all by default, in DuckDB too with `--duckdb`.
`--kill` kills an executor while codes come home.

CPU seconds are those of Python and of Java, peaks are those of the two processes until then: ask
for one step at a time to know what it takes by itself.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb

import sparsam as sp
from sparsam.data import draw_people, split
from sparsam.data.source import LazyFrame, open_frame
from sparsam.data.source.lazy import Draw

ROLES = sp.Roles(
    "PINCP_gt_50000",
    personal=["AGEP", "SEX", "MAR_2", "RAC1P_5", "POBP"],
    categorical=["COW", "MAR_2", "OCCP", "POBP", "RELP", "SEX", "RAC1P_5"],
)
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
STEPS = ("read", "draw", "tree", "minimise", "attack", "apply", "explore", "verify")


def session(master: str) -> Any:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return SparkSession.builder.config(map={"spark.master": master, **SETTINGS}).getOrCreate()


def children() -> Iterator[int]:
    """Every process below this one."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    above = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    below = {os.getpid()}
    for _ in range(8):
        below |= {pid for pid, parent in above if parent in below}
    yield from below - {os.getpid()}


def java() -> list[int]:
    """The virtual machines of Java below this process."""
    found = []
    for pid in children():
        try:
            name = Path(f"/proc/{pid}/comm").read_text()
        except FileNotFoundError:  # it has ended in the meantime
            continue
        found += [pid] if name.strip() == "java" else []
    return found


def java_seconds() -> float:
    ticks = 0
    for pid in java():
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def java_peak() -> float:
    """In MB."""
    texts = [Path(f"/proc/{pid}/status").read_text() for pid in java()]
    peaks = (re.search(r"VmHWM:\s+(\d+)", text) for text in texts)
    return sum(int(peak[1]) for peak in peaks if peak) / 1e3


def measured(name: str, action: Callable[[], Any]) -> Any:
    """Do something, and print what it costs."""
    began, own, others = time.perf_counter(), time.process_time(), java_seconds()
    try:
        answer, outcome = action(), ""
    except Exception as error:  # noqa: BLE001 - a step that fails must not hide the others
        answer, outcome = None, f"FAILED: {type(error).__name__}: {str(error).splitlines()[0]}"
    wall = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(
        f"  {name:<28} Python {time.process_time() - own:7.1f} CPU-s   Java "
        f"{java_seconds() - others:7.1f} CPU-s   {wall:7.1f} s   peaks {peak:6,.0f} MB and "
        f"{java_peak():6,.0f} MB   {outcome or _told(answer)}",
        flush=True,
    )
    return answer


def _told(answer: Any) -> str:
    return answer if isinstance(answer, str) else ""


def case_when(g: sp.Generalization) -> list[str]:
    """What a person would write by hand for the same labels: one CASE for each attribute."""
    columns = []
    for part in g:
        if not part.collected:
            continue
        name = f"`{part.name}`"
        if hasattr(part, "cuts"):
            whens = [
                f"WHEN {name} < {cut} THEN '{label}'"
                for cut, label in zip(part.cuts, part.labels, strict=False)
            ]
            columns.append(
                f"CASE {' '.join(whens)} WHEN {name} IS NOT NULL THEN "
                f"'{part.labels[len(part.cuts)]}' END AS {name}"
            )
        else:
            whens = []
            for group, label in zip(part.groups, part.labels, strict=False):
                listed = ", ".join(f"'{m}'" if isinstance(m, str) else str(m) for m in group)
                whens.append(f"WHEN {name} IN ({listed}) THEN '{label}'")
            columns.append(f"CASE {' '.join(whens)} END AS {name}")
    return columns


class Steps:
    """The steps, on the frame of one engine."""

    def __init__(self, frame: Any, roles: sp.Roles, repeats: int) -> None:
        self.frame, self.roles, self.repeats = frame, roles, repeats
        self._generalization: sp.Generalization | None = None

    @property
    def generalization(self) -> sp.Generalization:
        """What a tree of 200 leaves keeps."""
        if self._generalization is None:
            self._tree()
        assert self._generalization is not None
        return self._generalization

    def _tree(self) -> str:
        tree = sp.PrivacyTree(self.roles, max_leaves=200, min_leaf=100).fit(self.frame)
        self._generalization = tree.generalization_
        return f"{tree.generalization_.n_buckets} buckets"

    def read(self) -> None:
        """Codes come home."""
        measured("read", lambda: f"{sp.read(self.frame, roles=self.roles).codes.shape} codes")

    def draw(self) -> None:
        """A million rows, drawn by what is in them."""
        frame = open_frame(self.frame)
        assert isinstance(frame, LazyFrame)
        draw = Draw(min(1.0, 1_000_000 / frame.n_rows()), seed=0)
        measured("draw a million", lambda: f"{sp.read(frame.drawn(draw).native).n_rows:,} rows")

    def tree(self) -> None:
        """A privacy tree of 200 leaves."""
        measured("privacy tree, 200 leaves", self._tree)

    def minimise(self) -> None:
        """The road of `sparsam minimise`, without its report."""

        def swept() -> str:
            front = sp.sweep(self.frame, self.roles)
            chosen = front.choose(max_utility_loss=0.01)
            return f"{len(front)} points, {chosen.generalization.n_buckets} buckets"

        measured("minimise", swept)

    def attack(self) -> None:
        """The road of `sparsam attack`: A1 with the look-up adversary, A7 and A8."""
        g, fast = self.generalization, sp.Reconstruction(models=("look-up",))

        def attacked() -> str:
            data = split(draw_people(sp.resolve(self.frame, self.roles)))
            risks = sp.run_attacks(g, data, ["A1", "A7", "A8"], reconstruction=fast)
            return f"A1 {risks['A1'].value:.4f}"

        measured("attack", attacked)

    def apply(self) -> None:
        """Labels, computed and thrown away: beside the same by hand in Spark."""
        g = self.generalization
        if isinstance(self.frame, duckdb.DuckDBPyRelation):
            return
        by_hand = case_when(g)
        for _ in range(self.repeats):
            measured("apply, checked", lambda: _computed(g.apply(self.frame)))
            measured("by hand: CASE WHEN", lambda: _computed(self.frame.selectExpr(*by_hand)))

    def explore(self) -> None:
        """The planned exploration."""
        from sparsam.explore import Ledger, explore_table

        domains: dict[str, Any] = {}
        for attribute in sp.read(self.frame, roles=self.roles).attributes:
            domain = attribute.domain
            if attribute.numeric:
                domains[attribute.name] = (domain.low, domain.high)
            else:
                domains[attribute.name] = list(domain.categories)

        def explored() -> str:
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder) / "people.ledger"
                with Ledger.create(place, epsilon=1, delta="1e-6") as ledger:
                    found = explore_table(self.frame, ledger, domains=domains)
            return f"{len(found.answers)} answers"

        measured("explore", explored)

    def verify(self) -> None:
        """Certify the generalized table, and check it against the certificate."""
        from sparsam.anonymise import KAnonymityTerms, certify, verify

        g = self.generalization
        release = g.apply(self.frame)
        # few records share a whole row; all of them are counted, whatever is promised
        coarsest = min(g.collected, key=lambda name: g[name].n_buckets)
        terms = [KAnonymityTerms(2)]
        certificate = measured("certify", lambda: certify(release, [coarsest], terms))
        if certificate is not None:
            measured("verify", lambda: f"held: {verify(release, certificate).ok}")


def _computed(frame: Any) -> str:
    frame.write.format("noop").mode("overwrite").save()
    return ""


def kill_an_executor(path: str, roles: sp.Roles) -> None:
    """Two executors of their own; one of them is killed while codes come home."""
    spark = session("local-cluster[2,1,1024]")
    frame = spark.read.parquet(path)
    known = sp.PrivacyTree(roles, max_leaves=50).fit(frame).generalization_
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in java()}
    executors = [pid for pid, line in commands.items() if "CoarseGrainedExecutorBackend" in line]
    victim = executors[0]
    threading.Timer(3.0, os.kill, (victim, signal.SIGKILL)).start()
    tree = sp.PrivacyTree(roles, max_leaves=50).fit(frame)
    gone = not Path(f"/proc/{victim}").exists()
    print(
        f"  {len(executors)} executors; one killed: {gone}; same: {tree.generalization_ == known}"
    )
    spark.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("steps", nargs="*", choices=[*STEPS, []], default=[])
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--repeats", type=int, default=3, help="of apply, and of it by hand")
    parser.add_argument("--duckdb", action="store_true")
    parser.add_argument("--kill", action="store_true")
    asked = parser.parse_args()
    roles = ROLES
    if asked.kill:
        kill_an_executor(asked.path, roles)
        return
    engines: dict[str, Callable[[], Any]] = {
        "Spark": lambda: session(asked.master).read.parquet(asked.path)
    }
    if asked.duckdb:
        engines["DuckDB"] = lambda: duckdb.read_parquet(asked.path)
    for name, opened in engines.items():
        print(f"{name}, {asked.path}", flush=True)
        steps = Steps(opened(), roles, asked.repeats)
        for step in asked.steps or STEPS:
            getattr(steps, step)()


if __name__ == "__main__":
    main()
