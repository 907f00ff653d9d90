"""The generalizations that no other one beats, and how to choose among them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np
from numpy.typing import ArrayLike

from sparsam._errors import ParameterError
from sparsam._joined import supplied
from sparsam._small_counts import PublishedCounts, class_counts
from sparsam.assess._assessment import Limits
from sparsam.assess._choice import (
    Choice,
    NothingFitsError,
    Requirement,
    TooFewPeopleError,
    check_evidence,
)
from sparsam.assess._evidence import TOO_FEW, rounded_up
from sparsam.assess._grouping import groupings
from sparsam.assess._groups import FEWEST_IN_GROUP, GroupDemand
from sparsam.assess._inside_risk import most_useful
from sparsam.assess._point import (
    Point,
    about_as_safe,
    beats,
    how_much_it_collects,
    validation_risk,
    within_noise,
)
from sparsam.assess._proof import Proof, how_tested
from sparsam.assess._trial import (
    CONFIDENCE,
    OTHERS,
    Demand,
    LossDemand,
    Tried,
    Walk,
    carried_limit,
    is_settled,
    median_vote,
    others,
    people_for,
    sequence,
    spread,
    tell_apart,
    walk,
)
from sparsam.data import Split

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEFAULT_LOSS = 0.01


class Repeat(Protocol):
    """The same sweep on the same people, divided in another way."""

    @property
    def data(self) -> Split:
        """How the people are divided."""

    def tried(self, limit: float) -> tuple[Sequence[Tried], Limits]:
        """What could be within a limit there, and everything collected; no adversary is asked."""

    def front(self) -> Front:
        """The whole front."""


class Front:
    """Every generalization of a sweep, and those that no other one beats.

    Points are compared on validation data; test data show that a choice keeps its promise, and are
    reported.

    Parameters
    ----------
    points : sequence of Point
    limits : Limits
    data : Split
    repeats : sequence of Repeat
        Other ways to divide the same people, to decide together with this one.

    Attributes
    ----------
    points : tuple of Point
        Everything that was tried.
    limits : Limits
        The errors with nothing and with everything collected.

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> tree = sp.PrivacyTree(max_leaves=4)
    >>> front = sp.sweep(people, sp.Roles("employed"), minimisers=tree, repeats=1)
    >>> front, front.best == front.points
    (<Front of 1 among 1 generalizations>, True)
    """

    def __init__(
        self,
        points: Sequence[Point],
        limits: Limits,
        data: Split,
        repeats: Sequence[Repeat] = (),
    ) -> None:
        self.points = tuple(points)
        self.limits = limits
        self.data = data
        self._repeats = tuple(repeats)

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

    def plot(self, ax: Axes | None = None, *, choice: Choice | None = None, **style: Any) -> Axes:
        """Draw the front: how wrong the model is against how wrong an attacker is (test data).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        choice : Choice, optional
            What was chosen, to mark it.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's markers,
            such as `markersize`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import sparsam as sp
        >>> people = sp.load_example().take(range(1000))
        >>> front = sp.sweep(people, sp.Roles("employed"), minimisers=["uniform"], repeats=1)
        >>> front.plot(title="Cut evenly").get_ylabel()
        'Attacker error, test data (% of guesses)'
        """
        axes: Axes = supplied("plot_front")(self, ax, choice, **style)
        return axes

    def choose(
        self,
        *,
        max_utility_loss: float | None = None,
        max_risk: float | None = None,
        confidence: float = CONFIDENCE,
        groups: Sequence[str] | None = None,
        max_utility_loss_per_group: float | None = None,
    ) -> Choice:
        """The least data that is shown to meet a requirement.

        Parameters
        ----------
        max_utility_loss : float, optional
            How much may be lost against everything collected, in units of the score that the sweep
            measured: of accuracy, 0.01 is one point. Of the points shown to be inside it, the one
            that protects most is chosen; where noise cannot tell that, the one with the fewest
            attributes. Without any requirement it is one point, or the smallest loss that so many
            people can show.
        max_risk : float, optional
            Share of what the naive adversary gets wrong that the adversary may recover. Of the
            points shown to be inside it, the most useful is chosen.
        confidence : float, default=0.95
            How sure it must be that the requirement holds.
        groups : sequence of str, optional
            The groups to look at, as for `assess_groups`.
        max_utility_loss_per_group : float, optional
            How much any group may lose, beside `max_utility_loss`. A point is inside only if that
            is shown of each group with enough people, which takes no correction for their number.

        Returns
        -------
        Choice

        Notes
        -----
        The best of many is partly lucky. What to test, and in which order, is therefore settled on
        the training and validation parts; the test part, from which nothing was learned, shows one
        generalization after the other to be inside the limit, until the first that it cannot show
        (Angelopoulos et al., "Learn then test", 2021). A tenth of what may go wrong is kept for all
        others, which may protect more. For accuracy and for risk the test is exact. Where a
        sweep divided the people in several ways, twice the median p-value decides on a loss; of a
        risk all ways are tested so that they hold together, and the one whose loss is in the
        middle is taken. So the answer depends little on how people were divided.
        """
        why = ""
        if max_utility_loss is None and max_risk is None:
            max_utility_loss = self.smallest_loss(confidence)
            why = self.limit_words(max_utility_loss, confidence)
        requirement = Requirement(
            max_utility_loss,
            max_risk,
            self.limits.score,
            confidence,
            why,
            max_utility_loss_per_group,
            None if groups is None else tuple([groups] if isinstance(groups, str) else groups),
        )
        groupings(self.data.train, requirement.groups)  # a wrong name is told before the work
        if requirement.max_utility_loss is not None:
            return self._fewest_attributes(requirement, requirement.max_utility_loss)
        return most_useful(self, self._repeats, requirement, requirement.max_risk or 0.0)

    def smallest_loss(self, confidence: float = CONFIDENCE) -> float:
        """One point, or the smallest loss that the test people can show not to be exceeded.

        From how many they are and how much people differ, before anything is tested: a
        generalization that loses half of it is shown to be inside four times out of five.
        """
        smallest = self._default_loss
        level = (1 - OTHERS) * self._level(confidence)
        limit = carried_limit(self._spread(smallest), self.data.test.n_rows, level)
        if limit <= smallest:
            return smallest
        limit = math.ceil(limit / (smallest / 2)) * (smallest / 2)
        return round(min(limit, self.limits.score.kind.worst), 12)

    @property
    def _default_loss(self) -> float:
        """One point; of errors in the units of the target a hundredth of what nothing gives."""
        mae = self.limits.score.name == "mae"
        return DEFAULT_LOSS * self.limits.nothing.error if mae else DEFAULT_LOSS

    def limit_words(self, loss: float, confidence: float = CONFIDENCE) -> str:
        """Why a limit that nobody set is larger than the usual one; nothing where it is not."""
        usual, score = self._default_loss, self.limits.score
        if loss <= usual:
            return ""
        needed = self.people_needed(usual, confidence)
        return (
            f"{score.loss_words(loss)} is the smallest loss that so many people can be expected to "
            f"show; {score.loss_words(usual)} would take about {needed:,} people"
        )

    def people_needed(self, loss: float, confidence: float = CONFIDENCE) -> int:
        """About how many people in all it would take to show such a loss: two digits."""
        level = (1 - OTHERS) * self._level(confidence)
        tested = people_for(self._spread(loss), loss, level)
        return rounded_up(tested * self.n_rows / max(1, self.data.test.n_rows))

    def _spread(self, limit: float) -> float:
        demand = self._demand(limit)
        less = tell_apart(self._tried, demand.everything, self._n_values)
        return spread(sequence(less, [demand]), demand) if less else 0.0

    @property
    def _n_values(self) -> int:
        """How many values all attributes have."""
        return sum(attribute.n_values for attribute in self.data.train.table.attributes)

    def _level(self, confidence: float) -> float:
        """The p-value that shows a requirement: half of what may go wrong where splits vote."""
        return (1 - confidence) / (2 if self._repeats else 1)

    @cached_property
    def _tried(self) -> tuple[Tried, ...]:
        return tuple(
            Tried(
                point.candidate,
                {part: errors.utility for part, errors in point.assessment.person_errors.items()},
                validation_risk(point),
                {
                    part: errors.answers
                    for part, errors in point.assessment.person_errors.items()
                    if errors.answers is not None
                },
            )
            for point in self.points
        )

    def _demand(self, limit: float) -> LossDemand:
        return LossDemand(limit, self.limits.score, self.limits.classifier.losses)

    def _fewest_attributes(self, requirement: Requirement, limit: float) -> Choice:
        """What protects most of what is shown to be inside a loss, with as little data."""
        level = self._level(requirement.confidence)
        for_fewest = (1 - OTHERS) * level
        of_groups = self._group_demands(requirement, self.limits, self)
        votes = [_walk(self._tried, self._demand(limit), of_groups, for_fewest, self._n_values)]
        for repeat in self._repeats:
            if is_settled([vote.fewest for vote in votes], 1 + len(self._repeats)):
                break
            tried, limits = repeat.tried(limit)
            demand = LossDemand(limit, limits.score, limits.classifier.losses)
            more = self._group_demands(requirement, limits, repeat)
            votes.append(_walk(tried, demand, more, for_fewest, self._n_values))
        fewest = median_vote([vote.fewest for vote in votes], 1 + len(self._repeats), math.inf)
        if math.isinf(fewest):
            self._nothing_fits(requirement, limit, votes[0], of_groups)
        number = _deciding(votes, fewest)
        front, own = self._repeats[number - 1].front() if number else self, votes[number]
        of_groups = self._group_demands(requirement, front.limits, front)
        safer = front._walk_others(front._demand(limit), of_groups, OTHERS * level)
        # Others are taken for less risk, never for more attributes.
        most = front._safest(own.shown, fewest).n_collected
        shown = [t for t in (*own.shown, *safer.shown) if t.n_collected <= most]
        chosen = front._safest(shown, fewest)
        least = own.at(fewest).n_collected
        proof = Proof(
            p_value=(safer if any(t is chosen for t in safer.shown) else own).p_value(chosen),
            bound=front._demand(limit).upper(chosen, 1 - level),
            confidence=requirement.confidence,
            people=front.data.test.n_rows,
            tested=len(own.p_values),
            stopped=own.stopped_at is not None,
            others=len(safer.p_values),
            how=how_tested(self.limits.score),
            counts=tuple(None if math.isinf(v.fewest) else int(v.fewest) for v in votes),
            ways=1 + len(self._repeats),
            needed=_needed(front, votes, fewest),
            riskier=least if least < chosen.n_collected else None,
        )
        return front._choice(chosen, requirement, proof)

    def _group_demands(
        self, requirement: Requirement, limits: Limits, divided: Front | Repeat
    ) -> list[GroupDemand]:
        """What is demanded for groups, which are the same however people are divided."""
        limit = requirement.max_utility_loss_per_group
        if limit is None:
            return []
        ways = groupings(self.data.train, requirement.groups)
        demand = GroupDemand(limit, limits, divided.data, ways)
        if not demand.can_tell:
            raise TooFewPeopleError(
                f"There are {TOO_FEW} what a group loses: none has {FEWEST_IN_GROUP} people in the "
                "test part.\n\nHint: name larger groups, or give more records."
            )
        return [demand]

    def _walk_others(
        self, demand: LossDemand, of_groups: Sequence[GroupDemand], level: float
    ) -> Walk:
        """Test what is not tested to find the fewest attributes: it may protect more."""
        less = tell_apart(self._tried, demand.everything, self._n_values)
        demands: list[Demand] = [demand, *of_groups]
        return walk(others(less, sequence(less, demands), demands), demands, level)

    def _safest(self, shown: Sequence[Tried], fewest: float) -> Tried:
        """Of those shown, the one that protects most; of those that protect alike, the least data.

        All that were shown keep the limit, so that any of them may be taken.
        """
        points = {id(point.candidate): point for point in self.points}
        enough = [t for t in shown if t.n_collected >= fewest] or [shown[0]]
        able = [points[id(t.candidate)] for t in enough]
        safest = max(able, key=validation_risk)
        alike = [p for p in able if about_as_safe(safest, p) or within_noise(safest, p, "risk")]
        candidate = min(alike, key=how_much_it_collects).candidate
        return next(t for t in enough if t.candidate is candidate)

    def _choice(self, chosen: Tried, requirement: Requirement, proof: Proof) -> Choice:
        point = next(p for p in self.points if p.candidate is chosen.candidate)
        return Choice(point.candidate, point.assessment, requirement, self, proof)

    def _nothing_fits(
        self,
        requirement: Requirement,
        limit: float,
        found: Walk,
        of_groups: Sequence[GroupDemand],
    ) -> NoReturn:
        check_evidence(self.limits.evidence)
        score, words = self.limits.score, ""
        stopped, bound = found.stopped_at, math.inf
        if stopped is not None:
            bound = self._demand(limit).upper(stopped, 1 - self._level(requirement.confidence))
        if math.isfinite(bound):
            bound = min(bound, score.kind.worst)
            told = f"{100 * bound:.1f} points" if score.kind.percent else score.loss_words(bound)
            words = f" The first that was tested may lose {told}."
        if stopped is not None:
            words += "".join(f" {demand.doubt(stopped)}" for demand in of_groups)
        carried = self.smallest_loss(requirement.confidence)
        raise NothingFitsError(
            f"No generalization can be shown to lose at most {score.loss_words(limit)} of "
            f"{score.kind.words}{_for_groups(requirement)} with {100 * requirement.confidence:g} % "
            f"confidence, so that everything would have to be collected.{words}"
            + (f" {self.limits.words_of_nothing}" if not self.limits.tells else "")
            + (
                f"\n\nHint: so many people can show a loss of {score.loss_words(carried)}; allow "
                f"it, or give about {self.people_needed(limit, requirement.confidence):,} records."
                if carried > limit > 0
                else "\n\nHint: allow a larger loss, or give more records."
            )
        )


def _walk(
    tried: Sequence[Tried],
    demand: LossDemand,
    of_groups: Sequence[GroupDemand],
    level: float,
    n_values: int,
) -> Walk:
    """Test what one way to divide the people has to offer."""
    less = tell_apart(tried, demand.everything, n_values)
    demands: list[Demand] = [demand, *of_groups]
    return walk(sequence(less, demands), demands, level) if less else Walk((), (), None)


def _deciding(votes: Sequence[Walk], fewest: float) -> int:
    """Which way to divide the people has the generalization to take.

    Of those that show so few attributes to do, the first that comes nearest to so few: another may
    have shown still fewer, and before these only many more.
    """
    able = [number for number, vote in enumerate(votes) if vote.fewest <= fewest]
    return min(able, key=lambda number: votes[number].at(fewest).n_collected)


def _for_groups(requirement: Requirement) -> str:
    limit = requirement.max_utility_loss_per_group
    return "" if limit is None else f", and {requirement.score.loss_words(limit)} for each group,"


def _needed(front: Front, walks: Sequence[Walk], fewest: float) -> dict[str, int]:
    """In how many of the ways to divide the people each attribute was among the fewest shown."""
    collected = [
        set(found.at(max(fewest, found.fewest)).candidate.generalization.collected)
        for found in walks
        if found.shown
    ]
    return {name: sum(name in names for names in collected) for name in front.data.train.names}


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
