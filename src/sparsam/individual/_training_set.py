"""The people whose values are to go, and what is needed to judge a mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import DataError
from sparsam.individual._arrays import Bits, Labels, Matrix, bits, labels, matrix
from sparsam.individual._imputation import Imputation, PublicStatistics, impute
from sparsam.individual._learners import Learner, LogisticLearner, Stack
from sparsam.individual._mask import Mask


class TrainingSet:
    """Rows to minimise, their labels, the public's statistics and the model to train.

    Parameters
    ----------
    X : matrix of shape (n_people, n_attributes)
        Scaled numbers.
    y : array-like of int
        The classes 0 ... c-1.
    statistics : PublicStatistics, optional
        What imputation may use; learned from `X` itself when left out, which no attacker could.
    learner : Learner, optional
        LogisticLearner() when left out.
    imputation : {"gaussian", "mean", "zero", "learned"}, default="gaussian"
    attributes : sequence of str, optional

    Examples
    --------
    >>> data = TrainingSet([[0.0], [0.2], [0.8], [1.0]], [0, 0, 1, 1])
    >>> float(data.accuracies(np.ones((1, 4, 1), bool))[0])
    1.0
    """

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        statistics: PublicStatistics | None = None,
        learner: Learner | None = None,
        imputation: Imputation = "gaussian",
        attributes: Sequence[str] | None = None,
    ) -> None:
        self.X = matrix(X)
        self.y = labels(y, len(self.X))
        self.n_classes = int(self.y.max()) + 1
        if self.n_classes < 2:
            raise DataError("'y' must have at least two classes. Got 1 instead.")
        self.statistics = PublicStatistics.of(self.X) if statistics is None else statistics
        if self.statistics.mean.shape != (self.X.shape[1],):
            raise DataError("The public rows must have the attributes of 'X', in the same order.")
        self.learner: Learner = LogisticLearner() if learner is None else learner
        self.imputation: Imputation = imputation
        self.attributes = attributes

    @property
    def shape(self) -> tuple[int, int]:
        """People and attributes."""
        return cast("tuple[int, int]", self.X.shape)

    @property
    def full(self) -> Bits:
        """The mask that keeps all."""
        return np.ones(self.shape, bool)

    def mask(
        self,
        kept: Bits,
        algorithm: str,
        random_state: int,
        facts: Mapping[str, str | float | int] | None = None,
    ) -> Mask:
        """Make the artifact of a found matrix."""
        return Mask(
            kept,
            self.attributes,
            algorithm=algorithm,
            learner=self.learner.name,
            random_state=random_state,
            facts={"imputation": self.imputation, **(facts or {})},
        )

    def imputed(self, kept: ArrayLike) -> Matrix:
        """The rows as the model sees them: kept values, the others filled."""
        return impute(self.X, bits(kept, self.shape), self.imputation, self.statistics)

    def fit_many(self, kept: NDArray[np.bool_]) -> Matrix:
        """Train one model for each mask (eq. 1c); one row of parameters each."""
        filled = np.empty(kept.shape)
        for rows, here in zip(filled, kept, strict=True):
            rows[:] = self.X if here.all() else self.imputed(here)
        return self.learner.fit_many(filled, self.y, self.n_classes)

    def losses(self, kept: NDArray[np.bool_]) -> Matrix:
        """Mean log loss of each mask's model on the full training rows (eq. 1b)."""
        losses = []
        for part in np.array_split(kept, max(1, len(kept) // 16)):
            likely = self._probabilities(self.fit_many(part), self.X)
            right = likely[:, np.arange(len(self.y)), self.y]
            losses.append(-np.log(np.maximum(right, 1e-300)).mean(1))
        return np.concatenate(losses)

    def accuracies(
        self, kept: NDArray[np.bool_], X: ArrayLike | None = None, y: ArrayLike | None = None
    ) -> Matrix:
        """Accuracy of each mask's model on complete rows: on the training rows or on others.

        Parameters
        ----------
        kept : ndarray of bool of shape (n_masks, n_people, n_attributes)
        X, y : array-like, optional
            Other rows, such as test rows.

        Returns
        -------
        ndarray of shape (n_masks,)
        """
        rows = self.X if X is None else matrix(X, "test rows")
        truth: Labels = self.y if y is None else labels(y, len(rows), "test labels")
        likely = self._probabilities(self.fit_many(np.asarray(kept, bool)), rows)
        shares: Matrix = (likely.argmax(2) == truth).mean(1)
        return shares

    def _probabilities(self, parameters: Matrix, X: Matrix) -> Stack:
        return self.learner.probabilities(parameters, X, self.n_classes)
