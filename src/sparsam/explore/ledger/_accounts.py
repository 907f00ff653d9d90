"""From what was spent to an epsilon: pure, zero-concentrated, Rényi, and the whole distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from types import ModuleType
from typing import Any

from sparsam._checks import check_whole
from sparsam._errors import MissingExtraError, ParameterError
from sparsam.explore.ledger._amounts import NANO, Amount, exact, nano_down, positive
from sparsam.explore.ledger._costs import MOST_ORDER, Cost, Event, subsampled_gaussian_rdp

_ORDERS = (*range(2, 65), *range(72, 257, 8), 384, 512, 1024)
# Where the last digits of a float would fall on the wrong side.
_SLACK = 1e-12
# Other machines may round the last bit of a logarithm otherwise.
_ROUNDING = 1e-9


def epsilon_from_rho(rho: Amount, delta: Amount, order: int | None = None) -> float:
    """Return what a rho of zero-concentrated differential privacy promises as (epsilon, delta).

    Canonne, Kamath and Steinke (2020): the least over all orders a > 1 of
    rho a + ln(1/(a delta))/(a - 1) + ln(1 - 1/a).

    Parameters
    ----------
    rho : number
        Zero or more.
    delta : number
        Between 0 and 1.
    order : int, optional
        Keep to this one order, as a ledger does that also pays for training.

    Returns
    -------
    float

    Examples
    --------
    >>> round(epsilon_from_rho(0.0051, 1e-6), 4)
    0.4345
    """
    amount, chance = exact(rho, "rho"), _delta(delta)
    if amount < 0:
        raise ParameterError(f"The 'rho' must be at least 0. Got {rho!r} instead.")
    if amount == 0:
        return 0.0
    known = float(amount)
    if order is not None:
        return max(0.0, known * order + _conversion(order, chance))
    return max(0.0, _least(lambda a: known * a + _conversion(a, chance))[1])


def renyi_epsilon(costs: Iterable[Cost], delta: Amount) -> float:
    """Return what questions and training come to together, at the best Rényi order.

    Parameters
    ----------
    costs : iterable of Cost
        Those of training may be priced at any orders; they are priced anew here.
    delta : number
        Between 0 and 1.

    Returns
    -------
    float

    Examples
    --------
    >>> from sparsam.explore.ledger._costs import laplace_cost, training_cost
    >>> run = training_cost(1.2, 0.01, 1000, order=8)
    >>> round(renyi_epsilon([laplace_cost(0.01)] * 102 + [run], 1e-6), 2)
    1.73
    """
    listed, chance = list(costs), _delta(delta)
    plain = sum(cost.rho for cost in listed if cost.order is None) / NANO
    runs = [event for cost in listed if cost.order is not None for event in cost.events]
    if any(event.noise != "dp-sgd" for event in runs):
        raise ParameterError("The costs must hold those of training one by one, not added up.")
    if not runs:
        return epsilon_from_rho(plain, chance)

    def at(order: int) -> float:
        divergence = plain * order
        for run in runs:
            step = subsampled_gaussian_rdp(run.noise_multiplier, run.sample_rate, order)
            divergence += step * run.steps * run.times
        return divergence + _conversion(order, chance)

    return max(0.0, min(map(at, _ORDERS)))


def binding_account(epsilon: Amount, delta: Amount, order: int | None = None) -> tuple[int, int]:
    """Return the Rényi order of an (epsilon, delta) ledger and its budget in billionths of rho.

    Whatever is asked, and however later questions depend on earlier answers: while the Rényi
    divergences at that one order add up to at most order × budget, the answers together are
    (epsilon, delta)-private (Feldman and Zrnic 2021).

    Parameters
    ----------
    epsilon : number
        Above zero.
    delta : number
        Between 0 and 1.
    order : int, optional
        Another order than the one that leaves the largest budget.

    Returns
    -------
    order : int
    budget : int
        Rounded down.

    Examples
    --------
    >>> binding_account(1, 1e-6)
    (22, 24355957)
    """
    goal, chance = float(positive(epsilon, "epsilon")), _delta(delta)

    def negative(order: float) -> float:
        return (_conversion(order, chance) - goal) / order

    if order is None:
        order = _whole_order(_least(negative)[0], negative)
    check_whole("a ledger", "order", order, 2, MOST_ORDER)
    rho = -negative(order) * (1 - _SLACK)
    if rho * NANO < 1:
        raise ParameterError(
            f"The epsilon must leave a budget at this delta and order. Got {epsilon!r}, {delta!r} "
            f"and {order} instead.\n\nHint: leave delta out, for a budget of pure epsilon."
        )
    return order, nano_down(rho)


def pld_epsilon(events: Iterable[Event], delta: Amount, *, discrete: bool = True) -> float:
    """Return what uses of noise come to, from the whole distribution of the privacy loss.

    The tightest account. It holds for uses of noise that were fixed beforehand, as those of a
    plan. A choice counts as the worst mechanism whose privacy loss has its range. Every rounding
    is upwards. Needs dp-accounting.

    Parameters
    ----------
    events : iterable of Event
    delta : number
        Between 0 and 1.
    discrete : bool, default=True
        Whether Laplace and Gaussian noise are the whole numbers that sparsam draws. False takes
        them as real numbers, as papers do.

    Returns
    -------
    float

    Examples
    --------
    >>> from sparsam.explore.ledger._costs import laplace_cost
    >>> round(pld_epsilon(laplace_cost(0.01).events * 102, 1e-6), 3)  # doctest: +SKIP
    0.396
    """
    chance = _delta(delta)
    listed = [event for event in events if event.times]
    if not listed:
        return 0.0
    _dp_accounting()
    interval = _interval(listed)
    whole = None
    for event in listed:
        loss = _distribution(event, interval, discrete)
        times = event.times * (event.steps if event.noise == "dp-sgd" else 1)
        many = loss.self_compose(times) if times > 1 else loss
        whole = many if whole is None else whole.compose(many)
    assert whole is not None
    return float(whole.get_epsilon_for_delta(chance))


def has_pld() -> bool:
    """Return whether dp-accounting is installed."""
    try:
        _dp_accounting()
    except MissingExtraError:
        return False
    return True


def _distribution(event: Event, interval: float, discrete: bool) -> Any:
    options = {"value_discretization_interval": interval, "use_connect_dots": True}
    module, _ = _dp_accounting()
    if event.noise == "laplace":
        if discrete:
            return module.from_discrete_laplace_mechanism(1 / event.scale, **options)
        return module.from_laplace_mechanism(event.scale, **options)
    if event.noise == "gaussian":
        if discrete:
            # More noise never costs more; a million cells of a bell curve are enough.
            return module.from_discrete_gaussian_mechanism(min(event.scale, 1e5), **options)
        return module.from_gaussian_mechanism(event.scale, **options)
    if event.noise == "dp-sgd":
        return module.from_gaussian_mechanism(
            event.noise_multiplier, sampling_prob=event.sample_rate, **options
        )
    return _bounded_range(event.epsilon, interval)


def _bounded_range(epsilon: float, interval: float) -> Any:
    """Return the worst privacy loss of a range of epsilon.

    Such a mechanism is, for some t in [0, epsilon], no worse than a coin whose sides have the log
    ratios t and t - epsilon (Dong, Durfee and Rogers 2020). The largest hockey-stick divergence
    at e over all t, at t = (epsilon + e)/2, is the closed form below; it is a divergence of some
    pair itself, which therefore dominates under composition (Zhu, Dong and Wang 2022).
    """
    import numpy as np

    most = math.ceil(epsilon / interval)
    at = np.arange(-most, most + 1) * interval
    inside = np.expm1((np.minimum(at, epsilon) - epsilon) / 2) ** 2 / -math.expm1(-epsilon)
    deltas = np.where(at < -epsilon, -np.expm1(at), inside)
    deltas = np.maximum.accumulate(deltas[::-1])[::-1]
    module, masses = _dp_accounting()
    mass = masses.create_pmf_pessimistic_connect_dots_fixed_gap(interval, -most, most, deltas)
    return module.PrivacyLossDistribution(mass)


def _interval(events: list[Event]) -> float:
    """Choose a grid of losses that is fine for the smallest and not too long for the largest."""
    fine, least = 1e-4, 1e-6
    for event in events:
        if event.noise == "dp-sgd":
            # A step is composed thousands of times: ten times fewer cells.
            least = max(least, 1e-5 * _span(1 / event.noise_multiplier))
        elif event.noise == "gaussian":
            fine = min(fine, 1 / event.scale / 4)
            least = max(least, 1e-6 * _span(1 / event.scale))
        else:
            loss = event.epsilon or 1 / event.scale
            fine, least = min(fine, loss / 4), max(least, 1e-6 * loss)
    return max(fine, least)


def _span(loss: float) -> float:
    """Return how far the losses of Gaussian noise reach, but for a chance of 1e-30."""
    return loss**2 / 2 + 12 * loss


def _dp_accounting() -> tuple[ModuleType, ModuleType]:
    try:
        from dp_accounting.pld import pld_pmf, privacy_loss_distribution
    except ImportError as error:
        raise MissingExtraError(
            "The account of the whole distribution needs dp-accounting, which is not installed."
            "\n\nHint: pip install 'sparsam[accounting]'"
        ) from error
    return privacy_loss_distribution, pld_pmf


def _conversion(order: float, delta: float) -> float:
    return -(math.log(order) + math.log(delta)) / (order - 1) + math.log1p(-1 / order)


def _least(function: Callable[[float], float]) -> tuple[float, float]:
    """Find the order above one where a function is least; any order gives a valid bound."""
    grid = [-12 + index * 0.25 for index in range(169)]

    def at(log: float) -> float:
        return function(1 + math.exp(log))

    best = min(grid, key=at)
    low, high = best - 0.25, best + 0.25
    golden = (math.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if at(left) < at(right):
            high = right
        else:
            low = left
    log = (low + high) / 2
    return 1 + math.exp(log), at(log)


def _whole_order(order: float, function: Callable[[float], float]) -> int:
    near = (math.floor(order), math.ceil(order))
    return min((max(2, min(MOST_ORDER, int(a))) for a in near), key=function)


def _delta(delta: Amount) -> float:
    chance = exact(delta, "delta")
    if not 0 < chance < 1:
        raise ParameterError(f"The 'delta' must lie between 0 and 1. Got {delta!r} instead.")
    return float(chance)


def budget_terms(epsilon: Amount, delta: Amount | None, order: int | None) -> dict[str, Any]:
    """Return the unit and the budget of a ledger, as its first entry holds them.

    Examples
    --------
    >>> budget_terms("0.5", None, None)["budget"]
    500000000
    """
    most = nano_down(epsilon, "epsilon")
    if most == 0:
        raise ParameterError(f"The 'epsilon' must be at least 1e-9. Got {epsilon!r} instead.")
    if delta is None:
        if order is not None:
            raise ParameterError("The 'order' must be left out where there is no delta.")
        return {"unit": "epsilon", "budget": most, "epsilon": most, "delta": None, "order": None}
    order, budget = binding_account(Fraction(most, NANO), delta, order)
    chance = float(exact(delta, "delta"))
    return {"unit": "rho", "budget": budget, "epsilon": most, "delta": chance, "order": order}


def terms_agree(
    unit: str, budget: int, epsilon: int, delta: float | None, order: int | None
) -> bool:
    """Return whether a budget is what its epsilon and delta allow.

    Whoever may write the file can write any budget into it; but not one beside an epsilon that
    promises less.

    Parameters
    ----------
    unit : str
    budget, epsilon : int
        In billionths.
    delta : float or None
    order : int or None

    Examples
    --------
    >>> terms_agree("epsilon", 10**9, 10**9, None, None)
    True
    >>> terms_agree("rho", 1000 * 10**9, 10**9, 1e-6, 22)
    False
    """
    if delta is not None and order is None:
        return False
    try:
        terms = budget_terms(Fraction(epsilon, NANO), delta, order)
    except ParameterError:
        return False
    near = abs(budget - terms["budget"]) <= max(1, _ROUNDING * terms["budget"])
    return unit == terms["unit"] and near and budget > 0
