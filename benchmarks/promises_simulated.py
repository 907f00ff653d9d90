"""How often a promise is broken where the truth is known: people drawn from a law that we made up.

    python benchmarks/promises_simulated.py [--tables 100] [--people 8000] [--first-seed 0]

Each table has a law of its own: how much each attribute tells of the target, from much to almost
nothing, and how the attributes go together. What is chosen within a limit, of the loss or of the
risk, is judged on 200,000 further people drawn from the same law, by the models that learned from
the people of the table. Printed is how often a limit was promised, how often it is truly exceeded,
and how many attributes were kept. Promises about models: benchmarks/promises_model.py.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import numpy as np

from sparsam.assess import Front, NothingFitsError, assess_generalization, measure_limits, sweep
from sparsam.attack import Reconstruction, paired_difference
from sparsam.data import Roles, Task, resolve

LOSSES = (0.005, 0.01, 0.02)
RISKS = (0.05, 0.1, 0.2)
MANY = 200_000
SIZES = (12, 5, 4, 3, 3, 2, 2)
LOOK_UP = Reconstruction(models=("look-up",))


def law(seed: int) -> dict[str, Any]:
    """How much each value of each attribute tells, and how far attributes follow the first one."""
    rng = np.random.default_rng([seed, 5])
    strength = 1.6 * 0.62 ** np.arange(len(SIZES))
    return {
        "tells": [rng.normal(0, s, size) for s, size in zip(strength, SIZES, strict=True)],
        "follows": rng.uniform(0, 0.6, len(SIZES)),
    }


def people(facts: dict[str, Any], n: int, rng: np.random.Generator) -> dict[str, Any]:
    """Draw people from a law."""
    first = rng.integers(0, SIZES[0], n)
    columns, told = [first], facts["tells"][0][first]
    for place in range(1, len(SIZES)):
        size = SIZES[place]
        follows = rng.random(n) < facts["follows"][place]
        column = np.where(follows, first % size, rng.integers(0, size, n))
        columns.append(column)
        told = told + facts["tells"][place][column]
    yes = rng.random(n) < 1 / (1 + np.exp(-(told - np.median(told))))
    named = {f"a{place}": [f"v{c}" for c in column] for place, column in enumerate(columns)}
    return {**named, "y": np.where(yes, "yes", "no")}


def judged(front: Front, generalization: Any, others: Task, seed: int) -> tuple[float, float]:
    """What is truly lost, and truly recovered."""
    data = replace(front.data, test=others)
    limits = measure_limits(data, seed, front.limits.score)
    assessment = assess_generalization(
        generalization, data, adversary=LOOK_UP, random_state=seed, score=front.limits.score
    )
    losses = assessment.person_errors["test"].utility
    lost, _ = paired_difference(losses, limits.classifier.losses["test"])
    return lost, assessment.risk.recovered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--people", type=int, default=8_000)
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    outcomes: dict[tuple[str, float], list[tuple[float, int]]] = {}
    for seed in range(options.first_seed, options.first_seed + options.tables):
        facts, rng = law(seed), np.random.default_rng([seed, 6])
        roles = Roles("y", personal="all")
        # read together, so that both have the same codes
        everyone = people(facts, options.people + MANY, rng)
        task = resolve(everyone, roles)
        given = task.take(np.arange(options.people))
        others = task.take(np.arange(options.people, task.n_rows))
        front = sweep(
            given,
            minimisers=("merging",),
            adversary=LOOK_UP,
            random_state=seed,
            score="accuracy",
            n_jobs=1,
        )
        demands = [("loss", limit) for limit in LOSSES] + [("risk", limit) for limit in RISKS]
        for kind, limit in demands:
            asked = {"max_utility_loss" if kind == "loss" else "max_risk": limit}
            try:
                choice = front.choose(**asked)
            except NothingFitsError:
                continue
            lost, recovered = judged(choice.front, choice.candidate.generalization, others, seed)
            truth = lost if kind == "loss" else recovered
            kept = len(choice.generalization.collected)
            outcomes.setdefault((kind, limit), []).append((truth, kept))
    print(f"{options.tables} tables of {options.people} people, {len(SIZES)} attributes")
    for (kind, limit), lines in outcomes.items():
        exceeded = sum(truth > limit for truth, _ in lines)
        mean, kept = np.mean(lines, axis=0)
        print(
            f"  {kind} at most {limit:<6} promised {len(lines):4}, truly exceeded {exceeded:3}, "
            f"mean {mean:.4f}, attributes kept {kept:.1f}"
        )


if __name__ == "__main__":
    main()
