"""The generalizations that no other one beats, and how to choose among them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsam._errors import ParameterError
from sparsam._small_counts import PublishedCounts, class_counts
from sparsam.assess._assessment import Assessment, Limits
from sparsam.assess._candidates import Candidate
from sparsam.assess._choice import (
    Choice,
    NothingFitsError,
    Requirement,
    TooFewPeopleError,
)
from sparsam.assess._cross_fit import CrossFit
from sparsam.assess._evidence import TOO_FEW
from sparsam.assess._score import SCORES
from sparsam.attack import paired_difference
from sparsam.data import Split


@dataclass(frozen=True)
class Point:
    """One generalization of a sweep: how it was made, and what was measured of it."""

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


class Front:
    """Every generalization of a sweep, and those that no other one beats.

    Points are compared and chosen on validation data; test data are for reporting only.

    Parameters
    ----------
    points : sequence of Point
    limits : Limits
    data : Split
    n_jobs : int, default=1
        Threads to use for a choice. The result does not depend on it.

    Attributes
    ----------
    points : tuple of Point
        Everything that was tried.
    limits : Limits
        The errors with nothing and with everything collected.
    """

    def __init__(
        self,
        points: Sequence[Point],
        limits: Limits,
        data: Split,
        n_jobs: int = 1,
    ) -> None:
        self.points = tuple(points)
        self.limits = limits
        self.data = data
        self._n_jobs = n_jobs

    @property
    def n_rows(self) -> int:
        """How many records there are in all parts of the data."""
        return self.data.train.n_rows + self.data.validation.n_rows + self.data.test.n_rows

    def __len__(self) -> int:
        return len(self.best)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.best)

    def __repr__(self) -> str:
        return f"<Front of {len(self.best)} among {len(self.points)} generalizations>"

    @cached_property
    def told(self) -> PublishedCounts:
        """The counts of people that may be published of all points together."""
        sizes = [point.assessment.class_sizes.facts() for point in self.points]
        counts = [count for facts in sizes for count in class_counts(facts)]
        return PublishedCounts(counts, self.data.train.n_rows)

    @cached_property
    def best(self) -> tuple[Point, ...]:
        """The points that no other point beats, from the most useful to the safest."""
        unbeaten = [
            point
            for point in self.points
            if not any(beats(other.assessment, point.assessment) for other in self.points)
        ]
        return tuple(sorted(unbeaten, key=lambda point: point.assessment.validation_utility.error))

    def area(self, width: float = 0.065) -> float:
        """How safe the front is where the classifier loses at most `width` (test data).

        The mean, over permitted classifier errors from that with everything collected upwards, of
        the best adversary error: the area under the front in figure 4 of Staab et al.
        """
        low = self.limits.everything.error
        assessments = [point.assessment for point in self.points]
        utility = [assessment.utility.error for assessment in assessments]
        risk = [assessment.risk.value for assessment in assessments]
        return area_under_front(utility, risk, low, low + width)

    def ranking(self, width: float = 0.065) -> dict[str, float]:
        """The area under the front of each minimiser alone, the best first (figure 4).

        Parameters
        ----------
        width : float, default=0.065
            How much the classifier may lose, at most.

        Returns
        -------
        dict of str to float
        """
        by_minimiser: dict[str, list[Point]] = {}
        for point in self.points:
            by_minimiser.setdefault(point.candidate.minimiser, []).append(point)
        areas = {
            name: Front(group, self.limits, self.data).area(width)
            for name, group in by_minimiser.items()
        }
        return dict(sorted(areas.items(), key=lambda item: -item[1]))

    def choose(
        self, *, max_utility_loss: float | None = None, max_risk: float | None = None
    ) -> Choice:
        """The least data that meets a requirement.

        Parameters
        ----------
        max_utility_loss : float, optional
            How much may be lost against everything collected, in units of the score that the sweep
            measured: of accuracy, 0.01 is one point. Among the points inside it, the one that
            protects most is chosen.
        max_risk : float, optional
            Share of what the naive adversary gets wrong that the adversary may recover. Among the
            points inside it, the most useful is chosen.

        Returns
        -------
        Choice

        Notes
        -----
        The best of many is partly lucky. What is lost is therefore measured on all people outside
        the test part (100,000 where there are more), each judged by a model that has not seen that
        person, and must stay inside the permitted one with its whole 95 % interval. Points that do
        not differ by more than noise from the best are told apart by how little they collect.
        """
        requirement = Requirement(max_utility_loss, max_risk, self.limits.score)
        if max_utility_loss is not None:
            level = self._most_protective(max_utility_loss)
        else:
            level = self._most_accurate(requirement.max_risk or 0.0)
        chosen = min(level, key=_how_much_it_collects)
        return Choice(chosen.candidate, chosen.assessment, requirement, self)

    def _most_protective(self, max_loss: float) -> list[Point]:
        """Points inside the loss that protect as much as the best of them, up to noise."""
        level: list[Point] = []
        closest, score = math.inf, self.limits.score
        for point in sorted(self.points, key=_validation_risk, reverse=True):
            if level and not _level(level[0], point, "risk"):
                continue
            loss = self._cautious_loss(point, max_loss)
            closest = min(closest, loss)
            if loss <= max_loss:
                level.append(point)
        if not level:
            self._check_evidence()
            percent = score.kind.percent
            may_lose = f"{100 * closest:.1f}" if percent else score.loss_words(closest)
            raise NothingFitsError(
                f"No generalization is certain to lose at most {score.loss_words(max_loss)} of "
                f"{score.kind.words}: the closest may lose {may_lose} (upper end of its 95 % "
                "interval)."
                + (f" {self.limits.words_of_nothing}" if not self.limits.tells else "")
                + "\n\nHint: allow a larger loss, or give more records."
            )
        return level

    def _cautious_loss(self, point: Point, max_loss: float) -> float:
        """Upper end of what is lost; measured well only where it may be small enough."""
        _, (low, high) = self.limits.loss(point.assessment, "validation")
        if low <= max_loss:  # else validation data alone show that too much is lost
            _, (_, high) = self._cross_fit.loss(
                point.candidate.generalization, point.assessment.utility.model
            )
        return min(high, self.limits.score.kind.worst)

    def _most_accurate(self, max_risk: float) -> list[Point]:
        """Points inside the risk that are as accurate as the best of them, up to noise."""
        risks = [point.assessment.validation_risk.recovered for point in self.points]
        inside = [p for p, risk in zip(self.points, risks, strict=True) if risk <= max_risk]
        if not inside:
            self._check_evidence()
            raise NothingFitsError(
                f"No generalization keeps the risk at {max_risk:.1%} or below: the safest lets "
                f"{min(risks):.1%} be recovered (validation data).\n\nHint: allow a larger risk."
            )
        best = min(inside, key=lambda point: point.assessment.validation_utility.error)
        return [point for point in inside if _level(best, point, "utility")]

    def _check_evidence(self) -> None:
        """Raise where nothing fits because there are too few people to tell what does."""
        evidence = self.limits.evidence
        if not evidence.enough:
            raise TooFewPeopleError(
                f"There are {TOO_FEW} what is needed: {evidence.words}."
                "\n\nHint: give more records, or allow a larger loss or risk."
            )

    @cached_property
    def _cross_fit(self) -> CrossFit:
        limits = self.limits
        return CrossFit(self.data, limits.everything.model, self._n_jobs, limits.score)


def _validation_risk(point: Point) -> float:
    return point.assessment.validation_risk.value


def _level(best: Point, other: Point, axis: str) -> bool:
    """Whether two points do not differ on an axis by more than the noise of validation data."""
    errors = [getattr(p.assessment.person_errors["validation"], axis) for p in (best, other)]
    _, (low, high) = paired_difference(*errors)
    return low <= 0 <= high


def _how_much_it_collects(point: Point) -> tuple[int, int, float]:
    generalization = point.candidate.generalization
    return len(generalization.collected), generalization.n_buckets, -_validation_risk(point)


def area_under_front(
    classifier_errors: ArrayLike, adversary_errors: ArrayLike, low: float, high: float
) -> float:
    """Mean over a range of permitted classifier errors of the best adversary error.

    Parameters
    ----------
    classifier_errors, adversary_errors : array-like of float
        Of all points.
    low, high : float
        The range of classifier errors.

    Returns
    -------
    float
        Larger is safer; where no point is permitted, the adversary is taken to make no error.

    Examples
    --------
    >>> area_under_front([0.1, 0.2], [0.3, 0.5], 0.0, 0.4)
    0.325
    """
    if not low < high:
        raise ParameterError(f"The range must have low < high. Got {low} and {high} instead.")
    utility, risk = np.asarray(classifier_errors, float), np.asarray(adversary_errors, float)
    order = np.argsort(utility, kind="stable")
    borders = np.clip(utility[order], low, high)
    best = np.maximum.accumulate(risk[order])
    widths = np.diff(np.append(borders, high))
    return float(best @ widths / (high - low)) if len(best) else 0.0
