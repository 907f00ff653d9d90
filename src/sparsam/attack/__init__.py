"""Adversaries: what someone could still learn from generalized records, or from a model."""

from sparsam._callable import make_callable
from sparsam.attack._bench import ADVERSARIES, Adversary, Attacks, attack
from sparsam.attack._certified import Certificate, certify
from sparsam.attack._control import Control
from sparsam.attack._guesses import Answer, Guesses
from sparsam.attack._linkage import Linkage
from sparsam.attack._look_up import look_up
from sparsam.attack._multi_breach import MultiBreach
from sparsam.attack._network import network
from sparsam.attack._question import Posterior, Question, target_question
from sparsam.attack._reconstruction import Reconstruction
from sparsam.attack._records import GeneralizedRecords
from sparsam.attack._risk import Risk
from sparsam.attack._side_information import (
    LeaveOneOut,
    NonPersonalKnowledge,
    PartialPersonalKnowledge,
)
from sparsam.attack._singling_out import SinglingOut, isolating_predicates
from sparsam.attack._statistics import Interval, mean_interval, paired_difference, wilson_interval
from sparsam.attack._task_for import task_for
from sparsam.attack.inference._attribute_inference import AttributeGame, fredrikson
from sparsam.attack.inference._model import attribute_attack_model
from sparsam.attack.inference._risk import AttributeRisk
from sparsam.attack.masks._masked_membership import MaskedMembership
from sparsam.attack.masks._masked_reconstruction import (
    MaskedReconstructionRisk,
    masked_reconstruction,
)
from sparsam.attack.masks._reidentification import reidentification
from sparsam.attack.masks._risk import ReidentificationRisk
from sparsam.attack.membership._answers import ClassProbabilities
from sparsam.attack.membership._membership import MembershipGame, lira, loss_attack, rmia
from sparsam.attack.membership._model import membership_attack_model
from sparsam.attack.membership._references import References
from sparsam.attack.membership._risk import MembershipRisk

__all__ = [
    "ADVERSARIES",
    "Adversary",
    "Answer",
    "Attacks",
    "AttributeGame",
    "AttributeRisk",
    "Certificate",
    "ClassProbabilities",
    "Control",
    "GeneralizedRecords",
    "Guesses",
    "Interval",
    "LeaveOneOut",
    "Linkage",
    "MaskedMembership",
    "MaskedReconstructionRisk",
    "MembershipGame",
    "MembershipRisk",
    "MultiBreach",
    "NonPersonalKnowledge",
    "PartialPersonalKnowledge",
    "Posterior",
    "Question",
    "Reconstruction",
    "References",
    "ReidentificationRisk",
    "Risk",
    "SinglingOut",
    "attack",
    "attribute_attack_model",
    "certify",
    "fredrikson",
    "isolating_predicates",
    "lira",
    "look_up",
    "loss_attack",
    "masked_reconstruction",
    "mean_interval",
    "membership_attack_model",
    "network",
    "paired_difference",
    "reidentification",
    "rmia",
    "target_question",
    "task_for",
    "wilson_interval",
]

make_callable(__name__, attack)
