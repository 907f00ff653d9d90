"""A requirement, and the generalization that was chosen because of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from sparsam._checks import check_share
from sparsam._errors import ParameterError
from sparsam._joined import supplied
from sparsam._small_counts import publish_classes, publish_loss
from sparsam.assess._assessment import Assessment, Limits
from sparsam.assess._candidates import Candidate
from sparsam.generalization import Generalization

if TYPE_CHECKING:
    from sparsam.assess._front import Front


class SavedReport(Protocol):
    """What a report can do, whoever writes it."""

    def to_dict(self) -> Mapping[str, Any]: ...
    def to_html(self) -> str: ...
    def to_markdown(self) -> str: ...
    def save(self, path: Any) -> None: ...


def points(share: float) -> str:
    """A share of accuracy in points.

    Examples
    --------
    >>> points(0.01), points(0.025)
    ('1 point', '2.5 points')
    """
    number = f"{100 * share:g}"
    return f"{number} point{'s' * (number != '1')}"


class NothingFitsError(ParameterError):
    """No generalization of a front meets the requirement."""


class TooFewPeopleError(NothingFitsError):
    """No generalization of a front meets the requirement, and too few people are there to tell."""


@dataclass(frozen=True)
class Requirement:
    """What a choice must meet: exactly one of the two.

    Parameters
    ----------
    max_utility_loss : float or None
    max_risk : float or None
    """

    max_utility_loss: float | None = None
    max_risk: float | None = None

    def __post_init__(self) -> None:
        given = [v for v in (self.max_utility_loss, self.max_risk) if v is not None]
        if len(given) != 1:
            raise ParameterError(
                "Exactly one of 'max_utility_loss' and 'max_risk' must be given. "
                f"Got {len(given)} of them."
            )
        name = "max_risk" if self.max_utility_loss is None else "max_utility_loss"
        check_share("Requirement", name, given[0])

    @property
    def words(self) -> str:
        """The requirement as a phrase."""
        if self.max_utility_loss is not None:
            return f"accuracy within {points(self.max_utility_loss)} of everything collected"
        return f"at most {self.max_risk:.0%} of what the naive adversary gets wrong is recovered"

    def met(self, assessment: Assessment, limits: Limits) -> bool:
        """Whether it is met on test data."""
        if self.max_utility_loss is not None:
            return limits.loss(assessment, "test")[0] <= self.max_utility_loss
        return self.max_risk is not None and assessment.risk.recovered <= self.max_risk


@dataclass(frozen=True)
class Choice:
    """The generalization that was chosen from a front, with its evidence.

    Attributes
    ----------
    candidate : Candidate
        How it was made.
    assessment : Assessment
    requirement : Requirement
    front : Front
        Where it was chosen from.
    """

    candidate: Candidate
    assessment: Assessment
    requirement: Requirement
    front: Front

    @property
    def generalization(self) -> Generalization:
        """What to collect from now on."""
        return self.candidate.generalization

    @property
    def met(self) -> bool | None:
        """Whether the requirement holds on test data too; None where too few people can tell."""
        limits = self.front.limits
        return self.requirement.met(self.assessment, limits) if limits.evidence.enough else None

    @property
    def verdict(self) -> str:
        """Whether the requirement holds: "met", "not met" or "too few people to tell"."""
        limits = self.front.limits
        return limits.evidence.verdict(self.requirement.met(self.assessment, limits))

    @property
    def answer(self) -> dict[str, Any]:
        """The requirement and whether it is met, as plain data."""
        evidence = self.front.limits.evidence
        return {
            "words": self.requirement.words,
            "met": self.met,
            "verdict": self.verdict,
            "why": None if evidence.enough else evidence.words,
            "needed": evidence.to_dict()["needed"],
        }

    @property
    def utility_loss(self) -> float:
        """Accuracy lost against everything collected (test data)."""
        return self.front.limits.loss(self.assessment, "test")[0]

    @property
    def published(self) -> dict[str, Any]:
        """What was measured of the choice, as plain data, fit to be published.

        Class sizes agree with those of a report, which tells those of the whole front.
        """
        assessment = self.assessment
        sizes, people = assessment.class_sizes.facts(), self.front.data.train.n_rows
        facts, everything = assessment.to_dict(), self.front.limits.everything.to_dict()
        return {
            **facts,
            "utility_loss": publish_loss(facts["utility"]["error"], everything["error"]),
            "class_sizes": publish_classes(sizes, people, self.front.told),
        }

    def __repr__(self) -> str:
        facts = self.published
        lost, recovered = facts["utility_loss"], facts["risk"]["recovered"]
        figures = (
            "measured on few people"
            if lost is None or recovered is None
            else f"accuracy lost {100 * lost:.1f} points, risk {recovered:z.0%} (test)"
        )
        return (
            f"<Choice {self.candidate.label}: {len(self.generalization.collected)} of "
            f"{len(self.generalization)} attributes, {figures}>"
        )

    def to_dict(self) -> dict[str, Any]:
        """The choice as plain data, fit to be published."""
        assessment = self.published
        return {
            "chosen": self.candidate.label,
            "requirement": self.answer,
            "utility_loss": assessment.pop("utility_loss"),
            "limits": self.front.limits.to_dict(),
            "assessment": assessment,
            "tried": len(self.front.points),
            "on_front": len(self.front.best),
        }

    def report(self, **details: Any) -> SavedReport:
        """The evidence as a report: HTML, Markdown or JSON.

        Parameters
        ----------
        **details
            As for `sparsam.report_on`.
        """
        # Reports come after assessments in the flow, so nothing here imports them: the top level,
        # which knows both, has said who writes one.
        report: SavedReport = supplied("report_on")(self, **details)
        return report
