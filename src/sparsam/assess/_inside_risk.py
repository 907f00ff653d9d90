"""The most useful generalization that is shown to be inside a risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sparsam.assess._choice import Choice, NothingFitsError, Requirement, check_evidence
from sparsam.assess._point import Point, how_much_it_collects, validation_risk, within_noise
from sparsam.assess._proof import EXACT, Proof
from sparsam.assess._trial import is_settled, median_vote, risk_p_value, risk_upper

if TYPE_CHECKING:
    from sparsam.assess._front import Front, Repeat


def most_useful(
    front: Front, repeats: Sequence[Repeat], requirement: Requirement, max_risk: float
) -> Choice:
    """The most useful of the points that are shown to be inside a risk.

    Where the people are divided in several ways, the way decides whose loss is in the middle.
    All of them hold together, so that it does not matter which one it is.
    """
    n_ways = 1 + len(repeats)
    level = (1 - requirement.confidence) / n_ways
    ways = [InsideRisk.of(front, max_risk, level)]
    for repeat in repeats:
        if is_settled([way.loss for way in ways], n_ways):
            break
        ways.append(InsideRisk.of(repeat.front(), max_risk, level))
    middle = median_vote([way.loss for way in ways], n_ways, math.inf)
    if math.isinf(middle):
        check_evidence(front.limits.evidence)
        safest = min(point.assessment.risk.recovered for point in front.points)
        raise NothingFitsError(
            f"No generalization can be shown to keep the risk at {100 * max_risk:g} % or below "
            f"with {100 * requirement.confidence:g} % confidence: the safest lets "
            f"{100 * safest:.1f} % be recovered (test data).\n\nHint: allow a larger risk."
        )
    deciding = next(way for way in ways if way.loss == middle)
    chosen, p_value = deciding.chosen
    errors = chosen.assessment.person_errors["test"].risk
    collected = [way.chosen[0].candidate.generalization.collected for way in ways if way.shown]
    proof = Proof(
        p_value=p_value,
        bound=risk_upper(errors, deciding.front.limits.naive_errors["test"], 1 - level),
        confidence=requirement.confidence,
        people=deciding.front.data.test.n_rows,
        tested=deciding.tested,
        stopped=deciding.stopped,
        how=EXACT,
        counts=tuple(
            len(way.chosen[0].candidate.generalization.collected) if way.shown else None
            for way in ways
        ),
        ways=n_ways,
        needed={name: sum(name in names for names in collected) for name in front.data.train.names},
        middle=True,
    )
    return Choice(chosen.candidate, chosen.assessment, requirement, deciding.front, proof)


@dataclass(frozen=True, repr=False)
class InsideRisk:
    """What one way to divide the people shows to be inside a risk.

    Attributes
    ----------
    front : Front
    shown : tuple of (Point, float)
        The points, from safe to useful, and their p-values.
    n_steps : int
        How many could have been tested.
    """

    front: Front
    shown: tuple[tuple[Point, float], ...]
    n_steps: int

    @classmethod
    def of(cls, front: Front, max_risk: float, level: float) -> InsideRisk:
        """Test points from the safest on, until the first that cannot be shown."""
        naive, shown = front.limits.naive_errors["test"], []
        steps = from_safe_to_useful(front.points)
        for point in steps:
            errors = point.assessment.person_errors["test"].risk
            p_value = risk_p_value(errors, naive, max_risk)
            if p_value > level:
                break
            shown.append((point, p_value))
        return cls(front, tuple(shown), len(steps))

    @property
    def stopped(self) -> bool:
        """Whether there was one that could not be shown."""
        return len(self.shown) < self.n_steps

    @property
    def tested(self) -> int:
        """How many were tested."""
        return len(self.shown) + self.stopped

    @property
    def loss(self) -> float:
        """What the most useful loses against everything collected (validation data)."""
        if not self.shown:
            return math.inf
        best = self.shown[-1][0].assessment.person_errors["validation"].utility
        everything = self.front.limits.classifier.losses["validation"]
        return float(np.mean(best) - np.mean(everything)) if len(best) else 0.0

    @property
    def chosen(self) -> tuple[Point, float]:
        """The least data among the points that noise cannot tell from the most useful one."""
        best = self.shown[-1][0]
        level_with = [pair for pair in self.shown if within_noise(best, pair[0], "utility")]
        return min(level_with, key=lambda pair: how_much_it_collects(pair[0]))


def from_safe_to_useful(points: Sequence[Point]) -> list[Point]:
    """Points from the safest on, each more useful than all before (validation data)."""
    steps: list[Point] = []
    for point in sorted(points, key=validation_risk, reverse=True):
        error = point.assessment.validation_utility.error
        if not steps or error < steps[-1].assessment.validation_utility.error:
            steps.append(point)
    return steps
