"""What a model says of people whose true label is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import DataError, ParameterError

FLOOR = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class ClassProbabilities:
    """The probabilities that a model gives to each class, and the true class of each person.

    Attributes
    ----------
    probabilities : ndarray of float, shape (n_people, n_classes)
    labels : ndarray of int, shape (n_people,)
        The column of the true class.

    Examples
    --------
    >>> said = ClassProbabilities.check([[0.9, 0.1], [0.4, 0.6]], [0, 0])
    >>> said.confidence().tolist()
    [0.9, 0.4]
    """

    probabilities: NDArray[np.float64]
    labels: NDArray[np.int64]

    @classmethod
    def check(cls, probabilities: ArrayLike, labels: ArrayLike) -> ClassProbabilities:
        """Look whether probabilities and labels fit each other.

        Parameters
        ----------
        probabilities : array of float, shape (n_people, n_classes)
        labels : array of int, shape (n_people,)
        """
        shares, truth = np.asarray(probabilities, dtype=np.float64), np.asarray(labels)
        if shares.ndim != 2 or truth.shape != shares.shape[:1] or truth.dtype.kind not in "iu":
            raise DataError(
                "Probabilities must have one row per person and one column per class, and labels "
                "the number of a column for each person. "
                f"Got the shapes {shares.shape} and {truth.shape}."
            )
        if truth.size and (truth.min() < 0 or truth.max() >= shares.shape[1]):
            raise DataError(f"Labels must be numbers below {shares.shape[1]}. Got others.")
        if not ((shares >= -1e-6) & (shares <= 1 + 1e-6)).all():
            raise DataError("Probabilities must be numbers from 0 to 1. Got others.")
        return cls(np.clip(shares, 0.0, 1.0), truth.astype(np.int64))

    @classmethod
    def of(
        cls, model: Any, records: Any, labels: ArrayLike, classes: ArrayLike | None = None
    ) -> ClassProbabilities:
        """Ask a model about people.

        Parameters
        ----------
        model : object
            With `predict_proba` and `classes_`, such as a fitted classifier of scikit-learn.
        records : frame or array
            What the model takes.
        labels : array
            The true label of each person.
        classes : array, optional
            All classes. One that the model has not learned gets the probability 0. Those of the
            model and of the labels if not given.
        """
        if not callable(getattr(model, "predict_proba", None)):
            raise ParameterError(
                "The 'model' parameter must answer with probabilities, by predict_proba. "
                f"Got a {type(model).__name__} instead."
            )
        truth, known = np.asarray(labels), np.asarray(model.classes_)
        every = np.unique(np.concatenate([known, truth] if classes is None else [classes]))
        answers = np.asarray(model.predict_proba(records), dtype=np.float64)
        spread = np.zeros((len(answers), len(every)))
        spread[:, _places(every, known)] = answers
        return cls.check(spread, _places(every, truth))

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: NDArray[Any]) -> ClassProbabilities:
        """What is said of some of the people."""
        return ClassProbabilities(self.probabilities[rows], self.labels[rows])

    def confidence(self) -> NDArray[np.float64]:
        """Return the probability of the true label of each person."""
        shares: NDArray[np.float64] = self.probabilities[np.arange(len(self)), self.labels]
        return shares

    def loss(self) -> NDArray[np.float64]:
        """Return the cross-entropy of each person."""
        cost: NDArray[np.float64] = -np.log(np.maximum(self.confidence(), FLOOR))
        return cost

    def __repr__(self) -> str:
        return f"ClassProbabilities({len(self):,} people, {self.probabilities.shape[1]} classes)"


def log_odds(confidence: NDArray[np.float64], floor: float = FLOOR) -> NDArray[np.float64]:
    """Turn probabilities into log-odds, kept finite.

    Examples
    --------
    >>> log_odds(np.array([0.5])).tolist()
    [0.0]
    """
    inside = np.clip(confidence, floor, 1 - floor)
    odds: NDArray[np.float64] = np.log(inside) - np.log1p(-inside)
    return odds


def _places(every: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.int64]:
    places = np.searchsorted(every, wanted)
    if wanted.size and not (every[np.minimum(places, len(every) - 1)] == wanted).all():
        raise DataError("The 'classes' must hold every label and every class of the model.")
    return places.astype(np.int64)
