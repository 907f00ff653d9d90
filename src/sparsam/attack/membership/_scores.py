"""Score how much a model knows a person better than reference models do: RMIA and LiRA."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from sparsam._errors import DataError, ParameterError
from sparsam.attack.membership._answers import log_odds
from sparsam.attack.membership._references import References

Values = NDArray[np.float64]

_SMALLEST = 1e-12


def likelihood_ratio(
    confidence: Values, references: References, *, online: bool = False, a: float = 0.3
) -> Values:
    """How much likelier a model finds each person's label than models of the population do.

    Online, the population's probability is the mean of the references trained with the person and
    of those trained without. Offline only the latter are used, and the former are guessed from
    them: ½ ((1 + a) p + 1 − a) (Zarifzadeh et al. 2024).

    Parameters
    ----------
    confidence : ndarray of float, shape (n_people,)
        The attacked model's probability of the true label.
    references : References
    online : bool, default=False
    a : float, default=0.3
        From 0 (a model trained with someone is sure of them) to 1 (it makes no difference).

    Examples
    --------
    >>> said = References(np.array([[0.5, 0.5]]), np.zeros((1, 2), bool))
    >>> likelihood_ratio(np.array([1.0, 0.5]), said, a=1.0).tolist()
    [2.0, 1.0]
    """
    if not 0 <= a <= 1:
        raise ParameterError(f"The 'a' parameter must be a number from 0 to 1. Got {a!r} instead.")
    _check(confidence, references)
    outside = _known(references.mean(inside=False), "without")
    if online:
        population = (outside + _known(references.mean(inside=True), "with")) / 2
    else:
        population = ((1 + a) * outside + 1 - a) / 2
    ratio: Values = confidence / np.maximum(population, _SMALLEST)
    return ratio


def rmia_scores(ratio: Values, population: Values, gamma: float = 1.0) -> Values:
    """Share of a population that each person dominates; a tie counts half.

    Parameters
    ----------
    ratio : ndarray of float, shape (n_people,)
        See `likelihood_ratio`.
    population : ndarray of float
        The same of people who are no members.
    gamma : float, default=1.0
        Someone is dominated whose ratio is this many times smaller.

    Examples
    --------
    >>> rmia_scores(np.array([2.0, 1.0, 0.1]), np.array([1.0, 0.5])).tolist()
    [1.0, 0.75, 0.0]
    """
    if not gamma > 0:
        raise ParameterError(f"The 'gamma' parameter must be above 0. Got {gamma!r} instead.")
    if not len(population):
        raise DataError("RMIA compares people with a population. It is empty.")
    ordered = np.sort(population) * gamma
    below = np.searchsorted(ordered, ratio, side="left")
    not_above = np.searchsorted(ordered, ratio, side="right")
    scores: Values = (below + not_above) / (2 * len(ordered))
    return scores


def lira_scores(
    confidence: Values, references: References, *, online: bool = False, floor: float = 1e-3
) -> Values:
    """Score the log-odds of each person's label by the normal laws of the references' log-odds.

    Online: the log-likelihood ratio of the references with the person and those without. Offline:
    how many standard deviations the model lies above the references without. One variance is
    shared by all people, as a few references do not tell one for each (Carlini et al. 2022).

    Parameters
    ----------
    confidence : ndarray of float, shape (n_people,)
    references : References
    online : bool, default=False
    floor : float, default=1e-3
        Probabilities nearer to 0 or 1 count as this near: a forest says 0 and 1, whose log-odds
        are infinite.
    """
    _check(confidence, references)
    odds, known = log_odds(confidence, floor), log_odds(references.confidence, floor)
    mean, spread = _normal_law(known, ~references.inside, "without")
    if not online:
        scores: Values = (odds - mean) / spread
        return scores
    mean_in, spread_in = _normal_law(known, references.inside, "with")
    ratio: Values = norm.logpdf(odds, mean_in, spread_in) - norm.logpdf(odds, mean, spread)
    return ratio


def _normal_law(odds: Values, used: NDArray[np.bool_], word: str) -> tuple[Values, float]:
    counts = used.sum(axis=0)
    mean = _known(np.where(counts > 0, np.where(used, odds, 0).sum(axis=0), np.nan), word)
    mean = mean / counts
    free = int((counts - 1).sum())
    squares = float((np.where(used, odds - mean, 0.0) ** 2).sum())
    return mean, max(float(np.sqrt(squares / free)) if free else 1.0, 1e-3)


def _known(values: Values, word: str) -> Values:
    lacking = int(np.isnan(values).sum())
    if lacking:
        raise DataError(
            f"Everyone needs a reference trained {word} them. {lacking:,} of {len(values):,} "
            "people have none.\n\nHint: train more references."
        )
    return values


def _check(confidence: Values, references: References) -> None:
    if confidence.shape != references.confidence.shape[1:]:
        raise DataError(
            "The model and its references must speak of the same people. Got "
            f"{confidence.shape} and {references.confidence.shape[1:]}."
        )
