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
        Scaled numbers; NaN where a person's value is not there. What is not there cannot be kept:
        it is filled as what is not kept is.
    y : array-like of int
        The classes 0 ... c-1.
    statistics : PublicStatistics, optional
        What imputation may use; learned from `X` itself when left out, which no attacker could.
    learner : Learner, optional
        LogisticLearner() when left out.
    imputation : {"gaussian", "mean", "zero", "learned"}, default="gaussian"
    attributes : sequence of str, optional

    Attributes
    ----------
    values : ndarray
        The rows as they are, NaN where a value is not there.
    X : ndarray
        The same with what is not there filled in: all that a model could learn from.
    present : ndarray of bool
        Where a value is there.

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
        self.values = matrix(X, holes=True)
        self.present: Bits = ~np.isnan(self.values)
        if not self.present.any():
            raise DataError("'X' must hold a value. Got none.")
        self.y = labels(y, len(self.values))
        self.n_classes = int(self.y.max()) + 1
        if self.n_classes < 2:
            raise DataError("'y' must have at least two classes. Got 1 instead.")
        self.statistics = PublicStatistics.of(self.values) if statistics is None else statistics
        if self.statistics.mean.shape != (self.values.shape[1],):
            raise DataError("The public rows must have the attributes of 'X', in the same order.")
        self.learner: Learner = LogisticLearner() if learner is None else learner
        self.imputation: Imputation = imputation
        self.attributes = attributes
        self.X = self.complete(self.values)

    @property
    def shape(self) -> tuple[int, int]:
        """People and attributes."""
        return cast("tuple[int, int]", self.values.shape)

    @property
    def n_values(self) -> int:
        """How many values there are to keep."""
        return int(self.present.sum())

    @property
    def full(self) -> Bits:
        """The mask that keeps all that is there."""
        return self.present.copy()

    def complete(self, X: ArrayLike, name: str = "X") -> Matrix:
        """Fill what is not there of some rows, as what is not kept is filled."""
        rows = matrix(X, name, holes=True)
        present = ~np.isnan(rows)
        if present.all():
            return rows
        return impute(rows, present, self.imputation, self.statistics)

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
            n_values=self.n_values,
        )

    def imputed(self, kept: ArrayLike) -> Matrix:
        """The rows as the model sees them: kept values, the others filled."""
        return impute(self.values, bits(kept, self.shape), self.imputation, self.statistics)

    def fit_many(self, kept: NDArray[np.bool_]) -> Matrix:
        """Train one model for each mask (eq. 1c); one row of parameters each."""
        filled = np.empty(kept.shape)
        for rows, here in zip(filled, kept, strict=True):
            rows[:] = self.X if np.array_equal(here, self.present) else self.imputed(here)
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
        """Accuracy of each mask's model on whole rows: on the training rows or on others.

        Parameters
        ----------
        kept : ndarray of bool of shape (n_masks, n_people, n_attributes)
        X, y : array-like, optional
            Other rows, such as test rows.

        Returns
        -------
        ndarray of shape (n_masks,)
        """
        rows = self.X if X is None else self.complete(X, "test rows")
        truth: Labels = self.y if y is None else labels(y, len(rows), "test labels")
        likely = self._probabilities(self.fit_many(np.asarray(kept, bool)), rows)
        shares: Matrix = (likely.argmax(2) == truth).mean(1)
        return shares

    def _probabilities(self, parameters: Matrix, X: Matrix) -> Stack:
        return self.learner.probabilities(parameters, X, self.n_classes)
