"""How much of a model's answers stays: a share, or R² between answers that are numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from sparsam._small_counts import suppress
from sparsam.attack import Interval, wilson_interval

Scorer = Callable[[NDArray[Any], NDArray[Any]], float]

_BLOCKS = 20


@dataclass(frozen=True)
class Accuracy:
    """How well answers agree with others, on some records.

    Attributes
    ----------
    score : float
        The share of answers that agree; R² for numbers; what a scorer says where there is one.
    interval : tuple of float
        95 % interval: Wilson's for a share, a normal one from the spread over blocks otherwise.
    n_records : int
    measure : {"share", "r2", "own"}
    """

    score: float
    interval: Interval
    n_records: int
    measure: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published. How far answers agree tells nothing of a person."""
        return {
            "score": self.score,
            "interval": list(self.interval),
            "n_records": suppress(self.n_records),
            "measure": self.measure,
        }


def accuracy(
    truth: NDArray[Any],
    answers: NDArray[Any],
    *,
    regression: bool = False,
    scorer: Scorer | None = None,
) -> Accuracy:
    """Compare answers with what they should be.

    Parameters
    ----------
    truth, answers : ndarray
        One line a record; several columns must agree all at once, or on average for numbers.
    regression : bool, default=False
        Whether the answers are numbers.
    scorer : callable, optional
        From truth and answers to a number, in place of a share or R².

    Returns
    -------
    Accuracy

    Examples
    --------
    >>> accuracy(np.array(["a", "b", "b", "a"]), np.array(["a", "b", "a", "a"])).score
    0.75
    """
    n_records = len(truth)
    if scorer is None and not regression:
        hits = int(_agree(truth, answers).sum())
        return Accuracy(hits / n_records, wilson_interval(hits, n_records), n_records, "share")

    def score(rows: NDArray[np.int64]) -> float:
        return _r2(truth[rows], answers[rows]) if scorer is None else float(
            scorer(truth[rows], answers[rows])
        )  # fmt: skip

    everything = np.arange(n_records)
    found = score(everything)
    blocks = [block for block in np.array_split(everything, _BLOCKS) if len(block) > 1]
    error = float("nan")
    if len(blocks) > 1:
        error = float(np.std([score(b) for b in blocks], ddof=1) / np.sqrt(len(blocks)))
    return Accuracy(
        found, normal_interval(found, error), n_records, "r2" if scorer is None else "own"
    )


def share_kept(score: float, error: float, n_records: int, measure: str) -> Accuracy:
    """Return an accuracy that was measured elsewhere its interval.

    Parameters
    ----------
    score, error : float
        And its standard error.
    n_records : int
    measure : {"share", "r2", "own"}
    """
    if measure == "share":
        return Accuracy(score, wilson_interval(score * n_records, n_records), n_records, measure)
    return Accuracy(score, normal_interval(score, error), n_records, measure)


def normal_interval(score: float, error: float, confidence: float = 0.95) -> Interval:
    """Return the normal interval around a score."""
    half = float(norm.ppf(0.5 + confidence / 2)) * error
    return (score - half, score + half)


def _agree(truth: NDArray[Any], answers: NDArray[Any]) -> NDArray[np.bool_]:
    same = np.asarray(truth == answers)
    return np.asarray(same.reshape(len(same), -1).all(axis=1), np.bool_)


def _r2(truth: NDArray[Any], answers: NDArray[Any]) -> float:
    """R², the mean over outputs; an output that never varies is kept or not."""
    before = np.asarray(truth, np.float64).reshape(len(truth), -1)
    after = np.asarray(answers, np.float64).reshape(len(answers), -1)
    spread = ((before - before.mean(axis=0)) ** 2).mean(axis=0)
    missed = ((before - after) ** 2).mean(axis=0)
    ratio = np.divide(missed, spread, out=np.where(missed > 0, 1.0, 0.0), where=spread > 0)
    return float(1 - ratio.mean())
