"""Minimisers: learn from a sample the least data that a task needs."""

# What is imported `as` itself is for the other folders, not for users.
from sparsam.minimise._coarsening import coarsenings as coarsenings
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._feature_selection import FeatureSelection
from sparsam.minimise._iterative import Iterative
from sparsam.minimise._minimiser import BucketMinimiser
from sparsam.minimise._minimiser import Minimiser as Minimiser
from sparsam.minimise._minimiser import two_dimensional as two_dimensional
from sparsam.minimise._partitions import rare_together as rare_together
from sparsam.minimise._privacy_tree import PrivacyTree
from sparsam.minimise._ranges import MAX_RANGES as MAX_RANGES
from sparsam.minimise._uniform import Uniform
from sparsam.minimise.merging._merging import Merging
from sparsam.minimise.model._fit import CurvePoint as CurvePoint
from sparsam.minimise.model._model_tree import ModelTree
from sparsam.minimise.model._oracle import FEWEST_OF_ANSWER as FEWEST_OF_ANSWER
from sparsam.minimise.model._promise import Part as Part
from sparsam.minimise.model._promise import Promise as Promise
from sparsam.minimise.model._promise import Proof as Proof
from sparsam.minimise.model._promise import prove as prove
from sparsam.minimise.neural._adversarial import Adversarial
from sparsam.minimise.neural._mutual_information import MutualInformation

# What `sweep` and the command line call them; for the other folders.
BY_NAME: dict[str, type[Minimiser]] = {
    "privacy tree": PrivacyTree,
    "uniform": Uniform,
    "feature selection": FeatureSelection,
    "importance": FeatureSelection,
    "iterative": Iterative,
    # A classifier of our own stands in for the model that already runs (Apt).
    "model tree": ModelTree,
    "adversarial": Adversarial,
    "mutual information": MutualInformation,
    "merging": Merging,
}

__all__ = [
    "Adversarial",
    "BucketMinimiser",
    "Constraints",
    "FeatureSelection",
    "Iterative",
    "Merging",
    "ModelTree",
    "MutualInformation",
    "PrivacyTree",
    "Uniform",
]
