"""One generalization for three census tasks on the same people, beside one for each of them.

ACSEmployment, ACSIncome and ACSPublicCoverage (Ding et al., 2021), in the 14 states of the shared
table, each task in its own universe: who is older than 16; who of them earns and works; who is
under 65 and earns at most 30,000. The attributes are those that at least two of the tasks use and
that are a target of none. Printed are the buckets, attributes and risk (A1, share recovered, test
data) of the one generalization, of those of the single tasks, and of these put together; and for
each task the loss on a test part that nothing was learned or chosen on.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import duckdb

from sparsam.assess import PurposesChoice, minimise_for_purposes
from sparsam.data import Roles
from tables import DATA

COLUMNS = ("AGEP", "SCHL", "MAR", "RELP", "DIS", "ESP", "CIT", "MIG", "MIL", "ANC", "NATIVITY")
COLUMNS += ("DEAR", "DEYE", "DREM", "SEX", "RAC1P")
NUMBERS = ("AGEP", "SCHL")
TARGETS = {
    "employed": ("AGEP > 16", "ESR = 1"),
    "rich": ("AGEP > 16 and PINCP > 100 and WKHP > 0", "PINCP > 50000"),
    "covered": ("AGEP < 65 and coalesce(PINCP, 0) <= 30000", "PUBCOV = 1"),
}


def people(size: int, seed: int) -> duckdb.DuckDBPyRelation:
    """So many people drawn at random who belong to at least one of the tasks."""
    columns = ", ".join(f"coalesce({column}, -1) as {column}" for column in COLUMNS)
    targets = ", ".join(
        f"case when {universe} then coalesce({target}, false) end as {name}"
        for name, (universe, target) in TARGETS.items()
    )
    some = " or ".join(f"({universe})" for universe, _ in TARGETS.values())
    return duckdb.sql(
        f"select {columns}, {targets} from (select * from '{DATA}/acs_pums_2018_14states.parquet' "
        f"where {some}) using sample reservoir({size} rows) repeatable ({seed})"
    )


def show(choice: PurposesChoice, seconds: float) -> None:
    """Print what was found."""
    for name, shown in choice.shown.items():
        limits, assessment = choice.limits[name], choice.chosen.assessments[name]
        loss, _ = limits.loss(assessment, "test")
        words = limits.score.kind.words
        print(
            f"{name}: {shown.people:,} test people, {words} {limits.everything.value:.4f} -> "
            f"{assessment.utility.value:.4f}, loss {loss:.4f}, at most {shown.bound:.4f} "
            f"(p {shown.p_value:.2g}), limit {shown.limit}"
        )
    print(f"{'attribute':10}{'values':>7}{'all':>5}", *(f"{n:>9}" for n in choice.purposes), sep="")
    for row in choice.needs():
        alone = (f"{len(labels or ()) or '-':>9}" for labels in row["alone"].values())
        together = len(row["together"]) or "-"
        print(f"{row['attribute']:10}{row['values']:>7}{together:>5}", *alone, sep="")
    generalization = choice.generalization
    print(
        f"one for all: {len(generalization.collected)} attributes, {generalization.n_buckets} "
        f"buckets, recovered {choice.assessment.risk.recovered:.3f}, by "
        f"{choice.chosen.candidate.label}"
    )
    for name, single in choice.alone.items():
        if single is None:
            print(f"{name} alone: nothing can be shown")
            continue
        print(
            f"{name} alone: {len(single.generalization.collected)} attributes, "
            f"{single.generalization.n_buckets} buckets, recovered "
            f"{single.assessment.risk.recovered:.3f}, {single.verdict}"
        )
    if choice.apart is not None:
        apart = choice.apart.generalization
        risk = choice.apart.assessments[choice.purposes[0]].risk.recovered
        buckets = [single.generalization.n_buckets for single in choice.alone.values() if single]
        print(
            f"collected apart: {len(apart.collected)} attributes, {sum(buckets)} buckets in all, "
            f"recovered {risk:.3f} from all of them together"
        )
    print(f"{choice.n_tried} tried, {choice.n_tested} tested, {seconds:.0f} CPU-seconds")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--loss", type=float, default=0.01)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    categorical = [name for name in COLUMNS if name not in NUMBERS]
    roles = Roles(targets=list(TARGETS), numeric=NUMBERS, categorical=categorical)
    start = time.process_time()
    choice = minimise_for_purposes(
        people(options.people, options.seed),
        roles,
        max_utility_loss=options.loss,
        random_state=options.seed,
        n_jobs=options.jobs,
    )
    show(choice, time.process_time() - start)
    if options.report is not None:
        choice.report(source="the ACS of 2018, 14 states").save(options.report)


if __name__ == "__main__":
    main()
