"""Guided: cut where the model's answers differ, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import ParameterError
from sparsam.anonymise._anonymiser import Anonymiser, Common
from sparsam.anonymise._classes import Demand
from sparsam.anonymise.kernels._packed_rows import IMPURITY
from sparsam.anonymise.methods._class_tree import ClassTree
from sparsam.anonymise.methods._tree_growth import grow_tree
from sparsam.data import Attribute, black_box
from sparsam.data.model import open_own


class Guided(Anonymiser):
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
    **common
        The parameters of every `Anonymiser`: `quasi_identifiers`, `k` and others.

    Examples
    --------
    >>> guided = Guided(k=2, publish="ranges")
    >>> labels = ["no", "no", "yes", "yes", "yes", "yes"]
    >>> guided.fit_transform({"age": [20, 21, 40, 41, 42, 43]}, labels)["age"].tolist()
    ['20–21', '20–21', '40–43', '40–43', '40–43', '40–43']
    """

    def __init__(self, *, model: Any = None, **common: Unpack[Common]) -> None:
        super().__init__(**common)
        self.model = model

    def part(
        self,
        codes: NDArray[np.uint16],
        attributes: Sequence[Attribute],
        demand: Demand,
        answers: NDArray[Any] | None = None,
    ) -> ClassTree:
        """Grow the tree of classes; see `Anonymiser.part`."""
        return grow_tree(codes, attributes, demand, IMPURITY, needed(self, answers))

    def _answers(self, X: Any, y: ArrayLike | None) -> NDArray[Any] | None:
        return model_answers(self.model, X, y)


def model_answers(model: Any, X: Any, y: ArrayLike | None) -> NDArray[Any] | None:
    """Ask the model about every row; the true labels stand in where there is none.

    Parameters
    ----------
    model : anything that `black_box` takes, or None
    X : frame, mapping, ndarray, Table or path
    y : array-like or None
    """
    if model is None:
        return None if y is None else np.asarray(y)
    box = black_box(model)
    found = box.predict(open_own(X).native)
    return found.astype(np.float64) if box.regression else found


def needed(method: Anonymiser, answers: NDArray[Any] | None) -> NDArray[Any]:
    """Return the answers, or say that a method cannot do without them."""
    if answers is None:
        raise ParameterError(
            f"{type(method).__name__} must know what a model says of each row, or the true labels. "
            "Got neither.\n\nHint: give `y`, or a model; Greedy needs neither."
        )
    return answers
