"""The whole bench of adversaries on real tables: seconds and relations.

    python benchmarks/attacks.py

Prints the seconds of each adversary on ACSEmployment (Massachusetts 2018), the order of A1, A3, A4
and A5 along privacy trees on ACSIncome, the four multi-breach scenarios of table 3, the linkage of
table 4 and the rarest records of table 5.
"""

from __future__ import annotations

import time

from sparsam.attack import Linkage, MultiBreach, Reconstruction, SinglingOut, run_attacks
from sparsam.attack._bench import ADVERSARIES
from sparsam.data import Split, split
from sparsam.generalization import Generalization
from sparsam.minimise import PrivacyTree, Uniform
from tables import acs_employment, acs_income


def tree(data: Split, leaves: int, privacy: float) -> Generalization:
    minimiser = PrivacyTree(max_leaves=leaves, privacy=privacy)
    return minimiser.fit_task(data.train).generalization_


def uniform(data: Split, buckets: int) -> Generalization:
    return Uniform(buckets=buckets).fit_task(data.train).generalization_


def seconds(data: Split) -> None:
    generalization, other = tree(data, 20, 0.7), tree(data, 20, 0.1)
    print("Seconds by adversary (A4 includes A5 and A3, on which it may fall back):")
    total = 0.0
    for name in ADVERSARIES:
        start = time.perf_counter()
        found = run_attacks(generalization, data, [name], others=[other])
        took = time.perf_counter() - start
        total += took
        print(f"  {name:<8}{took:7.2f} s   {found.risks[0]}")
    start = time.perf_counter()
    run_attacks(generalization, data, others=[other])
    print(f"  all together {time.perf_counter() - start:.1f} s (one by one {total:.1f} s)")


def side_information(data: Split) -> None:
    print("A4 <= A5 <= A3 <= A1 + 0.005 along the privacy trees:")
    for leaves, privacy in ((4, 0.7), (10, 0.7), (20, 0.5), (50, 0.7), (50, 0.3), (200, 0.1)):
        found = run_attacks(tree(data, leaves, privacy), data, ["A1", "A3", "A4", "A5"])
        errors = [found[name].value for name in ("A1", "A3", "A5", "A4")]
        a1, a3, a5, a4 = errors
        holds = a4 <= a5 <= a3 <= a1 + 0.005
        shown = " ".join(f"{error:.4f}" for error in errors)
        print(f"  k* {leaves}, alpha {privacy}: A1 A3 A5 A4 = {shown}  {'yes' if holds else 'NO'}")


def multi_breach(data: Split) -> None:
    print("A6 is below each A1 of its parts (table 3):")
    second = tree(data, 10, 0.7)
    scenarios = {
        "C1": tree(data, 10, 0.1),
        "C2": tree(data, 10, 0.3),
        "C3": uniform(data, 3),
        "C4": uniform(data, 4),
    }
    for name, first in scenarios.items():
        risk = MultiBreach([first]).attack(second, data)
        single = risk.details["single_breaches"]
        shown = ", ".join(f"{error:.4f}" for error in single)
        holds = "yes" if risk.value <= min(single) else "NO"
        print(f"  {name}: A1 {shown}; A6 {risk.value:.4f}  {holds}")


def linkage(data: Split) -> None:
    print("A7 rises with k* (table 4: OCCP linked through POBP), and A8 (table 5):")
    for leaves in (8, 20, 50):
        generalization = tree(data, leaves, 0.3)
        risk = Linkage(("OCCP",), ("POBP",), people=2000).attack(generalization, data)
        alone = SinglingOut().attack(generalization, data).details
        print(
            f"  k* {leaves}: {generalization.n_buckets} buckets, value matched "
            f"{risk.details['value_matched']:.2%} over "
            f"{risk.details['value_matched_by_chance']:.2%}, linked {1 - risk.value:.2%} over "
            f"{1 - risk.baseline:.2%}; "
            f"rarest record {alone['smallest']} people ({alone['rarest']} such records)"
        )


def main() -> None:
    employment = split(acs_employment())
    seconds(employment)
    print("A1 alone:", end=" ")
    for leaves in (4, 10, 20):
        start = time.perf_counter()
        Reconstruction().attack(tree(employment, leaves, 0.3), employment)
        print(f"k* {leaves} {time.perf_counter() - start:.2f} s", end="; ")
    print()
    print("Rarest records, ACSEmployment, alpha .3 (table 5):", end=" ")
    for leaves in (2, 4, 10, 20):
        found = SinglingOut().attack(tree(employment, leaves, 0.3), employment).details
        print(f"k* {leaves}: {found['smallest']:,} ({found['rarest']})", end="; ")
    print()
    income = split(acs_income())
    side_information(income)
    multi_breach(income)
    linkage(income)


if __name__ == "__main__":
    main()
