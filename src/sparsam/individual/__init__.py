"""Per-person masks: which single values a training set can do without."""

# What is imported `as` itself is for the other folders, not for users.
from sparsam.individual._individual_minimiser import IndividualMinimiser, mask_people
from sparsam.individual._learners import LogisticLearner, NetworkLearner
from sparsam.individual._mask import Mask
from sparsam.individual._people import PeopleTable, read_people
from sparsam.individual._private_learner import PrivateLearner
from sparsam.individual._retention import Retention, retain
from sparsam.individual._sparsity_curve import CurvePoint as CurvePoint
from sparsam.individual._sparsity_curve import SparsityCurve, sparsity_curve

__all__ = [
    "IndividualMinimiser",
    "LogisticLearner",
    "Mask",
    "NetworkLearner",
    "PeopleTable",
    "PrivateLearner",
    "Retention",
    "SparsityCurve",
    "mask_people",
    "read_people",
    "retain",
    "sparsity_curve",
]
