"""Learn on some people, test on others: which generalizations are shown to meet a requirement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from sparsam._certainty import (
    mean_p_value,
    normal_p_value,
    normal_upper,
    paired_p_value,
    paired_upper,
    smallest_limit,
)
from sparsam.assess._candidates import Candidate
from sparsam.assess._score import Answers, Losses, Score

CONFIDENCE = 0.95
# Points that validation data put so little of the limit apart are told apart by how much they
# protect.
ALIKE = 0.25
# The part of what may go wrong that is spent on those which may protect more than what was tested
# to find the fewest attributes.
OTHERS = 0.1
# How likely a promise should be shown that leaves half of what is permitted to noise.
POWER = 0.8


@dataclass(frozen=True, repr=False)
class Tried:
    """A generalization, and what its model loses on each person.

    Attributes
    ----------
    candidate : Candidate
    losses : mapping of str to ndarray
        By part of the data.
    protection : float
        How much it protects, on validation data: more is better.
    answers : mapping of str to ndarray
        By part, what the model says of each person, where losses depend on the others judged.
    """

    candidate: Candidate
    losses: Mapping[str, Losses]
    protection: float
    answers: Mapping[str, Answers] = field(default_factory=dict)

    @property
    def n_collected(self) -> int:
        """How many attributes it collects."""
        return len(self.candidate.generalization.collected)


class Demand(Protocol):
    """Something that a generalization must be shown to keep."""

    @property
    def limit(self) -> float:
        """How much may be lost."""

    def estimate(self, tried: Tried) -> float:
        """What it is expected to lose, on validation data."""

    def p_value(self, tried: Tried) -> float:
        """How well people who took no part in learning can be explained if it loses more."""


@dataclass(frozen=True, repr=False)
class LossDemand:
    """No more than a limit is lost against everything collected.

    Attributes
    ----------
    limit : float
    score : Score
    everything : mapping of str to ndarray
        What the model loses on each person with everything collected, by part.
    """

    limit: float
    score: Score
    everything: Mapping[str, Losses]

    def differences(self, tried: Tried, part: str) -> NDArray[np.float64]:
        """What is lost on each person of a part."""
        return np.subtract(tried.losses[part], self.everything[part], dtype=float)

    def estimate(self, tried: Tried) -> float:
        """What may be lost on the test people: a standard error above that on validation data.

        Both parts have their noise. Of two that lose as little, the one comes first of which that
        is surer.
        """
        differences = self.differences(tried, "validation")
        if not len(differences):
            return 0.0
        people = 1 / len(differences) + 1 / max(1, len(tried.losses["test"]))
        return float(differences.mean() + differences.std() * math.sqrt(people))

    def p_value(self, tried: Tried) -> float:
        """How well the test people can be explained if more is lost."""
        return loss_p_value(self.score, self.differences(tried, "test"), self.limit)

    def upper(self, tried: Tried, confidence: float) -> float:
        """What is shown not to be exceeded, were this generalization tested alone."""
        return loss_upper(self.score, self.differences(tried, "test"), confidence)


def tell_apart(
    tried: Sequence[Tried], everything: Mapping[str, Losses], n_values: int
) -> list[Tried]:
    """Those that collect less than everything.

    What has as many buckets as there are values, and is as right on everybody as everything
    collected, is everything.

    Parameters
    ----------
    tried : sequence of Tried
    everything : mapping of str to ndarray
        What the model loses on each person with everything collected, by part.
    n_values : int
        How many values all attributes have.
    """
    return [
        t
        for t in tried
        if t.n_collected < len(t.candidate.generalization)
        or t.candidate.generalization.n_buckets < n_values
        or any((t.losses[part] != everything[part]).any() for part in t.losses)
    ]


def is_exact(score: Score) -> bool:
    """Whether losses of a score are tested exactly, for any number of people."""
    return score.name == "accuracy"


def loss_p_value(score: Score, differences: NDArray[Any], limit: float) -> float:
    """Whether less than a limit is lost, by the test that fits the score."""
    if limit >= score.kind.worst:
        return 0.0  # nobody can lose more
    test = paired_p_value if is_exact(score) else normal_p_value
    return test(differences, limit)


def loss_upper(score: Score, differences: NDArray[Any], confidence: float) -> float:
    """What is shown not to be lost beyond, by the test that fits the score."""
    upper = paired_upper if is_exact(score) else normal_upper
    return upper(differences, confidence)


def risk_p_value(errors: NDArray[Any], naive: NDArray[Any], limit: float) -> float:
    """Whether an adversary recovers less than a share of what the naive one gets wrong.

    Parameters
    ----------
    errors, naive : ndarray
        For each person, the share of personal attributes that either gets wrong.
    limit : float
    """
    if limit >= 1:
        return 0.0  # nobody recovers more than everything
    return mean_p_value((1 - limit) * naive - errors, 0.0, -1.0, 1.0)


def risk_upper(errors: NDArray[Any], naive: NDArray[Any], confidence: float) -> float:
    """The share that is shown not to be exceeded."""
    return smallest_limit(lambda limit: risk_p_value(errors, naive, limit), confidence, 0.0, 1.0)


def sequence(tried: Sequence[Tried], demands: Sequence[Demand]) -> list[Tried]:
    """The generalizations to test, from many attributes to few, settled before anyone is tested.

    For each number of attributes the one that is expected to lose least with so many or fewer; of
    those that collect as many and are expected to lose about as little, the one that protects most.

    Parameters
    ----------
    tried : sequence of Tried
    demands : sequence of Demand
    """
    slack = ALIKE * min(demand.limit for demand in demands)
    excess = _excess(tried, demands)
    steps: list[Tried] = []
    for most in sorted({t.n_collected for t in tried}, reverse=True):
        inside = [t for t in tried if t.n_collected <= most]
        best = min(inside, key=lambda t: excess[id(t)])
        if steps and best.n_collected >= steps[-1].n_collected:
            continue
        alike = [
            t
            for t in inside
            if t.n_collected == best.n_collected and excess[id(t)] <= excess[id(best)] + slack
        ]
        steps.append(max(alike, key=lambda t: t.protection))
    return steps


def others(
    tried: Sequence[Tried], steps: Sequence[Tried], demands: Sequence[Demand]
) -> list[Tried]:
    """The generalizations beside a sequence, those first that are expected to lose least.

    They are settled before anyone is tested, too: what a test of the sequence has shown, and where
    it stopped, decides nothing here. Those are left out that another one makes needless.

    Parameters
    ----------
    tried : sequence of Tried
    steps : sequence of Tried
        See `sequence`.
    demands : sequence of Demand
    """
    excess = _excess(tried, demands)
    known = {id(t) for t in steps}
    fresh = [t for t in undominated(tried, demands) if id(t) not in known]
    return sorted(fresh, key=lambda t: excess[id(t)])


def undominated(tried: Sequence[Tried], demands: Sequence[Demand]) -> list[Tried]:
    """Those that no other one makes needless, by validation data.

    Another one does that collects no more attributes, is expected to lose no more and protects no
    less. To test it would gain nothing, and could end a sequence of tests.

    Parameters
    ----------
    tried : sequence of Tried
    demands : sequence of Demand
    """
    excess = _excess(tried, demands)
    costs = np.array([(excess[id(t)], -t.protection, t.n_collected) for t in tried])
    kept: list[int] = []
    for place in np.lexsort(costs.T[::-1]) if len(tried) else ():
        if not any((costs[better] <= costs[place]).all() for better in kept):
            kept.append(int(place))
    return [tried[place] for place in sorted(kept)]


def _excess(tried: Sequence[Tried], demands: Sequence[Demand]) -> dict[int, float]:
    """By how much each is expected to exceed a demand, on validation data."""
    return {id(t): max(d.estimate(t) - d.limit for d in demands) for t in tried}


@dataclass(frozen=True, repr=False)
class Walk:
    """A sequence of generalizations that were tested until the first that could not be shown.

    Attributes
    ----------
    shown : tuple of Tried
        Those that were shown to keep every demand.
    p_values : tuple of float
        Of each that was tested; one more than shown, unless all were.
    stopped_at : Tried or None
        The first that could not be shown.
    """

    shown: tuple[Tried, ...]
    p_values: tuple[float, ...]
    stopped_at: Tried | None

    @property
    def fewest(self) -> float:
        """The fewest attributes that were shown to do; infinite where none were."""
        return self.shown[-1].n_collected if self.shown else math.inf

    def p_value(self, shown: Tried) -> float:
        """Of one that was shown."""
        return next(p for t, p in zip(self.shown, self.p_values, strict=False) if t is shown)

    def at(self, n_collected: float) -> Tried:
        """The last that was shown with no fewer attributes than so many, or the first of all."""
        return [self.shown[0], *(t for t in self.shown if t.n_collected >= n_collected)][-1]


def walk(steps: Sequence[Tried], demands: Sequence[Demand], level: float) -> Walk:
    """Test a sequence that was settled before, until the first that cannot be shown.

    Since each is tested only after all before were shown, the chance that any of those shown does
    not keep a demand is at most `level` (fixed-sequence testing; Angelopoulos et al., 2021).

    Parameters
    ----------
    steps : sequence of Tried
    demands : sequence of Demand
        All must be shown, so that none needs a correction.
    level : float
    """
    shown: list[Tried] = []
    p_values: list[float] = []
    for step in steps:
        p_values.append(max(demand.p_value(step) for demand in demands))
        if p_values[-1] > level:
            return Walk(tuple(shown), tuple(p_values), step)
        shown.append(step)
    return Walk(tuple(shown), tuple(p_values), None)


def spread(steps: Sequence[Tried], demand: LossDemand) -> float:
    """How much what is lost differs between people, on validation data; the median of the steps."""
    spreads = [float(demand.differences(step, "validation").std()) for step in steps]
    return float(np.median([s for s in spreads if s > 0] or [0.0]))


def carried_limit(sd: float, people: int, level: float) -> float:
    """The smallest limit for which a loss of half of it would probably be shown.

    Parameters
    ----------
    sd : float
        How much what is lost differs between people.
    people : int
        How many are there to test on.
    level : float

    Examples
    --------
    >>> round(carried_limit(0.22, 6000, 0.025), 4)
    0.0159
    """
    return 2 * (_reach(level) * sd / math.sqrt(max(1, people)))


def people_for(sd: float, limit: float, level: float) -> int:
    """How many people to test on such a limit would take.

    Examples
    --------
    >>> people_for(0.22, 0.01, 0.025)
    15196
    """
    return math.ceil((2 * _reach(level) * sd / limit) ** 2)


def _reach(level: float) -> float:
    """How many standard errors lie between what is shown with some power and the limit."""
    return float(norm.ppf(1 - level) + norm.ppf(POWER))


def median_vote(votes: Sequence[float], n_voters: int, others: float) -> float:
    """The median of the votes when all who have not voted yet would vote like `others`."""
    return sorted([*votes, *[others] * (n_voters - len(votes))])[n_voters // 2]


def is_settled(votes: Sequence[float], n_voters: int) -> bool:
    """Whether the median is the same, however the others would vote.

    Examples
    --------
    >>> is_settled([4, 4], 3), is_settled([4, 5], 3)
    (True, False)
    """
    return median_vote(votes, n_voters, -math.inf) == median_vote(votes, n_voters, math.inf)
