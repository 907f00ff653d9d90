"""One question, one charge: what is answered, what it costs, and what is refused."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsam._errors import (
    BudgetError,
    DataError,
    LedgerError,
    MissingExtraError,
    ParameterError,
    SparsamError,
)
from sparsam.data import read
from sparsam.explore import Answer, Explorer, Ledger, declared
from sparsam.explore._answer import quantile_label
from sparsam.explore._private_table import PrivateTable
from sparsam.explore._ranks import fences
from sparsam.explore.ledger import _ledger as ledger_module
from sparsam.explore.queries._counts import count_query, mean_query, value_counts_query
from sparsam.explore.queries._pairs import cramers_v_query, spearman_query
from sparsam.explore.queries._query import Payment, Query
from sparsam.explore.queries._ranks import quantiles_query
from sparsam.generalization import Generalization, numeric_partition

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")

DOMAINS = declared(
    {
        "age": (0, 99, "integer"),
        "height": (0, 250),
        "sex": ["f", "m"],
        "work": ["private", "state", "none"],
    }
)
ASKED: dict[str, dict[str, Any]] = {
    "count": {},
    "missing": {"name": "age"},
    "quantiles": {"name": "height"},
    "range": {"name": "age"},
    "outliers": {"name": "height"},
    "value_counts": {"name": "sex"},
    "histogram": {"name": "age", "bins": 5},
    "mean": {"name": "height"},
    "spearman": {"first": "age", "second": "height"},
    "cramers_v": {"first": "sex", "second": "work"},
}


def people(n: int = 2000) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    age = rng.integers(18, 80, n)
    height = 150 + age / 3 + rng.normal(0, 8, n)
    height[: n // 50] = np.nan
    sex = rng.choice(["f", "m"], n)
    work = np.where(sex == "f", rng.choice(["private", "state"], n), rng.choice(["none", "x"], n))
    return {"age": age, "height": height, "sex": sex, "work": work.astype(object)}


@pytest.fixture
def pure(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.create(tmp_path / "pure.ledger", epsilon=10, domains=DOMAINS) as ledger:
        yield ledger


@pytest.fixture
def loose(tmp_path: Path) -> Iterator[Ledger]:
    path = tmp_path / "loose.ledger"
    with Ledger.create(path, epsilon=10, delta="1e-6", domains=DOMAINS) as ledger:
        yield ledger


@pytest.mark.parametrize("function", ASKED)
def test_every_function_costs_what_was_said_in_epsilon(function: str, pure: Ledger) -> None:
    explorer = Explorer(people(), pure)
    answer = getattr(explorer, function)(**ASKED[function], epsilon=0.1, purpose="test")
    assert answer.function == function
    assert answer.paid
    assert answer.cost.epsilon == pure.spent == 100_000_000
    assert "gaussian" not in answer.noise
    _check_answer(answer)
    again = getattr(explorer, function)(**ASKED[function], epsilon=0.1)
    assert not again.paid
    assert again.values == answer.values
    assert pure.spent == 100_000_000
    getattr(explorer, function)(**ASKED[function], epsilon=0.2)  # another price, another question
    assert pure.spent == 300_000_000


@pytest.mark.parametrize("function", ASKED)
def test_every_function_costs_at_most_what_was_said_in_rho(function: str, loose: Ledger) -> None:
    answer = getattr(Explorer(people(), loose), function)(**ASKED[function], rho="0.01")
    assert answer.cost.rho == loose.spent
    assert 9_990_000 < loose.spent <= 10_000_000
    assert "laplace" not in answer.noise
    _check_answer(answer)


def _check_answer(answer: Answer) -> None:
    assert json.loads(json.dumps(answer.to_dict()))["values"] == answer.values
    assert answer.intervals
    for label, (low, high) in answer.intervals.items():
        assert low <= answer.values[label] <= high
        assert f"{answer.function.split('_')[0]}" in str(answer)


STRANGE: dict[str, dict[str, list[Any]]] = {
    "empty": {"age": [], "height": [], "sex": [], "work": []},
    "one row": {"age": [30], "height": [170], "sex": ["f"], "work": ["none"]},
    "all missing": {name: [None] * 5 for name in DOMAINS.names},
    "never declared": {name: ["zzz"] * 5 for name in DOMAINS.names},
    "not finite": {name: [np.inf, -np.inf, np.nan, 1e308] for name in DOMAINS.names},
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_tables_are_answered(kind: str, pure: Ledger, loose: Ledger) -> None:
    for ledger, pay in ((pure, {"epsilon": 0.5}), (loose, {"rho": 0.01})):
        explorer = Explorer(STRANGE[kind], ledger)
        for function, asked in ASKED.items():
            answer = getattr(explorer, function)(**asked, **pay)
            assert all(np.isfinite(value) for value in answer.values.values()), function
            _check_answer(answer)


def test_estimates_are_near_the_truth_when_much_is_paid(tmp_path: Path) -> None:
    data = people(20_000)
    height = data["height"][~np.isnan(data["height"])]
    with Ledger.create(tmp_path / "l", epsilon=1000, domains=DOMAINS) as ledger:
        ask = Explorer(data, ledger)
        assert abs(ask.count(epsilon=10).value - 20_000) < 10
        assert abs(ask.missing("height", epsilon=10).value - 400) < 10
        quartiles = ask.quantiles("height", epsilon=30).values
        exact = np.quantile(height, (0.25, 0.5, 0.75))
        assert np.allclose([quartiles["Q1"], quartiles["Q2"], quartiles["Q3"]], exact, atol=0.5)
        ends = ask.range("height", epsilon=30).values
        assert np.allclose([ends["P1"], ends["P99"]], np.quantile(height, (0.01, 0.99)), atol=0.8)
        assert abs(ask.mean("height", epsilon=10).value - height.mean()) < 0.05
        low, high = fences(*np.quantile(height, (0.25, 0.75)))
        beyond = int(((height < low) | (height > high)).sum())
        given = ask.outliers("height", quartiles=(exact[0], exact[2]), epsilon=10)
        assert abs(given.value - beyond) < 10
        assert abs(ask.outliers("height", epsilon=20).value - beyond) < 25
        counts = ask.value_counts("work", epsilon=10).values
        assert abs(counts["(other)"] - (data["work"] == "x").sum()) < 10
        bars = ask.histogram("age", [30, 50], epsilon=10).values
        assert abs(bars["30–49"] - ((data["age"] >= 30) & (data["age"] < 50)).sum()) < 10
        assert abs(ask.cramers_v("sex", "work", epsilon=10).value - 1) < 0.05
        assert 0.4 < ask.spearman("age", "height", epsilon=10).value < 0.7


def _coverage(query: Query, source: PrivateTable, truths: dict[str, float], n: int) -> float:
    hits = 0
    for _ in range(n):
        answer = query.answer(query.release(source), paid=True)
        hits += sum(low <= truths[label] <= high for label, (low, high) in answer.intervals.items())
    return hits / n / len(truths)


@pytest.mark.parametrize(
    "payment", [Payment.of({"epsilon": 0.2}), Payment.of({"rho": 0.01})], ids=str
)
def test_intervals_cover_the_tables_own_figures(payment: Payment) -> None:
    data = people()
    source = PrivateTable(data, DOMAINS)
    height = data["height"][~np.isnan(data["height"])]
    n = 100
    room = 5.5 * np.sqrt(0.05 * 0.95 / n)
    work = {c: float((data["work"] == c).sum()) for c in ("private", "state", "none")}
    work |= {"(other)": float((data["work"] == "x").sum()), "(missing)": 0.0}
    exact = {
        "count": (count_query(payment), {"value": 2000.0}),
        "mean": (mean_query(DOMAINS, "height", payment), {"value": float(height.mean())}),
        "counts": (value_counts_query(DOMAINS, "work", payment), work),
    }
    for name, (query, truths) in exact.items():
        assert _coverage(query, source, truths, n) > 0.95 - room, name
    whole = [quantile_label(level) for level in (0.25, 0.5, 0.75)]
    truths = dict(
        zip(whole, np.quantile(height, (0.25, 0.5, 0.75), method="inverted_cdf"), strict=True)
    )
    query = quantiles_query(DOMAINS, "height", (0.25, 0.5, 0.75), payment)
    assert _coverage(query, source, truths, 15) >= 0.95  # by a bound that is far from tight


def test_the_interval_of_a_coarse_table_covers_the_coarse_figure() -> None:
    source, payment = PrivateTable(people(), DOMAINS), Payment.of({"epsilon": 0.5})
    for query in (
        spearman_query(DOMAINS, ("age", "height"), payment),
        cramers_v_query(DOMAINS, ("sex", "work"), payment),
    ):
        rich = Payment.of({"epsilon": 5000})
        make = spearman_query if query.function == "spearman" else cramers_v_query
        precise = make(DOMAINS, query.attributes, rich)  # type: ignore[arg-type]
        truth = precise.answer(precise.release(source), paid=True).value
        assert _coverage(query, source, {"value": truth}, 100) > 0.83


def test_quantiles_without_intervals_spend_all_on_the_estimates(pure: Ledger) -> None:
    explorer = Explorer(people(), pure)
    answer = explorer.quantiles("age", (0.5,), interval=False, epsilon=0.4)
    assert answer.cost.epsilon == 400_000_000
    assert answer.cost.events[0].epsilon == pytest.approx(0.4)
    assert not answer.intervals
    assert "rank" in answer.notes[0]


def test_quantiles_are_in_order(pure: Ledger) -> None:
    levels = (0.9, 0.1, 0.5, 0.4, 0.6)
    answer = Explorer(people(50), pure).quantiles("age", levels, epsilon=0.01)
    values = [answer.values[quantile_label(level)] for level in sorted(levels)]
    assert values == sorted(values)


def test_min_and_max_are_refused_and_the_range_says_why(pure: Ledger) -> None:
    explorer = Explorer(people(), pure)
    for level in (0, 1):
        with pytest.raises(ParameterError, match="P1 and P99 are given instead"):
            explorer.quantiles("age", (level,), epsilon=0.1)
    assert "cannot be told" in explorer.range("age", epsilon=0.1).notes[0]
    assert pure.spent == 100_000_000


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), "x", None, True])
@pytest.mark.parametrize("function", ASKED)
def test_what_is_no_payment_is_refused_and_costs_nothing(
    function: str, bad: Any, pure: Ledger
) -> None:
    explorer = Explorer(people(20), pure)
    with pytest.raises(ParameterError):
        getattr(explorer, function)(**ASKED[function], epsilon=bad)
    assert pure.spent == 0


def test_both_payments_and_too_small_ones_are_refused(pure: Ledger) -> None:
    explorer = Explorer(people(20), pure)
    with pytest.raises(ParameterError, match="Got both"):
        explorer.count(epsilon=1, rho=1)
    with pytest.raises(ParameterError, match="enough for 3 parts"):
        explorer.quantiles("age", epsilon="0.000000002")
    assert pure.spent == 0


def test_gaussian_noise_is_refused_by_a_pure_ledger(pure: Ledger) -> None:
    with pytest.raises(LedgerError):
        Explorer(people(20), pure).count(rho=0.1)
    assert pure.spent == 0


def test_over_budget_is_refused_and_the_rest_is_usable(pure: Ledger) -> None:
    explorer = Explorer(people(), pure)
    explorer.count(epsilon=9)
    with pytest.raises(BudgetError):
        explorer.mean("age", epsilon=2)
    explorer.mean("age", epsilon=1)
    assert pure.remaining == 0


@pytest.mark.parametrize(
    ("function", "asked", "match"),
    [
        ("missing", {"name": "wage"}, "'wage' must be a declared attribute"),
        ("value_counts", {"name": "age"}, "ask for a histogram"),
        ("histogram", {"name": "sex"}, "ask for value counts"),
        ("histogram", {"name": "age", "bins": 0}, "int >= 1"),
        ("histogram", {"name": "age", "bins": True}, "int >= 1"),
        ("mean", {"name": "sex"}, "must be numeric"),
        ("quantiles", {"name": "sex"}, "must be numeric"),
        ("quantiles", {"name": "age", "levels": ()}, "at least one level"),
        ("quantiles", {"name": "age", "levels": (0.5, 0.5)}, "each of them once"),
        ("outliers", {"name": "sex"}, "must be numeric"),
        ("outliers", {"name": "age", "quartiles": (1, np.nan)}, "two finite numbers"),
        ("spearman", {"first": "age", "second": "age"}, "two attributes"),
        ("spearman", {"first": "age", "second": "sex"}, "must be numeric"),
        ("cramers_v", {"first": "sex", "second": "age"}, "must have categories"),
    ],
)
def test_questions_that_make_no_sense_cost_nothing(
    function: str, asked: dict[str, Any], match: str, pure: Ledger
) -> None:
    with pytest.raises(ParameterError, match=match):
        getattr(Explorer(people(20), pure), function)(**asked, epsilon=0.1)
    assert pure.spent == 0


def test_domains_must_come_from_somewhere(tmp_path: Path) -> None:
    with Ledger.create(tmp_path / "l", epsilon=1) as ledger:
        with pytest.raises(ParameterError, match="Domains must be declared"):
            Explorer(people(20), ledger)
        with pytest.raises(ParameterError, match="Domains must be declared"):
            Explorer(read({"age": [1, 2]}), ledger)
        with pytest.raises(DataError, match="declared column 'age'"):
            Explorer({"sex": ["f"]}, ledger, DOMAINS)
        explorer = Explorer(people(20), ledger, {"age": (0, 99)})
        assert explorer.declared.names == ("age",)
        assert "20" not in repr(explorer)


def test_another_table_is_refused(pure: Ledger) -> None:
    Explorer(people(30), pure).count(epsilon=0.1)
    with pytest.raises(LedgerError):
        Explorer(people(31), pure).count(epsilon=0.1)
    assert pure.spent == 100_000_000


def test_generalized_data_are_explored_in_their_buckets(tmp_path: Path) -> None:
    age = numeric_partition("age", DOMAINS["age"], [30, 60])  # type: ignore[arg-type]
    with Ledger.create(tmp_path / "l", epsilon=100) as ledger:
        explorer = Explorer(people(), ledger, Generalization([age]))
        bars = explorer.histogram("age", 50, epsilon=10)
        assert list(bars.values) == ["0–29", "30–59", "60–99", "(missing)"]
        quartiles = explorer.quantiles("age", epsilon=10)
        assert set(quartiles.values.values()) <= {14.5, 44.5, 79.5}


def test_an_error_while_computing_says_nothing_about_the_data(
    pure: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = Explorer(people(20), pure)

    def fail(*_: Any) -> None:
        raise ValueError("the value of Ms Miller is 77")

    monkeypatch.setattr(explorer.source, "tables", fail)
    with pytest.raises(LedgerError) as caught:
        explorer.count(epsilon=0.1)
    assert "Miller" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert pure.spent == 100_000_000


def test_without_opendp_nothing_is_charged(pure: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise MissingExtraError("Noise needs opendp")

    monkeypatch.setattr(ledger_module, "require_opendp", absent)
    with pytest.raises(SparsamError, match="opendp"):
        Explorer(people(20), pure).count(epsilon=0.1)
    assert pure.spent == 0


def test_questions_that_the_ledger_keeps_hold_no_value_of_a_person(pure: Ledger) -> None:
    data = people(30)
    data["work"] = np.array(["a secret"] * 30, dtype=object)
    explorer = Explorer(data, pure)
    for function, asked in ASKED.items():
        getattr(explorer, function)(**asked, epsilon=0.1)
    assert "secret" not in json.dumps(pure.entries())


def test_no_method_takes_a_seed() -> None:
    for function in ASKED:
        names = set(inspect.signature(getattr(Explorer, function)).parameters)
        assert not names & {"seed", "random_state", "rng"}
