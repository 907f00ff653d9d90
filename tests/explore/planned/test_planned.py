from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sparsam.explore import declared, plan
from sparsam.explore._bins import Bins
from sparsam.explore._source import Source
from sparsam.explore.ledger._costs import Cost, choice_cost
from sparsam.explore.planned._cells import narrow_cells, pair_cells, wide_cells, without_empty
from sparsam.explore.planned._consistency import Margin
from sparsam.explore.planned._octiles import Octiles, choose_octiles, grid_bins
from sparsam.explore.planned._planned import Released, run_planned
from sparsam.explore.planned._table_answers import table_answers
from sparsam.explore.planned._table_statistics import quantile

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")

DOMAINS = declared(
    {
        "age": (0, 120, "integer"),
        "gain": (0, 99_999, "integer"),
        "score": (-10.0, 10.0),
        "sex": ["f", "m"],
        "work": ["a", "b", "c", "d"],
    }
)


def people(n: int, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n).astype(float)
    sex = rng.choice(["f", "m"], n)
    score = rng.normal(0, 1, n) + (age - 45) / 20
    age[rng.random(n) < 0.1] = np.nan
    gain = np.where(rng.random(n) < 0.9, 0, rng.integers(1_000, 20_000, n))
    work = np.where(rng.random(n) < 0.6, np.where(sex == "f", "a", "b"), rng.choice(list("cd"), n))
    return {"age": age, "gain": gain, "score": score, "sex": sex, "work": work}


def run(
    data: dict[str, Any], epsilon: float, delta: float | None
) -> tuple[Released, list[tuple[dict[str, Any], Cost]]]:
    asked: list[tuple[dict[str, Any], Cost]] = []

    def ask(question: dict[str, Any], cost: Cost, compute: Callable[[], Any]) -> Any:
        asked.append((json.loads(json.dumps(question)), cost))
        return json.loads(json.dumps(compute()))

    made = plan(DOMAINS, epsilon=epsilon, delta=delta)
    released = run_planned(Source(data, DOMAINS), made, ask)
    assert sum(cost.rho for _, cost in asked) <= made.cost.rho
    return released, asked


@pytest.mark.parametrize("delta", [None, 1e-6])
def test_a_large_budget_gives_the_true_figures(delta: float | None) -> None:
    data = people(4_000)
    released, asked = run(data, 2_000.0, delta)
    assert [question["stage"] for question, _ in asked] == [1, 2]
    noise = "laplace" if delta is None else "gaussian"
    found = {(a.function, *a.attributes): a for a in table_answers(released, DOMAINS, noise)}
    assert found["count",].value == pytest.approx(4_000, abs=2)
    assert found["missing", "age"].value == pytest.approx(np.isnan(data["age"]).sum(), abs=2)
    quartiles = np.nanquantile(data["age"], [0.25, 0.5, 0.75])
    assert list(found["quantiles", "age"].values.values()) == quartiles.tolist()
    assert found["outliers", "gain"].value == pytest.approx((data["gain"] > 0).sum(), abs=2)
    for label, counted in found["value_counts", "work"].values.items():
        assert counted == pytest.approx((data["work"] == label).sum(), abs=2)
    from scipy.stats import spearmanr

    both = ~np.isnan(data["age"])
    true = spearmanr(data["age"][both], data["score"][both]).statistic
    assert found["spearman", "age", "score"].value == pytest.approx(true, abs=0.02)
    assert found["cramers_v", "sex", "work"].value == pytest.approx(
        _v(data["sex"], data["work"]), abs=0.01
    )


def _v(one: Any, two: Any) -> float:
    table = np.array([[((one == a) & (two == b)).sum() for b in "abcd"] for a in "fm"], dtype=float)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(np.sqrt(((table - expected) ** 2 / expected).sum() / table.sum()))


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    data = people(4_000)
    held = []
    truth = {label: (data["work"] == label).sum() for label in "abcd"}
    for _ in range(15):
        released, _ = run(data, 1.0, 1e-6)
        answers = table_answers(released, DOMAINS, "gaussian")
        counted = next(
            a for a in answers if a.function == "value_counts" and "work" in a.attributes
        )
        for label, true in truth.items():
            low, high = counted.intervals[label]
            held.append(low <= true <= high)
    assert 0.88 <= np.mean(held) <= 1.0


@pytest.mark.parametrize("n", [0, 1, 3])
def test_tables_of_almost_nobody_get_defined_answers(n: int) -> None:
    data = {name: np.asarray(column)[:n] for name, column in people(5).items()}
    released, _ = run(data, 1.0, None)
    for answer in table_answers(released, DOMAINS, "laplace"):
        for label, value in answer.values.items():
            assert np.isfinite(value)
            low, high = answer.intervals[label]
            assert low <= high


def test_a_column_of_missing_values_is_answered() -> None:
    data = people(500)
    data["age"] = np.full(500, np.nan)
    data["work"] = [None] * 500
    released, _ = run(data, 50.0, None)
    answers = {(a.function, *a.attributes): a for a in table_answers(released, DOMAINS, "laplace")}
    assert answers["missing", "age"].value == pytest.approx(500, abs=20)
    assert answers["missing", "work"].value == pytest.approx(500, abs=20)


def test_a_row_more_moves_each_table_by_one_before_noise(monkeypatch: Any) -> None:
    seen: list[np.ndarray] = []

    def tables(self: Source, bins: Any, cells: Any) -> Any:
        found = original(self, bins, cells)
        seen.extend(found[name] for name in cells)
        return found

    original = Source.tables
    monkeypatch.setattr(Source, "tables", tables)
    monkeypatch.setattr(
        "sparsam.explore.planned._planned.noisy_counts", lambda counts, cost: counts
    )
    monkeypatch.setattr(
        "sparsam.explore.planned._octiles.noisy_choice",
        lambda scores, cost, sensitivity: min(len(scores) - 1, 100),
    )
    data = people(300)
    one_less = {name: np.asarray(column)[:-1] for name, column in data.items()}
    # stage one alone: the cells of stage two depend on its answers
    for table in (data, one_less):
        run(table, 1.0, None)
    half = len(seen) // 2
    first = [i for i in range(half) if seen[i].ndim == 1 and seen[i].shape == seen[half + i].shape]
    assert len(first) >= 5
    for place in first:
        difference = np.abs(seen[place] - seen[half + place])
        assert difference.sum() == 1


def test_octiles_find_where_people_are() -> None:
    made = declared({"x": (0, 10_000, "integer")})
    grid = grid_bins(made, "x")
    values = np.random.default_rng(1).normal(500, 40, 20_000).round()
    counts = np.histogram(values, bins=np.array(grid.edges))[0]
    chosen = Octiles(grid, tuple(choose_octiles(counts, choice_cost(5.0))))
    for eighth in range(1, 8):
        true = np.quantile(values, eighth / 8)
        assert chosen.edge(eighth) == pytest.approx(true, abs=2 * 10_000 / 4_096)
    first, third = chosen.quartiles
    assert third - first == pytest.approx(54, abs=6)


def test_octiles_see_past_a_number_that_most_people_have() -> None:
    made = declared({"gain": (0, 99_999, "integer")})
    grid = grid_bins(made, "gain")
    values = np.concatenate([np.zeros(9_000), np.full(500, 5_000), np.full(500, 9_000)])
    counts = np.histogram(values, bins=np.array(grid.edges))[0]
    chosen = Octiles(grid, tuple(choose_octiles(counts, choice_cost(5.0))))
    assert chosen.quartiles == (0.0, 0.0)
    assert chosen.repeated[:2] == (0.0, 1.0)
    assert any(4_900 < grid.edges[cell] < 9_100 for cell in chosen.chosen if cell > 1)
    cells = wide_cells(made, chosen, 5)
    assert cells.coarse.edges[:2] == (0.0, 1.0)  # what is not zero is an outlier: whole cells


@pytest.mark.parametrize("counts", [[0, 0, 0, 0], [9, 0, 0, 0], [0, 0, 0, 9], [1, 0, 0, 0]])
def test_octiles_of_strange_counts_are_defined(counts: list[int]) -> None:
    chosen = choose_octiles(np.array(counts, dtype=np.int64), choice_cost(1.0))
    assert len(chosen) == 7
    assert all(-1 <= cell < 4 for cell in chosen)


def _looked_at(values: np.ndarray, sd: float, seed: int = 3) -> tuple[Margin, Octiles]:
    """Choose the cells of real numbers, and count them with seeded noise."""
    made = declared({"x": (0.0, 100.0)})
    grid = grid_bins(made, "x")
    counts = np.histogram(values, bins=np.array(grid.edges))[0]
    octiles = Octiles(grid, tuple(choose_octiles(counts, choice_cost(5.0))))
    coarse = wide_cells(made, octiles, 5).coarse
    exact = np.append(np.histogram(values, bins=np.array(coarse.edges))[0], 0).astype(float)
    noisy = exact + np.random.default_rng(seed).normal(scale=sd, size=coarse.size)
    return Margin(coarse, noisy, np.eye(coarse.size) * sd**2), octiles


def test_a_median_of_rounded_numbers_is_the_number_that_many_have() -> None:
    values = np.random.default_rng(4).normal(50, 8, 20_000).round() + 0.3
    margin, octiles = _looked_at(values, sd=20.0)
    clean = without_empty(margin, octiles)
    found = quantile(clean, 0.5, 1.96)
    assert found.value == pytest.approx(np.median(values), abs=100 / 4096)
    assert found.high - found.low <= 100 / 4096 + 1e-9
    for level in (0.25, 0.75):
        found = quantile(clean, level, 1.96)
        assert found.low <= np.quantile(values, level) <= found.high


def test_narrow_cells_that_nobody_shares_are_joined() -> None:
    values = np.random.default_rng(5).normal(50, 8, 20_000)
    margin, octiles = _looked_at(values, sd=20.0)
    joined = without_empty(margin, octiles)
    assert joined.bins.n_cells < margin.bins.n_cells
    assert np.diff(joined.bins.edges).min() > 100 / 4096 * 1.01
    assert joined.real.sum() == pytest.approx(margin.real.sum())
    for level in (0.25, 0.5, 0.75):
        found = quantile(joined, level, 1.96)
        assert found.value == pytest.approx(np.quantile(values, level), abs=0.1)


def test_the_end_of_the_range_stays() -> None:
    made = declared({"x": (0.0, 100.0)})
    grid = grid_bins(made, "x")
    octiles = Octiles(grid, (grid.n_cells - 1, 5, -1, 2, 9, -1, -1))
    coarse = wide_cells(made, octiles, 5).coarse
    margin = Margin(coarse, np.zeros(coarse.size), np.eye(coarse.size))
    assert without_empty(margin, octiles).bins.edges[-1] == 100.0


@pytest.mark.parametrize("seed", range(8))
def test_cells_of_pairs_are_never_cut_by_what_is_joined(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.round(rng.gamma(1 + seed, 2.0, 3_000), seed % 3)
    margin, octiles = _looked_at(values[values < 100], sd=10.0, seed=seed)
    paired = wide_cells(declared({"x": (0.0, 100.0)}), octiles, 8).paired
    assert set(paired.edges) <= set(without_empty(margin, octiles).bins.edges)


def test_fences_are_edges_of_counted_numbers() -> None:
    bins = Bins("x", "numeric", edges=tuple(range(102)), integer=True)
    counts = np.append(np.exp(-0.5 * ((np.arange(101) - 50) / 8) ** 2) * 1_000, 0.0)
    cells = narrow_cells(Margin(bins, counts, np.eye(102)), 5)
    # quartiles 45 and 55: outliers lie below 30 and above 70
    assert {30.0, 71.0} <= set(cells.coarse.edges)
    assert set(cells.paired.edges) <= set(cells.coarse.edges) <= set(cells.finest.edges)
    assert cells.paired.n_cells == 5


def test_less_noise_buys_more_cells() -> None:
    assert [pair_cells(sd, 50_000) for sd in (1, 40, 2_000)] == [8, 6, 3]
