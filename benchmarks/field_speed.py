"""How much less time than another version: `minimise` with its report, and `attack`.

    git worktree add --detach ../before 349d0d8
    python benchmarks/field_speed.py ../before [--tables bundled bank] [--seeds 0 1 2]
    python benchmarks/field_speed.py ../before --attack
    python benchmarks/field_speed.py --large

Both versions run the same commands on the same files, one after the other. Printed are CPU seconds
(user and system, of all processes), the most memory of one process, the area under the front
(`Front.area`), and what is recovered from the chosen point. `--large` runs this version alone on
898,610 records. `--kept FILE` keeps what was measured, to go on after an interruption.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

HERE = Path(__file__).resolve().parents[1]
DATA = HERE.parent / "shared" / "data"
_DRIVER = """
import json, sys
from sparsam.assess import Front
from sparsam.cli import main
choose, told = Front.choose, sys.argv[1]
def choose_and_tell(front, **wanted):
    facts = {"area": front.area(), "points": len(front.points)}
    try:
        choice = choose(front, **wanted)
        risk, utility = choice.assessment.risk, choice.assessment.utility
        facts |= {"recovered": risk.recovered, "error": utility.error}
        return choice
    finally:
        json.dump(facts, open(told, "w"))
Front.choose = choose_and_tell
sys.argv = ["sparsam", *sys.argv[2:]]
main()
"""


@dataclass(frozen=True)
class Table:
    """A table, as a query, and the roles of its columns, as options."""

    query: str
    options: tuple[str, ...]


def _options(target: str, categorical: str = "", *more: str) -> tuple[str, ...]:
    named = (option for name in categorical.split() for option in ("--categorical", name))
    return ("--target", target, *named, *more)


_EMPLOYMENT = "MAR RELP DIS ESP CIT MIG MIL ANC NATIVITY DEAR DEYE DREM SEX RAC1P"
_INCOME = "COW MAR OCCP POBP RELP SEX RAC1P"
TABLES = {
    "bundled": Table(f"from '{DATA}/acs_employment_ma2018_20000.csv.gz'", _options("employed")),
    "bank": Table(f"from '{DATA}/bank_balanced_11162.csv.gz'", _options("deposit")),
    "Adult": Table(
        f"select * exclude(fnlwgt, \"education-num\", split) from '{DATA}/adult.csv.gz'",
        _options("income", "", "--missing", "?"),
    ),
    "GSS": Table(
        f"from '{DATA}/gss_happiness.csv.gz' where \"Happiness of marriage\" is not null",
        _options("Happiness of marriage"),
    ),
    "ACSEmployment": Table(
        f"select * exclude(year) from '{DATA}/acs_employment_MA_2015_2018.parquet' "
        "where year = 2018",
        _options("employed", _EMPLOYMENT),
    ),
}
INCOME = Table(
    f"select {_INCOME.replace(' ', ', ')}, AGEP, SCHL, WKHP, PINCP > 50000 as rich "
    f"from '{DATA}/acs_pums_2018_14states.parquet' "
    "where AGEP > 16 and PINCP > 100 and WKHP > 0 and PWGTP >= 1",
    _options("rich", _INCOME),
)
LARGE = Table(
    f"select * exclude(STATE) from '{DATA}/acs_income_2018_35states.parquet'",
    _options("PINCP_gt_50000", "COW MAR_2 OCCP POBP RELP SEX RAC1P_5"),
)


class Bench:
    """Runs commands of one version or another, and keeps what they took."""

    def __init__(self, folder: Path, kept: Path | None) -> None:
        self._folder = folder
        self._kept = kept
        self._known: dict[str, Any] = json.loads(kept.read_text()) if kept and kept.exists() else {}

    def file(self, name: str, table: Table) -> Path:
        """The table as a file."""
        path = self._folder / f"{name}.parquet"
        if not path.exists():
            duckdb.sql(f"copy ({table.query}) to '{path}'")
        return path

    def minimise(self, tree: Path, name: str, table: Table, seed: int) -> dict[str, Any]:
        """What `minimise` takes and finds."""
        data, report = self.file(name, table), self._folder / "report.html"
        report.unlink(missing_ok=True)
        artifact = self._folder / f"{name}.json"
        artifact.unlink(missing_ok=True)
        command = ["minimise", str(data), *table.options, "--seed", str(seed), "--quiet"]
        command += ["--report", str(report), "-o", str(artifact)]
        if (tree / "src/sparsam/assess/_score.py").exists():  # older versions know no other score
            command += ["--score", "accuracy"]
        return self._once(f"{tree} minimise {name} {seed}", lambda: self._measured(tree, command))

    def attack(self, tree: Path, name: str, table: Table, artifact: Path) -> dict[str, Any]:
        """What `attack` takes, and what each adversary recovers."""
        data = self.file(name, table)
        command = ["attack", str(artifact), str(data), *table.options, "--json", "--quiet"]
        return self._once(f"{tree} attack {name}", lambda: self._measured(tree, command))

    def _once(self, key: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if key not in self._known:
            self._known[key] = measure()
            if self._kept is not None:
                self._kept.write_text(json.dumps(self._known, indent=1))
        found: dict[str, Any] = self._known[key]
        return found

    def _measured(self, tree: Path, command: list[str]) -> dict[str, Any]:
        told, said = self._folder / "told.json", self._folder / "said.txt"
        told.unlink(missing_ok=True)
        environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
        with said.open("w") as output:
            process = subprocess.Popen(
                [sys.executable, "-c", _DRIVER, str(told), *command],
                env=environment,
                stdout=output,
                stderr=subprocess.PIPE,
                text=True,
            )
            _, status, used = os.wait4(process.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, 1):
            raise RuntimeError(f"{tree.name}: {' '.join(command)} ended with {code}")
        facts: dict[str, Any] = {"cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss}
        if told.exists():
            facts |= json.loads(told.read_text())
        if "--json" in command:
            risks = json.loads(said.read_text())["risks"]
            facts["recovered"] = {risk["adversary"]: risk["recovered"] for risk in risks}
        return facts


def compare(bench: Bench, before: Path, names: list[str], seeds: list[int]) -> None:
    """Print, for each table, the time, the memory and the area of both versions."""
    print("table          seed   CPU-s before   now  ratio   MB before   now  area before    now")
    for name in names:
        for seed in seeds:
            then, now = (bench.minimise(t, name, TABLES[name], seed) for t in (before, HERE))
            print(
                f"{name:14} {seed:4} {then['cpu']:14.1f} {now['cpu']:5.1f} "
                f"{then['cpu'] / now['cpu']:6.1f} {then['memory'] / 1024:11.0f} "
                f"{now['memory'] / 1024:5.0f} {then['area']:12.4f} {now['area']:.4f}"
                f"   recovered {then.get('recovered', -1):.3f} {now.get('recovered', -1):.3f}"
                f"   error {then.get('error', -1):.4f} {now.get('error', -1):.4f}",
                flush=True,
            )


def compare_attacks(bench: Bench, folder: Path, before: Path) -> None:
    """Print what all adversaries take and recover on a table with 529 occupations."""
    artifact = folder / "attacked.json"
    if not artifact.exists():
        bench.minimise(HERE, "ACSIncome", INCOME, 0)
        (folder / "ACSIncome.json").rename(artifact)
    then, now = (bench.attack(tree, "ACSIncome", INCOME, artifact) for tree in (before, HERE))
    print(f"attack on ACSIncome: CPU-s {then['cpu']:.1f} before, {now['cpu']:.1f} now, ", end="")
    print(f"ratio {then['cpu'] / now['cpu']:.1f}, MB {then['memory'] / 1024:.0f}, ", end="")
    print(f"{now['memory'] / 1024:.0f}")
    for name, recovered in then["recovered"].items():
        print(f"  {name:50} recovered {recovered:.4f} before, {now['recovered'][name]:.4f} now")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path, nargs="?", help="a checkout of the other version")
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--attack", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--kept", type=Path)
    chosen = parser.parse_args()
    folder = chosen.folder or Path(tempfile.mkdtemp())
    bench = Bench(folder, chosen.kept)
    if chosen.large:
        now = bench.minimise(HERE, "large", LARGE, 0)
        print(f"898,610 records: {now['cpu']:.1f} CPU-s, {now['memory'] / 1024:.0f} MB, {now}")
    elif chosen.before is None or not (chosen.before / "src" / "sparsam").is_dir():
        parser.error("Name the checkout of the other version.")
    elif chosen.attack:
        compare_attacks(bench, folder, chosen.before.resolve())
    else:
        compare(bench, chosen.before.resolve(), chosen.tables, chosen.seeds)


if __name__ == "__main__":
    main()
