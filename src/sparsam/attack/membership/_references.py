"""Reference models, trained on people whose membership is known, and the scores from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from sparsam._checks import check_number, check_share, wrong_parameter
from sparsam._errors import DataError
from sparsam.attack.membership._answers import log_odds

Rows = NDArray[np.int64]
Values = NDArray[np.float64]
_SMALLEST = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class References:
    """What reference models say of every person, and on whom each of them was trained.

    Attributes
    ----------
    confidence : ndarray of float, shape (n_references, n_people)
        The probability that each reference gives to the true label.
    inside : ndarray of bool, shape (n_references, n_people)
    """

    confidence: NDArray[np.float64]
    inside: NDArray[np.bool_]

    def __post_init__(self) -> None:
        shape = self.confidence.shape
        if len(shape) != 2 or self.inside.shape != shape or self.inside.dtype != bool:
            raise DataError(
                "References must have one confidence and one truth value 'inside' for each model "
                f"and person. Got the shapes {shape} and {self.inside.shape}."
            )

    def mean(self, inside: bool) -> NDArray[np.float64]:
        """Return the mean over the references trained with each person, or without.

        NaN for a person of whom there is no such reference.
        """
        return self._moment(self.confidence, self.inside == inside)

    @staticmethod
    def _moment(values: NDArray[np.float64], used: NDArray[np.bool_]) -> NDArray[np.float64]:
        counts = used.sum(axis=0)
        sums = np.where(used, values, 0.0).sum(axis=0)
        means: NDArray[np.float64] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return means

    def __repr__(self) -> str:
        n_references, n_people = self.confidence.shape
        return f"References({n_references} models, {n_people:,} people)"


def draw_references(
    pool: Rows, n_references: int, random_state: int, size: int | None = None
) -> list[Rows]:
    """Draw the training rows of reference models, in pairs that part the pool into halves.

    So every person of the pool is inside half of the references and outside the other half, or
    outside more of them where `size` is smaller.

    Parameters
    ----------
    pool : ndarray of int
        Rows to draw from.
    n_references : int
        Even.
    random_state : int
    size : int, optional
        Rows of each reference, at most half of the pool; half of it if not given.

    Examples
    --------
    >>> first, second = draw_references(np.arange(4), 2, random_state=0)
    >>> sorted([*first.tolist(), *second.tolist()])
    [0, 1, 2, 3]
    """
    if n_references < 2 or n_references % 2:
        expected = "an even number of at least 2"
        raise wrong_parameter("the attack", "n_references", expected, n_references)
    if len(pool) < 4:
        raise DataError(f"References need at least 4 people to train on. Got {len(pool)}.")
    rng = np.random.default_rng(random_state)
    drawn: list[Rows] = []
    for _ in range(n_references // 2):
        order = rng.permutation(pool)
        half = len(pool) // 2
        drawn += [np.sort(part[:size]) for part in (order[:half], order[half:])]
    return drawn


def train_references(
    train: Callable[[Rows], NDArray[np.float64]], rows: list[Rows], n_people: int
) -> References:
    """Train reference models one after the other.

    Parameters
    ----------
    train : callable
        Trains a model on some rows, and gives its probability of the true label of every person.
    rows : list of ndarray of int
        The rows that each reference is trained on.
    n_people : int
    """
    confidence = np.empty((len(rows), n_people))
    inside = np.zeros((len(rows), n_people), dtype=bool)
    for number, chosen in enumerate(rows):
        probabilities = np.asarray(train(chosen), dtype=np.float64)
        if probabilities.shape != (n_people,):
            raise DataError(
                f"A reference must give one probability for each of {n_people:,} people. "
                f"Got the shape {probabilities.shape} instead."
            )
        confidence[number], inside[number, chosen] = probabilities, True
    return References(confidence, inside)


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
    check_share("RMIA", "a", a)
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
    check_number("RMIA", "gamma", gamma, above=True)
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
