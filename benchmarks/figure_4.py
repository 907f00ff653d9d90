"""Figure 4 of Staab et al.: every minimiser in one sweep, ranked by the area under its front.

    python benchmarks/figure_4.py [--table employment|bundled] [--seed 0] [--without NAME ...]

Prints the area of each minimiser (mean, over classifier errors up to .065 above that with
everything collected, of the best adversary error; test data), its share of the privacy tree's, and
the paper's.
The neural minimisers need the extra 'neural'.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import sparsam as sp
from sparsam.assess import Front, sweep
from sparsam.assess._candidates import ALL_MINIMISERS
from sparsam.data import Split
from tables import acs_employment

PAPER = {
    "privacy tree": 0.229,
    "model tree": 0.178,
    "mutual information": 0.156,
    "adversarial": 0.122,
    "feature selection": 0.082,
    "uniform": 0.065,
    "iterative": 0.048,
}


def ranked(parts: Split, names: Sequence[str]) -> tuple[dict[str, float], Front]:
    """The area of each minimiser, the largest first, and the front of all together."""
    front = sweep(parts, minimisers=list(names), score="accuracy")
    return front.ranking(), front


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", choices=("employment", "bundled"), default="employment")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", nargs="*", default=(), choices=ALL_MINIMISERS)
    chosen = parser.parse_args()
    if chosen.table == "bundled":
        task = sp.resolve(sp.load_example(), sp.Roles("employed"))
    else:
        task = acs_employment()
    names = [name for name in ALL_MINIMISERS if name not in chosen.without]
    start = time.perf_counter()
    ranking, front = ranked(sp.split(task, random_state=chosen.seed), names)
    took = time.perf_counter() - start
    print(
        f"{task.n_rows:,} people, seed {chosen.seed}: {len(front.points)} generalizations, "
        f"{took:.0f} s; naive adversary {front.limits.naive_error:.4f}"
    )
    for name, area in ranking.items():
        share = area / ranking.get("privacy tree", area)
        paper = PAPER.get(name)
        there = f"paper {paper:.3f} ({paper / PAPER['privacy tree']:.2f})" if paper else ""
        print(f"  {name:20s} {area:.4f} ({share:.2f} of the privacy tree)   {there}")
    print(f"  {'all together':20s} {front.area():.4f}")


if __name__ == "__main__":
    main()
