"""Rényi differential privacy of one step of DP-SGD: Gaussian noise on a random part of the rows."""

from __future__ import annotations

import math


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
