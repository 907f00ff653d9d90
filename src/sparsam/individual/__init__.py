"""Per-person masks: which single values a training set can do without."""

from sparsam._callable import make_callable
from sparsam.individual._baselines import feature_selection, individual_random, random_rows
from sparsam.individual._encoding import Encoded, PeopleSplit, encode, split_people
from sparsam.individual._evolutionary import evolutionary
from sparsam.individual._first_order import first_order
from sparsam.individual._imputation import PublicStatistics, impute
from sparsam.individual._learners import Learner, LogisticLearner
from sparsam.individual._mask import Mask
from sparsam.individual._minimise_people import ALGORITHMS, IndividualMinimiser, individual
from sparsam.individual._modelling import influences, modelling
from sparsam.individual._network_learner import NetworkLearner
from sparsam.individual._people_table import PeopleTable, read_people
from sparsam.individual._privacy_scores import (
    graded,
    independence_scores,
    uniqueness_scores,
    votes,
    with_privacy,
)
from sparsam.individual._private_learner import PrivateLearner
from sparsam.individual._retention import Retention, retain
from sparsam.individual._stationarity import stationarity
from sparsam.individual._training_set import TrainingSet
from sparsam.individual.curve._curve import sparsity_curve
from sparsam.individual.curve._figures import (
    CurvePoint,
    MaskedAccuracy,
    RunOverlap,
    SparsityCurve,
)

__all__ = [
    "ALGORITHMS",
    "CurvePoint",
    "Encoded",
    "IndividualMinimiser",
    "Learner",
    "LogisticLearner",
    "Mask",
    "MaskedAccuracy",
    "NetworkLearner",
    "PeopleSplit",
    "PeopleTable",
    "PrivateLearner",
    "PublicStatistics",
    "Retention",
    "RunOverlap",
    "SparsityCurve",
    "TrainingSet",
    "encode",
    "evolutionary",
    "feature_selection",
    "first_order",
    "graded",
    "impute",
    "independence_scores",
    "individual",
    "individual_random",
    "influences",
    "modelling",
    "random_rows",
    "read_people",
    "retain",
    "sparsity_curve",
    "split_people",
    "stationarity",
    "uniqueness_scores",
    "votes",
    "with_privacy",
]

make_callable(__name__, individual)
