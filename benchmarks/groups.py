"""Utility lost and risk by group: a simulated minority, and sex and race on two real tables.

    .venv/bin/python benchmarks/groups.py simulated [--draws 40]
    .venv/bin/python benchmarks/groups.py ACSEmployment --report employment.html
    .venv/bin/python benchmarks/groups.py Adult --report adult.html

`simulated` draws tables in which one in twenty would lose ten points and everyone on average half a
point, and others in which every group loses as much; it prints how often the group is named and the
gate catches it, and how often a group is blamed by chance.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from sparsam.assess import (
    assess_generalization,
    assess_groups,
    check_gates,
    measure_limits,
    sweep,
)
from sparsam.data import Roles, Split, read, resolve, split
from sparsam.generalization import Generalization, categorical_partition
from tables import TASKS

GROUPS = {"ACSEmployment": ("SEX", "RAC1P"), "Adult": ("sex", "race")}
LIMIT = 0.05


def draw(n_rows: int, seed: int, *, fair: bool) -> Split:
    """Of some people the outcome contradicts the skill: of a minority's only, or of everyone's."""
    rng = np.random.default_rng(seed)
    minority, skilled, other = (rng.random(n_rows) < share for share in (0.05, 0.5, 0.1))
    second = rng.random(n_rows) < (0.00625 if fair else 0.125)
    hired = np.where(second & (minority | fair), ~skilled, skilled) ^ other
    people = {
        "ethnicity": np.where(minority, "minority", "majority"),
        "sex": rng.choice(["female", "male"], n_rows),
        "skill": np.where(skilled, "high", "low"),
        "route": np.where(second, "second", "first"),
        "hired": np.where(hired, "yes", "no"),
    }
    return split(resolve(read(people), Roles("hired")), random_state=seed)


def simulated(draws: int, n_rows: int) -> None:
    for fair in (False, True):
        named = blamed = caught = failed = passed = 0
        losses, everyone = [], []
        for seed in range(draws):
            data = draw(n_rows, seed, fair=fair)
            nothing = Generalization.nothing(data.train.table)
            skill = data.train.table.attribute("skill")
            kept = categorical_partition("skill", skill.domain, [["high"], ["low"]])
            less = Generalization([kept if p.name == "skill" else p for p in nothing.partitions])
            limits = measure_limits(data)
            assessment = assess_generalization(less, data)
            groups = assess_groups(assessment, limits, data, ["ethnicity", "sex"])
            (gate,) = check_gates(
                assessment, limits, max_utility_loss_per_group=LIMIT, groups=groups
            )
            blamed += any(map(groups.loses_more, groups.effects))
            worst = groups.worst
            named += worst is not None and groups.loses_more(worst) and worst.label == "minority"
            caught, failed = caught + (not gate.passed), failed + (gate.passed is False)
            passed += gate.passed is True
            minority = next((e for e in groups.effects if e.label == "minority"), None)
            losses.append(np.nan if minority is None else minority.loss)
            everyone.append(groups.loss)
        print(
            f"{'fair' if fair else 'unfair'} tables of {n_rows:,} people, {draws} draws: everyone "
            f"loses {100 * np.mean(everyone):.2f} points, the minority "
            f"{100 * np.nanmean(losses):.1f}\n"
            f"  a group is shown to lose more than the average in {blamed}, the minority is named "
            f"in {named}\n"
            f"  gate at {100 * LIMIT:g} points: passed {passed}, failed {failed}, caught (failed "
            f"or open) {caught}"
        )


def real(name: str, report: Path | None, loss: float | None, repeats: int) -> None:
    front = sweep(TASKS[name](), random_state=0, repeats=repeats)
    choice = front.choose(max_utility_loss=loss, groups=GROUPS[name])
    print(choice, f"\n  {choice.requirement.words}: {choice.verdict}")
    for group in choice.groups.to_dict()["groups"]:
        low, high = group["interval"]
        risk = group["risk"]
        rate = choice.requirement.score.value
        print(
            f"  {group['attribute']:6} {group['group'][:34]:34} {group['people']:7,}  "
            f"{rate(group['everything']):.3f} -> {rate(group['error']):.3f}  "
            f"lost {100 * group['loss']:5.2f} ({100 * low:5.2f} to {100 * high:5.2f})  "
            f"attacker wrong {100 * risk['value']:4.1f} of {100 * risk['baseline']:4.1f}, "
            f"recovers {100 * risk['recovered']:3.0f} %{'  *' * group['loses_more']}"
        )
    left_out = ", ".join(group["group"] for group in choice.groups.to_dict()["left_out"])
    print(f"  left out: {left_out or 'none'}; * shown to lose more than the average")
    if report is not None:
        choice.report(title=f"{name} by group").save(report)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=("simulated", *GROUPS))
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--people", type=int, default=40_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--max-utility-loss", type=float)
    options = parser.parse_args()
    if options.table == "simulated":
        simulated(options.draws, options.people)
    else:
        real(options.table, options.report, options.max_utility_loss, options.repeats)


if __name__ == "__main__":
    main()
