"""The limits of generalization, and the figures of Staab et al. that they stand beside.

    python benchmarks/limits.py [--every]

Prints, for each task: classifier error with nothing and with everything collected, error of the
naive adversary, and the paper's three figures (California 2014; other states behave alike).
`--every` goes through all tables with classes that there are, for which the paper has no figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import tables
from sparsam.assess import measure_limits
from sparsam.data import Task, resolve, split

PAPER = {
    "ACSEmployment": (0.429, 0.186, 0.275),
    "ACSIncome": (0.356, 0.170, 0.525),
    "ACSPublicCoverage": (0.299, 0.231, 0.243),
    "Crime": (0.497, 0.199, 0.642),
}


def _of(source: Callable[[], tables.Source]) -> Callable[[], Task]:
    return lambda: resolve(*source())


EVERY: dict[str, Callable[[], Task]] = {
    "bundled": _of(tables.bundled),
    "Adult": tables.adult,
    "ACSIncome, 35 states": tables.acs_income_large,
    "Heritage Health": _of(tables.heritage),
    "bank": _of(tables.bank_balanced),
    "lending": _of(tables.lending),
    "GSS": _of(tables.happiness),
    "Nursery": _of(tables.nursery),
    "wine": _of(tables.wine_type),
    "magic04": _of(tables.magic),
    "German credit": _of(tables.german_credit),
}


def limits_of(task: Task, most: int | None = None) -> tuple[float, float, float]:
    """Errors with nothing and everything collected, and of the naive adversary; test data."""
    if most is not None and task.n_rows > most:
        rows = np.random.default_rng(0).permutation(task.n_rows)[:most]
        task = task.take(np.sort(rows))
    limits = measure_limits(split(task), score="accuracy")
    return limits.nothing.error, limits.everything.error, limits.naive_error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", action="store_true", help="the tables without figures too")
    asked = parser.parse_args()
    print(f"{'task':<22}{'rows':>9}{'nothing':>10}{'everything':>12}{'naive':>8}   paper")
    tasks = {name: tables.TASKS[name] for name in PAPER} | (EVERY if asked.every else {})
    for name, make in tasks.items():
        task = make()
        nothing, everything, naive = limits_of(task)
        print(
            f"{name:<22}{task.n_rows:>9,}{nothing:>10.3f}{everything:>12.3f}{naive:>8.3f}   "
            f"{PAPER.get(name, '')}",
            flush=True,
        )


if __name__ == "__main__":
    main()
