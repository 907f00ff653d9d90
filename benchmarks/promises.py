"""Does a choice keep its word? Judged on people whom nothing was learned from or tested on.

    git worktree add --detach ../before 1042d79
    python benchmarks/promises.py [--before ../before] [--tables bank GSS] [--seeds 0 1 2 3 4]

For each table and seed some people are given to a sweep, and what is chosen within one and two
points is judged on others, by models that learned from the same people as those of the sweep. A
promise is broken where these lose more than the limit; "clearly" where even the lower end of the
95 % interval does. `--before` has the rule of another version choose from the same people, for
comparison. Then: how far the numbers of attributes of the seeds lie apart. `--kept FILE` keeps
what was measured, to go on after an interruption. No rule was settled on these tables but on the
bundled one, which is left out of the count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

import tables
from sparsam.assess import NothingFitsError, assess_generalization, measure_limits, sweep
from sparsam.attack import Reconstruction, paired_difference
from sparsam.data import Task, resolve

LIMITS = (0.01, 0.02)
MOST_JUDGED = 20_000
TABLES: dict[str, Callable[[], tables.Source]] = {
    "bundled": tables.bundled,
    "Adult": tables.adult_income,
    "nursery": tables.nursery,
    "wine: type": tables.wine_type,
    "magic04": tables.magic,
    "bank": tables.bank_balanced,
    "bank at 11.7 %": tables.bank,
    "GSS": tables.happiness,
    "Heritage Health": tables.heritage,
    "lending": tables.lending,
    "ACSIncome": tables.income_class,
    "ACS: hours": tables.long_hours,
    "ACSPublicCoverage": tables.public_coverage,
}


def drawn(name: str, rows: int, seed: int) -> tuple[Task, Task]:
    """People to choose on, and other people to judge on."""
    frame, roles = TABLES[name]()
    most = rows + MOST_JUDGED
    some = frame.query("p", f"select * from p using sample reservoir({most} rows) repeatable (7)")
    task = resolve(some.df(), roles)
    order = np.random.default_rng([seed, 1]).permutation(task.n_rows)
    given = min(rows, round(0.6 * task.n_rows))
    return task.take(np.sort(order[:given])), task.take(np.sort(order[given:]))


def run(name: str, rows: int, seed: int) -> list[dict[str, Any]]:
    """What is chosen within each limit, and what it loses on the people kept apart."""
    given, judged = drawn(name, rows, seed)
    began = time.process_time()
    front = sweep(given, random_state=seed, adversary=Reconstruction(models=("look-up",)), n_jobs=1)
    lines = []
    for limit in LIMITS:
        line: dict[str, Any] = {"table": name, "seed": seed, "limit": limit}
        line |= {"of": len(given.names), "score": front.limits.score.name}
        try:
            choice = front.choose(max_utility_loss=limit)
        except NothingFitsError:
            lines.append({**line, "kept": None})
            continue
        data = replace(choice.front.data, test=judged)
        random_state, score = choice.front.data.random_state, choice.requirement.score
        # the very models that were judged before learned with the seed of the sweep
        limits = measure_limits(data, seed, score)
        assessment = assess_generalization(
            choice.candidate.generalization,
            data,
            adversary=Reconstruction(models=("look-up",)),
            random_state=seed,
            score=score,
        )
        losses = assessment.person_errors["test"].utility
        loss, (low, high) = paired_difference(losses, limits.classifier.losses["test"])
        collected = choice.generalization.collected
        line |= {"kept": len(collected), "collected": list(collected), "split": random_state}
        line |= {"loss": loss, "low": low, "high": high, "judged": judged.n_rows}
        line |= {"risk": assessment.risk.recovered, "said": choice.met}
        lines.append(line)
    took = time.process_time() - began
    return [{**line, "cpu": took} for line in lines]


class Bench:
    """Runs a script of this version or another, and keeps what was measured."""

    def __init__(
        self,
        kept: Path | None,
        rows: int,
        run: Callable[[str, int, int], list[dict[str, Any]]],
        script: str,
    ) -> None:
        self._kept = kept
        self._rows = rows
        self._run = run
        self._script = script
        self._known: dict[str, Any] = json.loads(kept.read_text()) if kept and kept.exists() else {}

    def lines(self, tree: Path | None, name: str, seed: int) -> list[dict[str, Any]]:
        """What one version chose for a table and seed."""
        key = f"{tree or 'now'} {name} {seed} {self._rows}"
        if key not in self._known:
            self._known[key] = self._there(tree, name, seed)
            if self._kept is not None:
                self._kept.write_text(json.dumps(self._known))
        known: list[dict[str, Any]] = self._known[key]
        return known

    def _there(self, tree: Path | None, name: str, seed: int) -> Any:
        if tree is None:
            return self._run(name, self._rows, seed)
        command = [sys.executable, self._script, "--one", name, str(seed)]
        command += ["--rows", str(self._rows)]
        environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr[-2_000:])
        return json.loads(done.stdout.splitlines()[-1])


def summary(lines: list[dict[str, Any]], words: str) -> None:
    """How many promises were broken, and what they cost."""
    for limit in LIMITS:
        these = [line for line in lines if line["limit"] == limit and line["table"] != "bundled"]
        made = [line for line in these if line["kept"] is not None]
        broken = [line for line in made if line["loss"] > limit]
        clearly = [line for line in broken if line["low"] > limit]
        most = int(binom.ppf(0.95, len(made), 0.05))
        spared = [1 - line["kept"] / line["of"] for line in these if line["kept"] is not None]
        risk = [line["risk"] for line in made]
        print(
            f"{words}, limit {limit}: {len(made)} of {len(these)} promised, {len(broken)} broken "
            f"({len(clearly)} clearly; 5 % and noise allow {most}); attributes spared "
            f"{np.mean(spared):.0%}, recovered {np.mean(risk):.0%}"
            if made
            else f"{words}, limit {limit}: nothing was promised"
        )
        for line in broken:
            print(
                f"    broken: {line['table']} seed {line['seed']}: {line['loss']:.4f} "
                f"({line['low']:.4f} to {line['high']:.4f}), {line['kept']} of {line['of']}"
            )


def stability(lines: list[dict[str, Any]], words: str) -> None:
    """How many attributes each seed keeps, and whether four of five lie within one."""
    for limit in LIMITS:
        print(f"{words}, limit {limit}: attributes kept by seed")
        within = 0
        names = dict.fromkeys(line["table"] for line in lines)
        for name in names:
            these = [x for x in lines if x["table"] == name and x["limit"] == limit]
            counts = [x["of"] if x["kept"] is None else x["kept"] for x in these]
            agree = max(sum(low <= c <= low + 1 for c in counts) for low in counts)
            within += agree >= 0.8 * len(counts)
            shown = " ".join("all" if x["kept"] is None else str(x["kept"]) for x in these)
            print(f"    {name:20}{shown}   ({agree} of {len(counts)} within one)")
        print(f"    stable: {within} of {len(names)} tables")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--rows", type=int, default=8_000)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, seed = options.one
        print(json.dumps(run(name, options.rows, int(seed))))
        return
    bench = Bench(options.kept, options.rows, run, __file__)
    versions = {"now": None, **({"before": options.before} if options.before else {})}
    by_version: dict[str, list[dict[str, Any]]] = {words: [] for words in versions}
    heads = f"{'table':20}{'seed':>5} {'limit':>6} {'rule':7}{'kept':>9}{'loss':>9}"
    print(f"{heads}  {'interval':20}risk")
    for name in options.tables:
        for seed in options.seeds:
            for words, tree in versions.items():
                for line in bench.lines(tree, name, seed):
                    by_version[words].append(line)
                    told = "nothing fits"
                    if line["kept"] is not None:
                        told = f"{line['kept']:>3} of {line['of']:<3}{line['loss']:9.4f}  "
                        told += f"{line['low']:.4f} to {line['high']:.4f}    {line['risk']:.2f}"
                    print(f"{name:20}{seed:5} {line['limit']:6} {words:7}{told}", flush=True)
    for words, lines in by_version.items():
        summary(lines, words)
        stability(lines, words)


if __name__ == "__main__":
    main()
