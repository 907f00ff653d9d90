"""scikit-learn's own checks, on every estimator that there is."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import (
    check_estimator_cloneable,
    check_estimator_repr,
    check_get_params_invariance,
    check_mixin_order,
    check_no_attributes_set_in_init,
    check_set_params,
    check_valid_tag_types,
    parametrize_with_checks,
)

import sparsam
from sparsam.anonymise import (
    Anonymiser,
    BulkLoad,
    FullDomain,
    Greedy,
    Guided,
    Hilbert,
    Hybrid,
    Mondrian,
    PrivateForest,
    PrivateLogistic,
    PrivateNetwork,
)
from sparsam.collect import GeneralizationStep
from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, numeric_partition
from sparsam.individual import IndividualMinimiser
from sparsam.minimise import (
    BY_NAME,
    Adversarial,
    FeatureSelection,
    Iterative,
    Merging,
    ModelTree,
    MutualInformation,
    PrivacyTree,
    Uniform,
)


def above_zero(X: Any) -> np.ndarray:
    return np.asarray(X)[:, 0].astype(float) > 0


DOMAINS = {"x0": NumericDomain(-10, 10)}
ARTIFACT = Generalization([numeric_partition("x0", NumericDomain(-1e6, 1e6), [0.5])])
METHODS = (BulkLoad(), FullDomain(), Greedy(), Guided(), Hilbert(), Hybrid(), Mondrian())
CHECKED: list[BaseEstimator] = [
    PrivacyTree(),
    PrivacyTree(max_leaves=6, privacy=0.0, min_leaf=1),
    Uniform(),
    FeatureSelection(),
    Iterative(),
    Merging(),
    Merging(start_leaves=4, min_leaf=1),
    IndividualMinimiser(keep=0.5, algorithm="individualised random"),
    Anonymiser(k=2),
    *(Anonymiser(method, k=2) for method in METHODS),
]
NEURAL = [Adversarial(epochs=1, device="cpu"), MutualInformation(epochs=1, device="cpu")]
# These take no matrix of any size: an artifact or declared domains say which columns there are, or
# a model that already runs; a method is fitted by its anonymiser. What does not depend on the data
# is checked.
OF_A_TABLE: list[BaseEstimator] = [
    *METHODS,
    ModelTree(above_zero),
    GeneralizationStep(ARTIFACT),
    PrivateForest(domains=DOMAINS, classes=(0, 1)),
    PrivateLogistic(domains=DOMAINS, classes=(0, 1)),
    PrivateNetwork(domains=DOMAINS, classes=(0, 1)),
]
# A minimiser that is added later is checked with its own defaults.
_LISTED = {type(estimator) for estimator in (*CHECKED, *NEURAL, *OF_A_TABLE)}
CHECKED += [kind() for kind in BY_NAME.values() if kind not in _LISTED]
OF_THE_CONSTRUCTOR: list[Callable[[str, BaseEstimator], None]] = [
    check_estimator_cloneable,
    check_estimator_repr,
    check_get_params_invariance,
    check_mixin_order,
    check_no_attributes_set_in_init,
    check_set_params,
    check_valid_tag_types,
]
RELEASES = {
    "check_methods_subset_invariance": "a single row is never released",
    "check_dict_unchanged": "a release leaves its certificate behind",
    "check_transformer_data_not_an_array": "objects of a list stay objects",
}


def _every_class() -> Iterator[type[BaseEstimator]]:
    for module in pkgutil.walk_packages(sparsam.__path__, "sparsam."):
        if module.name.endswith("__main__"):
            continue
        for kind in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(kind) and issubclass(kind, BaseEstimator):
                yield kind


def test_every_estimator_is_checked() -> None:
    kinds = {kind for kind in _every_class() if kind.__module__.startswith("sparsam.")}
    bases = {base for kind in kinds for base in kind.__mro__[1:]}
    checked = {type(estimator) for estimator in (*CHECKED, *NEURAL, *OF_A_TABLE)}
    assert kinds - bases <= checked <= kinds


def _releases(estimator: BaseEstimator) -> dict[str, str]:
    return RELEASES if type(estimator).__module__.startswith("sparsam.anonymise") else {}


@parametrize_with_checks(
    [*CHECKED, *(NEURAL if find_spec("torch") else [])], expected_failed_checks=_releases
)
@pytest.mark.filterwarnings("ignore::sparsam._errors.SparsamWarning")
def test_scikit_learns_own_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("estimator", OF_A_TABLE, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("check", OF_THE_CONSTRUCTOR, ids=lambda check: check.__name__)
def test_constructors_keep_to_the_conventions(
    estimator: BaseEstimator, check: Callable[[str, BaseEstimator], None]
) -> None:
    check(type(estimator).__name__, estimator)
