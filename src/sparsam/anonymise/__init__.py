"""Side road: publish a table in which nobody stands alone, and prove it."""

from sparsam._errors import ReleaseError
from sparsam.anonymise._anonymiser import Anonymiser
from sparsam.anonymise._drop_one import drop_one
from sparsam.anonymise._k_sweep import k_sweep
from sparsam.anonymise._risk import release_risk
from sparsam.anonymise._tight_loss import tight_loss
from sparsam.anonymise.methods._bulk_load import BulkLoad
from sparsam.anonymise.methods._full_domain import FullDomain
from sparsam.anonymise.methods._greedy import Greedy
from sparsam.anonymise.methods._guided import Guided
from sparsam.anonymise.methods._hilbert import Hilbert
from sparsam.anonymise.methods._hybrid import Hybrid
from sparsam.anonymise.methods._mondrian import Mondrian
from sparsam.anonymise.model._anonymise_model import anonymise_model
from sparsam.anonymise.model._facts import AnonymisedModel
from sparsam.anonymise.model._private_models import PrivateForest, PrivateLogistic
from sparsam.anonymise.model._private_network import PrivateNetwork
from sparsam.anonymise.model._retrained import Retrained
from sparsam.anonymise.privacy._privacy_models import (
    AllOf,
    Closeness,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    PrivacyModel,
    RecursiveDiversity,
)
from sparsam.anonymise.proof._certificate import Certificate
from sparsam.anonymise.proof._verify import certify, verify
from sparsam.anonymise.publish._order import shuffled
from sparsam.anonymise.publish._publish import publish

__all__ = [
    "AllOf",
    "AnonymisedModel",
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
    "KAnonymity",
    "Mondrian",
    "PrivacyModel",
    "PrivateForest",
    "PrivateLogistic",
    "PrivateNetwork",
    "RecursiveDiversity",
    "ReleaseError",
    "Retrained",
    "anonymise_model",
    "certify",
    "drop_one",
    "k_sweep",
    "publish",
    "release_risk",
    "shuffled",
    "tight_loss",
    "verify",
]
