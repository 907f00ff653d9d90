"""Minimisers: learn from a sample the least data that a task needs."""

from sparsam.minimise._adversarial import Adversarial
from sparsam.minimise._bucket_minimiser import BucketMinimiser
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._feature_selection import FeatureSelection
from sparsam.minimise._iterative import Iterative
from sparsam.minimise._merging import Merging
from sparsam.minimise._minimiser import Minimiser
from sparsam.minimise._model_tree import ModelTree
from sparsam.minimise._mutual_information import MutualInformation
from sparsam.minimise._privacy_tree import PrivacyTree
from sparsam.minimise._uniform import Uniform

__all__ = [
    "Adversarial",
    "BucketMinimiser",
    "Constraints",
    "FeatureSelection",
    "Iterative",
    "Merging",
    "Minimiser",
    "ModelTree",
    "MutualInformation",
    "PrivacyTree",
    "Uniform",
]
