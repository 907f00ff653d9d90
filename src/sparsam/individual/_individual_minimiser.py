"""Find the mask of a training set: for a share to keep, or for a drop that is permitted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from sparsam._checks import check_choice, check_share, check_whole
from sparsam._errors import DataError, ParameterError
from sparsam.individual._algorithms import (
    evolutionary,
    feature_selection,
    individual_random,
    modelling,
    random_rows,
)
from sparsam.individual._arrays import Bits, Labels, Matrix, matrix
from sparsam.individual._first_order import first_order
from sparsam.individual._imputation import Imputation, PublicStatistics
from sparsam.individual._learners import Learner
from sparsam.individual._mask import Mask
from sparsam.individual._stationarity import stationarity
from sparsam.individual._training_set import TrainingSet

ALGORITHMS: dict[str, Callable[..., Mask]] = {
    "stationarity": stationarity,
    "evolutionary": evolutionary,
    "modelling": modelling,
    "first order": first_order,
    "feature selection": feature_selection,
    "random rows": random_rows,
    "individualised random": individual_random,
}


def find_mask(
    data: TrainingSet, algorithm: str, keep: float, random_state: int, options: Mapping[str, Any]
) -> Mask:
    """Find a mask by one of `ALGORITHMS`.

    Parameters
    ----------
    data : TrainingSet
    algorithm : str
    keep : float
        The share of the values that are there to keep.
    random_state : int
    options : mapping
        More parameters of the algorithm.
    """
    check_algorithm(algorithm, options)
    return ALGORITHMS[algorithm](data, keep, random_state=random_state, **options)


def check_algorithm(algorithm: str, options: Mapping[str, Any]) -> None:
    """Raise unless there is such an algorithm and it takes these options."""
    check_choice("mask_people", "algorithm", algorithm, ALGORITHMS)
    known = set(inspect.signature(ALGORITHMS[algorithm]).parameters)
    known -= {"data", "keep", "random_state"}
    if not set(options) <= known:
        raise ParameterError(
            f"The options of '{algorithm}' are {sorted(known)}. Got {sorted(options)} instead."
        )


class IndividualMinimiser(BaseEstimator):  # type: ignore[misc]
    """Decide which single values of which person a training set can do without.

    It must see everything once: it is a tool for deciding what to retain, not what to ask for.

    Parameters
    ----------
    keep : float, optional
        The share of all values to keep.
    max_drop : float, optional
        The drop in accuracy that is permitted (eq. 1b); the least share that stays within it is
        searched. Give this or `keep`.
    algorithm : str, default="stationarity"
        One of `ALGORITHMS`.
    learner : Learner, optional
        The model that will be trained; LogisticLearner() when left out.
    imputation : {"gaussian", "mean", "zero", "learned"}, default="gaussian"
    options : mapping, optional
        More parameters of the algorithm.
    random_state : int, default=0

    Attributes
    ----------
    mask_ : Mask
    keep_ : float
        The kept share.
    accuracy_, full_accuracy_ : float
        Of the models of the minimised and of the full rows.
    drop_ : float
        The difference of the two.
    measured_on_ : str
        "validation rows" or "training rows": where the accuracies were measured.
    tried_ : list of (float, float)
        The shares that the search tried, and their drops.
    classes_ : ndarray

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((300, 4))
    >>> y = np.where(X[:, 0] + X[:, 1] > 1, "yes", "no")
    >>> minimiser = IndividualMinimiser(max_drop=0.01).fit(X, y)
    >>> bool(minimiser.drop_ <= 0.01), bool(minimiser.keep_ < 0.3)
    (True, True)
    """

    def __init__(
        self,
        keep: float | None = None,
        max_drop: float | None = None,
        *,
        algorithm: str = "stationarity",
        learner: Learner | None = None,
        imputation: Imputation = "gaussian",
        options: Mapping[str, Any] | None = None,
        random_state: int = 0,
    ) -> None:
        self.keep = keep
        self.max_drop = max_drop
        self.algorithm = algorithm
        self.learner = learner
        self.imputation = imputation
        self.options = options
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Labels are needed; a value need not be there."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        public: ArrayLike | None = None,
        validation: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> Self:
        """Find the mask.

        Parameters
        ----------
        X : matrix or frame of numbers, scaled
            NaN where a value is not there: it cannot be kept, and is filled in.
        y : array-like
            The classes.
        public : matrix, optional
            Rows that anyone may know, for the statistics of the imputation. Without them `X`
            itself is used, which no attacker could.
        validation : pair of (X, y), optional
            Where to measure the accuracy; the full training rows when left out (eq. 1b).

        Returns
        -------
        self
        """
        self._check()
        rows, named = validate_data(
            self, X, y, dtype=np.float64, ensure_min_samples=2, ensure_all_finite="allow-nan"
        )
        check_classification_targets(named)
        self.classes_, codes = np.unique(named, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError("'y' must have at least two classes. Got one class instead.")
        known = rows if public is None else matrix(public, "public rows", holes=True)
        statistics = PublicStatistics.of(known)
        names = getattr(self, "feature_names_in_", None)
        data = TrainingSet(
            rows,
            codes,
            statistics,
            self.learner,
            self.imputation,
            None if names is None else list(names),
        )
        measure = _Measure(data, self._validation(validation), self._mask)
        self.full_accuracy_ = measure.full
        mask = self._search(measure)
        self.drop_ = measure.drop(mask)
        self.accuracy_ = self.full_accuracy_ - self.drop_
        self.tried_ = measure.tried
        self.measured_on_ = "training rows" if validation is None else "validation rows"
        self.keep_ = mask.kept_share
        self.mask_ = mask.with_facts(
            {
                "accuracy": self.accuracy_,
                "full_accuracy": self.full_accuracy_,
                "measured_on": self.measured_on_,
            }
        )
        return self

    def _mask(self, data: TrainingSet, keep: float) -> Mask:
        return find_mask(data, self.algorithm, keep, int(self.random_state), self.options or {})

    def _check(self) -> None:
        owner = type(self).__name__
        if (self.keep is None) == (self.max_drop is None):
            raise ParameterError("Give 'keep' or 'max_drop', one of the two.")
        if self.keep is None:
            check_share(owner, "max_drop", self.max_drop)
        else:
            check_share(owner, "keep", self.keep, above=True)
        check_whole(owner, "random_state", self.random_state, 0)
        check_algorithm(self.algorithm, self.options or {})

    def _validation(
        self, given: tuple[ArrayLike, ArrayLike] | None
    ) -> tuple[Matrix, Labels] | None:
        if given is None:
            return None
        rows = validate_data(
            self, given[0], dtype=np.float64, reset=False, ensure_all_finite="allow-nan"
        )
        truth = np.asarray(given[1])
        if not np.isin(truth, self.classes_).all():
            raise DataError("The validation labels must be classes of the training labels.")
        return rows, np.searchsorted(self.classes_, truth)

    def _search(self, measure: _Measure) -> Mask:
        """Halve the share, on a log scale, until the least one that will do is known to 5 %."""
        if self.keep is not None:
            return measure.mask(self.keep)
        data, most = measure.data, float(self.max_drop or 0)
        good = data.mask(data.full, "all values", int(self.random_state))
        low, high = 0, data.n_values  # `low` values are too few, `high` will do
        while high - low > 1 and high > 1.05 * low:
            middle = min(max(int(np.sqrt(max(low, 1) * high)), low + 1), high - 1)
            mask = measure.mask(middle / data.n_values)
            if measure.drop(mask) <= most:
                good, high = mask, middle
            else:
                low = middle
        return good


class _Measure:
    """Finds masks and measures their accuracies, each once."""

    def __init__(
        self,
        data: TrainingSet,
        validation: tuple[Matrix, Labels] | None,
        find: Callable[[TrainingSet, float], Mask],
    ) -> None:
        self.data, self.find = data, find
        self.rows, self.truth = (data.X, data.y) if validation is None else validation
        self.full = self._accuracy(data.full)
        self.tried: list[tuple[float, float]] = []
        self._drops: dict[bytes, float] = {}

    def _accuracy(self, kept: Bits) -> float:
        return float(self.data.accuracies(kept[None], self.rows, self.truth)[0])

    def mask(self, keep: float) -> Mask:
        return self.find(self.data, keep)

    def drop(self, mask: Mask) -> float:
        key = mask.kept.tobytes()
        if key not in self._drops:
            self._drops[key] = self.full - self._accuracy(mask.kept)
            self.tried.append((mask.kept_share, self._drops[key]))
        return self._drops[key]


def mask_people(
    X: ArrayLike,
    y: ArrayLike,
    *,
    keep: float | None = None,
    max_drop: float | None = None,
    public: ArrayLike | None = None,
    validation: tuple[ArrayLike, ArrayLike] | None = None,
    algorithm: str = "stationarity",
    learner: Learner | None = None,
    imputation: Imputation = "gaussian",
    options: Mapping[str, Any] | None = None,
    random_state: int = 0,
) -> Mask:
    """Decide which single values of which person a training set can do without.

    It must see everything once: it is a tool for deciding what to retain, not what to ask for.

    Parameters
    ----------
    X : matrix or frame of numbers, scaled
    y : array-like
        The classes.
    keep : float, optional
        The share of all values to keep.
    max_drop : float, optional
        The drop in accuracy that is permitted (eq. 1b). Give this or `keep`.
    public : matrix, optional
        Rows that anyone may know, for the statistics of the imputation.
    validation : pair of (X, y), optional
        Where to measure the accuracy; the full training rows when left out.
    algorithm : str, default="stationarity"
        One of `ALGORITHMS`.
    learner : Learner, optional
    imputation : {"gaussian", "mean", "zero", "learned"}, default="gaussian"
    options : mapping, optional
        More parameters of the algorithm.
    random_state : int, default=0

    Returns
    -------
    Mask
        Its facts state both accuracies, and where they were measured.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).random((300, 4))
    >>> print(mask_people(X, X[:, 0] + X[:, 1] > 1, keep=0.1))
    300 people x 4 attributes: 10.00 % kept (120 of 1,200 values), stationarity for logistic
    regression (l2=1), seed 0
    """
    minimiser = IndividualMinimiser(
        keep,
        max_drop,
        algorithm=algorithm,
        learner=learner,
        imputation=imputation,
        options=options,
        random_state=random_state,
    )
    return minimiser.fit(X, y, public=public, validation=validation).mask_
