"""Hybrid: cut where the model's answers differ, then where the most detail is saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import ParameterError
from sparsam.anonymise._anonymiser import Anonymiser, Common
from sparsam.anonymise._classes import Demand
from sparsam.anonymise.kernels._packed_rows import BOTH
from sparsam.anonymise.methods._class_tree import ClassTree
from sparsam.anonymise.methods._guided import model_answers, needed
from sparsam.anonymise.methods._tree_growth import grow_tree
from sparsam.data import Attribute


class Hybrid(Anonymiser):
    """Part people into classes of whom a model says the same, and then as finely as allowed.

    Cuts by the model's answers come first (see `Guided`), as long as they explain enough; then cuts
    that save detail (see `Greedy`), until no cut is allowed.

    Parameters
    ----------
    model : estimator, function, path, session, module or BlackBox, optional
        A model that predicts labels or numbers from the user's own columns, see `black_box`. None:
        the true labels or numbers, given to `fit` as `y`.
    least_gain : float, default=20.0
        How much a cut by the answers must explain, as a multiple of the mean impurity of a person
        (for labels of two kinds this is the chi-squared statistic of the cut). 0 follows every
        difference between the answers, chance ones too.
    **common
        The parameters of every `Anonymiser`: `quasi_identifiers`, `k` and others.

    Examples
    --------
    >>> hybrid = Hybrid(least_gain=0, k=2, publish="ranges")
    >>> labels = ["no", "no", "yes", "yes", "yes", "yes"]
    >>> hybrid.fit_transform({"age": [20, 21, 40, 41, 42, 43]}, labels)["age"].tolist()
    ['20–21', '20–21', '40–41', '40–41', '42–43', '42–43']
    """

    def __init__(
        self, *, model: Any = None, least_gain: float = 20.0, **common: Unpack[Common]
    ) -> None:
        super().__init__(**common)
        self.model = model
        self.least_gain = least_gain

    def part(
        self,
        codes: NDArray[np.uint16],
        attributes: Sequence[Attribute],
        demand: Demand,
        answers: NDArray[Any] | None = None,
    ) -> ClassTree:
        """Grow the tree of classes; see `Anonymiser.part`."""
        if not self.least_gain >= 0:
            raise ParameterError(
                "The 'least_gain' parameter of Hybrid must be a number of at least 0. "
                f"Got {self.least_gain!r} instead."
            )
        known = needed(self, answers)
        return grow_tree(codes, attributes, demand, BOTH, known, self.least_gain)

    def _answers(self, X: Any, y: ArrayLike | None) -> NDArray[Any] | None:
        return model_answers(self.model, X, y)
