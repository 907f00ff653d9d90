"""A requirement, and the generalization that was chosen because of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from sparsam._checks import check_share, wrong_parameter
from sparsam._errors import ParameterError
from sparsam._joined import supplied
from sparsam._small_counts import publish_classes, publish_interval, publish_loss, suppress
from sparsam.assess._assessment import Assessment
from sparsam.assess._candidates import Candidate
from sparsam.assess._everyone import Everyone, assess_everyone
from sparsam.assess._evidence import TOO_FEW, Evidence
from sparsam.assess._groups import Groups, assess_groups
from sparsam.assess._proof import Proof
from sparsam.assess._score import ACCURACY, Score
from sparsam.assess._trial import CONFIDENCE
from sparsam.assess.over_time._baseline import evidence_of
from sparsam.generalization import Generalization

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sparsam.assess._front import Front


_NEIGHBOURS = 4  # points of a front that are counted on all rows beside the choice
_MOST_DISTINCT = 20_000  # records of one that is: two millions take as long as half the search


class SavedReport(Protocol):
    """What a report can do, whoever writes it."""

    def to_dict(self) -> Mapping[str, Any]: ...
    def to_html(self) -> str: ...
    def to_markdown(self) -> str: ...
    def save(self, path: Any) -> None: ...


def _telling_score(score: Score, n_classes: int) -> str | None:
    """A score that may tell more than this one; None where there is none."""
    if score.name == "accuracy":
        return "auc" if n_classes == 2 else "balanced accuracy"
    return "auc" if score.name == "log loss" and n_classes == 2 else None


def publish_kept(
    error: float | None, nothing: float | None, everything: float | None, *, tells: bool
) -> float | None:
    """The share of what the data add that is kept, from errors that were published.

    Examples
    --------
    >>> publish_kept(0.25, 0.5, 0.2, tells=True)
    0.833
    """
    if error is None or nothing is None or everything is None or not tells:
        return None
    return round((nothing - error) / (nothing - everything), 3) if nothing > everything else None


class NothingFitsError(ParameterError):
    """No generalization of a front meets the requirement.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> tree = sp.PrivacyTree(max_leaves=4)
    >>> front = sp.sweep(people, sp.Roles("employed"), minimisers=tree, repeats=1)
    >>> try:
    ...     front.choose(max_utility_loss=0)
    ... except NothingFitsError as error:
    ...     print(error)
    No generalization can be shown to lose at most 0 points of accuracy with 95 % confidence, ...
    """


class TooFewPeopleError(NothingFitsError):
    """No generalization of a front meets the requirement, and too few people are there to tell."""


def check_evidence(evidence: Evidence) -> None:
    """Raise where nothing fits because there are too few people to tell what does."""
    if not evidence.enough:
        raise TooFewPeopleError(
            f"There are {TOO_FEW} what is needed: {evidence.words}."
            "\n\nHint: give more records, or allow a larger loss or risk."
        )


@dataclass(frozen=True)
class Requirement:
    """What a choice must meet: exactly one of the two.

    Parameters
    ----------
    max_utility_loss : float or None
    max_risk : float or None
    score : Score
        What `max_utility_loss` is a loss of.
    confidence : float, default=0.95
        How sure it must be that it is met.
    why : str
        Why the limit is what it is, where it was not the user who set it.
    max_utility_loss_per_group : float or None
        What any group may lose, beside `max_utility_loss`.
    groups : tuple of str or None
        The groups that are looked at; None for those that people would expect.
    """

    max_utility_loss: float | None = None
    max_risk: float | None = None
    score: Score = ACCURACY
    confidence: float = CONFIDENCE
    why: str = ""
    max_utility_loss_per_group: float | None = None
    groups: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        self._check_groups()
        given = [v for v in (self.max_utility_loss, self.max_risk) if v is not None]
        if len(given) != 1:
            raise ParameterError(
                "Exactly one of 'max_utility_loss' and 'max_risk' must be given. "
                f"Got {len(given)} of them."
            )
        if self.max_utility_loss is None:
            check_share("Requirement", "max_risk", given[0])
        else:
            self.score.check_loss("Requirement", "max_utility_loss", self.max_utility_loss)
        check_share("Requirement", "confidence", self.confidence, above=True)
        if self.confidence == 1:
            raise wrong_parameter("Requirement", "confidence", "a float in (0, 1)", 1.0)

    def _check_groups(self) -> None:
        name, limit = "max_utility_loss_per_group", self.max_utility_loss_per_group
        if limit is None:
            return
        if self.max_utility_loss is None:
            raise ParameterError(f"'{name}' goes together with 'max_utility_loss' only.")
        self.score.check_loss("Requirement", name, limit)

    @property
    def words(self) -> str:
        """The requirement as a phrase."""
        if self.max_utility_loss is not None:
            within = self.score.loss_words(self.max_utility_loss)
            words = f"{self.score.kind.words} within {within} of everything collected"
            if self.max_utility_loss_per_group is not None:
                group = self.score.loss_words(self.max_utility_loss_per_group)
                words += f", and within {group} for each group"
        else:
            words = (
                f"at most {100 * (self.max_risk or 0):g} % of what the naive adversary gets wrong "
                "is recovered"
            )
        return f"{words}, with {100 * self.confidence:g} % confidence"


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
    proof : Proof
        How it is known that the requirement is met.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> tree = sp.PrivacyTree(max_leaves=4)
    >>> front = sp.sweep(people, sp.Roles("employed"), minimisers=tree, repeats=1)
    >>> choice = front.choose()
    >>> choice.generalization.collected, choice.met, choice.verdict
    (('age',), True, 'met')
    """

    candidate: Candidate
    assessment: Assessment
    requirement: Requirement
    front: Front
    proof: Proof

    @cached_property
    def generalization(self) -> Generalization:
        """What to collect from now on; it carries the score that it was chosen by, and evidence."""
        found = self.candidate.generalization
        about = {**found.about, "score": self.requirement.score.name, **evidence_of(self)}
        others, rows = self.front.data.others, self.front.n_rows
        if others is not None:
            about["sample"] = {"rows": suppress(rows), "of": suppress(rows + others.n_people)}
        return found.with_about(about)

    @property
    def met(self) -> bool | None:
        """Whether the requirement is shown to hold; None where too few people can tell."""
        return self.proof.holds if self.front.limits.evidence.enough else None

    @property
    def verdict(self) -> str:
        """Whether the requirement holds: "met", "not met" or "too few people to tell"."""
        return self.front.limits.evidence.verdict(self.proof.holds)

    @property
    def answer(self) -> dict[str, Any]:
        """The requirement and whether it is met, as plain data."""
        evidence = self.front.limits.evidence
        return {
            "words": self.requirement.words,
            "limit": self.requirement.why,
            "met": self.met,
            "verdict": self.verdict,
            "why": None if evidence.enough else evidence.words,
            "needed": evidence.to_dict()["needed"],
            "proof": self.proof.to_dict() | {"bound": self._published_bound()},
            "remarks": list(self.remarks),
        }

    def _published_bound(self) -> float | None:
        """What is shown not to be exceeded, rounded upwards."""
        people, bound = self.proof.people, max(0.0, self.proof.bound)
        if self.requirement.max_utility_loss is None:
            ends = publish_interval((0.0, bound), people)
        else:
            ends = self.requirement.score.publish_interval((0.0, bound), people)
        return None if ends is None else ends[1]

    @cached_property
    def groups(self) -> Groups:
        """What each group loses, and how much an adversary recovers of its people."""
        front, asked = self.front, self.requirement
        return assess_groups(
            self.assessment, front.limits, front.data, asked.groups, confidence=asked.confidence
        )

    @cached_property
    def everyone(self) -> tuple[Everyone, ...]:
        """What is counted on all rows, where the choice was made on a sample; else nothing.

        First the choice itself, then up to four points of the front, those most like it.
        """
        chosen = self.assessment
        nearest = sorted(
            (
                p.assessment
                for p in self.front.best
                if p.assessment is not chosen
                and p.assessment.class_sizes.distinct <= _MOST_DISTINCT
            ),
            key=lambda a: abs(a.validation_risk.value - chosen.validation_risk.value),
        )
        return assess_everyone(
            [a.generalization for a in (chosen, *nearest[:_NEIGHBOURS])],
            self.front.data,
            random_state=chosen.risk.random_state,
            score=self.front.limits.score,
        )

    @property
    def kept(self) -> float | None:
        """The share of what the data add to the majority guess that is kept (test data).

        One is as much as with everything collected. None where they add nothing beyond the noise.
        """
        return self.front.limits.kept(self.assessment.utility.error)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader must know of the score before relying on the verdict."""
        limits = self.front.limits
        score, name = limits.score, limits.score.kind.words
        if limits.nothing.to_dict()["error"] is None:
            return ()
        if not limits.tells:
            return (limits.words_of_nothing,)
        loss = self.requirement.max_utility_loss
        if loss is None or limits.adds[0] > loss:
            return ()
        better = _telling_score(score, len(self.front.data.train.classes))
        return (
            f"Collecting nothing would lose no more than {score.loss_words(loss)} of {name}: "
            + (
                f"{name} cannot tell here what is needed; the score '{better}' would."
                if better
                else "only a smaller loss can tell here what is needed."
            ),
        )

    @property
    def utility_loss(self) -> float:
        """What is lost against everything collected, in units of the score (test data)."""
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
            else f"{self._lost(lost)}, risk {recovered:z.0%} (test)"
        )
        return (
            f"<Choice {self.candidate.label}: {len(self.generalization.collected)} of "
            f"{len(self.generalization)} attributes, {figures}>"
        )

    def _lost(self, loss: float) -> str:
        score = self.requirement.score
        if score.kind.percent:
            return f"{score.kind.words} lost {100 * loss:.1f} points"
        return f"{score.kind.words} lost {score.loss_words(loss)}"

    def to_dict(self) -> dict[str, Any]:
        """The choice as plain data, fit to be published."""
        assessment, score = self.published, self.requirement.score
        return {
            "chosen": self.candidate.label,
            "requirement": self.answer,
            "score": {"name": score.name, "words": score.kind.words, "why": score.why},
            "utility_loss": assessment.pop("utility_loss"),
            "kept": self._published_kept(),
            "groups": self.groups.to_dict(),
            "limits": self.front.limits.to_dict(),
            "assessment": assessment,
            "tried": len(self.front.points),
            "on_front": len(self.front.best),
        }

    def _published_kept(self) -> float | None:
        limits = self.front.limits
        return publish_kept(
            self.assessment.utility.to_dict()["error"],
            limits.nothing.to_dict()["error"],
            limits.everything.to_dict()["error"],
            tells=limits.tells,
        )

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw the front that was chosen from, with what was chosen.

        Parameters
        ----------
        ax, **style
            As for `Front.plot`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        ``front.choose(max_utility_loss=0.02).plot()`` marks the choice by a star.
        """
        return self.front.plot(ax, choice=self, **style)

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
