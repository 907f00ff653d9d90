"""How fast the privacy tree grows, and how that scales.

    python benchmarks/privacy_tree.py

Prints seconds and ratios for 200 leaves on 898,610 rows with attributes of 529 and 223 categories,
the same on a tenth of the rows, one growth against nine, and the peak memory against
4 bytes per cell.
"""

from __future__ import annotations

import resource
import time

import numpy as np

from sparsam.data import Task
from sparsam.minimise import PrivacyTree
from tables import acs_employment, acs_income_large

LEAVES = (2, 4, 6, 8, 10, 20, 50, 100, 200)


def seconds(task: Task, leaves: int = 200, repeats: int = 3) -> float:
    """The fastest of several fits, compilation aside."""
    tree = PrivacyTree(max_leaves=leaves, privacy=0.3)
    tree.fit_task(task.take(np.arange(2000)))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        tree.fit_task(task)
        times.append(time.perf_counter() - start)
    return min(times)


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    before = peak_megabytes()
    task = acs_income_large()
    cells = task.n_rows * len(task.names)
    tenth = task.take(np.random.default_rng(0).permutation(task.n_rows)[: task.n_rows // 10])
    small, large = seconds(tenth), seconds(task)
    print(f"{task.n_rows:,} x {len(task.names)}, 200 leaves: {large:.2f} s")
    print(
        f"{tenth.n_rows:,} rows: {small:.2f} s; ten times the rows cost {large / small:.1f} times"
    )
    allowed = 4 * cells / 2**20 + 500
    peak = peak_megabytes()
    print(f"peak memory {peak:.0f} MB ({peak - before:.0f} after import); allowed {allowed:.0f} MB")
    task = acs_employment()
    start = time.perf_counter()
    PrivacyTree(privacy=0.3).path(task, LEAVES)
    once = time.perf_counter() - start
    each = sum(seconds(task, leaves, repeats=1) for leaves in LEAVES)
    print(f"nine sizes from one growth: {once:.2f} s; from nine growths: {each:.2f} s", end="; ")
    print(f"{each / once:.1f} times")


if __name__ == "__main__":
    main()
