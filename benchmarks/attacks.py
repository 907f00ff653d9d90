"""The whole bench of adversaries on real tables: seconds and relations.

    python benchmarks/attacks.py

Prints the seconds of each adversary on ACSEmployment (Massachusetts 2018), the order of A1, A3, A4
and A5 along privacy trees on ACSIncome, the four multi-breach scenarios of table 3, the linkage of
table 4 and the rarest records of table 5.
"""

from __future__ import annotations

import time
from typing import Any

from sparsam.attack import (
    GeneralizedRecords,
    Linkage,
    MultiBreach,
    Reconstruction,
    SinglingOut,
    run_attacks,
)
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


def bench_seconds(data: Split) -> float:
    """CPU seconds of all adversaries on one generalization."""
    generalization, other = tree(data, 20, 0.7), tree(data, 20, 0.1)
    start = time.process_time()
    run_attacks(generalization, data, others=[other])
    return time.process_time() - start


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


def side_information(data: Split) -> dict[tuple[int, float], list[float]]:
    """The errors of A1, A3, A5 and A4 along privacy trees, by leaves and alpha (figure 6)."""
    errors = {}
    for leaves, privacy in ((4, 0.7), (10, 0.7), (20, 0.5), (50, 0.7), (50, 0.3), (200, 0.1)):
        risks = run_attacks(tree(data, leaves, privacy), data, ["A1", "A3", "A4", "A5"])
        errors[leaves, privacy] = [risks[name].value for name in ("A1", "A3", "A5", "A4")]
    return errors


def confident(
    data: Split, leaves: int, privacy: float, share: float
) -> dict[str, tuple[float, float]]:
    """The errors of A1 and A2 on each attribute: all people, and the most confident share."""
    records = GeneralizedRecords.of(tree(data, leaves, privacy), data)
    guesses = Reconstruction().guess(records, data)
    everyone, sure = guesses.risk("test"), guesses.confident_risk(share, "test")
    pairs = zip(everyone.parts, sure.parts, strict=True)
    return {str(one.attribute): (one.value, few.value) for one, few in pairs}


def multi_breach(data: Split) -> dict[str, list[float]]:
    """The errors of A1 on each of two breaches, and of A6, in the four scenarios of table 3."""
    second = tree(data, 10, 0.7)
    scenarios = {
        "C1": tree(data, 10, 0.1),
        "C2": tree(data, 10, 0.3),
        "C3": uniform(data, 3),
        "C4": uniform(data, 4),
    }
    errors = {}
    for name, first in scenarios.items():
        risk = MultiBreach([first]).attack(second, data)
        alone_second, alone_first = risk.details["single_breaches"]
        errors[name] = [alone_first, alone_second, risk.value]
    return errors


def linkage(data: Split, people: int = 2000) -> dict[int, dict[str, Any]]:
    """OCCP linked through POBP (table 4) and the rarest records, by the leaves of the tree."""
    facts: dict[int, dict[str, Any]] = {}
    for leaves in (8, 20, 50):
        generalization = tree(data, leaves, 0.3)
        risk = Linkage(("OCCP",), ("POBP",), people=people).attack(generalization, data)
        alone = SinglingOut().attack(generalization, data).details
        facts[leaves] = {
            "buckets": generalization.n_buckets,
            "matched": risk.details["value_matched"],
            "chance": risk.details["value_matched_by_chance"],
            "linked": 1 - risk.value,
            "linked by chance": 1 - risk.baseline,
            "smallest": alone["smallest"],
            "rarest": alone["rarest"],
        }
    return facts


def rarest(data: Split) -> dict[int, tuple[int, int, int]]:
    """Buckets, people behind the rarest record, and such records, by leaves at alpha .3."""
    facts = {}
    for leaves in (2, 4, 10, 20):
        generalization = tree(data, leaves, 0.3)
        alone = SinglingOut().attack(generalization, data).details
        facts[leaves] = (generalization.n_buckets, alone["smallest"], alone["rarest"])
    return facts


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
    for leaves, (_, smallest, n_rarest) in rarest(employment).items():
        print(f"k* {leaves}: {smallest:,} ({n_rarest})", end="; ")
    print()
    income = split(acs_income())
    print("A4 <= A5 <= A3 <= A1 + 0.005 along the privacy trees:")
    for (leaves, privacy), (a1, a3, a5, a4) in side_information(income).items():
        holds = a4 <= a5 <= a3 <= a1 + 0.005
        shown = f"{a1:.4f} {a3:.4f} {a5:.4f} {a4:.4f}"
        print(f"  k* {leaves}, alpha {privacy}: A1 A3 A5 A4 = {shown}  {'yes' if holds else 'NO'}")
    print("A6 is below each A1 of its parts (table 3):")
    for name, (one, two, both) in multi_breach(income).items():
        holds = "yes" if both <= min(one, two) else "NO"
        print(f"  {name}: A1 {one:.4f}, {two:.4f}; A6 {both:.4f}  {holds}")
    print("A7 rises with k* (table 4: OCCP linked through POBP), and A8 (table 5):")
    for leaves, facts in linkage(income).items():
        print(
            f"  k* {leaves}: {facts['buckets']} buckets, value matched {facts['matched']:.2%} over "
            f"{facts['chance']:.2%}, linked {facts['linked']:.2%} over "
            f"{facts['linked by chance']:.2%}; "
            f"rarest record {facts['smallest']} people ({facts['rarest']} such records)"
        )


if __name__ == "__main__":
    main()
