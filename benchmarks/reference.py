"""Is "everything collected" as good as others' models on the raw columns?

The loss of a generalization is told against our best model with everything collected. Were that
model weak, every loss would be too low. Here it stands beside scikit-learn's gradient boosting
(categories as categories), forest and linear model (categories one-hot, numbers standardised),
with their defaults, on the columns as they were read. All learn from the people of the training
and validation parts and are judged on those of the test part, by the score that fits the target.

    python benchmarks/reference.py [--rows 10000] [--seeds 5] [--tuned] [table ...]

Settings were tuned on the tables in TUNED, with seeds from 10 on. REPORTED took no part in that,
and its seeds count from 0. "best" is the peer that is best in the mean over the seeds of a table;
"below" is how far we are below it, with twice the paired standard error of one seed's test people.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import tables
from sparsam._threads import one_thread
from sparsam.assess import measure_limits
from sparsam.data import Split, Task, read, resolve, split

TUNED: dict[str, Callable[[], tables.Source]] = {
    "bundled": tables.bundled,
    "Adult": tables.adult_income,
    "nursery": tables.nursery,
    "wine: type": tables.wine_type,
    "wine: grade": tables.wine_quality,
    "wine: number": tables.wine_alcohol,
    "magic04": tables.magic,
    "ACS: hours": tables.long_hours,
}
REPORTED: dict[str, Callable[[], tables.Source]] = {
    "bank": tables.bank_balanced,
    "bank at 11.7 %": tables.bank,
    "GSS": tables.happiness,
    "German credit": tables.german_credit,
    "crime": tables.crime_class,
    "crime: number": tables.crime_number,
    "Heritage Health": tables.heritage,
    "lending": tables.lending,
    "ACSIncome": tables.income_class,
    "ACSIncome: number": tables.income,
    "ACSPublicCoverage": tables.public_coverage,
}
PEERS = ("boosting", "forest", "linear")
Losses = NDArray[np.float64]


def sample(source: Callable[[], tables.Source], rows: int) -> tuple[Task, Task]:
    """Some rows, the same ones each time: as we read them, and with every number as it is."""
    frame, roles = source()
    drawn = frame.query("p", f"select * from p using sample reservoir({rows} rows) repeatable (7)")
    drawn = drawn.df()
    fine = read(drawn, roles=roles, max_codes=65_000)
    return resolve(read(drawn, roles=roles), roles), resolve(fine, roles)


def raw_columns(task: Task) -> tuple[NDArray[np.float64], list[int], list[int]]:
    """Values and codes as they are, with the places of categories and of numbers."""
    columns, words = [], []
    for place, attribute in enumerate(task.table.attributes):
        codes = task.codes[:, place]
        if attribute.numeric:
            values = (attribute.lows + attribute.highs) / 2
            columns.append(np.append(values, np.nan)[codes])
        else:
            words.append(place)
            columns.append(codes.astype(float))
    numbers = [place for place in range(len(columns)) if place not in words]
    return np.column_stack(columns), words, numbers


def peers(regression: bool, words: list[int], numbers: list[int], sizes: list[int]) -> list[Any]:
    """Each peer as it comes, in the order of `PEERS`."""
    few = [place for place in words if sizes[place] <= 255]  # no more are allowed
    coded = make_column_transformer(
        (make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), words),
    )
    if regression:
        return [
            HistGradientBoostingRegressor(categorical_features=few, random_state=0),
            RandomForestRegressor(random_state=0),
            make_pipeline(coded, Ridge()),
        ]
    return [
        HistGradientBoostingClassifier(categorical_features=few, random_state=0),
        RandomForestClassifier(random_state=0),
        make_pipeline(coded, LogisticRegression(max_iter=1000)),
    ]


def peer_losses(fine: Task, data: Split, score: Any) -> dict[str, Losses]:
    """What each peer loses on each person of the test part."""
    columns, words, numbers = raw_columns(fine)
    known = np.concatenate(data.rows[:2])
    models = peers(fine.numbers is not None, words, numbers, [*fine.sizes])
    people = np.arange(data.test.n_rows)
    losses = {}
    for name, model in zip(PEERS, models, strict=True):
        if fine.numbers is not None:
            belief = model.fit(columns[known], fine.numbers[known]).predict(columns[data.rows[2]])
        else:
            model.fit(columns[known], fine.target[known])
            belief = np.zeros((len(people), len(fine.classes)))
            belief[:, model.classes_] = model.predict_proba(columns[data.rows[2]])
        losses[name] = np.asarray(score.losses(belief, people, data, "test"), float)
    return losses


def compare(name: str, source: Callable[[], tables.Source], rows: int, seeds: range) -> float:
    """Print one line for a table; return how far we are below the best peer."""
    task, fine = sample(source, rows)
    runs, models, seconds = [], [], 0.0
    for seed in seeds:
        data = split(task, random_state=seed)
        started = time.process_time()
        limits = measure_limits(data, seed)
        seconds += time.process_time() - started
        with one_thread():
            theirs = peer_losses(fine, data, limits.score)
        runs.append({"ours": np.asarray(limits.classifier.losses["test"], float), **theirs})
        models.append(limits.everything.model)
    score = limits.score
    errors = {key: float(np.mean([run[key].mean() for run in runs])) for key in runs[0]}
    best = min(PEERS, key=lambda peer: errors[peer])
    differences = [run["ours"] - run[best] for run in runs]
    # the test parts of the seeds overlap: the noise of one is no less than that of all
    noise = float(np.mean([2 * d.std(ddof=1) / np.sqrt(len(d)) for d in differences]))
    below = errors["ours"] - errors[best]
    figures = "".join(f"{score.value(error):9.4f}" for error in errors.values())
    verdict = "" if below - noise <= 0.01 else "  BELOW"
    print(
        f"{name:18}{task.n_rows:7,}{len(task.names):5} {score.name[:9]:9}{figures}  {best:9}"
        f"{below:+8.4f} ±{noise:.4f}{seconds / len(seeds):7.2f} s  {', '.join(sorted({*models}))}"
        f"{verdict}",
        flush=True,
    )
    return below


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="table")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--tuned", action="store_true", help="the tables that settings come from")
    asked = parser.parse_args()
    group, first = (TUNED, 10) if asked.tuned else (REPORTED, 0)
    print(f"{'table':18}{'rows':>7}{'attr':>5} {'score':9}{'ours':>9}", end="")
    print("".join(f"{peer:>9}" for peer in PEERS), " best       below")
    seeds = range(first, first + asked.seeds)
    below = [compare(name, group[name], asked.rows, seeds) for name in asked.tables or list(group)]
    print(f"\nbelow the best peer, in the mean over {len(below)} tables: {np.mean(below):+.4f}")


if __name__ == "__main__":
    main()
