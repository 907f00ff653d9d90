"""Per-person masks: which single values a training set can do without."""

# What is imported `as` itself is for the other folders, not for users.
from sparsam.individual._curve import CurvePoint as CurvePoint
from sparsam.individual._curve import SparsityCurve
from sparsam.individual._individual_minimiser import IndividualMinimiser, mask_people
from sparsam.individual._learners import LogisticLearner, NetworkLearner
from sparsam.individual._mask import Mask
from sparsam.individual._measuring import sparsity_curve
from sparsam.individual._people import PeopleTable, read_people
from sparsam.individual._private_learner import PrivateLearner
from sparsam.individual._retention import Retention, retain

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
