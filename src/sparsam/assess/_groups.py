"""For whom is utility lost, and who is at risk? Groups of people beside the mean over everyone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparsam._certainty import normal_upper
from sparsam._checks import check_share
from sparsam._errors import ParameterError
from sparsam._joined import supplied
from sparsam._small_counts import (
    SMALLEST_COUNT,
    at_most,
    publish_interval,
    publish_loss,
    publish_share,
    published_repr,
)
from sparsam.assess._assessment import Assessment, Limits
from sparsam.assess._evidence import MET, NOT_MET, TOO_FEW
from sparsam.assess._grouping import Grouping, groupings
from sparsam.assess._score import Answers, Losses, Score
from sparsam.assess._trial import Tried, loss_p_value, loss_upper
from sparsam.attack import Interval, compare_published
from sparsam.data import Split, Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST_IN_GROUP = 100
"""People of the test part: fewer cannot show a loss below three points, were they all alike."""


@dataclass(frozen=True, repr=False)
class GroupEffect:
    """What a generalization costs one group, and what it gives away of its people (test data).

    Attributes
    ----------
    grouping, label : str
        The attribute, and the group in words.
    people : int
    score : Score
        What utility is measured by, among these people.
    everything, error : float
        The error among them with everything collected, and with the generalization.
    differences : ndarray
        What each of them loses; the mean is the loss of the group.
    confidence : float
        Of both intervals, for this group alone: higher where many groups are looked at.
    risk, naive : ndarray of float or None
        For each of them the share of personal attributes that the adversary, and the naive one,
        gets wrong.
    """

    grouping: str
    label: str
    people: int
    score: Score
    everything: float
    error: float
    differences: NDArray[Any] = field(compare=False)
    confidence: float
    risk: NDArray[np.float32] = field(compare=False)
    naive: NDArray[np.float32] | None = field(compare=False)

    @property
    def words(self) -> str:
        """The attribute and the group."""
        return f"{self.grouping}: {self.label}"

    @property
    def loss(self) -> float:
        """What these people lose against everything collected, in units of the score."""
        return self.error - self.everything

    @cached_property
    def interval(self) -> Interval:
        """Interval of the loss."""
        confidence = (1 + self.confidence) / 2
        return (
            -loss_upper(self.score, -self.differences, confidence),
            loss_upper(self.score, self.differences, confidence),
        )

    def p_value(self, limit: float) -> float:
        """How likely people like these would be seen if the group lost `limit` or more."""
        return loss_p_value(self.score, self.differences, limit)

    @property
    def recovered(self) -> float | None:
        """Share of the naive adversary's errors on these people that the adversary avoids."""
        if self.naive is None or not self.naive.any():
            return None
        return 1 - float(self.risk.mean() / self.naive.mean())

    @cached_property
    def recovered_interval(self) -> Interval | None:
        """Interval of `recovered`, from the spread of a ratio of two means."""
        recovered = self.recovered
        if recovered is None or self.naive is None:
            return None
        beyond = (self.risk - (1 - recovered) * self.naive) / float(self.naive.mean())
        values, confidence = recovered - beyond, (1 + self.confidence) / 2
        return -normal_upper(-values, confidence), normal_upper(values, confidence)

    def __repr__(self) -> str:
        return published_repr(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published: shares in steps of five people or more.

        The loss is the nearest step, and the error before follows from it, so that readers who
        subtract agree.
        """
        score, people = self.score, self.people
        loss, error = (score.publish(value, people) for value in (self.loss, self.error))
        return {
            "attribute": self.grouping,
            "group": self.label,
            "people": at_most(people),
            "everything": publish_loss(error, loss),
            "error": error,
            "loss": loss,
            "interval": score.publish_interval(self.interval, people),
            "risk": self._published_risk(),
        }

    def _published_risk(self) -> dict[str, Any] | None:
        if self.naive is None:
            return None
        errors = [float(wrong.mean()) for wrong in (self.risk, self.naive)]
        value, baseline = (publish_share(error, self.people) for error in errors)
        return {
            "value": value,
            "baseline": baseline,
            "recovered": compare_published("error", value, baseline)["recovered"],
            "interval": publish_interval(self.recovered_interval, self.people),
        }


@dataclass(frozen=True, repr=False)
class Groups:
    """What a generalization costs each group of people (test data).

    Attributes
    ----------
    attributes : tuple of str
        What people were grouped by.
    effects : tuple of GroupEffect
        Of the groups with enough people to tell.
    left_out : tuple of tuple
        Of all others the attribute, the label and the number of people.
    loss : float
        What everyone loses on average.
    score : Score
    confidence : float
        Of all intervals together.
    """

    attributes: tuple[str, ...]
    effects: tuple[GroupEffect, ...]
    left_out: tuple[tuple[str, str, int], ...]
    loss: float
    score: Score
    confidence: float = 0.95

    @cached_property
    def worst(self) -> GroupEffect | None:
        """The group that loses most; of those that are shown to lose more, where there are any."""
        shown = [effect for effect in self.effects if self.loses_more(effect)]
        return min(shown or self.effects, key=_as_told, default=None)

    def loses_more(self, effect: GroupEffect) -> bool:
        """Whether a group is shown to lose something, and more than everyone does on average."""
        return effect.interval[0] > max(0.0, self.loss)

    def p_value(self, limit: float) -> float:
        """How likely people like these would be seen if some group lost `limit` or more.

        It is the largest of all groups: that each is inside the limit is shown only if it is shown
        of each (an intersection-union test, which takes no correction for their number). One where
        no group has enough people.
        """
        return max((effect.p_value(limit) for effect in self.effects), default=1.0)

    def verdict(self, limit: float) -> str:
        """Whether no group loses more than a limit: "met", "not met" or "too few people to tell".

        Met where that is shown of every group, not met where the contrary is shown of one, all
        groups that were looked at allowed for.
        """
        if self.p_value(limit) <= 1 - self.confidence:
            return MET
        beyond = any(effect.interval[0] > limit for effect in self.effects)
        return NOT_MET if beyond else TOO_FEW

    def unshown(self, limit: float) -> tuple[GroupEffect, ...]:
        """The groups that are not shown to lose at most a limit, those that lose most first."""
        open_ones = (e for e in self.effects if e.p_value(limit) > 1 - self.confidence)
        return tuple(sorted(open_ones, key=_as_told))

    def __repr__(self) -> str:
        return published_repr(self)

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw what each group loses, with intervals that hold for all of them together.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's markers,
            such as `markersize`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import sparsam as sp
        >>> from sparsam.assess import measure_limits
        >>> data = sp.split(sp.resolve(sp.load_example().take(range(2000)), sp.Roles("employed")))
        >>> nothing = sp.Generalization.nothing(data.train.table)
        >>> assessment = sp.assess_generalization(nothing, data)
        >>> groups = assess_groups(assessment, measure_limits(data), data, ["sex"])
        >>> sorted(tick.get_text() for tick in groups.plot().get_yticklabels())
        ['sex: female', 'sex: male']
        """
        axes: Axes = supplied("plot_groups")(self, ax, **style)
        return axes

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published: the groups that lose most first.

        Groups with fewer than five people are not named.
        """
        worst, ordered = self.worst, sorted(self.effects, key=_as_told)
        named = [
            {"attribute": grouping, "group": label}
            for grouping, label, people in self.left_out
            if people >= SMALLEST_COUNT
        ]
        return {
            "confidence": self.confidence,
            "attributes": list(self.attributes),
            "fewest": FEWEST_IN_GROUP,
            "worst": None if worst is None else ordered.index(worst),
            "groups": [
                {**effect.to_dict(), "loses_more": self.loses_more(effect)} for effect in ordered
            ],
            "left_out": named,
        }


def _as_told(effect: GroupEffect) -> float:
    """An order from those who lose most, by what is told: a finer one would tell more."""
    told = effect.score.publish(effect.loss, effect.people)
    return -(effect.loss if told is None else told)


def assess_groups(
    assessment: Assessment,
    limits: Limits,
    data: Split,
    groups: Sequence[str] | None = None,
    *,
    confidence: float = 0.95,
) -> Groups:
    """Measure what a generalization costs each group of people, and who is at risk.

    Each group is judged on its own people: accuracy, AUC or another score among them, before and
    after. A difference between groups says nothing about its cause.

    Parameters
    ----------
    assessment : Assessment
    limits : Limits
        Of the same split, by the same score.
    data : Split
        What both were measured on.
    groups : sequence of str, optional
        Attributes: "sex" groups by value, a number by its quarters; "age=18/65" cuts a number where
        it says; "sex*age=65" crosses two. Where nothing is said, the personal attributes with two
        to ten values that are called as what people are told apart by, such as sex, race or
        disability; without any of them, all personal attributes with so few values.
    confidence : float, default=0.95
        Of all intervals together: each is as much wider as there are groups (Bonferroni).

    Returns
    -------
    Groups
        Groups with fewer than 100 people in the test part are left out: they cannot tell.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> data = sp.split(sp.resolve(people, sp.Roles("employed")))
    >>> tree = sp.PrivacyTree(max_leaves=4).fit_task(data.train)
    >>> from sparsam.assess import measure_limits
    >>> assessment = sp.assess_generalization(tree.generalization_, data)
    >>> groups = assess_groups(assessment, measure_limits(data), data, ["sex", "age=18/65"])
    >>> groups.attributes, len(groups.effects)
    (('sex', 'age'), 4)
    """
    check_share("assess_groups", "confidence", confidence, above=True)
    return measure_groups(assessment, limits, data.test, groupings(data.train, groups), confidence)


def measure_groups(
    assessment: Assessment,
    limits: Limits,
    people: Task,
    ways: Sequence[Grouping],
    confidence: float = 0.95,
) -> Groups:
    """The same for groupings that are settled, on the people of the test part."""
    told, left_out = _told(limits.score, people, ways)
    each = 1 - (1 - confidence) / max(1, len(told))
    errors, full, naive = assessment.person_errors["test"], limits.classifier, limits.naive_errors
    effects = []
    for group in told:
        everything = group.losses(full.losses["test"], full.answers.get("test"))
        after = group.losses(errors.utility, errors.answers)
        effects.append(
            GroupEffect(
                grouping=group.grouping,
                label=group.label,
                people=len(group.members),
                score=group.score,
                everything=float(everything.mean()),
                error=float(after.mean()),
                differences=np.subtract(after, everything, dtype=float),
                confidence=each,
                risk=errors.risk[group.members],
                naive=naive["test"][group.members] if "test" in naive else None,
            )
        )
    loss = limits.loss(assessment, "test")[0]
    attributes = tuple(way.name for way in ways)
    return Groups(attributes, tuple(effects), left_out, loss, limits.score, confidence)


@dataclass(frozen=True, repr=False)
class _Group:
    """The people of a group, and the score that judges them among themselves."""

    grouping: str
    label: str
    members: NDArray[np.int64]
    score: Score
    people: Task | None

    def losses(self, losses: Losses, answers: Answers | None) -> Losses:
        """What each member loses, judged among the members alone."""
        if self.people is None:
            return losses[self.members]
        if answers is None:
            raise ParameterError(
                f"The {self.score.kind.words} of a group is judged by what the model says of each "
                "person, which this assessment does not hold."
                "\n\nHint: assess_generalization keeps it."
            )
        return self.score.judge(answers[self.members], self.people)


def _told(
    score: Score, people: Task, ways: Sequence[Grouping], fewest: int = FEWEST_IN_GROUP
) -> tuple[list[_Group], tuple[tuple[str, str, int], ...]]:
    """The groups with enough people to tell, and the others."""
    told, left_out = [], []
    for way in ways:
        group = way.groups(people)
        for number, label in enumerate(way.labels):
            members = np.flatnonzero(group == number)
            own, among = None, score if len(members) >= fewest else None
            if among is not None and score.kind.judge is not None:
                own = people.take(members)
                among = score.among(own)
            if among is not None:
                told.append(_Group(way.name, label, members, among, own))
            elif len(members):
                left_out.append((way.name, label, len(members)))
    return told, tuple(left_out)


@dataclass(frozen=True, repr=False)
class GroupDemand:
    """No group with enough people loses more than a limit.

    Attributes
    ----------
    limit : float
    limits : Limits
    data : Split
    ways : tuple of Grouping
    """

    limit: float
    limits: Limits
    data: Split
    ways: tuple[Grouping, ...]

    @cached_property
    def _tested(self) -> list[_Group]:
        return _told(self.limits.score, self.data.test, self.ways)[0]

    @cached_property
    def _estimated(self) -> list[_Group]:
        return _told(self.limits.score, self.data.validation, self.ways, 2)[0]

    @property
    def can_tell(self) -> bool:
        """Whether any group has enough people."""
        return bool(self._tested)

    def estimate(self, tried: Tried) -> float:
        """What the group is expected to lose that loses most, on validation data.

        Groups are small there: each is taken to lose what everyone does as far as its people do
        not say otherwise, as if a hundred more of it lost that.
        """
        everyone = self.limits.classifier.losses["validation"]
        mean = float(np.subtract(tried.losses["validation"], everyone, dtype=float).mean())
        drawn = [
            (differences.sum() + FEWEST_IN_GROUP * mean) / (len(differences) + FEWEST_IN_GROUP)
            for differences in (self._lost(group, tried, "validation") for group in self._estimated)
        ]
        return float(max(drawn, default=mean))

    def p_value(self, tried: Tried) -> float:
        """How well the test people can be explained if some group loses more: the worst of all."""
        return max(self._p_values(tried), default=1.0)

    def doubt(self, tried: Tried) -> str:
        """The group that is least shown to be inside the limit, as a sentence."""
        p_values = self._p_values(tried)
        worst = self._tested[int(np.argmax(p_values))]
        return f"What {worst.label} ({worst.grouping}) would lose is the least sure."

    def _p_values(self, tried: Tried) -> list[float]:
        score = self.limits.score
        tested = [self._lost(group, tried, "test") for group in self._tested]
        return [loss_p_value(score, differences, self.limit) for differences in tested]

    def _lost(self, group: _Group, tried: Tried, part: str) -> NDArray[np.float64]:
        full = self.limits.classifier
        everything = group.losses(full.losses[part], full.answers.get(part))
        after = group.losses(tried.losses[part], tried.answers.get(part))
        return np.subtract(after, everything, dtype=float)
