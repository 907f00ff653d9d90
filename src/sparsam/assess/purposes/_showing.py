"""Show that a generalization serves every purpose, on people who took no part in finding it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sparsam.assess._assessment import Limits
from sparsam.assess._point import CLOSE
from sparsam.assess._trial import (
    OTHERS,
    Demand,
    LossDemand,
    Tried,
    others,
    sequence,
    walk,
)
from sparsam.assess.purposes._judging import JudgedCandidate


@dataclass(frozen=True)
class Shown:
    """Whether one purpose loses less than its limit, and how sure that is.

    Attributes
    ----------
    limit : float
        What may be lost.
    bound : float
        What is lost at most, with the confidence asked for (test data).
    p_value : float
        How likely people like these would be, were more lost than the limit.
    people : int
        On how many it was tested.
    """

    limit: float
    bound: float
    p_value: float
    people: int


@dataclass(frozen=True, repr=False)
class PurposeDemand:
    """What one purpose demands of a generalization that serves several.

    Attributes
    ----------
    purpose : str
    own : LossDemand
        As if it were the only purpose.
    judged : mapping of int to JudgedCandidate
        What was measured of each candidate, by the identity of the candidate.
    """

    purpose: str
    own: LossDemand
    judged: Mapping[int, JudgedCandidate]

    @property
    def limit(self) -> float:
        """How much this purpose may lose."""
        return self.own.limit

    def estimate(self, tried: Tried) -> float:
        """What this purpose may lose on the test people, from validation data."""
        return self.own.estimate(self._mine(tried))

    def p_value(self, tried: Tried) -> float:
        """How well the test people can be explained if this purpose loses more."""
        return self.own.p_value(self._mine(tried))

    def show(self, tried: Tried, confidence: float) -> Shown:
        """What is known of this purpose."""
        mine = self._mine(tried)
        bound = self.own.upper(mine, confidence)
        return Shown(self.limit, bound, self.own.p_value(mine), len(self.own.everything["test"]))

    def _mine(self, tried: Tried) -> Tried:
        errors = self.judged[id(tried.candidate)].assessments[self.purpose].person_errors
        return replace(tried, losses={part: errors[part].utility for part in errors})


@dataclass(frozen=True, repr=False)
class Showing:
    """What came of testing candidates for all purposes, one after the other.

    A generalization serves all purposes when that is shown for each of them, each at the full
    level: whoever wrongly says so is wrong about one purpose at least (an intersection-union
    test), so that nothing need be paid for their number. The order is settled on validation data,
    and the first candidate that cannot be shown is the last to be tested. A tenth of what may go
    wrong is kept for others that may protect more, as far as validation data can tell.

    Attributes
    ----------
    chosen : JudgedCandidate or None
        Of those that were shown to serve all purposes the one that protects most; of those that
        protect alike, the one with the fewest attributes.
    shown : mapping of str to Shown
        By purpose; where nothing could be shown, of the first that was tested, if any was.
    n_tested : int
        How many were tested to find the fewest attributes.
    n_others : int
        How many others were tested thereafter.
    """

    chosen: JudgedCandidate | None
    shown: Mapping[str, Shown]
    n_tested: int
    n_others: int = 0


def show_for_all(
    candidates: Sequence[JudgedCandidate],
    limits: Mapping[str, Limits],
    losses: Mapping[str, float],
    confidence: float,
) -> Showing:
    """Test candidates on the test part, from many attributes to few.

    Parameters
    ----------
    candidates : sequence of JudgedCandidate
        Judged for every purpose.
    limits : mapping of str to Limits
        By purpose.
    losses : mapping of str to float
        What each purpose may lose.
    confidence : float
    """
    judged = {id(each.candidate): each for each in candidates}
    purposes = [
        PurposeDemand(
            name,
            LossDemand(losses[name], limit.score, limit.classifier.losses),
            judged,
        )
        for name, limit in limits.items()
    ]
    demands: list[Demand] = [*purposes]
    # of equals the first is taken: the one with the fewest buckets
    tried = [
        Tried(each.candidate, {}, each.validation_risk)
        for each in sorted(candidates, key=lambda each: each.generalization.n_buckets)
    ]
    level = 1 - confidence
    steps = sequence(tried, demands)
    found = walk(steps, demands, (1 - OTHERS) * level)
    if not found.shown:
        first = found.stopped_at
        shown = {} if first is None else {p.purpose: p.show(first, confidence) for p in purposes}
        return Showing(None, shown, len(found.p_values))
    safer = walk(others(tried, steps, demands), demands, OTHERS * level)
    told = _safest([*found.shown, *safer.shown], judged)
    return Showing(
        judged[id(told.candidate)],
        {purpose.purpose: purpose.show(told, confidence) for purpose in purposes},
        len(found.p_values),
        len(safer.p_values),
    )


def _safest(shown: Sequence[Tried], judged: Mapping[int, JudgedCandidate]) -> Tried:
    """Of those shown, the one that protects most; of those that protect alike, the least data."""

    def recovered(tried: Tried) -> float:
        [first, *_] = judged[id(tried.candidate)].assessments.values()
        return first.validation_risk.recovered

    least = min(map(recovered, shown))
    alike = [tried for tried in shown if recovered(tried) - least <= CLOSE]
    return min(alike, key=lambda t: (t.n_collected, t.candidate.generalization.n_buckets))
