"""What the records of later people lose, what is recovered from them, and what they could spare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._certainty import mean_p_value, mean_upper, normal_p_value, normal_upper
from sparsam._small_counts import publish_interval, publish_share
from sparsam.assess._learning import learning_part
from sparsam.assess._score import AUTO, Score, score_for
from sparsam.assess._utility import Classifier, best_classifier
from sparsam.assess.over_time._changes import holm
from sparsam.attack import GeneralizedRecords, Interval, Reconstruction
from sparsam.data import Split, Task, rotations
from sparsam.generalization import Generalization

Values = NDArray[np.float64]

FOLDS = 5
HOLDS = "holds"
BROKEN = "does not hold"
OPEN = "no sign against it"
TOO_FEW = "too few people to tell"


@dataclass(frozen=True, repr=False)
class Judged:
    """The losses of the same people under several ways to collect, by models that never saw them.

    Attributes
    ----------
    everything : ndarray or None
        With every attribute at full resolution, where the table holds it.
    collected : ndarray
        With the records that are collected.
    without : dict of str to ndarray
        With one attribute less.
    score : Score
    """

    everything: Values | None
    collected: Values
    without: dict[str, Values]
    score: Score


def judge(
    splits: Sequence[Split],
    buckets_of: Callable[[Split], tuple[NDArray[np.uint16], ...]],
    score: str | Score = AUTO,
    *,
    full: bool,
    random_state: int = 0,
) -> Judged:
    """Learn on the training part of each split and judge its test part, everyone once.

    Parameters
    ----------
    splits : sequence of Split
        Whose test parts have nobody in common.
    buckets_of : callable
        The bucket of each code of each attribute.
    score : str or Score
    full : bool
        Whether the table itself is at full resolution.
    random_state : int
    """
    score = score_for(splits[0], score)
    everything: list[Values] = []
    collected: list[Values] = []
    without: dict[str, list[Values]] = {}
    for data in map(learning_part, splits):
        lookups = buckets_of(data)
        records = GeneralizedRecords.from_lookups(lookups, data)
        best = best_classifier(records, data, random_state, score=score)
        collected.append(_values(best))
        if full:
            codes = tuple(np.arange(size, dtype=np.uint16) for size in data.train.sizes)
            finest = GeneralizedRecords.from_lookups(codes, data)
            reference = best_classifier(finest, data, random_state, score=score)
            everything.append(_values(reference))
        for place in records.columns:
            fewer = (*lookups[:place], np.zeros_like(lookups[place]), *lookups[place + 1 :])
            spared = GeneralizedRecords.from_lookups(fewer, data)
            models = None if not spared.columns else (best.model,)
            model = best_classifier(spared, data, random_state, models, score)
            without.setdefault(data.train.names[place], []).append(_values(model))
    return Judged(
        np.concatenate(everything) if full else None,
        np.concatenate(collected),
        {name: np.concatenate(losses) for name, losses in without.items()},
        score,
    )


def _values(model: Classifier) -> Values:
    return np.asarray(model.losses["test"], dtype=float)


def in_turns(task: Task, random_state: int) -> list[Split]:
    """The people in folds, each judged once by models that learned from the others."""
    return rotations(task, FOLDS, random_state)


@dataclass(frozen=True)
class Held:
    """One promise, measured on later people.

    Attributes
    ----------
    what : {"utility loss", "risk"}
    limit : float
        What is not to be exceeded.
    promised : bool
        Whether the limit was promised; else it is what was measured then, and some room.
    then, now : float or None
    bounds : tuple of float
        What it is at least and at most, each with the confidence of this look.
    people : int
    verdict : str
        "holds", "does not hold", "no sign against it" or "too few people to tell".
    against : str
        What was compared with what, in words.
    score : Score or None
        What a loss is a loss of.
    """

    what: str
    limit: float
    promised: bool
    then: float | None
    now: float
    bounds: Interval
    people: int
    verdict: str
    against: str
    score: Score | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        if self.score is None:
            now = publish_share(self.now, self.people)
            bounds = publish_interval(self.bounds, self.people)
        else:
            now = self.score.publish(self.now, self.people)
            bounds = self.score.publish_interval(self.bounds, self.people)
        return {
            "what": self.what,
            "limit": self.limit,
            "promised": self.promised,
            "then": self.then,
            "now": now,
            "bounds": bounds,
            "verdict": self.verdict,
            "against": self.against,
            "score": None if self.score is None else self.score.name,
        }


def loss_now(
    judged: Judged, limit: float, then: float | None, level: float, against: str
) -> tuple[Held, float]:
    """Whether more is lost than was promised, and the p-value of that.

    Parameters
    ----------
    judged : Judged
        With everything collected among it.
    limit : float
    then : float or None
    level : float
        The doubt that this look may have.
    against : str
    """
    assert judged.everything is not None  # only a full table is asked
    lost = judged.collected - judged.everything
    p_value = normal_p_value(-lost, -limit)
    bounds = (-normal_upper(-lost, 1 - level), normal_upper(lost, 1 - level))
    now = float(lost.mean())
    verdict = _verdict(p_value <= level, bounds[1], limit, 2 * limit)
    held = Held(
        "utility loss", limit, True, then, now, bounds, len(lost), verdict, against, judged.score
    )
    return held, p_value


def risk_now(
    generalization: Generalization,
    data: Split,
    limit: float,
    then: float | None,
    level: float,
    *,
    promised: bool,
    against: str,
    random_state: int = 0,
) -> tuple[Held, float]:
    """Whether more can be recovered than was promised, or than then; and the p-value of that.

    Parameters
    ----------
    generalization : Generalization
    data : Split
        The adversary learns from the training part and attacks the test part.
    limit : float
        Share of what the majority guess gets wrong that may be recovered.
    then : float or None
    level : float
    promised : bool
    against : str
    random_state : int
    """
    learned = learning_part(data)
    records = GeneralizedRecords.of(generalization, learned)
    guesses = Reconstruction(random_state=random_state).guess(records, learned)
    risk = guesses.risk("test")
    wrong = guesses.wrong("test").mean(axis=1)
    naive = risk.baseline
    if naive <= 0:
        nothing = Held("risk", limit, promised, then, 0.0, (0.0, 0.0), risk.n, HOLDS, against)
        return nothing, 1.0
    p_value = mean_p_value(wrong, naive * (1 - limit), 0.0, 1.0)
    most_wrong = mean_upper(wrong, 0.0, 1.0, 1 - level)
    least_wrong = 1 - mean_upper(1 - wrong, 0.0, 1.0, 1 - level)
    bounds = (1 - most_wrong / naive, 1 - least_wrong / naive)
    verdict = _verdict(p_value <= level, bounds[1], limit, max(2 * limit, limit + 0.1))
    return (
        Held("risk", limit, promised, then, risk.recovered, bounds, risk.n, verdict, against),
        p_value,
    )


def _verdict(broken: bool, most: float, limit: float, far: float) -> str:
    if broken:
        return BROKEN
    if most <= limit:
        return HOLDS
    return OPEN if most <= far else TOO_FEW


def spared(judged: Judged, limit: float, level: float) -> tuple[str, ...]:
    """The attributes that can be shown to be no longer needed, each on its own.

    Without it the model stays within the limit of everything collected; where nothing finer than
    the collected records is known, within half of the limit of these records.
    """
    reference, most = judged.everything, limit
    if reference is None:
        reference, most = judged.collected, limit / 2
    names = list(judged.without)
    p_values = [normal_p_value(judged.without[name] - reference, most) for name in names]
    return tuple(n for n, shown in zip(names, holm(p_values, level), strict=True) if shown)
