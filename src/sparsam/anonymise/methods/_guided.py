"""Guided and Hybrid: cut where the model's answers differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._checks import wrong_parameter
from sparsam._errors import ParameterError
from sparsam.anonymise._classes import Division, Method
from sparsam.anonymise.kernels._packed_rows import BOTH, IMPURITY
from sparsam.anonymise.methods._class_tree import ClassTree, grow_tree
from sparsam.data import black_box
from sparsam.data.model import open_own


class Guided(Method):
    """Part people into classes of whom a model says the same.

    Algorithm 1 of Goldsteen et al. 2021 (Anonymizing Machine Learning Models, section 3): a
    decision tree on the quasi-identifiers that foretells the model's answers and has at least k
    people in every leaf. Cuts are chosen by the Gini impurity of labels, or the squared error of
    numbers. Categories are grouped by their answers, not taken in the order of codes. A class of
    one answer is not cut, so classes can be large: `Hybrid` goes on from there.

    Parameters
    ----------
    model : estimator, function, path, session, module or BlackBox, optional
        A model that predicts labels or numbers from the user's own columns, see `black_box`. None:
        the true labels or numbers, given to `fit` as `y`.

    Examples
    --------
    >>> from sparsam.anonymise import Anonymiser
    >>> guided = Anonymiser(Guided(), k=2, publish="ranges")
    >>> labels = ["no", "no", "yes", "yes", "yes", "yes"]
    >>> guided.fit_transform({"age": [20, 21, 40, 41, 42, 43]}, labels)["age"].tolist()
    ['20–21', '20–21', '40–43', '40–43', '40–43', '40–43']
    """

    def __init__(self, *, model: Any = None) -> None:
        self.model = model

    def part(self, division: Division) -> ClassTree:
        """Grow the tree of classes; see `Method.part`."""
        self._check_answers(division)
        return grow_tree(division, IMPURITY)

    def answers(self, X: Any, y: ArrayLike | None) -> NDArray[Any] | None:
        """Ask the model about every row; the true labels stand in where there is no model.

        Parameters
        ----------
        X : frame, mapping, ndarray, Table or path
        y : array-like or None
        """
        if self.model is None:
            return super().answers(X, y)
        box = black_box(self.model)
        answers = box.predict(open_own(X).native)
        return answers.astype(np.float64) if box.regression else answers

    def _check_answers(self, division: Division) -> None:
        if division.answers is None:
            raise ParameterError(
                f"{type(self).__name__} must know what a model says of each row, or the true "
                "labels. Got neither.\n\nHint: give `y`, or a model; Greedy needs neither."
            )


class Hybrid(Guided):
    """Part people into classes of whom a model says the same, and then as finely as allowed.

    Cuts by the model's answers come first (see `Guided`), as long as they explain enough; then cuts
    that save detail (see `Greedy`), until no cut is allowed.

    Parameters
    ----------
    model : estimator, function, path, session, module or BlackBox, optional
        See `Guided`.
    least_gain : float, default=20.0
        How much a cut by the answers must explain, as a multiple of the mean impurity of a person
        (for labels of two kinds this is the chi-squared statistic of the cut). 0 follows every
        difference between the answers, chance ones too.

    Examples
    --------
    >>> from sparsam.anonymise import Anonymiser
    >>> hybrid = Anonymiser(Hybrid(least_gain=0), k=2, publish="ranges")
    >>> labels = ["no", "no", "yes", "yes", "yes", "yes"]
    >>> hybrid.fit_transform({"age": [20, 21, 40, 41, 42, 43]}, labels)["age"].tolist()
    ['20–21', '20–21', '40–41', '40–41', '42–43', '42–43']
    """

    def __init__(self, *, model: Any = None, least_gain: float = 20.0) -> None:
        super().__init__(model=model)
        self.least_gain = least_gain

    def part(self, division: Division) -> ClassTree:
        """Grow the tree of classes; see `Method.part`."""
        if not self.least_gain >= 0:
            raise wrong_parameter("Hybrid", "least_gain", "a number >= 0", self.least_gain)
        self._check_answers(division)
        return grow_tree(division, BOTH, least_gain=self.least_gain)
