"""What an answer costs, exactly, under each account."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal, Self

import msgspec

from sparsam._checks import check_whole, wrong_parameter
from sparsam._errors import ParameterError
from sparsam.explore.ledger._amounts import NANO, Amount, float_up, nano_text, nano_up, positive

Noise = Literal["laplace", "gaussian", "exponential", "dp-sgd"]
# opendp rounds every step of its own map up; this keeps the map below the charge all the same.
_ROOM = Fraction(1, 2**50)
# What the float sum of the Rényi divergence may be off, generously.
_SLACK = 1 + 1e-9
_MOST_STEPS = 10**9
MOST_ORDER = 10**6
_MOST_UNITS = 10**9
_QUICK_ORDER = 10_000


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One use of noise, as an accountant needs to know it.

    Attributes
    ----------
    noise : {'laplace', 'gaussian', 'exponential', 'dp-sgd'}
    scale : float
        Of the noise, for a sensitivity of one: of discrete Laplace noise, sigma of discrete
        Gaussian noise, or of the Gumbel noise of a choice.
    times : int, default=1
        How often it was used, each time with fresh noise.
    epsilon : float, default=0
        Of an exponential choice: its epsilon.
    noise_multiplier, sample_rate : float, default=0
        Of DP-SGD.
    steps : int, default=0
        Of DP-SGD.
    """

    noise: Noise
    scale: float = 0.0
    times: int = 1
    epsilon: float = 0.0
    noise_multiplier: float = 0.0
    sample_rate: float = 0.0
    steps: int = 0


class Cost(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an answer costs, in billionths.

    Attributes
    ----------
    epsilon : int or None
        Under pure differential privacy, in billionths of epsilon; None where the noise has no
        pure guarantee, as Gaussian noise has none.
    rho : int
        Under zero-concentrated differential privacy, in billionths of rho. A cost of training is
        the Rényi divergence at `order`, by the order: the same unit, at this order only.
    events : tuple of Event
        What the noise was, for accounts that need the whole distribution.
    order : int or None, default=None
        The only Rényi order at which `rho` holds; None where it holds at every order.

    Examples
    --------
    >>> from sparsam.explore import laplace_cost
    >>> cost = laplace_cost(0.01)
    >>> cost.epsilon, cost.rho
    (10000000, 50000)
    >>> print(cost)
    epsilon 0.01, rho 0.00005
    """

    epsilon: int | None
    rho: int
    events: tuple[Event, ...] = ()
    order: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        return dict(msgspec.to_builtins(self))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what `to_dict` gave."""
        return msgspec.convert(data, cls)

    def __str__(self) -> str:
        pure = "" if self.epsilon is None else f"epsilon {nano_text(self.epsilon)}, "
        at = "" if self.order is None else f" at order {self.order}"
        return f"{pure}rho {nano_text(self.rho)}{at}"


NOTHING = Cost(epsilon=0, rho=0)


def laplace_cost(epsilon: Amount) -> Cost:
    """Price discrete Laplace noise of scale 1/epsilon on counts of sensitivity one.

    Its rho is epsilon²/2 (Bun and Steinke 2016).

    Parameters
    ----------
    epsilon : int, float, str, Decimal or Fraction
        Above zero, and at most 30,000.

    Returns
    -------
    Cost

    Examples
    --------
    >>> cost = laplace_cost(0.01)
    >>> cost.epsilon, cost.rho, cost.events[0].scale
    (10000000, 50000, 100.0)
    """
    amount = _epsilon(epsilon)
    event = Event(noise="laplace", scale=float_up(1 / _both(amount)))
    return Cost(epsilon=nano_up(amount), rho=nano_up(amount**2 / 2), events=(event,))


def gaussian_cost(rho: Amount) -> Cost:
    """Price discrete Gaussian noise of sigma² = 1/(2 rho) on counts of sensitivity one.

    Canonne, Kamath and Steinke (2020). It has no pure epsilon.

    Parameters
    ----------
    rho : int, float, str, Decimal or Fraction
        Above zero.

    Returns
    -------
    Cost

    Examples
    --------
    >>> cost = gaussian_cost(0.005)
    >>> cost.epsilon, cost.rho, round(cost.events[0].scale, 9)
    (None, 5000000, 10.0)
    """
    amount = positive(rho, "rho")
    event = Event(noise="gaussian", scale=_root_up(1 / (2 * _both(amount)) * (1 + _ROOM) ** 2))
    return Cost(epsilon=None, rho=nano_up(amount), events=(event,))


def choice_cost(epsilon: Amount) -> Cost:
    """Price the choice of the best of several scores of sensitivity one.

    The exponential mechanism, which is the largest score with Gumbel noise of scale 2/epsilon.
    Its privacy loss has a range of epsilon only, so that its rho is epsilon²/8 (Cesar and Rogers
    2021). Other noise, as that of permute-and-flip, does not have that range. For epsilon see
    `laplace_cost`.

    Examples
    --------
    >>> cost = choice_cost(0.04)
    >>> cost.epsilon, cost.rho, cost.events[0].scale
    (40000000, 200000, 50.0)
    """
    amount = _epsilon(epsilon)
    event = Event(noise="exponential", scale=float_up(2 / _both(amount)), epsilon=float_up(amount))
    return Cost(epsilon=nano_up(amount), rho=nano_up(amount**2 / 8), events=(event,))


def training_cost(noise_multiplier: float, sample_rate: float, steps: int, *, order: int) -> Cost:
    """Price a run of DP-SGD (Poisson sampling, as opacus does it) at one Rényi order.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise by the norm to which gradients are clipped.
    sample_rate : float
        The chance of a row to take part in a step: the batch size by the number of rows.
    steps : int
        In all epochs together.
    order : int
        The order of the ledger that pays.

    Returns
    -------
    Cost
        `rho` is the Rényi divergence by the order, which adds up with the rho of queries.

    Examples
    --------
    >>> print(training_cost(1.0, 0.01, 1000, order=8))
    rho 0.111705489 at order 8
    """
    multiplier, rate = (
        positive(noise_multiplier, "noise_multiplier"),
        positive(sample_rate, "sample_rate"),
    )
    if not Fraction(1, 1000) <= multiplier <= 1_000_000:
        expected = "from 0.001 to 1,000,000"
        raise wrong_parameter("training_cost", "noise_multiplier", expected, noise_multiplier)
    if not Fraction(1, 10**9) <= rate <= 1:
        raise wrong_parameter("training_cost", "sample_rate", "from 1e-9 to 1", sample_rate)
    check_whole("training_cost", "steps", steps, 1, _MOST_STEPS)
    check_whole("training_cost", "order", order, 2, MOST_ORDER)
    divergence = subsampled_gaussian_rdp(float(multiplier), float(rate), order)
    event = Event(
        noise="dp-sgd", noise_multiplier=float(multiplier), sample_rate=float(rate), steps=steps
    )
    rho = nano_up(divergence * steps / order * _SLACK, "cost of training")
    return Cost(epsilon=None, rho=rho, events=(event,), order=order)


def fits_its_noise(cost: Cost) -> bool:
    """Return whether a cost is at least that of each use of noise that it lists.

    For costs that come from a file. Several uses may cost less than their sum, where they were of
    different rows; none may cost more than is charged.

    Examples
    --------
    >>> fits_its_noise(laplace_cost(0.1))
    True
    >>> fits_its_noise(Cost(epsilon=1, rho=1, events=laplace_cost(0.1).events))
    False
    """
    amounts = [cost.rho] if cost.epsilon is None else [cost.rho, cost.epsilon]
    if not cost.events or min(amounts) < 0 or max(amounts) > NANO * _MOST_UNITS:
        return False
    return all(_paid(event, cost) for event in cost.events)


def _paid(event: Event, cost: Cost) -> bool:
    if not 1 <= event.times <= _MOST_STEPS:
        return False
    if event.noise == "dp-sgd":
        return cost.epsilon is None and cost.order is not None and _paid_training(event, cost)
    if not 0 < event.scale < math.inf:
        return False
    factor = 2.0 if event.noise == "exponential" else 1.0
    epsilon = factor / event.scale
    share = {"laplace": 2, "gaussian": 2, "exponential": 8}[event.noise]
    # Divided twice: the square of a very small scale is no number.
    enough = cost.rho + 1 >= epsilon / share * epsilon * NANO / _SLACK
    if event.noise == "gaussian":
        return enough and cost.epsilon is None
    return enough and (cost.epsilon is None or cost.epsilon + 1 >= epsilon * NANO / _SLACK)


def _paid_training(event: Event, cost: Cost) -> bool:
    if cost.order is None or not 2 <= cost.order <= MOST_ORDER:
        return False
    try:
        # At a high order this takes seconds; the price at a lower one is never more.
        least = training_cost(
            event.noise_multiplier,
            event.sample_rate,
            event.steps,
            order=min(cost.order, _QUICK_ORDER),
        )
    except ParameterError:
        return False
    scaled = least.rho if cost.order <= _QUICK_ORDER else 0
    return cost.rho + 1 + cost.rho * 1e-9 >= scaled


def sequential(costs: Iterable[Cost]) -> Cost:
    """Add costs up: several answers from the same rows.

    Parameters
    ----------
    costs : iterable of Cost

    Returns
    -------
    Cost
        Nothing, for no costs.

    Examples
    --------
    >>> sequential([laplace_cost(0.1)] * 10).epsilon == laplace_cost(1).epsilon
    True
    >>> sequential([laplace_cost(0.1)] * 10).events[0].times
    10
    """
    listed = list(costs)
    return Cost(
        epsilon=_pure(listed, sum),
        rho=sum(cost.rho for cost in listed),
        events=_gathered(event for cost in listed for event in cost.events),
        order=_order(listed),
    )


def _gathered(events: Iterable[Event]) -> tuple[Event, ...]:
    """Count equal events instead of listing them."""
    counts: dict[Event, int] = {}
    for event in events:
        single = msgspec.structs.replace(event, times=1)
        counts[single] = counts.get(single, 0) + event.times
    return tuple(msgspec.structs.replace(single, times=times) for single, times in counts.items())


def _pure(costs: list[Cost], join: Any) -> int | None:
    amounts = [cost.epsilon for cost in costs]
    return None if None in amounts else int(join(amounts))


def _order(costs: list[Cost]) -> int | None:
    orders = {cost.order for cost in costs if cost.order is not None}
    if len(orders) > 1:
        raise ParameterError(
            "Costs of training must be priced at one order to be added up. "
            f"Got the orders {sorted(orders)} instead."
        )
    return orders.pop() if orders else None


def _epsilon(epsilon: Amount) -> Fraction:
    amount = positive(epsilon, "epsilon")
    if amount > 30_000:
        raise ParameterError(f"The 'epsilon' must be at most 30,000. Got {epsilon!r} instead.")
    return amount


def _both(amount: Fraction) -> Fraction:
    """Return the lesser of a number and its float: noise made for it keeps to either."""
    return min(amount, Fraction(float(amount)) or amount)


def _root_up(square: Fraction) -> float:
    root = float_up(Fraction(math.isqrt(math.ceil(square * NANO**6)) + 1, NANO**3))
    return math.nextafter(root, math.inf)


def subsampled_gaussian_rdp(noise_multiplier: float, sample_rate: float, order: int) -> float:
    """Bound the Rényi divergence that one more row makes in one step of DP-SGD.

    The closed sum for whole orders of Mironov, Talwar and Zhang (2019), section 3.3. Each row
    takes part with the given chance, independently of the others (Poisson sampling). The sum is
    taken of what exceeds one, so that small sampling rates lose no digits.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise by the norm to which gradients are clipped.
    sample_rate : float
        The chance of a row to take part in the step, in (0, 1].
    order : int
        At least 2.

    Returns
    -------
    float

    Examples
    --------
    >>> subsampled_gaussian_rdp(2.0, 1.0, 8)  # no sampling: order / (2 sigma^2)
    1.0
    >>> round(subsampled_gaussian_rdp(1.0, 0.01, 8), 7)
    0.0008936
    """
    variance = noise_multiplier**2
    if sample_rate == 1:
        return order / (2 * variance)
    stay, leave = math.log(sample_rate), math.log1p(-sample_rate)
    logs = []
    for i in range(2, order + 1):
        choose = math.lgamma(order + 1) - math.lgamma(i + 1) - math.lgamma(order - i + 1)
        gain = i * (i - 1) / (2 * variance)
        # log(exp(gain) - 1) without overflow
        above = gain + math.log1p(-math.exp(-gain)) if gain > 1 else math.log(math.expm1(gain))
        logs.append(choose + i * stay + (order - i) * leave + above)
    top = max(logs)
    excess = top + math.log(math.fsum(math.exp(value - top) for value in logs))
    both = excess + math.log1p(math.exp(-excess)) if excess > 0 else math.log1p(math.exp(excess))
    return both / (order - 1)
