"""Which shares have changed by more than matters, allowing for many figures and many looks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import norm

from sparsam._certainty import share_p_value
from sparsam._small_counts import publish_interval, publish_share, share_step
from sparsam.attack import Interval

MIN_CHANGE = 0.05
"""The smallest change of a share that matters, for shares that are not small themselves."""

_OF_SMALL = 0.5  # of a small share, the part of it that matters instead
_LEAST = 0.2  # but never less than this part of the smallest change that matters
FEWEST_IN_BUCKET = 30  # then and now, for a share of them to be compared
_FIRST = 6 / math.pi**2


def level_of(look: int, confidence: float) -> float:
    """How likely a false alarm at one look may be, so that all looks together keep the confidence.

    The doubt is spread over the looks as 6 / (π² k²), which sums to one however many follow.

    Parameters
    ----------
    look : int
        The number of the look, from 1.
    confidence : float

    Examples
    --------
    >>> round(level_of(1, 0.95), 4), round(level_of(4, 0.95), 4)
    (0.0304, 0.0019)
    """
    return (1 - confidence) * _FIRST / look**2


def matters(share: float, min_change: float = MIN_CHANGE) -> float:
    """By how much a share must change to matter: less where few people are meant.

    Examples
    --------
    >>> matters(0.4), matters(0.06)
    (0.05, 0.03)
    """
    return min(min_change, max(_LEAST * min_change, _OF_SMALL * share))


@dataclass(frozen=True)
class Change:
    """One share of people, then and now.

    Attributes
    ----------
    kind : {"share", "unseen", "refused", "target", "class", "error"}
        In a bucket; with a value outside the domain, or without a bucket; of a class; of the class
        that was the commonest in a bucket then; whose target is guessed wrongly.
    attribute : str
    bucket : str or None
        The label; None for all people.
    then, now : float
        `then` as published; what no artifact holds is zero.
    people_then, people_now : int
    least : float
        The smallest change that matters.
    p_value : float
        How rarely so much would be seen, had the share not changed by more than matters.
    shown : bool
        Whether it did, allowing for all figures of this look and for all looks.
    """

    kind: str
    attribute: str
    bucket: str | None
    then: float
    now: float
    people_then: int
    people_now: int
    least: float
    p_value: float = 1.0
    shown: bool = False

    @property
    def whole(self) -> bool:
        """Whether it is about all people, and not those of one bucket."""
        return self.bucket is None

    @property
    def by(self) -> float:
        """How much larger the share is now."""
        return self.now - self.then

    @property
    def interval(self) -> Interval:
        """95 % interval of the change."""
        half = float(norm.ppf(0.975)) * _spread(self)
        return (self.by - half, self.by + half)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published: shares in steps of five people or more."""
        now = publish_share(self.now, self.people_now)
        return {
            "kind": self.kind,
            "attribute": self.attribute,
            "bucket": self.bucket,
            "then": self.then,
            "now": now,
            "change": None if now is None else round(now - self.then, 12),
            "interval": publish_interval(self.interval, self.people_now),
            "least": round(self.least, 12),
            "shown": self.shown,
        }


def compare(
    kind: str,
    attribute: str,
    labels: Sequence[str | None],
    then: Sequence[float | None],
    people_then: Sequence[float],
    now: Sequence[int],
    people_now: Sequence[int],
    min_change: float = MIN_CHANGE,
) -> list[Change]:
    """Compare shares of people, one for each label; those of few people are left out.

    Parameters
    ----------
    kind, attribute : str
    labels : sequence of str or None
    then : sequence of float or None
        Published shares.
    people_then, people_now : sequences of int
        How many people each is a share of.
    now : sequence of int
        How many people there are now.
    min_change : float

    Returns
    -------
    list of Change
    """
    changes = []
    for label, share, n_then, hits, n_now in zip(
        labels, then, people_then, now, people_now, strict=True
    ):
        if share is None or min(n_then, n_now) < FEWEST_IN_BUCKET:
            continue
        change = Change(
            kind, attribute, label, share, hits / n_now, int(n_then), n_now,
            matters(share, min_change),
        )  # fmt: skip
        changes.append(replace(change, p_value=_p_value(change)))
    return changes


def appeared(
    kind: str, attribute: str, now: int, people_now: int, min_change: float = MIN_CHANGE
) -> Change:
    """Compare the share of values that nobody had then: with none, exactly.

    Parameters
    ----------
    kind : {"unseen", "refused"}
    attribute : str
    now, people_now : int
    min_change : float
    """
    least = matters(0.0, min_change)
    change = Change(kind, attribute, None, 0.0, now / people_now, people_now, people_now, least)
    return replace(change, p_value=share_p_value(people_now - now, people_now, 1 - least))


def _p_value(change: Change) -> float:
    """How rarely two samples differ so much whose shares differ by no more than matters.

    Only a rise of errors is an alarm, or of what nobody or few had; other shares may rise and fall.
    """
    by = change.by if change.kind in ("error", "unseen") else abs(change.by)
    rounded = share_step(change.people_then) / 2  # what was published may be off by that much
    return float(norm.sf((by - change.least - rounded) / _spread(change)))


def _spread(change: Change) -> float:
    """Standard error of the difference, as if of either sample two people more were seen."""
    variance = 0.0
    for share, people in ((change.then, change.people_then), (change.now, change.people_now)):
        smooth = (share * people + 1) / (people + 2)
        variance += smooth * (1 - smooth) / (people + 2)
    return math.sqrt(variance)


def show(changes: Iterable[Change], level: float) -> tuple[Change, ...]:
    """Mark the changes that are shown when all of them are asked about (Holm, 1979).

    Parameters
    ----------
    changes : iterable of Change
    level : float
        How likely one false alarm among all of them may be.
    """
    listed = list(changes)
    passed = holm([change.p_value for change in listed], level)
    return tuple(replace(c, shown=shown) for c, shown in zip(listed, passed, strict=True))


def holm(p_values: Sequence[float], level: float) -> list[bool]:
    """Which of several questions are answered, wrongly at all with no more than this probability.

    Examples
    --------
    >>> holm([0.04, 0.001, 0.02], 0.05)
    [True, True, True]
    >>> holm([0.04, 0.001, 0.03], 0.05)
    [False, True, False]
    """
    order = np.argsort(p_values, kind="stable")
    answered = [False] * len(order)
    for place, question in enumerate(order):
        if p_values[question] > level / (len(order) - place):
            break
        answered[question] = True
    return answered


def weight_of(changes: Iterable[Change]) -> float:
    """How much of a change an attribute carries: people moved, or the spread of a rise of errors.

    Of the people who are in another bucket than then, it is the share. Of errors that rise, it is
    the variance of the rise between buckets, less that of chance: a rise that one group has alone
    is told best by the attribute that tells the group apart.
    """
    listed = list(changes)
    if not listed:
        return 0.0
    by = np.array([change.by for change in listed])
    if listed[0].kind not in ("error", "class"):
        return float(np.abs(by).sum() / 2)
    people = np.array([change.people_now for change in listed], dtype=float)
    chance = np.array([_spread(change) ** 2 for change in listed])
    share = people / people.sum()
    return float(share @ ((by - share @ by) ** 2 - chance))
