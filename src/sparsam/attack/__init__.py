"""Adversaries: what someone could still learn from generalized records."""

from sparsam.attack._guesses import Answer, Guesses
from sparsam.attack._look_up import look_up
from sparsam.attack._network import network
from sparsam.attack._question import Posterior, Question, target_question
from sparsam.attack._reconstruction import Reconstruction
from sparsam.attack._records import GeneralizedRecords
from sparsam.attack._risk import Risk
from sparsam.attack._statistics import Interval, mean_interval, paired_difference, wilson_interval

__all__ = [
    "Answer",
    "GeneralizedRecords",
    "Guesses",
    "Interval",
    "Posterior",
    "Question",
    "Reconstruction",
    "Risk",
    "look_up",
    "mean_interval",
    "network",
    "paired_difference",
    "target_question",
    "wilson_interval",
]
