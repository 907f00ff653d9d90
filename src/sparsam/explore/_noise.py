"""The only place where noise that protects people is drawn; opendp draws it.

Everything that is released is a whole number with discrete noise, so that no low bit of a float
tells what was under the noise. There is no seed: the noise comes from the system's entropy, and a
second run gives other noise. Whoever knows a seed can subtract the noise.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import MissingExtraError, ParameterError, SparsamError
from sparsam.explore.ledger._amounts import NANO
from sparsam.explore.ledger._costs import Cost, Event

# Beyond this the discrete Gaussian and the normal distribution are one, to 16 digits.
_WIDE = 1000.0
# A little more noise, so that the rounding up in opendp's own account stays below the charge.
_ROOM = 1 + 2.0**-46


def noisy_counts(counts: NDArray[np.int64], cost: Cost, sensitivity: int = 1) -> NDArray[np.int64]:
    """Add discrete noise to a table of counts of which one row moves one cell by one.

    Parameters
    ----------
    counts : ndarray of int64, any shape
    cost : Cost
        What is paid: its single event says which noise, and how much.
    sensitivity : int, default=1
        How much one row can move in all, where `counts` are other whole numbers than counts.

    Returns
    -------
    ndarray of int64
    """
    event = _single(cost, "laplace", "gaussian")
    whole = _whole(counts)
    if not whole.size:
        return whole.copy()
    scale = _scale(event, sensitivity)
    charge = cost.epsilon if event.noise == "laplace" else cost.rho
    _check(_loss(event.noise, scale, sensitivity), charge)
    drawn = np.array(_measurement(event.noise, scale)(whole.ravel().tolist()), dtype=np.int64)
    return drawn.reshape(whole.shape)


def noisy_choice(scores: NDArray[np.int64], cost: Cost, sensitivity: int = 1) -> int:
    """Choose the place of a high score: the exponential mechanism.

    Parameters
    ----------
    scores : ndarray of int64, one-dimensional
    cost : Cost
        Of a choice.
    sensitivity : int, default=1
        How much one row can move any score.

    Returns
    -------
    int
    """
    event = _single(cost, "exponential")
    whole = _whole(scores)
    if whole.ndim != 1 or not whole.size:
        raise ParameterError("The scores of a choice must be a list with at least one number.")
    scale = _scale(event, sensitivity)
    # Gumbel noise in both accounts: only it has the range that the smaller rho rests on. The pure
    # epsilon of the same scale is the one of the exponential mechanism, which opendp's pure map
    # states as well.
    _check(_loss("exponential", scale, sensitivity), cost.rho)
    _check(_loss("pure choice", scale, sensitivity), cost.epsilon)
    return int(_measurement("exponential", scale)(whole.tolist()))


def noise_sd(cost: Cost, sensitivity: int = 1) -> float:
    """Return the standard deviation of the noise that a cost buys.

    Examples
    --------
    >>> from sparsam.explore.ledger._costs import laplace_cost
    >>> round(noise_sd(laplace_cost(0.01)), 2)
    141.42
    """
    event = _single(cost, "laplace", "gaussian")
    scale = _scale(event, sensitivity)
    if event.noise == "laplace":
        decay = math.exp(-1 / scale)
        return math.sqrt(2 * decay) / -math.expm1(-1 / scale)
    if scale > _WIDE:
        return scale
    chances, steps = _gaussian_chances(scale)
    return math.sqrt(2 * float((chances * steps**2).sum()))


def noise_quantile(cost: Cost, level: float = 0.95, sensitivity: int = 1) -> int:
    """Return the least whole number that the noise stays within, with a given chance.

    Examples
    --------
    >>> from sparsam.explore.ledger._costs import laplace_cost
    >>> noise_quantile(laplace_cost(0.01), 0.95)
    300
    """
    if not 0 < level < 1:
        raise ParameterError(f"The 'level' must lie between 0 and 1. Got {level} instead.")
    event = _single(cost, "laplace", "gaussian")
    scale = _scale(event, sensitivity)
    if event.noise == "laplace":
        # P(|noise| > t) = 2 exp(-(t + 1) / scale) / (1 + exp(-1 / scale))
        tail = (1 - level) * (1 + math.exp(-1 / scale)) / 2
        return max(0, math.ceil(-scale * math.log(tail) - 1 - 1e-9))
    if scale > _WIDE:
        return math.ceil(scale * NormalDist().inv_cdf((1 + level) / 2))
    chances, steps = _gaussian_chances(scale)
    beyond = 2 * np.cumsum(chances[::-1])[::-1]  # P(|noise| >= step)
    return int(steps[np.append(beyond[1:], 0.0) <= 1 - level + 1e-12][0])


def require_opendp() -> None:
    """Refuse to go on without opendp, before anything is charged."""
    _opendp()


def _gaussian_chances(scale: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Chances of the whole numbers from zero up, one side of the discrete Gaussian."""
    steps = np.arange(math.ceil(40 * scale) + 2, dtype=np.float64)
    weights = np.exp(-(steps**2) / (2 * scale**2))
    return weights / (2 * weights.sum() - 1), steps


def _single(cost: Cost, *kinds: str) -> Event:
    events = cost.events
    if len(events) != 1 or events[0].times != 1 or events[0].noise not in kinds:
        uses = ", ".join(f"{event.times} × {event.noise}" for event in events) or "none"
        raise ParameterError(
            f"A release must be paid by one use of {' or '.join(kinds)} noise. Got {uses} instead."
        )
    return events[0]


def _scale(event: Event, sensitivity: int) -> float:
    if not isinstance(sensitivity, int) or sensitivity < 1:
        raise ParameterError(f"The sensitivity must be an int >= 1. Got {sensitivity!r} instead.")
    return event.scale * sensitivity * _ROOM


def _whole(values: NDArray[Any]) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" and array.size:
        raise ParameterError(
            f"Noise must be added to whole numbers. Got an array of {array.dtype} instead."
        )
    return array.astype(np.int64)


def _check(loss: float, charge: int | None) -> None:
    """Refuse to release where opendp's own account exceeds the charge."""
    if charge is None or Fraction(loss) > Fraction(charge, NANO):
        raise SparsamError(
            "The noise must not lose more privacy than is charged; opendp says that it does. "
            "Nothing was released. This is a fault of sparsam."
        )


@lru_cache(maxsize=64)
def _loss(noise: str, scale: float, sensitivity: int) -> float:
    """Ask opendp what privacy is lost where one row moves the numbers by so much."""
    moved = float(sensitivity) if noise == "gaussian" else sensitivity
    return float(_measurement(noise, scale).map(moved))


@lru_cache(maxsize=64)
def _measurement(noise: str, scale: float) -> Any:
    """Make what draws the noise. It holds no state: each call draws fresh entropy."""
    dp = _opendp()
    domain = dp.domains.vector_domain(dp.domains.atom_domain(T="i64"))
    if noise == "laplace":
        return dp.measurements.make_laplace(domain, dp.metrics.l1_distance(T="i64"), scale)
    if noise == "gaussian":
        return dp.measurements.make_gaussian(domain, dp.metrics.l2_distance(T="f64"), scale)
    measure = dp.measures.zero_concentrated_divergence()
    if noise == "pure choice":
        measure = dp.measures.max_divergence()
    distance = dp.metrics.linf_distance(T="i64")
    return dp.measurements.make_noisy_max(domain, distance, measure, scale)


def _opendp() -> Any:
    """Load opendp; its "contrib" feature, which holds all noise, stays switched on."""
    try:
        import opendp.domains
        import opendp.measurements
        import opendp.measures
        import opendp.metrics
        import opendp.mod
    except ImportError as error:
        raise MissingExtraError(
            "Noise needs opendp, which is not installed.\n\nHint: pip install 'sparsam[dp]'"
        ) from error
    opendp.mod.enable_features("contrib")
    return opendp
