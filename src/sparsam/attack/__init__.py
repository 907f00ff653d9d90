"""Adversaries: what someone could still learn from generalized records, or from a model."""

from sparsam.attack._attribute_inference import AttributeGame, fredrikson
from sparsam.attack._bench import Adversary, Attacks, run_attacks
from sparsam.attack._bound import Bound, bound
from sparsam.attack._control import Control
from sparsam.attack._linkage import Linkage
from sparsam.attack._reconstruction import Reconstruction
from sparsam.attack._risk import Risk
from sparsam.attack._side_information import (
    LeaveOneOut,
    MultiBreach,
    NonPersonalKnowledge,
    PartialPersonalKnowledge,
)
from sparsam.attack._singling_out import SinglingOut
from sparsam.attack._task_for import task_for
from sparsam.attack._versions import attack_versions
from sparsam.attack.membership._membership import MembershipGame, membership_attack_model, rmia

__all__ = [
    "Adversary",
    "Attacks",
    "AttributeGame",
    "Bound",
    "Control",
    "LeaveOneOut",
    "Linkage",
    "MembershipGame",
    "MultiBreach",
    "NonPersonalKnowledge",
    "PartialPersonalKnowledge",
    "Reconstruction",
    "Risk",
    "SinglingOut",
    "attack_versions",
    "bound",
    "fredrikson",
    "membership_attack_model",
    "rmia",
    "run_attacks",
    "task_for",
]

# For the other folders, not for users.
from sparsam.attack._attribute_inference import attribute_attack_model as attribute_attack_model
from sparsam.attack._bench import INFORMED as INFORMED
from sparsam.attack._bench import Bench as Bench
from sparsam.attack._bound import publish_bound as publish_bound
from sparsam.attack._cells import Tally as Tally
from sparsam.attack._cells import mean_risk as mean_risk
from sparsam.attack._cells import tallied_bound as tallied_bound
from sparsam.attack._cells import tallied_risk as tallied_risk
from sparsam.attack._cells import tally_cells as tally_cells
from sparsam.attack._guesses import SHARES as SHARES
from sparsam.attack._guesses import Answer as Answer
from sparsam.attack._guesses import Guesses as Guesses
from sparsam.attack._look_up import look_up as look_up
from sparsam.attack._question import Posterior as Posterior
from sparsam.attack._question import Question as Question
from sparsam.attack._question import target_question as target_question
from sparsam.attack._records import GeneralizedRecords as GeneralizedRecords
from sparsam.attack._risk import WORST as WORST
from sparsam.attack._risk import compare_published as compare_published
from sparsam.attack._risk import publish_risk as publish_risk
from sparsam.attack._statistics import Interval as Interval
from sparsam.attack._statistics import paired_difference as paired_difference
from sparsam.attack._statistics import wilson_interval as wilson_interval
from sparsam.attack._versions import VersionRisks as VersionRisks
from sparsam.attack.masks._masked_membership import MaskedMembership as MaskedMembership
from sparsam.attack.masks._masked_reconstruction import (
    masked_reconstruction as masked_reconstruction,
)
from sparsam.attack.masks._reidentification import reidentification as reidentification
from sparsam.attack.membership._membership import reseeded as reseeded
from sparsam.attack.membership._references import References as References
