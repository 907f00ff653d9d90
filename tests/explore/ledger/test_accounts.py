"""Accounts: from what was spent to an epsilon."""

from __future__ import annotations

import math
import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import MissingExtraError, ParameterError
from sparsam.explore.ledger._accounts import (
    binding_account,
    epsilon_from_rho,
    has_pld,
    pld_epsilon,
    renyi_epsilon,
)
from sparsam.explore.ledger._amounts import NANO
from sparsam.explore.ledger._costs import (
    Cost,
    Event,
    choice_cost,
    gaussian_cost,
    laplace_cost,
    sequential,
    training_cost,
)

EDA = [laplace_cost(0.01)] * 102
# A run of DP-SGD that alone costs about 1.52.
RUN = Event(noise="dp-sgd", noise_multiplier=1.2, sample_rate=0.01, steps=1028)


def slow_epsilon(rho: float, delta: float) -> float:
    """The conversion on a fine grid of orders."""
    orders = (1 + 10 ** (k / 200) for k in range(-600, 1400))
    return min(rho * a + math.log(1 / (a * delta)) / (a - 1) + math.log(1 - 1 / a) for a in orders)


def test_the_analysis_of_the_paper() -> None:
    assert sequential(EDA).epsilon == 1_020_000_000
    rho = sequential(EDA).rho / NANO
    assert rho == 0.0051
    assert round(epsilon_from_rho(rho, 1e-6), 4) == 0.4345


def test_the_analysis_of_the_paper_from_the_whole_distribution() -> None:
    pytest.importorskip("dp_accounting")
    events = sequential(EDA).events
    # With the continuous noise that the paper means, and with the whole numbers that are drawn.
    assert pld_epsilon(events, 1e-6, discrete=False) == pytest.approx(0.3953, abs=5e-5)
    assert pld_epsilon(events, 1e-6) == pytest.approx(0.3960, abs=5e-5)


def test_discrete_laplace_is_a_coin() -> None:
    """The losses of discrete Laplace noise are plus or minus epsilon, so that sums are exact."""
    pytest.importorskip("dp_accounting")
    n, epsilon = 102, 0.01
    heads = math.exp(epsilon) / (1 + math.exp(epsilon))

    def delta(at: float) -> float:
        return sum(
            math.comb(n, k)
            * heads**k
            * (1 - heads) ** (n - k)
            * max(0.0, -math.expm1(at - (2 * k - n) * epsilon))
            for k in range(n + 1)
        )

    epsilon_spent = pld_epsilon(sequential(EDA).events, 1e-6)
    assert delta(epsilon_spent) <= 1e-6 * (1 + 1e-6)
    assert delta(epsilon_spent - 1e-5) > 1e-6


def test_exploring_and_training_share_an_account() -> None:
    pytest.importorskip("dp_accounting")
    alone, together = pld_epsilon([RUN], 1e-6), pld_epsilon([*sequential(EDA).events, RUN], 1e-6)
    assert alone == pytest.approx(1.52, abs=0.005)
    assert together == pytest.approx(1.58, abs=0.005)
    assert together < alone + 1.02 - 0.9
    run = training_cost(RUN.noise_multiplier, RUN.sample_rate, RUN.steps, order=9)
    assert together < renyi_epsilon([*EDA, run], 1e-6) < 1.8


@given(st.floats(1e-7, 20), st.floats(1e-12, 0.1))
def test_conversion_against_a_grid(rho: float, delta: float) -> None:
    assert epsilon_from_rho(rho, delta) <= max(0.0, slow_epsilon(rho, delta)) + 1e-9


@given(st.floats(0.01, 30), st.floats(1e-10, 0.01))
def test_binding_account_keeps_its_promise_at_its_order(epsilon: float, delta: float) -> None:
    order, budget = binding_account(epsilon, delta)
    rho = budget / NANO
    assert epsilon_from_rho(rho, delta, order) <= epsilon
    slow = max(
        (epsilon - math.log(1 / (a * delta)) / (a - 1) - math.log(1 - 1 / a)) / a
        for a in range(2, 3 * order + 10)
    )
    assert rho == pytest.approx(slow, abs=2e-9)


def test_orders() -> None:
    assert binding_account(2, 1e-6)[0] == 12
    with pytest.raises(ParameterError, match="an int from 2"):
        binding_account(1, 1e-6, 1)
    with pytest.raises(ParameterError, match="leave a budget"):
        binding_account(0.1, 1e-6, 2)


def random_charges(rng: random.Random, order: int, budget: int) -> list[Cost]:
    """What a ledger of that budget would have granted of a random sequence of questions."""
    granted: list[Cost] = []
    left = budget
    for _ in range(30):
        size = rng.uniform(0.05, 0.6) * budget / NANO
        kind = rng.choice(["laplace", "gaussian", "training"])
        if kind == "laplace":
            cost = laplace_cost(math.sqrt(2 * size))
        elif kind == "gaussian":
            cost = gaussian_cost(size)
        else:
            cost = training_cost(rng.uniform(3, 6), 0.01, rng.randint(10, 200), order=order)
        if cost.rho <= left:
            granted.append(cost)
            left -= cost.rho
    return granted


@pytest.mark.parametrize("seed", range(6))
def test_what_a_ledger_grants_keeps_epsilon_and_delta(seed: int) -> None:
    pytest.importorskip("dp_accounting")
    rng = random.Random(seed)
    epsilon, delta = rng.choice([(0.5, 1e-6), (2.0, 1e-5), (4.0, 1e-8)])
    order, budget = binding_account(epsilon, delta)
    granted = random_charges(rng, order, budget)
    assert sum(cost.rho for cost in granted) > 0.8 * budget
    # A tighter account than the binding one finds less, but not so much less that any sum would.
    assert epsilon / 2 < pld_epsilon(sequential(granted).events, delta) <= epsilon


def test_a_choice_is_dominated_by_its_range() -> None:
    pytest.importorskip("dp_accounting")
    from sparsam.explore.ledger._accounts import _bounded_range

    epsilon = 0.8
    worst = _bounded_range(epsilon, 1e-4)
    for t in (0.0, 0.2, 0.4, 0.7, 0.8):
        # A coin whose sides have the log ratios t and t - epsilon.
        first = (math.exp(epsilon) - math.exp(t)) / math.expm1(epsilon)
        for at in (-0.7, -0.1, 0.0, 0.13, 0.5, 0.79):
            coin = first * max(0.0, -math.expm1(at - t))
            coin += (1 - first) * max(0.0, -math.expm1(at - (t - epsilon)))
            assert coin <= worst.get_delta_for_epsilon(at) + 1e-12
    choice = choice_cost(epsilon).events
    assert pld_epsilon(choice, 1e-9) == pytest.approx(epsilon, abs=1e-3)
    assert pld_epsilon(choice * 20, 1e-6) < pld_epsilon(laplace_cost(epsilon).events * 20, 1e-6)


def test_what_costs_nothing_promises_all() -> None:
    assert epsilon_from_rho(0, 1e-6) == 0
    assert pld_epsilon([], 1e-6) == 0
    assert renyi_epsilon([], 1e-6) == 0
    assert sequential([laplace_cost(1), gaussian_cost(1)]).epsilon is None


@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5, math.nan, math.inf, "x", None])
def test_delta_lies_between_0_and_1(delta: float) -> None:
    for convert in (epsilon_from_rho, binding_account):
        with pytest.raises(ParameterError, match="'delta' must"):
            convert(0.1, delta)
    with pytest.raises(ParameterError, match="'delta' must"):
        pld_epsilon([], delta)


@pytest.mark.parametrize("amount", [-1, math.nan, math.inf])
def test_amounts_are_checked(amount: float) -> None:
    with pytest.raises(ParameterError, match="'rho' must"):
        epsilon_from_rho(amount, 1e-6)
    with pytest.raises(ParameterError, match="'epsilon' must"):
        binding_account(amount, 1e-6)


def test_training_is_priced_one_by_one() -> None:
    run = training_cost(1.2, 0.01, 10, order=9)
    with pytest.raises(ParameterError, match="one by one"):
        renyi_epsilon([sequential([run, laplace_cost(1)])], 1e-6)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    assert not has_pld()
    with pytest.raises(MissingExtraError, match=r"sparsam\[accounting\]"):
        pld_epsilon(laplace_cost(1).events, 1e-6)
