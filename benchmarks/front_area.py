"""The area under the front of privacy trees, of merging, and of both together.

    python benchmarks/front_area.py [--quick] [--seeds 0 1 2] [--tables ACSEmployment Adult]

The area is the mean, over permitted classifier errors from that with everything collected to 0.065
more, of the best adversary error (default adversary, test data). No adversary errs more than the
naive one, so a better minimiser can close some share of the distance from the trees' area to it.
The area takes the best of all points on test data: more points look better, so their numbers are
printed too, and beside it the area of the points that would have been chosen on validation data.
`--quick` draws 20,000 rows.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from sparsam.assess import Front, sweep
from sparsam.assess._front import area_under_front
from sparsam.data import Split, split
from tables import TASKS

TABLES = ("ACSEmployment", "ACSIncome", "Adult", "Crime")
WIDTH = 0.065
QUICK_ROWS = 20_000
MIN_LEAF = {"Crime": 10}


def parts_of(table: str, seed: int, rows: int | None) -> Split:
    """The table, or so many people of it, split with this seed."""
    task = TASKS[table]()
    if rows is not None and task.n_rows > rows:
        drawn = np.random.default_rng(seed).permutation(task.n_rows)[:rows]
        task = task.take(np.sort(drawn))
    return split(task, random_state=seed)


def chosen_area(front: Front) -> float:
    """The same area of those points only that validation data would choose."""
    found = [point.assessment for point in front.points]
    error = np.array([a.validation_utility.error for a in found])
    protected = np.array([a.validation_risk.value for a in found])
    full = front.limits.classifier.utility("validation").error
    chosen = set()
    for permitted in full + np.linspace(0, WIDTH, 200):
        inside = np.flatnonzero(error <= permitted)
        if inside.size:
            chosen.add(int(inside[protected[inside].argmax()]))
    low = front.limits.everything.error
    return area_under_front(
        [found[place].utility.error for place in chosen],
        [found[place].risk.value for place in chosen],
        low,
        low + WIDTH,
    )


def compare(table: str, seed: int, rows: int | None = None) -> tuple[float, float]:
    """Print the areas; return the shares of the distance closed, alone and together."""
    data, fronts = parts_of(table, seed, rows), []
    for name in ("privacy tree", "merging"):
        start = time.perf_counter()
        front = sweep(
            data,
            minimisers=name,
            min_leaf=MIN_LEAF.get(table, 100),
            random_state=seed,
            score="accuracy",
        )
        took = time.perf_counter() - start
        print(
            f"{table}, seed {seed}, {name}: area {front.area(WIDTH):.4f}, "
            f"chosen on validation {chosen_area(front):.4f}, "
            f"{len(front.points)} points, {took:.0f} s",
            flush=True,
        )
        fronts.append(front)
    trees, merging = fronts
    together = Front([*trees.points, *merging.points], trees.limits, data)
    naive = trees.limits.naive_error
    shares = [
        (front.area() - trees.area()) / (naive - trees.area()) for front in (merging, together)
    ]
    print(
        f"{table}, seed {seed}, together: area {together.area():.4f}; naive {naive:.4f}; "
        f"distance closed: merging alone {shares[0]:.1%}, together {shares[1]:.1%}",
        flush=True,
    )
    return shares[0], shares[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--tables", nargs="+", choices=list(TASKS), default=list(TABLES))
    asked = parser.parse_args()
    for table in asked.tables:
        shares = [compare(table, seed, QUICK_ROWS if asked.quick else None) for seed in asked.seeds]
        alone, together = np.mean(shares, axis=0)
        print(f"{table}: mean distance closed: alone {alone:.1%}, together {together:.1%}\n")


if __name__ == "__main__":
    main()
