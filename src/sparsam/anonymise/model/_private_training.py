"""Train a model under differential privacy, to compare an anonymised model with."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from sparsam._errors import DataError, ParameterError
from sparsam.data import CategoricalDomain, Domain, NumericDomain, columns_of, plain

EXTRA = "dp-training"


class PrivateClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose answers hardly depend on any one person; the base of all such.

    What the model must know of the data beforehand is declared, never read from the data: the
    domain of every column, and the classes. A value outside its domain counts as the nearest
    number, or as none of the categories. The noise comes from the operating system and cannot be
    seeded, as noise that can be repeated protects nobody.

    Parameters
    ----------
    domains : mapping of str to NumericDomain or CategoricalDomain
        The columns that the model takes, with the values they can have. Public knowledge.
    classes : sequence
        The labels there can be. Public knowledge.
    epsilon : float, default=1.0
        The privacy loss: the lower, the more private.

    Attributes
    ----------
    classes_ : ndarray
    epsilon_, delta_ : float
        What was spent.
    """

    classes_: NDArray[Any]
    epsilon_: float
    delta_: float
    _one_hot = True

    def __init__(
        self, *, domains: Mapping[str, Domain], classes: Sequence[Any], epsilon: float = 1.0
    ) -> None:
        self.domains = domains
        self.classes = classes
        self.epsilon = epsilon

    @abstractmethod
    def _train(self, inputs: NDArray[np.float64], labels: NDArray[np.int64]) -> None:
        """Learn from encoded rows, and say in `delta_` and `epsilon_` what it cost."""

    @abstractmethod
    def _probabilities(self, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each class for encoded rows."""

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Train.

        Parameters
        ----------
        X : frame or mapping
            One row a person.
        y : array
            The labels.
        """
        self._check()
        known, truth = np.unique(np.asarray(self.classes)), np.asarray(y)
        if len(known) != len(self.classes) or len(known) < 2:
            raise ParameterError(
                "The 'classes' parameter must list at least two labels, each once. "
                f"Got {len(self.classes)}, of which {len(known)} differ."
            )
        # How many rows there are, or are of some kind, is private: no error says it.
        if not np.isin(truth, known).all():
            raise DataError("There are rows with a label that is not in 'classes'.")
        inputs = encode(X, self.domains, one_hot=self._one_hot)
        if len(inputs) != len(truth):
            raise DataError("There must be one label for each row. Got more, or fewer.")
        self._train(inputs, np.searchsorted(known, truth).astype(np.int64))
        self.classes_ = known
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        X : frame or mapping
        """
        check_is_fitted(self)
        return self._probabilities(encode(X, self.domains, one_hot=self._one_hot))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class.

        Parameters
        ----------
        X : frame or mapping
        """
        found: NDArray[Any] = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[found])

    def spent(self) -> dict[str, Any]:
        """Plain data: what the model promises, and by what means."""
        check_is_fitted(self)
        return {"mechanism": type(self).__name__, "epsilon": self.epsilon_, "delta": self.delta_}

    def _check(self) -> None:
        if not (isinstance(self.epsilon, int | float) and 0 < self.epsilon < math.inf):
            raise ParameterError(
                f"The 'epsilon' parameter of {type(self).__name__} must be a number above 0. "
                f"Got {self.epsilon!r} instead."
            )
        if not self.domains:
            raise ParameterError(
                f"The 'domains' parameter of {type(self).__name__} must name the columns that the "
                "model takes. Got none: bounds that are read from the data are not private."
            )
        for name, domain in self.domains.items():
            if not isinstance(domain, NumericDomain | CategoricalDomain):
                raise ParameterError(
                    f"The domain of '{name}' must be a NumericDomain or a CategoricalDomain. "
                    f"Got a {type(domain).__name__} instead."
                )


def encode(
    source: Any, domains: Mapping[str, Domain], *, one_hot: bool = True
) -> NDArray[np.float64]:
    """Turn rows into numbers from 0 to 1 by declared domains alone.

    A number takes two columns: where it lies in its range, and whether it is missing. A category
    takes a column for each category and one for none of them. So no attribute adds more than 1 to
    the squared length of a row.

    Parameters
    ----------
    source : frame or mapping
    domains : mapping of str to NumericDomain or CategoricalDomain
    one_hot : bool, default=True
        Else a category takes one column: its place in the list, none of them last.

    Examples
    --------
    >>> domains = {"age": NumericDomain(0, 100), "sex": CategoricalDomain(("f", "m"))}
    >>> encode({"age": [50, None], "sex": ["m", "x"]}, domains).tolist()
    [[0.5, 0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0, 1.0]]
    """
    raw = columns_of(source, list(domains))
    parts = []
    for name, domain in domains.items():
        if isinstance(domain, NumericDomain):
            parts.append(_number(name, raw[name], domain))
        else:
            parts.append(_category(raw[name], domain, one_hot))
    return np.hstack(parts)


def _number(name: str, values: NDArray[Any], domain: NumericDomain) -> NDArray[np.float64]:
    try:
        numbers = np.array([np.nan if v is None else v for v in values.tolist()], dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"'{name}' is declared a number. Some of its values are none.") from None
    missing = np.isnan(numbers)
    width = max(domain.high - domain.low, np.finfo(float).tiny)
    place = (
        np.clip(np.where(missing, domain.low, numbers), domain.low, domain.high) - domain.low
    ) / width
    return np.column_stack([np.where(missing, 0.0, place), missing])


def _category(
    values: NDArray[Any], domain: CategoricalDomain, one_hot: bool
) -> NDArray[np.float64]:
    place = {category: number for number, category in enumerate(domain.categories)}
    none = len(place)
    found = [none if _gone(v) else place.get(plain(v), none) for v in values.tolist()]
    return np.eye(none + 1)[found] if one_hot else np.array(found, dtype=float)[:, None] / none


def _gone(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
