"""The 95 % intervals hold the true figures as often as they say; noise is numpy's here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from sparsam.data import NumericDomain
from sparsam.explore import Answer, declared, plan
from sparsam.explore._private_table import PrivateTable
from sparsam.explore.ledger._costs import Cost
from sparsam.explore.planned import _cells as octiles_module
from sparsam.explore.planned import _planned as planned_module
from sparsam.explore.planned._planned import run_planned
from sparsam.explore.planned._table_answers import table_answers
from sparsam.explore.queries import _pairs as pairs_module
from sparsam.explore.queries import _ranks as ranks_module
from sparsam.explore.queries._pairs import cramers_v_query, spearman_query
from sparsam.explore.queries._query import Payment
from sparsam.explore.queries._ranks import outliers_query, quantiles_query
from sparsam.generalization import Generalization, numeric_partition

DOMAINS = declared(
    {
        "age": (0, 99, "integer"),
        "income": (0, 1_000_000),
        "score": (-50.0, 50.0),
        "hours": (0, 80, "integer"),
        "sex": ["f", "m"],
        "work": ["farm", "office", "shop", "mine"],
        "home": ["own", "rent", "none"],
    }
)
LEVELS = {"P1": 0.01, "Q1": 0.25, "Q2": 0.5, "Q3": 0.75, "P99": 0.99}
RUNS = 50


def people(n: int = 3_000) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    age = rng.integers(18, 90, n).astype(float)
    score = rng.normal(0, 5, n) + (age - 50) / 6
    income = np.exp(rng.normal(10, 0.6, n))
    hours = np.clip(rng.normal(36, 9, n).round(), 0, 80)
    hours[rng.random(n) < 0.1] = np.nan
    work = rng.choice(["farm", "office", "shop", "mine"], n, p=[0.1, 0.5, 0.3, 0.1])
    sex = np.where(rng.random(n) < np.where(work == "office", 0.65, 0.35), "f", "m")
    home = rng.choice(["own", "rent", "none"], n, p=[0.5, 0.4, 0.1])
    return {
        "age": age,
        "income": income,
        "score": score,
        "hours": hours,
        "sex": sex,
        "work": work,
        "home": home,
    }


def truth(data: dict[str, Any]) -> dict[tuple[str, ...], float]:
    """Compute every figure exactly."""
    found = {("count", "value"): float(len(data["age"]))}
    for name in DOMAINS.numeric:
        values = data[name][~np.isnan(data[name])]
        for label, level in LEVELS.items():
            function = "range" if label.startswith("P") else "quantiles"
            found[function, name, label] = float(np.quantile(values, level, method="inverted_cdf"))
        first, third = np.quantile(values, [0.25, 0.75])
        reach = 1.5 * (third - first)
        beyond = (values < first - reach) | (values > third + reach)
        found["outliers", name, "value"] = float(beyond.sum())
        found["mean", name, "value"] = float(values.mean())
        found["missing", name, "value"] = float(np.isnan(data[name]).sum())
    for name in DOMAINS.categorical:
        for category in DOMAINS[name].categories:
            found["value_counts", name, category] = float((data[name] == category).sum())
    for one, two in combinations(DOMAINS.numeric, 2):
        both = ~(np.isnan(data[one]) | np.isnan(data[two]))
        found["spearman", one, two, "value"] = spearmanr(data[one][both], data[two][both]).statistic
    for one, two in combinations(DOMAINS.categorical, 2):
        found["cramers_v", one, two, "value"] = textbook_v(crossed(data[one], data[two]))
    return found


def crossed(one: Any, two: Any) -> np.ndarray:
    return np.array([[((one == a) & (two == b)).sum() for b in set(two)] for a in set(one)], float)


def textbook_v(table: np.ndarray) -> float:
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi2 = ((table - expected) ** 2 / expected).sum()
    return float(np.sqrt(chi2 / table.sum() / (min(table.shape) - 1)))


@pytest.fixture
def numpy_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw seeded noise of the right size, faster than opendp does."""
    rng = np.random.default_rng(11)

    def counts(exact: np.ndarray, cost: Cost, sensitivity: int = 1) -> np.ndarray:
        scale = cost.events[0].scale * sensitivity
        if cost.events[0].noise == "gaussian":
            return exact + rng.normal(0, scale, exact.shape).round().astype(int)
        chance = -np.expm1(-1 / scale)
        return exact + rng.geometric(chance, exact.shape) - rng.geometric(chance, exact.shape)

    def choice(scores: np.ndarray, cost: Cost, sensitivity: int = 1) -> int:
        scale = cost.events[0].scale * sensitivity
        return int((scores + rng.gumbel(0, scale, len(scores))).argmax())

    for module in (planned_module, pairs_module, ranks_module):
        monkeypatch.setattr(module, "noisy_counts", counts)
    for module in (octiles_module, ranks_module):
        monkeypatch.setattr(module, "noisy_choice", choice)


class Counted(PrivateTable):
    """Counts each table once."""

    def counts(self, tables: Any) -> Any:
        known = self.__dict__.setdefault("counted", {})
        key = tuple(tables)
        if key not in known:
            known[key] = super().counts(tables)
        return list(known[key])


def gather(
    held: dict[tuple[str, ...], list[bool]],
    answers: Iterable[Answer],
    known: dict[tuple[str, ...], float],
) -> None:
    for answer in answers:
        for label, (low, high) in answer.intervals.items():
            key = (answer.function, *answer.attributes, label)
            if key in known:
                held[key].append(low - 1e-9 <= known[key] <= high + 1e-9)


@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.usefixtures("numpy_noise")
def test_intervals_of_the_planned_exploration(delta: float | None) -> None:
    data = people()
    known, source = truth(data), Counted(data, DOMAINS)
    made = plan(DOMAINS, epsilon=0.5 if delta else 1.5, delta=delta)
    held: dict[tuple[str, ...], list[bool]] = defaultdict(list)
    for _ in range(RUNS):
        released = run_planned(source, made, lambda question, cost, compute: compute())
        noise = "gaussian" if delta else "laplace"
        gather(held, table_answers(released, DOMAINS, noise), known)
    assert set(held) == set(known)
    by_function: dict[str, list[bool]] = defaultdict(list)
    for key, inside in held.items():
        by_function[key[0]] += inside
        # one figure: 50 runs of a 95 % interval give 43 hits or fewer in 0.4 % of cases
        if key[0] in ("quantiles", "range"):
            assert np.mean(inside) >= 0.9, key
    shares = {function: np.mean(inside) for function, inside in by_function.items()}
    assert 0.92 <= shares["value_counts"] <= 0.98
    assert shares["missing"] >= 0.93  # zeros are missed on one side only
    for function in ("quantiles", "range", "mean", "outliers", "spearman", "cramers_v"):
        assert shares[function] >= 0.92, function


@pytest.mark.usefixtures("numpy_noise")
def test_single_queries_never_claim_what_noise_hides() -> None:
    data = people(1_000)
    known, source = truth(data), Counted(data, DOMAINS)
    held: dict[tuple[str, ...], list[bool]] = defaultdict(list)
    widths = []
    payment = Payment.of({"epsilon": 0.01})
    for _ in range(25):
        queries = [
            spearman_query(DOMAINS, pair, payment) for pair in combinations(DOMAINS.numeric, 2)
        ]
        queries += [
            cramers_v_query(DOMAINS, p, payment) for p in combinations(DOMAINS.categorical, 2)
        ]
        queries += [
            quantiles_query(DOMAINS, name, (0.25, 0.5), payment) for name in DOMAINS.numeric
        ]
        answers = [query.answer(query.release(source), paid=True) for query in queries]
        gather(held, answers, known)
        widths += [
            answer.intervals["value"][1] - answer.intervals["value"][0]
            for answer in answers
            if answer.function == "cramers_v"
        ]
    # noise of 141 on each cell of a table of 1,000 rows leaves nothing certain
    assert min(widths) > 0.05
    by_function: dict[str, list[bool]] = defaultdict(list)
    for key, inside in held.items():
        by_function[key[0]] += inside
    assert set(by_function) == {"spearman", "cramers_v", "quantiles"}
    for function, inside in by_function.items():
        assert np.mean(inside) >= 0.93, function


BUCKETS = declared(
    Generalization(
        [
            numeric_partition("income", NumericDomain(0, 1_000_000), [20_000, 50_000, 100_000]),
            numeric_partition("age", NumericDomain(0, 99, integer=True), [30, 60]),
        ]
    )
)


@pytest.mark.usefixtures("numpy_noise")
def test_buckets_are_said_as_buckets() -> None:
    data = people()
    made = plan(BUCKETS, epsilon=2, delta=1e-6)
    released = run_planned(
        PrivateTable(data, BUCKETS), made, lambda question, cost, compute: compute()
    )
    answers = table_answers(released, BUCKETS, "gaussian")
    assert not [one for one in answers if one.function == "outliers"]
    found = {(one.function, *one.attributes): one for one in answers}
    edges = (0, 20_000, 50_000, 100_000, 1_000_000)
    for function, labels in (("quantiles", ("Q1", "Q2", "Q3")), ("range", ("P1", "P99"))):
        answer = found[function, "income"]
        assert any("buckets" in note for note in answer.notes)
        for label in labels:
            low, high = answer.intervals[label]
            assert {low, high} <= set(edges)
            assert low < high
            middles = [(one + two) / 2 for one, two in pairwise(edges)]
            assert answer.values[label] in middles
    low, high = found["mean", "income"].intervals["value"]
    assert low <= data["income"].mean() <= high
    assert high - low > 5_000  # nobody knows where inside a bucket they are


@pytest.mark.usefixtures("numpy_noise")
def test_outliers_of_buckets_are_counted_between_buckets() -> None:
    data = people()
    query = outliers_query(BUCKETS, "income", Payment.of({"epsilon": 1_000}))
    answer = query.answer(query.release(PrivateTable(data, BUCKETS)), paid=True)
    low, high = answer.values["low fence"], answer.values["high fence"]
    assert {low, high} <= {0.0, 20_000.0, 50_000.0, 100_000.0, 1_000_000.0}
    true = ((data["income"] < low) | (data["income"] >= high)).sum()
    assert answer.value == pytest.approx(true, abs=2)
    query = quantiles_query(BUCKETS, "income", (0.5,), Payment.of({"epsilon": 1_000}))
    answer = query.answer(query.release(PrivateTable(data, BUCKETS)), paid=True)
    assert answer.values == {"Q2": 35_000.0}
    assert answer.intervals == {"Q2": (20_000.0, 50_000.0)}
    assert any("buckets" in note for note in answer.notes)
