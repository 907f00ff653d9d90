"""Utility and risk of generalizations: sweep, front, choice, gates."""

from sparsam.assess._along_front import attack_along
from sparsam.assess._assessment import Assessment, Limits, assess_generalization, measure_limits
from sparsam.assess._choice import Choice, NothingFitsError
from sparsam.assess._drift import drift
from sparsam.assess._front import Front
from sparsam.assess._gate import check_gates
from sparsam.assess._groups import assess_groups
from sparsam.assess._point import Point
from sparsam.assess._sweep import sweep
from sparsam.assess.model._assessment import ModelAssessment, assess_model
from sparsam.assess.over_time._monitor import monitor
from sparsam.assess.purposes._minimise_for_purposes import minimise_for_purposes
from sparsam.assess.purposes._purposes_choice import PurposesChoice

__all__ = [
    "Assessment",
    "Choice",
    "Front",
    "Limits",
    "ModelAssessment",
    "NothingFitsError",
    "Point",
    "PurposesChoice",
    "assess_generalization",
    "assess_groups",
    "assess_model",
    "attack_along",
    "check_gates",
    "drift",
    "measure_limits",
    "minimise_for_purposes",
    "monitor",
    "sweep",
]

# For the other folders, not for users.
from sparsam.assess._along_front import AttackedPoint as AttackedPoint
from sparsam.assess._choice import TooFewPeopleError as TooFewPeopleError
from sparsam.assess._choice import publish_kept as publish_kept
from sparsam.assess._drift import Drift as Drift
from sparsam.assess._everyone import Everyone as Everyone
from sparsam.assess._everyone import assess_everyone as assess_everyone
from sparsam.assess._everyone import everyone_data as everyone_data
from sparsam.assess._gate import GateResult as GateResult
from sparsam.assess._grouping import groupings as groupings
from sparsam.assess._groups import Groups as Groups
from sparsam.assess._score import ACCURACY as ACCURACY
from sparsam.assess._score import AUTO as AUTO
from sparsam.assess._score import SCORES as SCORES
from sparsam.assess._score import Score as Score
from sparsam.assess._score import score_for as score_for
from sparsam.assess.model._answers import labels_in as labels_in
from sparsam.assess.over_time._baseline import Baseline as Baseline
from sparsam.assess.over_time._baseline import GuessedAttribute as GuessedAttribute
from sparsam.assess.over_time._looks import Look as Look
from sparsam.assess.over_time._looks import Looks as Looks
from sparsam.assess.over_time._monitor import Monitoring as Monitoring
