"""The full sweep of Staab et al. with adversaries and utility: 12 alphas times 9 sizes of tree.

    python benchmarks/sweep.py

Prints the time on Massachusetts 2018 (70,131 rows), the front, and the buckets of table 5.
The released research code takes more than 100 CPU-hours for a sweep with adversaries.
"""

from __future__ import annotations

import time

from sparsam.assess import Front, sweep
from sparsam.data import Split, split
from sparsam.minimise import PrivacyTree
from tables import acs_employment


def timed_sweep(parts: Split) -> tuple[Front, float]:
    """The front of all privacy trees, and the CPU seconds that it took."""
    start = time.process_time()
    front = sweep(parts, minimisers=["privacy tree"])
    return front, time.process_time() - start


def main() -> None:
    parts = split(acs_employment())
    path = PrivacyTree(privacy=0.3).path(parts.train, (2, 4, 10, 20))
    print("buckets at alpha .3, k* 2/4/10/20:", [g.n_buckets for g in path])
    front, took = timed_sweep(parts)
    print(f"108 settings, {len(front.points)} distinct generalizations: {took:.0f} CPU-s", end="; ")
    print(f"{100 * 3600 / took:,.0f} times less than 100 hours")
    print(f"everything collected {front.limits.everything.error:.4f}", end=", ")
    print(f"naive adversary {front.limits.naive_error:.4f} (test)")
    for point in front:
        found = point.assessment
        print(
            f"  {found.utility.error:.4f} classifier, {found.risk.value:.4f} adversary: "
            f"{len(found.generalization.collected)} attributes, "
            f"{found.generalization.n_buckets} buckets, {point.candidate.label}"
        )


if __name__ == "__main__":
    main()
