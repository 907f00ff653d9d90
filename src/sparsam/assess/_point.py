"""One generalization of a sweep with what was measured of it, and how two of them compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sparsam.assess._assessment import Assessment
from sparsam.assess._candidates import Candidate
from sparsam.assess._score import SCORES
from sparsam.attack import paired_difference

CLOSE = 0.02  # of what is recovered: nobody would collect one attribute more to be spared that


@dataclass(frozen=True)
class Point:
    """One generalization of a sweep: how it was made, and what was measured of it.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> tree = sp.PrivacyTree(max_leaves=4)
    >>> front = sp.sweep(people, sp.Roles("employed"), minimisers=tree, repeats=1)
    >>> [point] = front.points
    >>> point.candidate.label, point.assessment.generalization.collected
    ('PrivacyTree, max leaves 4, min leaf 100, privacy 0.7', ('age',))
    """

    candidate: Candidate
    assessment: Assessment

    def __repr__(self) -> str:
        utility, risk = self.assessment.utility.to_dict(), self.assessment.risk.to_dict()
        return (
            f"<Point {self.candidate.label}: {_told(utility)}, "
            f"adversary error {_figure(risk['value'])} (test)>"
        )


def _told(utility: dict[str, Any]) -> str:
    if utility["score"] == "accuracy":
        return f"classifier error {_figure(utility['error'])}"
    return f"{SCORES[utility['score']].words} {_figure(utility['value'])}"


def _figure(error: float | None) -> str:
    return "untold" if error is None else f"{error:.3f}"


def beats(first: Assessment, second: Assessment) -> bool:
    """Whether the first is better, beyond the noise of the validation data.

    It must be at least as good on both axes, and better on one by more than the 95 % interval of
    the difference between the two on the same people.
    """
    here, there = first.person_errors["validation"], second.person_errors["validation"]
    if here.utility.mean() > there.utility.mean() or here.risk.mean() < there.risk.mean():
        return False
    utility, utility_range = paired_difference(there.utility, here.utility)
    risk, risk_range = paired_difference(here.risk, there.risk)
    if utility < 0 or risk < 0:
        return False
    return utility_range[0] > 0 or risk_range[0] > 0


def validation_risk(point: Point) -> float:
    return point.assessment.validation_risk.value


def within_noise(best: Point, other: Point, axis: str) -> bool:
    """Whether two points do not differ on an axis by more than the noise of validation data."""
    errors = [getattr(p.assessment.person_errors["validation"], axis) for p in (best, other)]
    _, (low, high) = paired_difference(*errors)
    return low <= 0 <= high


def about_as_safe(best: Point, other: Point) -> bool:
    """Whether two points let about the same share be recovered (validation data)."""
    shares = [p.assessment.validation_risk.recovered for p in (best, other)]
    return shares[1] - shares[0] <= CLOSE


def how_much_it_collects(point: Point) -> tuple[int, int, float]:
    generalization = point.candidate.generalization
    return len(generalization.collected), generalization.n_buckets, -validation_risk(point)
