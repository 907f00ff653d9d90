"""How good a model is that learned from a release: tested on people as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from sparsam._errors import ParameterError
from sparsam.data import column_names
from sparsam.data.model import as_table, select


@dataclass(frozen=True, eq=False)
class Retrained:
    """A score of releases: a fresh model learns from one and is tested on raw rows.

    Parameters
    ----------
    model : scikit-learn estimator
        Not fitted; it is copied each time. A pipeline that encodes by itself.
    X : frame, mapping or ndarray
        Rows that are not in the release, as they are. With at least the columns of the release.
    y : array-like
        Their true labels or numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> test = np.array([[20.0], [60.0]]), ["no", "yes"]
    >>> score = Retrained(DecisionTreeClassifier(random_state=0), *test)
    >>> score(np.array([[30.0], [50.0]]), ["no", "yes"])
    1.0
    """

    model: Any
    X: Any
    y: ArrayLike

    def __call__(self, release: Any, y: ArrayLike | None) -> float:
        """Train on the release, and test.

        Parameters
        ----------
        release : frame, mapping or ndarray
        y : array-like
            The labels of its rows.
        """
        if y is None:
            raise ParameterError("A model can only be retrained with labels. Got no `y`.")
        names = column_names(release)
        model = clone(self.model).fit(as_table(release, None), y)
        return float(model.score(as_table(select(self.X, names), None), self.y))
