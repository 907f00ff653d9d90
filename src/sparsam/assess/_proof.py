"""How it is known that a choice keeps its promise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparsam._small_counts import published_repr, suppress
from sparsam.assess._score import Score
from sparsam.assess._trial import is_exact

EXACT = "exact"
LARGE_SAMPLES = "large samples"


def how_tested(score: Score) -> str:
    """Which kind of test fits a score."""
    return EXACT if is_exact(score) else LARGE_SAMPLES


@dataclass(frozen=True, repr=False)
class Proof:
    """The test that shows that a requirement holds.

    Attributes
    ----------
    p_value : float
        How likely such test people would be, or better ones, if the requirement did not hold.
    bound : float
        What is shown not to be exceeded, a loss or a risk.
    confidence : float
        How sure it is that the requirement holds.
    people : int
        How many test people showed it, none of whom took part in learning.
    tested : int
        How many generalizations were tested, one after the other, until the first that was not
        shown.
    stopped : bool
        Whether there was one that was not.
    others : int
        How many others were tested thereafter, at a tenth of what may go wrong.
    how : {"exact", "large samples"}
        Whether the test holds for any number of people, or for many.
    counts : tuple of int or None
        For each way to divide the people, the fewest attributes that it showed to be enough, or
        those of its most useful generalization inside a risk; None where it showed nothing. Ways
        that could not have changed the median are left out.
    needed : mapping of str to int
        In how many of these ways each attribute was among them.
    ways : int
        In how many ways the people could be divided.
    riskier : int or None
        The fewest attributes that would do by the same test, where the chosen generalization has
        more of them because it protects more.
    middle : bool
        Whether each way has a generalization of its own to offer, inside a risk, of which the one
        that is in the middle by what it loses was taken.
    """

    p_value: float
    bound: float
    confidence: float
    people: int
    tested: int
    stopped: bool = True
    how: str = EXACT
    counts: tuple[int | None, ...] = ()
    needed: Mapping[str, int] = field(default_factory=dict)
    ways: int = 0
    riskier: int | None = None
    others: int = 0
    middle: bool = False

    def __repr__(self) -> str:
        return published_repr(self)

    @property
    def holds(self) -> bool:
        """Whether it is shown."""
        return self.p_value <= 1 - self.confidence

    @property
    def words(self) -> str:
        """How it is known, for a reader who will sign it."""
        tested = "an exact test" if self.how == EXACT else "a test for large samples"
        sentences = [
            f"Shown with {100 * self.confidence:g} % confidence on {_people(self.people)} people "
            f"who took no part in learning, by {tested}"
        ]
        if self.tested > 1:
            end = "until one could not be shown" if self.stopped else "and all were shown"
            sentences.append(
                f"{self.tested} generalizations were tested in an order settled before, {end}"
                + self._words_of_others
            )
        if len(self.counts) > 1:
            sentences.append(
                f"The people were divided in {len(self.counts)} ways, which decided together: "
                + self._words_of_ways
                + (", and no other could change that" if len(self.counts) < self.ways else "")
            )
        if self.riskier is not None:
            sentences.append(
                f"{self.riskier} attributes would do as well, but in finer buckets, from which "
                "more can be recovered"
            )
        return ". ".join(sentences) + "."

    @property
    def _words_of_ways(self) -> str:
        if self.middle:
            return (
                f"the most useful inside the limit has {_listed(self.counts)} attributes there, "
                "and the one that loses neither most nor least was taken"
            )
        return f"they showed {_listed(self.counts)} attributes to be enough"

    @property
    def _words_of_others(self) -> str:
        if not self.others:
            return ""
        return (
            f"; and, at a tenth of what may go wrong, {self.others} more, which may protect better"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        return {
            "confidence": self.confidence,
            "p_value": float(f"{self.p_value:.1g}"),
            "people": suppress(self.people),
            "tested": self.tested,
            "others": self.others,
            "how": self.how,
            "counts": list(self.counts),
            "needed": dict(self.needed),
            "words": self.words,
        }


def _people(people: int) -> str:
    told = suppress(people)
    return f"{told:,}" if isinstance(told, int) else str(told)


def _listed(counts: tuple[int | None, ...]) -> str:
    told = ["no" if count is None else str(count) for count in counts]
    return f"{', '.join(told[:-1])} and {told[-1]}"
