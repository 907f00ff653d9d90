"""Scores that fit the target: rare classes at their natural rates, and numbers.

For each table: the score that is taken by default, what it says of nothing and of everything
collected, what is chosen within the permitted loss, and how much of what the data add it keeps.

    python benchmarks/field_scores.py [--rows 10000] [--loss 0.02] [--seed 0] [table ...]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import sparsam as sp
from sparsam.assess import NothingFitsError
from sparsam.data import Task, resolve
from tables import Source, bank, crime_number, heritage, income, lending

TABLES: dict[str, Callable[[], Source]] = {
    "Heritage Health": heritage,
    "bank at 11.7 %": bank,
    "lending": lending,
    "ACSIncome as a number": income,
    "Communities and Crime": crime_number,
}


def sample(table: str, rows: int) -> Task:
    """Some rows of a table, the same ones each time."""
    frame, roles = TABLES[table]()
    drawn = frame.query(
        "people", f"select * from people using sample reservoir({rows} rows) repeatable (7)"
    )
    return resolve(sp.read(drawn, roles=roles), roles)


def show(table: str, rows: int, loss: float, seed: int) -> None:
    """Print what is found for one table."""
    task = sample(table, rows)
    started = time.process_time()
    front = sp.sweep(task, random_state=seed, n_jobs=1)
    limits, score = front.limits, front.limits.score
    print(f"{table}: {task.n_rows:,} rows × {len(task.names)} attributes")
    print(f"  {score.kind.words}, since {score.why}")
    print(
        f"  nothing {score.words(limits.nothing.error)}, everything "
        f"{score.words(limits.everything.error)}: the data add {limits.adds[0]:.3f} "
        f"({limits.adds[1][0]:.3f} to {limits.adds[1][1]:.3f})"
    )
    print(f"  collecting nothing is within {loss:g}: {'yes' if limits.adds[0] <= loss else 'no'}")
    try:
        choice = front.choose(max_utility_loss=loss)
    except NothingFitsError as error:
        print(f"  {str(error).splitlines()[0]}")
    else:
        # on the test people of the split that was chosen from
        lost, (low, high) = choice.front.limits.loss(choice.assessment, "test")
        kept = "nothing to keep" if choice.kept is None else f"{choice.kept:.0%} kept"
        print(
            f"  within {loss:g}: {len(choice.generalization.collected)} attributes, "
            f"{score.words(choice.assessment.utility.error)}, lost {lost:.4f} "
            f"({low:.4f} to {high:.4f}), {kept}: {choice.verdict}"
        )
        for remark in choice.remarks:
            print(f"  {remark}")
    half = len(task.names) // 2
    fewer = [p for p in front.points if len(p.candidate.generalization.collected) <= half]
    best = min(fewer, key=lambda point: point.assessment.validation_utility.error)
    lost, (low, high) = limits.loss(best.assessment, "test")
    print(
        f"  best on validation with half of the attributes or fewer: "
        f"{len(best.candidate.generalization.collected)}, lost {lost:.4f} "
        f"({low:.4f} to {high:.4f})"
    )
    print(f"  {time.process_time() - started:.0f} CPU-seconds\n", flush=True)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=list(TABLES), metavar="table")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--loss", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    for table in asked.tables:
        show(table, asked.rows, asked.loss, asked.seed)


if __name__ == "__main__":
    main()
