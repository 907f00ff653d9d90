"""The area under the front of the neural minimisers, beside the baselines and privacy trees.

    python benchmarks/neural.py [--tables example ACSEmployment] [--seeds 0 1]

Figure 4 of Staab et al. has, on ACSEmployment: privacy tree .229, mutual information .156,
adversarial .122, feature selection .082, uniform .065. The area is the mean, over permitted
classifier errors from that with everything collected to 0.065 more, of the best adversary error
(default adversary, test data). Each neural minimiser learns at nine trade-offs, as in appendix F.
Adversaries run in other processes, so the seconds of the core are those of the minimisers.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from sparsam import load_example
from sparsam.assess import Front, sweep
from sparsam.data import Roles, Split, resolve, split
from sparsam.minimise import Minimiser
from sparsam.minimise.neural._adversarial import Adversarial
from sparsam.minimise.neural._mutual_information import MutualInformation
from tables import TASKS

# Denser where privacy counts little: from about a half on (a quarter for mutual information), next
# to nothing is collected.
ADVERSARIAL = tuple((step / 8) ** 2 for step in range(9))
INFORMATION = tuple((step / 8) ** 3 for step in range(9))
METHODS: dict[str, str | Sequence[Minimiser]] = {
    "uniform": "uniform",
    "feature selection": "feature selection",
    "adversarial": [Adversarial(trade_off=share) for share in ADVERSARIAL],
    "mutual information": [MutualInformation(trade_off=share) for share in INFORMATION],
    "privacy tree": "privacy tree",
}


def parts_of(table: str, seed: int) -> Split:
    if table == "example":
        return split(resolve(load_example(), Roles("employed")), random_state=seed)
    return split(TASKS[table](), random_state=seed)


def neural_areas(data: Split, seed: int, steps: int = 9) -> dict[str, float]:
    """The areas under the fronts of the two neural minimisers, with as many trade-offs."""
    chosen = slice(None, None, 8 // (steps - 1))
    made: dict[str, list[Minimiser]] = {
        "mutual information": [MutualInformation(trade_off=t) for t in INFORMATION[chosen]],
        "adversarial": [Adversarial(trade_off=t) for t in ADVERSARIAL[chosen]],
    }
    return {
        name: sweep(data, minimisers=minimisers, random_state=seed, score="accuracy").area()
        for name, minimisers in made.items()
    }


def show(front: Front) -> None:
    for point in front.points:
        found = point.assessment
        print(
            f"    trade-off {point.candidate.parameters['trade_off']:.3f}: classifier error "
            f"{found.utility.error:.3f}, adversary error {found.risk.value:.3f}, "
            f"{point.candidate.generalization.n_buckets} buckets"
        )


def compare(table: str, seed: int) -> None:
    data, areas = parts_of(table, seed), dict[str, float]()
    print(f"{table}, seed {seed}: {data.train.n_rows:,} x {len(data.train.names)} to learn from")
    for name, minimisers in METHODS.items():
        start, busy = time.perf_counter(), time.process_time()
        front = sweep(data, minimisers=minimisers, random_state=seed, score="accuracy")
        took, busy = time.perf_counter() - start, time.process_time() - busy
        areas[name] = front.area()
        print(
            f"  {name}: area {areas[name]:.4f}, {len(front.points)} points, {took:.0f} s, "
            f"of which {busy:.0f} s of one core to learn",
            flush=True,
        )
        if name in ("adversarial", "mutual information"):
            show(front)
    for name in ("adversarial", "mutual information"):
        own = areas[name]
        print(
            f"  {name}: {own / areas['privacy tree']:.2f} of the privacy tree's area, "
            f"{own / areas['uniform']:.1f} times uniform's, "
            f"{own / areas['feature selection']:.1f} times feature selection's; "
            f"{'between' if areas['uniform'] < own < areas['privacy tree'] else 'NOT between'} "
            "uniform and privacy tree",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="+", default=["example", "ACSEmployment"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    asked = parser.parse_args()
    for table in asked.tables:
        for seed in asked.seeds:
            compare(table, seed)


if __name__ == "__main__":
    main()
