"""Watch ACSEmployment (Massachusetts), fitted on 2015, in later years: false alarms and real ones.

    python benchmarks/monitor.py shared/data/acs_employment_MA_2015_2018.parquet [--draws 20]

A generalization is chosen on people of 2015. Then later years are looked at in draws without
replacement, as a series of looks with a history, each stricter than the one before: nothing has
changed by more than matters, so that every alarm is a false one. Then shifts are planted into the
people of the last year, one at a time: a category that doubles, and a target that flips in one
group; caught means exit code 1, named means that the attribute stands first. All of it is done
three times: at full resolution, with generalized records and the target, and (shares alone) with
generalized records without it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from sparsam.assess import Look, monitor, sweep
from sparsam.assess.over_time._people import read_people
from sparsam.data import Roles
from sparsam.generalization import Generalization

NUMERIC = ("AGEP", "SCHL")
YEARS = (2016, 2017, 2018)
# Below this share a doubling is no change that matters.
LEAST_DOUBLED, MOST_DOUBLED = 0.03, 0.35


def people_of(table: Path, year: int) -> dict[str, Any]:
    """All people of a year, in an order that tells nothing."""
    rows = duckdb.sql(f"select * exclude (year) from '{table}' where year = {year}").fetchnumpy()
    order = np.random.default_rng(year).permutation(len(rows["AGEP"]))
    return {name: np.asarray(values)[order] for name, values in rows.items()}


def take(people: dict[str, Any], rows: Any) -> dict[str, Any]:
    return {name: values[rows] for name, values in people.items()}


def looks(artifact: Generalization, people: dict[str, Any], how: str, **options: Any) -> Any:
    """One look, at full resolution, at records with the target, or at records alone."""
    if how == "full":
        return monitor(artifact, people, **options)
    people = take(people, read_people(artifact, people).served)  # nobody else has a record
    keep = "employed" if how == "records and target" else ()
    return monitor(artifact, artifact.apply(people, keep=keep), **options)


def doubled(people: dict[str, Any], member: Any, size: int, rng: Any) -> dict[str, Any]:
    """People among whom those of one bucket are twice as common."""
    share = 2 * member.mean()
    inside, outside = np.flatnonzero(member), np.flatnonzero(~member)
    n_inside = round(share * size)
    rows = [rng.choice(inside, n_inside), rng.choice(outside, size - n_inside, replace=False)]
    return take(people, np.concatenate(rows))


def flipped(people: dict[str, Any], member: Any) -> dict[str, Any]:
    """The same people, those of one bucket with the opposite target."""
    target = people["employed"]
    return {**people, "employed": np.where(member, 1 - target, target)}


def watch(artifact: Generalization, years: dict[int, Any], draws: int, size: int, how: str) -> None:
    alarms, undecided, total = [], 0, 0
    for year, people in years.items():
        for draw in range(draws):
            rng = np.random.default_rng([year, draw])
            drawn = take(people, rng.choice(len(people["AGEP"]), size, replace=False))
            monitoring = looks(artifact, drawn, how, random_state=draw)
            total += 1
            if monitoring.verdict == "does not hold":
                alarms.append((year, draw, monitoring.changed))
            undecided += monitoring.verdict == "too few people to tell"
    print(f"{how}: {len(alarms)} alarms, {undecided} too few to tell, in {total} first looks")
    for alarm in alarms:
        print("   alarm", *alarm)
    earlier: tuple[Look, ...] = ()
    for year, people in years.items():
        for part in np.array_split(np.arange(len(people["AGEP"])), len(people["AGEP"]) // size):
            monitoring = looks(artifact, take(people, part), how, earlier=earlier)
            earlier = (*earlier, monitoring.as_look(str(year)))
    verdicts = [look.verdict for look in earlier]
    print(f"   a series of {len(verdicts)} looks: {verdicts.count('does not hold')} alarms")


def plant(artifact: Generalization, people: dict[str, Any], size: int, how: str) -> None:
    buckets = read_people(artifact, people).buckets
    rng = np.random.default_rng(0)
    for name in artifact.collected:
        for bucket, label in enumerate(artifact[name].labels):
            member = np.asarray(buckets[name]) == bucket
            share = member.mean()
            if not LEAST_DOUBLED <= share <= MOST_DOUBLED:
                continue
            later = looks(artifact, doubled(people, member, size, rng), how)
            told = (later.carriers.get("share") or ["-"])[0]
            _print(how, f"{name} '{label}' ({share:.0%}) doubles", later, told, name)
            if how == "records alone":
                continue
            drawn = rng.choice(len(member), size, replace=False)
            later = looks(artifact, flipped(take(people, drawn), member[drawn]), how)
            carriers = [c for c in later.carriers.get("error", []) if c != "employed"]
            told = (carriers or later.carriers.get("class") or ["-"])[0]
            _print(how, f"{name} '{label}' ({share:.0%}) flips", later, told, name)


def _print(how: str, what: str, later: Any, told: str, right: str) -> None:
    caught = later.verdict == "does not hold"
    print(f"   {how}: {what}: {'caught' if caught else 'MISSED'}, named {told}"
          f"{'' if told == right else ' (NOT the planted one)'}", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--fitted-on", type=int, default=20_000)
    parser.add_argument("--limit", type=float, default=0.02)
    arguments = parser.parse_args()
    first = people_of(arguments.table, 2015)
    categorical = [name for name in first if name not in (*NUMERIC, "employed")]
    roles = Roles("employed", numeric=NUMERIC, categorical=categorical)
    fitted_on = take(first, np.arange(arguments.fitted_on))
    front = sweep(fitted_on, roles, minimisers=("privacy tree", "merging"), n_jobs=2)
    choice = front.choose(max_utility_loss=arguments.limit)
    artifact = choice.generalization
    print(choice)
    bare = artifact.with_about({k: v for k, v in artifact.about.items() if k != "evidence"})
    print(f"evidence: {len(artifact.to_json()) - len(bare.to_json()):,} of "
          f"{len(artifact.to_json()):,} characters")  # fmt: skip
    print(artifact)
    years = {year: people_of(arguments.table, year) for year in YEARS}
    for how in ("full", "records and target", "records alone"):
        watch(artifact, years, arguments.draws, arguments.size, how)
        plant(artifact, years[YEARS[-1]], arguments.size, how)


if __name__ == "__main__":
    main()
