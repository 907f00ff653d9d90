"""How small may the sample at full resolution be? (Staab et al., figure 8)

    python benchmarks/sample_size.py

The minimiser learns from a share of the training part, classifiers and adversaries from all of it.
Prints the area under the front and its ratio to that with the whole training part, on
Massachusetts 2018 (42,079 people in training) and on all four years of it (166,606; the paper has
223,531). A share is not a number of people: 5 % keep over 92 % only of the larger one.
"""

from __future__ import annotations

from collections.abc import Sequence

from sparsam.assess import sweep
from sparsam.data import Task, split
from tables import acs_employment

SHARES = (1.0, 0.1, 0.05, 0.01)


def areas(task: Task, seed: int = 0, shares: Sequence[float] = SHARES) -> list[float]:
    """The area under the front of privacy trees, for each share of the training people."""
    parts = split(task, random_state=seed)
    return [
        sweep(
            parts, minimisers="privacy tree", sample=share, random_state=seed, score="accuracy"
        ).area()
        for share in shares
    ]


def compare(name: str, task: Task) -> None:
    measured = areas(task)
    for share, area in zip(SHARES, measured, strict=True):
        people = round(share * split(task).train.n_rows)
        kept = area / measured[0]
        print(f"{name}, {share:>4.0%} ({people:,} people): area {area:.4f}, {kept:.1%}", flush=True)


def main() -> None:
    compare("2018", acs_employment())
    compare("2015-2018", acs_employment(2015, 2016, 2017, 2018))


if __name__ == "__main__":
    main()
