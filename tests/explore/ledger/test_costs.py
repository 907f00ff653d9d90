"""Costs: what noise is charged, alone, one after another and side by side."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.explore.ledger._amounts import NANO
from sparsam.explore.ledger._costs import (
    NOTHING,
    Cost,
    choice_cost,
    gaussian_cost,
    laplace_cost,
    sequential,
    subsampled_gaussian_rdp,
    training_cost,
)

EPSILONS = st.floats(1e-4, 20)
COSTS = st.one_of(
    EPSILONS.map(laplace_cost), EPSILONS.map(choice_cost), st.floats(1e-6, 2).map(gaussian_cost)
)


@given(EPSILONS)
def test_laplace(epsilon: float) -> None:
    cost = laplace_cost(epsilon)
    true = Fraction(str(epsilon))
    assert cost.epsilon is not None
    assert 0 <= Fraction(cost.epsilon, NANO) - true < Fraction(1, NANO)
    assert 0 <= Fraction(cost.rho, NANO) - true**2 / 2 < Fraction(1, NANO)
    assert 1 / Fraction(cost.events[0].scale) <= true
    assert cost.events[0].scale == pytest.approx(1 / epsilon, rel=1e-15)


def test_scales_of_round_amounts_are_round() -> None:
    for epsilon in (0.01, 0.1, 0.001, 0.5, 1, 2):
        assert laplace_cost(epsilon).events[0].scale == 1 / epsilon


@given(st.floats(1e-6, 10))
def test_gaussian(rho: float) -> None:
    cost = gaussian_cost(rho)
    assert cost.epsilon is None
    assert 0 <= Fraction(cost.rho, NANO) - Fraction(str(rho)) < Fraction(1, NANO)
    assert 1 / (2 * Fraction(cost.events[0].scale) ** 2) <= Fraction(str(rho))
    assert cost.events[0].scale == pytest.approx(math.sqrt(1 / (2 * rho)), rel=1e-14)


@given(EPSILONS)
def test_choice(epsilon: float) -> None:
    cost = choice_cost(epsilon)
    true = Fraction(str(epsilon))
    assert cost.epsilon == laplace_cost(epsilon).epsilon
    assert 0 <= Fraction(cost.rho, NANO) - true**2 / 8 < Fraction(1, NANO)
    assert 2 / Fraction(cost.events[0].scale) <= true
    assert Fraction(cost.events[0].epsilon) >= true


@given(EPSILONS)
def test_opendp_never_finds_more_than_is_charged(amount: float) -> None:
    measurements = pytest.importorskip("opendp.measurements")
    from opendp.domains import atom_domain, vector_domain
    from opendp.metrics import l1_distance, l2_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    whole = vector_domain(atom_domain(T="i64"))
    scale = laplace_cost(amount).events[0].scale
    assert measurements.make_laplace(whole, l1_distance(T="i64"), scale).map(1) <= amount
    scale = gaussian_cost(amount).events[0].scale
    assert measurements.make_gaussian(whole, l2_distance(T=float), scale).map(1.0) <= amount


def test_sequential_adds_up() -> None:
    total = sequential([laplace_cost(0.01)] * 102)
    assert total.epsilon == 1_020_000_000
    assert total.rho == 5_100_000
    assert [event.times for event in total.events] == [102]
    assert sequential([laplace_cost(0.1)] * 10).epsilon == NANO
    assert sequential([]) == NOTHING


@given(st.lists(COSTS, max_size=6), st.lists(COSTS, max_size=6))
def test_sequential_is_the_same_in_two_steps(first: list[Cost], second: list[Cost]) -> None:
    at_once = sequential(first + second)
    in_steps = sequential([sequential(first), sequential(second)])
    assert (at_once.epsilon, at_once.rho) == (in_steps.epsilon, in_steps.rho)
    assert set(at_once.events) == set(in_steps.events)
    pure = [cost.epsilon for cost in first + second]
    assert at_once.epsilon == (None if None in pure else sum(filter(None, pure)))


@given(COSTS)
def test_plain_data_and_back(cost: Cost) -> None:
    assert Cost.from_dict(json.loads(json.dumps(cost.to_dict()))) == cost


@pytest.mark.parametrize("priced", [laplace_cost, gaussian_cost, choice_cost])
@pytest.mark.parametrize("amount", [0, -1, math.nan, math.inf, "x", None])
def test_no_amount_no_cost(priced: object, amount: object) -> None:
    with pytest.raises(ParameterError, match="must be"):
        priced(amount)  # type: ignore[operator]


def test_an_epsilon_that_promises_nothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="at most 30,000"):
        laplace_cost(1e6)


def slow_divergence(sigma: float, rate: float, order: int) -> float:
    """The sum as it is written, in exact fractions but for the exponential."""
    q = Fraction(rate)
    total = sum(
        math.comb(order, i)
        * q**i
        * (1 - q) ** (order - i)
        * Fraction(math.exp((i * i - i) / (2 * sigma**2)))
        for i in range(order + 1)
    )
    return math.log1p(float(total - 1)) / (order - 1)


@pytest.mark.parametrize("sigma", [0.7, 1.2, 5.0, 40.0])
@pytest.mark.parametrize("rate", [1e-5, 0.01, 0.3, 0.999])
@pytest.mark.parametrize("order", [2, 3, 12, 25])
def test_divergence_of_training(sigma: float, rate: float, order: int) -> None:
    divergence = subsampled_gaussian_rdp(sigma, rate, order)
    assert divergence == pytest.approx(slow_divergence(sigma, rate, order), rel=1e-9)


def test_divergence_of_training_against_dp_accounting() -> None:
    rdp = pytest.importorskip("dp_accounting.rdp")
    import dp_accounting as dp

    for sigma, rate, order in [(1.2, 0.01, 12), (0.8, 0.004, 5), (2.0, 0.2, 32), (1.0, 0.01, 22)]:
        accountant = rdp.RdpAccountant([order])
        step = dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(sigma))
        accountant.compose(step, 1000)
        theirs = float(accountant._rdp[0])
        cost = training_cost(sigma, rate, 1000, order=order)
        assert cost.rho / NANO * order == pytest.approx(theirs, rel=1e-6)
        assert cost.rho / NANO * order >= theirs * (1 - 1e-9)


def test_training_without_sampling_is_the_gaussian() -> None:
    cost = training_cost(10.0, 1.0, 1, order=7)
    assert cost.epsilon is None
    assert cost.rho == pytest.approx(gaussian_cost(0.005).rho, abs=2)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"noise_multiplier": 0}, "noise_multiplier"),
        ({"noise_multiplier": math.nan}, "noise_multiplier"),
        ({"noise_multiplier": 1e-200}, "noise_multiplier"),
        ({"sample_rate": 0.0}, "sample_rate"),
        ({"sample_rate": 1.5}, "sample_rate"),
        ({"steps": 0}, "steps"),
        ({"steps": 1.5}, "steps"),
        ({"order": 1}, "order"),
        ({"order": True}, "order"),
    ],
)
def test_training_that_cannot_be(changed: dict[str, float], named: str) -> None:
    usual: dict[str, object] = {
        "noise_multiplier": 1.0,
        "sample_rate": 0.01,
        "steps": 10,
        "order": 8,
    }
    with pytest.raises(ParameterError, match=f"'{named}' .*must be"):
        training_cost(**(usual | changed))  # type: ignore[arg-type]


def test_training_with_next_to_no_noise_has_no_price() -> None:
    with pytest.raises(ParameterError, match="cost of training"):
        training_cost(0.001, 0.5, 10**6, order=100)


def test_training_of_two_orders_does_not_add_up() -> None:
    runs = [training_cost(1.0, 0.01, 10, order=order) for order in (8, 9)]
    with pytest.raises(ParameterError, match="one order"):
        sequential(runs)
    assert sequential([runs[0], laplace_cost(0.1)]).order == 8
