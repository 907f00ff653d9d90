"""Does the same table give the same answer whatever the seed?

    git worktree add --detach ../before 1042d79
    python benchmarks/stability.py [--before ../before] [--tables bank GSS] [--seeds 0 1 2 3 4]

The same people are given to sweeps that differ in their seed alone: how they are divided, and what
the models draw. Printed are the attributes kept within each limit, the share of what the naive
adversary gets wrong that is recovered, and how often each attribute was kept; a table is stable
where four of five seeds lie within one attribute. `--before` has the rule of another version choose
as well, and `--kept FILE` keeps what was measured, to go on after an interruption.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from promises import TABLES, Bench
from sparsam.assess import NothingFitsError, sweep
from sparsam.attack import Reconstruction
from sparsam.data import resolve

LIMITS = (0.01, 0.02)


def run(name: str, rows: int, seed: int) -> list[dict[str, Any]]:
    """What is chosen within each limit."""
    frame, roles = TABLES[name]()
    some = frame.query("p", f"select * from p using sample reservoir({rows} rows) repeatable (7)")
    task = resolve(some.df(), roles)
    front = sweep(task, random_state=seed, adversary=Reconstruction(models=("look-up",)), n_jobs=1)
    lines = []
    for limit in LIMITS:
        line: dict[str, Any] = {"limit": limit, "of": len(task.names), "people": task.n_rows}
        try:
            choice = front.choose(max_utility_loss=limit)
        except NothingFitsError:
            lines.append({**line, "collected": list(task.names), "recovered": 1.0, "all": True})
            continue
        risk = choice.assessment.risk
        line |= {"collected": list(choice.generalization.collected), "recovered": risk.recovered}
        lines.append(line)
    return lines


def agreeing(counts: list[int]) -> int:
    """How many of the seeds lie within one attribute of each other."""
    return max(sum(low <= count <= low + 1 for count in counts) for low in counts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, seed = options.one
        print(json.dumps(run(name, options.rows, int(seed))))
        return
    bench = Bench(options.kept, options.rows, run, __file__)
    versions = {"now": None, **({"before": options.before} if options.before else {})}
    stable: Counter[tuple[str, float]] = Counter()
    for name in options.tables:
        for words, tree in versions.items():
            runs = [bench.lines(tree, name, seed) for seed in options.seeds]
            for place, limit in enumerate(LIMITS):
                lines = [run[place] for run in runs]
                counts = [len(line["collected"]) for line in lines]
                agree = agreeing(counts)
                stable[words, limit] += agree >= 0.8 * len(counts)
                risks = " ".join(f"{line['recovered']:.2f}" for line in lines)
                each = Counter(n for line in lines for n in line["collected"])
                sometimes = sum(0 < each[n] < len(lines) for n in each)
                kept = " ".join("all" if x.get("all") else str(len(x["collected"])) for x in lines)
                print(
                    f"{name:20}{lines[0]['people']:>7,} people, limit {limit}, {words:7}"
                    f"{kept:20} of {lines[0]['of']:<4}{agree} within one, recovered {risks}, "
                    f"{sometimes} attributes kept by some seeds only",
                    flush=True,
                )
    for (words, limit), n in stable.items():
        print(f"{words}, limit {limit}: {n} of {len(options.tables)} tables stable")


if __name__ == "__main__":
    main()
