"""Utility and risk of generalizations: sweep, front, choice, gates."""

from sparsam.assess._along_front import AttackedPoint, attack_along
from sparsam.assess._area import area_under_front
from sparsam.assess._assessment import Assessment, assess_generalization
from sparsam.assess._candidates import Candidate
from sparsam.assess._choice import Choice, NothingFitsError, Requirement
from sparsam.assess._class_sizes import ClassSizes
from sparsam.assess._drift import Drift, drift
from sparsam.assess._front import Front, Point
from sparsam.assess._gate import GateResult, check_gates
from sparsam.assess._limits import Limits, measure_limits
from sparsam.assess._model_assessment import ModelAssessment, assess_model
from sparsam.assess._sweep import sweep
from sparsam.assess._utility import Utility

__all__ = [
    "Assessment",
    "AttackedPoint",
    "Candidate",
    "Choice",
    "ClassSizes",
    "Drift",
    "Front",
    "GateResult",
    "Limits",
    "ModelAssessment",
    "NothingFitsError",
    "Point",
    "Requirement",
    "Utility",
    "area_under_front",
    "assess_generalization",
    "assess_model",
    "attack_along",
    "check_gates",
    "drift",
    "measure_limits",
    "sweep",
]
