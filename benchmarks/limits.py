"""The limits of generalization, and the figures of Staab et al. that they stand beside.

    python benchmarks/limits.py

Prints, for each task: classifier error with nothing and with everything collected, error of the
naive adversary, and the paper's three figures (California 2014; other states behave alike).
"""

from __future__ import annotations

from sparsam.assess import measure_limits
from sparsam.data import split
from tables import TASKS

PAPER = {
    "ACSEmployment": (0.429, 0.186, 0.275),
    "ACSIncome": (0.356, 0.170, 0.525),
    "ACSPublicCoverage": (0.299, 0.231, 0.243),
    "Crime": (0.497, 0.199, 0.642),
}


def main() -> None:
    print(f"{'task':<20}{'rows':>9}{'nothing':>10}{'everything':>12}{'naive':>8}   paper")
    for name, paper in PAPER.items():
        task = TASKS[name]()
        limits = measure_limits(split(task), score="accuracy")
        print(
            f"{name:<20}{task.n_rows:>9,}{limits.nothing.error:>10.3f}"
            f"{limits.everything.error:>12.3f}{limits.naive_error:>8.3f}   {paper}"
        )


if __name__ == "__main__":
    main()
