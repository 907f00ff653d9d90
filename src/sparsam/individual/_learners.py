"""Models that are trained for hundreds of masks at once: logistic regression and a network."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_number, check_whole
from sparsam.individual._arrays import Labels, Matrix

Stack = NDArray[np.float64]
MOST_PARAMETERS = 3000


class Learner(Protocol):
    """Trains one model per mask, and answers with the probabilities of the classes."""

    @property
    def name(self) -> str:
        """What a mask states as its learner."""

    def fit_many(self, X: Stack, y: Labels, n_classes: int) -> Matrix:
        """Train on each of the matrices (n_masks, n_rows, n_attributes); one flat row each."""

    def probabilities(self, parameters: Matrix, X: Matrix, n_classes: int) -> Stack:
        """Return what each model says about each row: (n_masks, n_rows, n_classes)."""


class LogisticLearner:
    """Logistic or softmax regression by Newton's method, many models at once.

    Above 3,000 parameters, as with texts, each model is trained by L-BFGS instead.

    Parameters
    ----------
    l2 : float, default=1.0
        The penalty on the summed loss, `l2 / 2 * |w|^2` (the inverse of the usual C). The
        intercept is free.
    tolerance : float, default=1e-8
        The training ends when no parameter moves by more than this.
    max_iter : int, default=50

    Examples
    --------
    >>> import numpy as np
    >>> learner = LogisticLearner()
    >>> rows, y = np.array([[0.0], [0.2], [0.8], [1.0]]), np.array([0, 0, 1, 1])
    >>> found = learner.fit_many(rows[None], y, 2)
    >>> learner.probabilities(found, rows, 2)[0].argmax(1)
    array([0, 0, 1, 1])
    """

    def __init__(self, l2: float = 1.0, tolerance: float = 1e-8, max_iter: int = 50) -> None:
        check_number("LogisticLearner", "l2", l2, above=True)
        self.l2 = l2
        self.tolerance = tolerance
        self.max_iter = max_iter

    @property
    def name(self) -> str:
        """What a mask states as its learner."""
        return f"logistic regression (l2={self.l2:g})"

    def __repr__(self) -> str:
        return f"LogisticLearner(l2={self.l2:g})"

    def fit_many(self, X: Stack, y: Labels, n_classes: int, start: Matrix | None = None) -> Matrix:
        """Train one model on each matrix of the stack.

        Parameters
        ----------
        X : ndarray of shape (n_masks, n_rows, n_attributes)
        y : ndarray of int
        n_classes : int
        start : ndarray, optional
            Flat parameters to start from, the same for all masks.

        Returns
        -------
        ndarray of shape (n_masks, n_parameters)
        """
        outputs = n_outputs(n_classes)
        wide = (X.shape[2] + 1) * outputs
        at_once = max(1, int(2e6 / (X.shape[1] * wide)))
        theta = np.zeros((len(X), wide))
        if start is not None:
            theta[:] = start
        if wide > MOST_PARAMETERS:
            for parameters, rows in zip(theta, X, strict=True):
                parameters[:] = self._quasi_newton(with_one(rows), y, n_classes, parameters)
            return theta
        for first in range(0, len(X), at_once):
            part = slice(first, first + at_once)
            theta[part] = self._newton(with_one(X[part]), y, n_classes, theta[part])
        return theta

    def _quasi_newton(self, X1: Matrix, y: Labels, n_classes: int, theta: Matrix) -> Matrix:
        """For so many parameters that their Hessian would not fit."""
        from scipy.optimize import minimize

        penalty = penalties(X1.shape[1] - 1, n_classes, self.l2)
        target, rows = one_hot(y, n_classes), X1[None]

        def objective(flat: Matrix) -> tuple[float, Matrix]:
            error = outputs_of(flat[None], rows)[0] - target
            value = self._objective(rows, target, flat[None], penalty)[0]
            return float(value), (error.T @ X1).ravel() + penalty * flat

        options = {"maxiter": 20 * self.max_iter, "gtol": 1e-5}
        optimum = minimize(objective, theta, jac=True, method="L-BFGS-B", options=options)
        return np.asarray(optimum.x)

    def _newton(self, X1: Stack, y: Labels, n_classes: int, theta: Matrix) -> Matrix:
        penalty = penalties(X1.shape[2] - 1, n_classes, self.l2)
        target = one_hot(y, n_classes)
        value = self._objective(X1, target, theta, penalty)
        for _ in range(self.max_iter):
            outputs = outputs_of(theta, X1)
            gradient = np.matmul((outputs - target).transpose(0, 2, 1), X1).reshape(theta.shape)
            gradient += penalty * theta
            step = np.linalg.solve(curvature(X1, outputs, penalty), gradient[:, :, None])[:, :, 0]
            theta, value = self._step(X1, target, theta, step, penalty, value)
            if np.abs(step).max() <= self.tolerance:
                break
        return theta

    def _step(
        self, X1: Stack, target: Matrix, theta: Matrix, step: Matrix, penalty: Matrix, value: Matrix
    ) -> tuple[Matrix, Matrix]:
        """Take Newton's step, halved as often as the objective would grow."""
        size = np.ones((len(theta), 1))
        for _ in range(30):
            moved = theta - size * step
            after = self._objective(X1, target, moved, penalty)
            worse = after > value + 1e-9 * np.abs(value)
            if not worse.any():
                break
            size[worse] /= 2
        return moved, after

    @staticmethod
    def _objective(X1: Stack, target: Matrix, theta: Matrix, penalty: Matrix) -> Matrix:
        logits = _logits(theta, X1)
        if logits.shape[2] == 1:
            total = np.logaddexp(0.0, logits)[:, :, 0].sum(1)
        else:
            top = logits.max(2, keepdims=True)
            total = (np.log(np.exp(logits - top).sum(2)) + top[:, :, 0]).sum(1)
        fit = np.einsum("mnk,nk->m", logits, target)
        objectives: Matrix = total - fit + (penalty * theta**2).sum(1) / 2
        return objectives

    def probabilities(self, parameters: Matrix, X: Matrix, n_classes: int) -> Stack:
        """Return what each model says about each row.

        Parameters
        ----------
        parameters : ndarray of shape (n_masks, n_parameters)
        X : ndarray of shape (n_rows, n_attributes)
        n_classes : int

        Returns
        -------
        ndarray of shape (n_masks, n_rows, n_classes)
        """
        outputs = outputs_of(parameters, with_one(X[None]))
        return np.concatenate([1 - outputs, outputs], axis=2) if n_classes == 2 else outputs


def n_outputs(n_classes: int) -> int:
    """One output for two classes, otherwise one for each.

    Examples
    --------
    >>> n_outputs(2), n_outputs(3)
    (1, 3)
    """
    return 1 if n_classes == 2 else n_classes


def penalties(wide: int, n_classes: int, l2: float) -> Matrix:
    """Return the penalty of each flat parameter.

    Intercepts are free; with several classes they get a tiny one, since adding the same number to
    all of them changes nothing.

    Examples
    --------
    >>> penalties(2, 2, 1.0)
    array([1., 1., 0.])
    """
    penalty = np.full(wide + 1, l2)
    penalty[-1] = 0.0 if n_classes == 2 else 1e-6
    return np.tile(penalty, n_outputs(n_classes))


def one_hot(y: Labels, n_classes: int) -> Matrix:
    """Return the labels as the outputs that a perfect model would have.

    Examples
    --------
    >>> one_hot(np.array([1, 0]), 2)
    array([[1.],
           [0.]])
    """
    if n_classes == 2:
        return y[:, None].astype(np.float64)
    return np.asarray(y[:, None] == np.arange(n_classes), np.float64)


def with_one(X: NDArray[Any]) -> NDArray[Any]:
    """Add a last column of ones, for the intercept.

    Examples
    --------
    >>> with_one(np.zeros((1, 1, 2)))
    array([[[0., 0., 1.]]])
    """
    return np.concatenate([X, np.ones((*X.shape[:-1], 1))], axis=-1)


def _logits(theta: Matrix, X1: Stack) -> Stack:
    weights = theta.reshape(len(theta), -1, X1.shape[2])
    logits: Stack = np.matmul(X1, weights.transpose(0, 2, 1))
    return logits


def outputs_of(theta: Matrix, X1: Stack) -> Stack:
    """Return the sigmoid of one output, or the softmax of several, for each model and row.

    Examples
    --------
    >>> outputs_of(np.zeros((1, 2)), np.ones((1, 1, 2)))
    array([[[0.5]]])
    """
    logits = _logits(theta, X1)
    if logits.shape[2] == 1:
        return np.asarray(0.5 * (1 + np.tanh(logits / 2)))
    return softmax(logits)


def softmax(logits: Stack) -> Stack:
    """Turn logits into probabilities along the last axis.

    Examples
    --------
    >>> softmax(np.array([0.0, 0.0]))
    array([0.5, 0.5])
    """
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def curvature(X1: Stack, outputs: Stack, penalty: Matrix) -> Stack:
    """Return the Hessians of the summed loss with its penalty, one for each model.

    Examples
    --------
    >>> curvature(np.ones((1, 4, 1)), np.full((1, 4, 1), 0.5), np.zeros(1))
    array([[[1.]]])
    """
    masks, rows, wide = X1.shape
    many = outputs.shape[2]
    if many == 1:
        hessians = np.matmul((X1 * (outputs * (1 - outputs))).transpose(0, 2, 1), X1)
    else:
        joint = (outputs[..., :, None] * X1[..., None, :]).reshape(masks, rows, many * wide)
        hessians = -np.matmul(joint.transpose(0, 2, 1), joint)
        for k in range(many):
            at = slice(k * wide, (k + 1) * wide)
            hessians[:, at, at] += np.matmul((X1 * outputs[..., k : k + 1]).transpose(0, 2, 1), X1)
    places = np.arange(len(penalty))
    hessians[:, places, places] += penalty
    return np.asarray(hessians)


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
    >>> import numpy as np
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
        for name, value, least in (
            ("hidden", hidden, 1),
            ("epochs", epochs, 1),
            ("random_state", random_state, 0),
        ):
            check_whole("NetworkLearner", name, value, least)
        check_number("NetworkLearner", "rate", rate, above=True)
        check_number("NetworkLearner", "l2", l2)
        self.hidden = int(hidden)
        self.epochs = int(epochs)
        self.rate = rate
        self.l2 = l2
        self.random_state = int(random_state)

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
        parameters = np.empty((len(X), len(start)))
        # models do not see each other, so their grouping changes the speed alone
        for first in range(0, len(X), 4):
            part = X[first : first + 4]
            parameters[first : first + 4] = self._adam(part, y, n_classes, start)
        return parameters

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
