"""What is promised of a model's answers, and how it is shown on people who took no part."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, norm

from sparsam._certainty import normal_p_value, share_p_value, share_upper

Scorer = Callable[[NDArray[Any], NDArray[Any]], float]

_FEWEST_FOR_NORMAL = 200  # people from whom on a mean is taken to be normal
_BLOCKS = 20
_MOST_PEOPLE = 2**40  # beyond which nobody would look for them
_CLOSE = 1e-12


@dataclass(frozen=True)
class Promise:
    """At least so much of a model's answers is kept, with so much confidence.

    Attributes
    ----------
    target : float
        The share of people who get the same answer; R² or a score of one's own for others.
    confidence : float
    measure : {"share", "r2", "own"}, default="share"
        What the target is.

    Examples
    --------
    >>> promise = Promise(0.98, 0.95)
    >>> promise.fewest, promise.most_changed(149), promise.most_changed(4_000)
    (149, 0, 65)
    """

    target: float
    confidence: float
    measure: str = "share"

    @property
    def fewest(self) -> int | None:
        """The people it takes if none of them gets another answer; None if none are enough."""
        if self.measure != "share":
            return _FEWEST_FOR_NORMAL if self.measure == "own" or self.target < 1 else None
        if self.target >= 1:
            return None
        if self.target <= 0:
            return 1
        return max(1, math.ceil(math.log(1 - self.confidence) / math.log(self.target) - _CLOSE))

    def can_tell(self, n_people: int) -> bool:
        """Whether so many people are enough if nobody gets another answer."""
        return self.fewest is not None and n_people >= self.fewest

    def most_changed(self, n_people: int) -> int:
        """How many of so many people may get another answer; none where too few can tell."""
        if not self.can_tell(n_people):
            return 0
        limit = 1 - self.target
        most = int(binom.ppf(1 - self.confidence, n_people, limit))
        while most > 0 and share_p_value(most, n_people, limit) > 1 - self.confidence:
            most -= 1
        return most

    def at_least(self, n_people: int) -> float | None:
        """What is shown if as few people get another answer as must be; None for other scores."""
        if self.can_tell(n_people):
            return self.target
        return 1 - share_upper(0, n_people, self.confidence) if self.measure == "share" else None

    def enough(self, kept: float) -> int | None:
        """How many people would show it, if so much is kept of them; None if none would."""
        if self.measure != "share" or kept <= self.target + _CLOSE:
            return None if self.measure == "share" else self.fewest
        n_people = self.fewest
        if n_people is None:
            return None
        while n_people <= _MOST_PEOPLE:
            changed = math.ceil(n_people * (1 - kept) - _CLOSE)
            if share_p_value(changed, n_people, 1 - self.target) <= 1 - self.confidence:
                return n_people
            n_people = math.ceil(n_people * 1.05)
        return None

    def p_value(
        self, before: NDArray[Any], after: NDArray[Any], scorer: Scorer | None = None
    ) -> float:
        """How rarely such answers would come about if less than the target were kept.

        Exact for shares (binomial). For R² and scores of one's own the mean over people, or over
        what is left without each of twenty blocks, is taken to be normal.

        Parameters
        ----------
        before, after : ndarray
            Answers for the same people, one line each.
        scorer : callable, optional
        """
        if self.measure == "share":
            return share_p_value(int(differ(before, after).sum()), len(before), 1 - self.target)
        if self.measure == "r2":
            return normal_p_value(_missed(before, after, 1 - self.target), 0.0)
        assert scorer is not None
        return normal_p_value(-_pseudo_values(before, after, scorer), -self.target)

    def shown(
        self, before: NDArray[Any], after: NDArray[Any], scorer: Scorer | None = None
    ) -> bool:
        """Whether these people show it; where they are too few, whether nobody's answer changes."""
        if self.fewest is None or (self.measure == "share" and not self.can_tell(len(before))):
            return not differ(before, after).any()
        return self.p_value(before, after, scorer) <= 1 - self.confidence


Part = tuple[Promise, NDArray[np.int64]]


@dataclass(frozen=True)
class Proof:
    """What was shown of a model's answers, on people who took no part in learning.

    Attributes
    ----------
    target, each_target, confidence : float
        What was asked for, of all people and of each part of them.
    shown : bool
        Whether the target was shown, of every part of the people that it was asked for and that
        is large enough.
    at_least : float or None
        What holds with that confidence: the target where it was shown, less where too few people
        are there, None where nothing was shown.
    too_few : bool
        Whether it was not shown for want of people.
    n_people : int
        On how many it was tested.
    n_enough : int or None
        How many people the table would have to have where they were too few, if what is kept stays
        the same; None where no number would do.
    p_value : float
        The largest of all parts.
    how : {"binomial", "normal"}
        The test: exact, or for large samples.
    n_tested : int
        How many recodings were tested, one after the other, until the first that failed.
    too_rare : tuple of str
        Answers too few people get to show anything of.
    """

    target: float
    each_target: float
    confidence: float
    shown: bool
    at_least: float | None
    too_few: bool
    n_people: int
    n_enough: int | None
    p_value: float
    how: str
    n_tested: int
    too_rare: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published; the p-value is rounded up."""
        return {
            "target": self.target,
            "each_target": self.each_target,
            "confidence": self.confidence,
            "shown": self.shown,
            "at_least": None if self.at_least is None else math.floor(1e4 * self.at_least) / 1e4,
            "too_few": self.too_few,
            "n_people": self.n_people,
            "n_enough": self.n_enough,
            "p_value": min(1.0, math.ceil(1e3 * self.p_value) / 1e3),
            "how": self.how,
            "n_tested": self.n_tested,
            "too_rare": list(self.too_rare),
        }


def prove(
    before: NDArray[Any],
    after: NDArray[Any],
    parts: Sequence[Part],
    *,
    scorer: Scorer | None = None,
    share_tested: float = 1.0,
    n_tested: int = 1,
    too_rare: Sequence[str] = (),
) -> Proof:
    """Put down what some people show of a promise, in each of several parts of them.

    It is shown if it is shown in every part, each at the same level: if less were kept in one of
    them, that one would have to be missed (an intersection-union test).

    Parameters
    ----------
    before, after : ndarray
    parts : sequence of tuple of Promise and ndarray of int
        What is promised of each part, and its rows; the last is everyone.
    scorer : callable, optional
    share_tested : float, default=1.0
        Which share of all people these are.
    n_tested : int, default=1
    too_rare : sequence of str
    """
    trials = [_Trial(promise, before[rows], after[rows], scorer) for promise, rows in parts]
    promise = parts[-1][0]
    shown = all(trial.passed and trial.told for trial in trials)
    n_enough = [len(before) / len(t.before) * t.enough for t in trials if t.enough is not None]
    lost = [t for t in trials if not t.passed and t.hopeless]
    return Proof(
        target=promise.target,
        each_target=min(promise.target for promise, _ in parts),
        confidence=promise.confidence,
        shown=shown,
        at_least=trials[-1].at_least if all(trial.passed for trial in trials) else None,
        too_few=not shown and not lost,
        n_people=len(before),
        n_enough=None
        if shown or lost or any(t.enough is None for t in trials)
        else math.ceil(max(n_enough) / share_tested),
        p_value=max(trial.p_value for trial in trials),
        how="binomial" if promise.measure == "share" else "normal",
        n_tested=n_tested,
        too_rare=tuple(too_rare),
    )


@dataclass(frozen=True, eq=False, repr=False)
class _Trial:
    """A promise before some people."""

    promise: Promise
    before: NDArray[Any]
    after: NDArray[Any]
    scorer: Scorer | None

    @property
    def told(self) -> bool:
        return self.promise.can_tell(len(self.before))

    @property
    def passed(self) -> bool:
        return self.promise.shown(self.before, self.after, self.scorer)

    @property
    def p_value(self) -> float:
        return self.promise.p_value(self.before, self.after, self.scorer)

    @property
    def at_least(self) -> float | None:
        return self.promise.at_least(len(self.before))

    @property
    def _kept(self) -> float:
        return 1 - float(differ(self.before, self.after).mean())

    @property
    def hopeless(self) -> bool:
        """Whether no more is kept than the target, so that more people would not help."""
        if self.promise.measure == "share":
            return self._kept <= self.promise.target + _CLOSE and self._kept < 1
        return self.p_value >= 0.5

    @property
    def enough(self) -> int | None:
        """How many people would do, if as much is kept of them."""
        return self.promise.enough(self._kept)


def differ(before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.bool_]:
    """Who gets another answer; where there are several, another one of them."""
    other = np.asarray(before != after)
    return np.asarray(other.reshape(len(other), -1).any(axis=1), np.bool_)


def _missed(before: NDArray[Any], after: NDArray[Any], limit: float) -> NDArray[np.float64]:
    """For each person how much more is missed than the limit allows, in units of the spread.

    R² is at least the target where the mean is at most 0.
    """
    b = np.asarray(before, np.float64).reshape(len(before), -1)
    a = np.asarray(after, np.float64).reshape(len(after), -1)
    apart, missed = (b - b.mean(axis=0)) ** 2, (b - a) ** 2
    spread = apart.mean(axis=0)
    # of an output that never varies every change is missed whole
    scale = np.where(spread > 0, spread, np.where(missed.mean(axis=0) > 0, missed.mean(axis=0), 1))
    allowed = limit * np.where(spread > 0, apart / scale, 1.0)
    values: NDArray[np.float64] = (missed / scale - allowed).mean(axis=1)
    return values


def _pseudo_values(
    before: NDArray[Any], after: NDArray[Any], scorer: Scorer
) -> NDArray[np.float64]:
    """The score as a mean over blocks, what it would be without each of them set against it."""
    rows = np.random.default_rng(0).permutation(len(before))  # a table may be sorted
    blocks = [block for block in np.array_split(rows, _BLOCKS) if len(block)]
    whole = float(scorer(before, after))
    without = [
        float(scorer(before[rest], after[rest]))
        for rest in (np.setdiff1d(rows, block) for block in blocks)
    ]
    return len(blocks) * whole - (len(blocks) - 1) * np.array(without)


class Outlook:
    """How likely a recoding is to be shown, as far as the people chosen on tell.

    A recoding is placed where so many standard errors lie between what is kept of these people and
    what must be kept of those whom it will be tested on. Nothing is asked about the latter but how
    many they are.

    Parameters
    ----------
    parts : sequence of tuple of Promise and two int
        For each part what is promised, how many people are chosen on, and how many it will be
        tested on; the last is everyone.
    """

    def __init__(self, parts: Sequence[tuple[Promise, int, int]]) -> None:
        self._parts = parts

    def spare(self, scores: Sequence[tuple[float, float]], aim: float) -> float:
        """By how much more is kept than it takes, in the part where that is least.

        A part that may lose more than all people counts so much less.

        Parameters
        ----------
        scores : sequence of tuple of float
            For each part what is kept of the people chosen on, and its standard error.
        aim : float
            How many standard errors to stay above what it takes.
        """
        of_all = 1 - self._parts[-1][0].target
        return min(
            (score - _needed(promise, n_chosen, n_tested, error, aim))
            * (of_all / (1 - promise.target) if promise.target < 1 else 1.0)
            for (score, error), (promise, n_chosen, n_tested) in zip(
                scores, self._parts, strict=True
            )
        )


def _needed(promise: Promise, n_chosen: int, n_tested: int, error: float, aim: float) -> float:
    """How much must be kept of the people chosen on."""
    if promise.measure != "share":
        ratio = math.sqrt(n_chosen / max(n_tested, 1))
        margin = float(norm.ppf(promise.confidence)) * ratio + aim * math.hypot(1, ratio)
        needed = promise.target + margin * error
        return min(1.0, needed) if promise.measure == "r2" else needed
    limit = 1 - promise.target
    if not n_tested:  # too few to test anything of: the target itself, as far as can be told
        return min(1.0, promise.target + aim * math.sqrt(limit * (1 - limit) / n_chosen))
    if not promise.can_tell(n_tested):
        limit = share_upper(0, n_tested, promise.confidence)
    spread = math.sqrt(limit * (1 - limit) * (1 / n_chosen + 1 / n_tested))
    return min(1.0, 1 - promise.most_changed(n_tested) / n_tested + aim * spread)
