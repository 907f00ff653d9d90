"""A forest and logistic regression under differential privacy, by diffprivlib."""

from __future__ import annotations

import math
import secrets
import warnings
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, MissingExtraError
from sparsam.anonymise.model._private_training import EXTRA, PrivateClassifier
from sparsam.data import Domain


class PrivateForest(PrivateClassifier):
    """A forest of random trees, each grown on its own share of the people, with noisy leaves.

    After Fletcher and Islam, as diffprivlib has it. Cuts are drawn from the declared domains.

    Parameters
    ----------
    domains, classes, epsilon
        See `PrivateClassifier`.
    n_trees : int, default=10
        More trees have fewer people each, and noisier leaves.
    max_depth : int, default=5

    Notes
    -----
    diffprivlib draws its noise as floating-point numbers, whose last digits may betray more than
    epsilon says. Take its models for comparison, not for publication.
    """

    # Random cuts of many columns of zeros and ones would hardly ever tell people apart.
    _one_hot = False

    def __init__(
        self,
        *,
        domains: Mapping[str, Domain],
        classes: Sequence[Any],
        epsilon: float = 1.0,
        n_trees: int = 10,
        max_depth: int = 5,
    ) -> None:
        super().__init__(domains=domains, classes=classes, epsilon=epsilon)
        self.n_trees = n_trees
        self.max_depth = max_depth

    def _train(self, inputs: NDArray[np.float64], labels: NDArray[np.int64]) -> None:
        library = _diffprivlib("PrivateForest")
        self.model_ = library.models.RandomForestClassifier(
            n_estimators=self.n_trees,
            max_depth=self.max_depth,
            epsilon=float(self.epsilon),
            bounds=(0.0, 1.0),
            classes=list(range(len(self.classes))),
            shuffle=True,
            # Left alone it would draw from numpy's global state, which anyone may have seeded.
            random_state=np.random.RandomState(np.frombuffer(secrets.token_bytes(64), np.uint32)),
        )
        _fit(library, self.model_, inputs, labels)
        self.epsilon_, self.delta_ = float(self.epsilon), 0.0

    def _probabilities(self, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.model_.predict_proba(inputs), dtype=np.float64)


class PrivateLogistic(PrivateClassifier):
    """Logistic regression whose objective is perturbed, by diffprivlib.

    Every class must have rows. The people's records are as long as the number of columns allows,
    which is known without the data.

    Parameters
    ----------
    domains, classes, epsilon
        See `PrivateClassifier`.
    C : float, default=1.0
        The inverse of the penalty on the coefficients.

    Notes
    -----
    See `PrivateForest` on floating-point noise.
    """

    def __init__(
        self,
        *,
        domains: Mapping[str, Domain],
        classes: Sequence[Any],
        epsilon: float = 1.0,
        C: float = 1.0,
    ) -> None:
        super().__init__(domains=domains, classes=classes, epsilon=epsilon)
        self.C = C

    def _train(self, inputs: NDArray[np.float64], labels: NDArray[np.int64]) -> None:
        library = _diffprivlib("PrivateLogistic")
        if len(np.unique(labels)) < len(self.classes):
            raise DataError("Every class must have rows. Some of 'classes' have none.")
        self.model_ = library.models.LogisticRegression(
            epsilon=float(self.epsilon), data_norm=math.sqrt(len(self.domains)), C=self.C
        )
        _fit(library, self.model_, inputs, labels)
        self.epsilon_, self.delta_ = float(self.epsilon), 0.0

    def _probabilities(self, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.model_.predict_proba(inputs), dtype=np.float64)


def _fit(library: ModuleType, model: Any, inputs: NDArray[Any], labels: NDArray[Any]) -> None:
    with warnings.catch_warnings():
        # scikit-learn's own talk about convergence and old names; a leak must never pass.
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", library.utils.PrivacyLeakWarning)
        model.fit(inputs, labels)


def _diffprivlib(owner: str) -> ModuleType:
    if find_spec("diffprivlib") is None:
        raise MissingExtraError(
            f"{owner} needs diffprivlib, which is not installed.\n\n"
            f"Hint: pip install 'sparsam[{EXTRA}]'"
        )
    try:
        import diffprivlib
        import diffprivlib.models
        import diffprivlib.utils
    except ImportError as error:
        from sklearn import __version__ as version

        raise MissingExtraError(
            f"{owner} needs diffprivlib, which is installed but does not run beside "
            f"scikit-learn {version}.\n\nHint: use PrivateNetwork, or an environment with "
            "scikit-learn older than 1.8."
        ) from error
    library: ModuleType = diffprivlib
    return library
