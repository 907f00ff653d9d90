"""Adversaries: what someone could still learn from generalized records."""

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

__all__ = [
    "ADVERSARIES",
    "Adversary",
    "Answer",
    "Attacks",
    "Certificate",
    "Control",
    "GeneralizedRecords",
    "Guesses",
    "Interval",
    "LeaveOneOut",
    "Linkage",
    "MultiBreach",
    "NonPersonalKnowledge",
    "PartialPersonalKnowledge",
    "Posterior",
    "Question",
    "Reconstruction",
    "Risk",
    "SinglingOut",
    "attack",
    "certify",
    "isolating_predicates",
    "look_up",
    "mean_interval",
    "network",
    "paired_difference",
    "target_question",
    "task_for",
    "wilson_interval",
]

make_callable(__name__, attack)
