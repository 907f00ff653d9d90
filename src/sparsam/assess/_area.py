"""One number for a front: how safe it is over a range of classifier errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sparsam._errors import ParameterError


def area_under_front(
    classifier_errors: ArrayLike, adversary_errors: ArrayLike, low: float, high: float
) -> float:
    """Mean over a range of permitted classifier errors of the best adversary error.

    Parameters
    ----------
    classifier_errors, adversary_errors : array-like of float
        Of all points.
    low, high : float
        The range of classifier errors.

    Returns
    -------
    float
        Larger is safer; where no point is permitted, the adversary is taken to make no error.

    Examples
    --------
    >>> area_under_front([0.1, 0.2], [0.3, 0.5], 0.0, 0.4)
    0.325
    """
    if not low < high:
        raise ParameterError(f"The range must have low < high. Got {low} and {high} instead.")
    utility, risk = np.asarray(classifier_errors, float), np.asarray(adversary_errors, float)
    order = np.argsort(utility, kind="stable")
    borders = np.clip(utility[order], low, high)
    best = np.maximum.accumulate(risk[order])
    widths = np.diff(np.append(borders, high))
    return float(best @ widths / (high - low)) if len(best) else 0.0
