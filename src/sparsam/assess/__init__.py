"""Utility and risk of generalizations: sweep, front, choice, gates."""

from sparsam.assess._assessment import Assessment, assess
from sparsam.assess._candidates import Candidate
from sparsam.assess._choice import Choice, NothingFitsError, Requirement
from sparsam.assess._class_sizes import ClassSizes
from sparsam.assess._front import Front, Point
from sparsam.assess._gate import GateResult, check_gates
from sparsam.assess._limits import Limits, measure_limits
from sparsam.assess._sweep import sweep
from sparsam.assess._task_for import task_for
from sparsam.assess._utility import Utility

__all__ = [
    "Assessment",
    "Candidate",
    "Choice",
    "ClassSizes",
    "Front",
    "GateResult",
    "Limits",
    "NothingFitsError",
    "Point",
    "Requirement",
    "Utility",
    "assess",
    "check_gates",
    "measure_limits",
    "sweep",
    "task_for",
]
