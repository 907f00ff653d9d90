"""A small fully connected network, trained for many masks at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.individual._checks import Labels, Matrix, positive, seed
from sparsam.individual._learners import Stack, softmax


class NetworkLearner:
    """A network with one hidden layer, trained by Adam on all rows, many models at once.

    All masks start from the same weights, so that two masks differ by their data alone.

    Parameters
    ----------
    hidden : int, default=32
    epochs : int, default=100
    rate : float, default=0.02
        The step of Adam; it falls to zero along a half cosine.
    l2 : float, default=1e-4
        The penalty on the mean loss, `l2 / 2 * |w|^2`.
    random_state : int, default=0
        For the first weights.

    Examples
    --------
    >>> learner = NetworkLearner(hidden=4)
    >>> rows = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> found = learner.fit_many(rows[None], np.array([0, 0, 1, 1]), 2)
    >>> learner.probabilities(found, rows, 2)[0].argmax(1)
    array([0, 0, 1, 1])
    """

    def __init__(
        self,
        hidden: int = 32,
        epochs: int = 100,
        rate: float = 0.02,
        l2: float = 1e-4,
        random_state: int = 0,
    ) -> None:
        self.hidden = positive(hidden, "hidden")
        self.epochs = positive(epochs, "epochs")
        if not rate > 0 or not l2 >= 0:
            raise ParameterError("'rate' must be above 0 and 'l2' must not be below 0.")
        self.rate = rate
        self.l2 = l2
        self.random_state = seed(random_state)

    @property
    def name(self) -> str:
        """What a mask states as its learner."""
        return f"network with {self.hidden} hidden units (seed {self.random_state})"

    def __repr__(self) -> str:
        return f"NetworkLearner(hidden={self.hidden}, epochs={self.epochs})"

    def fit_many(self, X: Stack, y: Labels, n_classes: int) -> Matrix:
        """Train one network on each matrix of the stack.

        Parameters
        ----------
        X : ndarray of shape (n_masks, n_rows, n_attributes)
        y : ndarray of int
        n_classes : int

        Returns
        -------
        ndarray of shape (n_masks, n_parameters)
        """
        start = self._start(X.shape[2], n_classes)
        found = np.empty((len(X), len(start)))
        # models do not see each other, so their grouping changes the speed alone
        for first in range(0, len(X), 4):
            part = X[first : first + 4]
            found[first : first + 4] = self._adam(part, y, n_classes, start)
        return found

    def _adam(self, X: Stack, y: Labels, n_classes: int, start: Matrix) -> NDArray[Any]:
        # short floats are twice as fast, and a network does not need more
        rows: NDArray[Any] = X.astype(np.float32)
        theta: NDArray[Any] = np.tile(start, (len(X), 1)).astype(np.float32)
        target = np.asarray(y[:, None] == np.arange(n_classes), np.float32)
        first, second = np.zeros_like(theta), np.zeros_like(theta)
        turned = np.ascontiguousarray(rows.transpose(0, 2, 1))
        for epoch in range(1, self.epochs + 1):
            slope = self._gradient(rows, turned, target, theta)
            first = 0.9 * first + 0.1 * slope
            second = 0.999 * second + 0.001 * slope**2
            rate = self.rate * (1 + math.cos(math.pi * (epoch - 1) / self.epochs)) / 2
            spread = np.sqrt(second / (1 - 0.999**epoch)) + 1e-8
            theta = theta - (rate / (1 - 0.9**epoch)) * first / spread
        return theta

    def _gradient(
        self, X: NDArray[Any], turned: NDArray[Any], target: NDArray[Any], theta: NDArray[Any]
    ) -> NDArray[Any]:
        w1, b1, w2, b2 = self._split(theta, X.shape[2], target.shape[1])
        active = np.maximum(np.matmul(X, w1) + b1, 0.0)
        error = (softmax(np.matmul(active, w2) + b2) - target) / len(target)
        back = np.matmul(error, w2.transpose(0, 2, 1))
        back *= active > 0
        parts = (
            np.matmul(turned, back) + self.l2 * w1,
            back.sum(1),
            np.matmul(active.transpose(0, 2, 1), error) + self.l2 * w2,
            error.sum(1),
        )
        return np.concatenate([part.reshape(len(theta), -1) for part in parts], axis=1)

    def _start(self, wide: int, n_classes: int) -> Matrix:
        rng = np.random.default_rng(self.random_state)
        w1 = rng.normal(0, np.sqrt(2 / wide), (wide, self.hidden))
        w2 = rng.normal(0, np.sqrt(1 / self.hidden), (self.hidden, n_classes))
        parts = (w1.ravel(), np.zeros(self.hidden), w2.ravel(), np.zeros(n_classes))
        return np.concatenate(parts)

    def _split(
        self, theta: NDArray[Any], wide: int, n_classes: int
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        ends = np.cumsum([wide * self.hidden, self.hidden, self.hidden * n_classes])
        w1, b1, w2, b2 = np.split(theta, ends, axis=1)
        return (
            w1.reshape(-1, wide, self.hidden),
            b1[:, None, :],
            w2.reshape(-1, self.hidden, n_classes),
            b2[:, None, :],
        )

    def probabilities(self, parameters: Matrix, X: Matrix, n_classes: int) -> Stack:
        """Return what each network says about each row.

        Parameters
        ----------
        parameters : ndarray of shape (n_masks, n_parameters)
        X : ndarray of shape (n_rows, n_attributes)
        n_classes : int

        Returns
        -------
        ndarray of shape (n_masks, n_rows, n_classes)
        """
        w1, b1, w2, b2 = self._split(parameters, X.shape[1], n_classes)
        active = np.maximum(np.matmul(X[None], w1) + b1, 0.0)
        return softmax(np.matmul(active, w2) + b2)
