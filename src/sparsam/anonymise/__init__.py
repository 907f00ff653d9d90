"""Side road: publish a table in which nobody stands alone, and prove it."""

from sparsam.anonymise._anonymise_model import anonymise_model
from sparsam.anonymise._anonymiser import Anonymiser
from sparsam.anonymise._drop_one import drop_one
from sparsam.anonymise._k_scores import k_scores
from sparsam.anonymise._k_sweep import k_sweep
from sparsam.anonymise._privacy_models import (
    Closeness,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
)
from sparsam.anonymise._private_models import PrivateForest, PrivateLogistic, PrivateNetwork
from sparsam.anonymise._scores import Retrained
from sparsam.anonymise.methods._bulk_load import BulkLoad
from sparsam.anonymise.methods._full_domain import FullDomain
from sparsam.anonymise.methods._greedy import Greedy
from sparsam.anonymise.methods._guided import Guided, Hybrid
from sparsam.anonymise.methods._hilbert import Hilbert
from sparsam.anonymise.methods._mondrian import Mondrian
from sparsam.anonymise.proof._certificate import Certificate
from sparsam.anonymise.proof._verify import verify

# isort: split
# For the other folders, not for users.
from sparsam.anonymise._anonymise_model import AnonymisedModel as AnonymisedModel
from sparsam.anonymise._anonymise_model import ModelFacts as ModelFacts
from sparsam.anonymise._drop_one import DropOne as DropOne
from sparsam.anonymise._k_scores import KScores as KScores
from sparsam.anonymise._k_sweep import KSweep as KSweep
from sparsam.anonymise._privacy_models import KAnonymity as KAnonymity
from sparsam.anonymise._privacy_models import PrivacyModel as PrivacyModel
from sparsam.anonymise._private_models import Payer as Payer
from sparsam.anonymise._private_models import training_libraries as training_libraries
from sparsam.anonymise._release import Release as Release
from sparsam.anonymise._release import beside as beside
from sparsam.anonymise._release import check_place as check_place
from sparsam.anonymise._risk import release_risk as release_risk
from sparsam.anonymise._target import labels_from as labels_from
from sparsam.anonymise._target import training_labels as training_labels
from sparsam.anonymise._target import with_known as with_known
from sparsam.anonymise._target import with_target as with_target
from sparsam.anonymise._tight_loss import LOSS_DEFINITIONS as LOSS_DEFINITIONS
from sparsam.anonymise.proof._certificate import KAnonymityTerms as KAnonymityTerms
from sparsam.anonymise.proof._promises import people_in as people_in
from sparsam.anonymise.proof._verify import Finding as Finding
from sparsam.anonymise.proof._verify import Verification as Verification
from sparsam.anonymise.proof._verify import certify as certify

__all__ = [
    "Anonymiser",
    "BulkLoad",
    "Certificate",
    "Closeness",
    "DistinctDiversity",
    "EntropyDiversity",
    "FullDomain",
    "Greedy",
    "Guided",
    "Hilbert",
    "Hybrid",
    "Mondrian",
    "PrivateForest",
    "PrivateLogistic",
    "PrivateNetwork",
    "RecursiveDiversity",
    "Retrained",
    "anonymise_model",
    "drop_one",
    "k_scores",
    "k_sweep",
    "verify",
]
