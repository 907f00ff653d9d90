"""What may be told of few people: the one place that every published count goes through.

Three rules, for reports, `--json`, the terminal and every `to_dict`:

1. A count of one to four people is not told.
2. Two counts that lie one to four people apart are not both told, nor is a count that lies so close
   to the total: whoever subtracts would know the few.
3. A share of people is told in steps of at least five people.

Objects hold exact numbers, to compute with; what they say of themselves has been here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SMALLEST_COUNT = 5
FEWER = f"fewer than {SMALLEST_COUNT}"

Count = int | str | None
"""A number of people, or words where the number may not be told."""

_DIGITS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)


def few(count: Any) -> bool:
    """Tell whether a number stands for one to four people, or did before it became words.

    Examples
    --------
    >>> few(3), few(0), few(5), few("fewer than 5")
    (True, False, False, True)
    """
    if isinstance(count, str):
        return count == FEWER
    return isinstance(count, int) and 0 < count < SMALLEST_COUNT


def suppress(count: Count) -> Count:
    """Replace a count of one to four people by words.

    For a number that stands on its own; numbers that can be subtracted from one another go
    through `PublishedCounts` together.

    Examples
    --------
    >>> suppress(3), suppress(0), suppress(12)
    ('fewer than 5', 0, 12)
    """
    return FEWER if few(count) else count


def at_most(count: int) -> int:
    """Round a count up to steps of five people, where it must stay a number.

    Examples
    --------
    >>> at_most(0), at_most(2), at_most(5), at_most(11)
    (0, 5, 5, 15)
    """
    return -(-count // SMALLEST_COUNT) * SMALLEST_COUNT


class PublishedCounts:
    """The counts of people that one result tells, so that no subtraction uncovers a few.

    From zero upwards, a count is told where it is at least five people away from the last one told
    and from the total. Every other one is told to be less than five above the last one, or less
    than five below the total.

    Parameters
    ----------
    counts : iterable of int
        Every count that is told about the same people, of all groups and all generalizations.
    total : int, optional
        How many people there are, where that is known to readers.

    Examples
    --------
    >>> tell = PublishedCounts([7, 9, 30, 98], total=100)
    >>> [tell(count) for count in (0, 7, 9, 30, 98, 100)]
    [0, 7, 'fewer than 12', 30, 'more than 95', 100]
    """

    def __init__(self, counts: Iterable[Any], total: Any = None) -> None:
        self._total = total if isinstance(total, int) else None
        self._told = [0]
        for count in sorted({count for count in counts if isinstance(count, int)}):
            if count - self._told[-1] >= SMALLEST_COUNT and not self._near_total(count):
                self._told.append(count)

    def __call__(self, count: Any) -> Count:
        """Tell a count: itself, or words."""
        if not isinstance(count, int):
            return count if isinstance(count, str) else None
        if self.exact(count):
            return count
        below = max(told for told in self._told if told <= max(count, 0))
        if self._total is not None and count - below >= SMALLEST_COUNT:
            return f"more than {self._total - SMALLEST_COUNT:,}"
        return f"fewer than {below + SMALLEST_COUNT:,}"

    def exact(self, count: int) -> bool:
        """Tell whether a count is told as it is."""
        return count in self._told or (count == self._total and not few(count))

    def _near_total(self, count: int) -> bool:
        return self._total is not None and abs(self._total - count) < SMALLEST_COUNT


def publish_nested(counts: Sequence[Count], total: Count = None) -> list[Count]:
    """Publish counts that belong to one another; see `PublishedCounts`.

    Examples
    --------
    >>> publish_nested([3, 4, 30, 32, 60])
    ['fewer than 5', 'fewer than 5', 30, 'fewer than 35', 60]
    >>> publish_nested([40, 48, 49], total=50)
    [40, 'more than 45', 'more than 45']
    """
    tell = PublishedCounts(counts, total)
    return [tell(count) for count in counts]


def class_counts(sizes: Mapping[str, Any]) -> list[Any]:
    """The counts of people among the facts about classes: those that must be published together."""
    return [sizes.get("alone"), *(sizes.get("under") or {}).values()]


def publish_classes(
    sizes: Mapping[str, Any], total: Count = None, tell: PublishedCounts | None = None
) -> dict[str, Any]:
    """Publish how many people share their record with how many others.

    Parameters
    ----------
    sizes : mapping
        With "alone", "under" (people by threshold), "smallest", "distinct", "rarest" (how many
        records are as rare as the smallest) and "histogram" as far as they are known; anything
        else is left as it is.
    total : int, optional
        Everyone.
    tell : PublishedCounts, optional
        Where other counts of the same people are published too.

    Examples
    --------
    >>> found = {"distinct": 10, "smallest": 1, "alone": 7, "under": {"5": 9, "10": 9}}
    >>> publish_classes(found, 109)["under"]
    {'5': 'fewer than 12', '10': 'fewer than 12'}
    """
    tell = tell or PublishedCounts(class_counts(sizes), total)
    safe = dict(sizes)
    if "alone" in safe:
        safe["alone"] = tell(safe["alone"])
    if "under" in safe:
        safe["under"] = {str(k): tell(people) for k, people in (safe["under"] or {}).items()}
    if "rarest" in safe:
        # The rarest records times their size would be taken from the people in small classes.
        safe["rarest"] = None if few(safe.get("smallest")) else suppress(safe["rarest"])
    if "smallest" in safe:
        safe["smallest"] = suppress(safe["smallest"])
    if "distinct" in safe:
        safe["distinct"] = publish_distinct(safe["distinct"], total)
    if "histogram" in safe:
        safe["histogram"] = joined(safe["histogram"] or (), tell)
    return safe


def publish_distinct(distinct: Count, total: Count) -> Count:
    """Publish how many records are different.

    Records are no people, but where nearly all of them are different, the few that are not are few
    people.

    Examples
    --------
    >>> publish_distinct(3, 100), publish_distinct(98, 100)
    (3, 'more than 95')
    """
    if isinstance(distinct, int) and isinstance(total, int) and few(total - distinct):
        return f"more than {max(0, total - SMALLEST_COUNT):,}"
    return distinct


def joined(bars: Sequence[Mapping[str, Any]], tell: PublishedCounts | None = None) -> list[Any]:
    """Join bars of a histogram of people until none, and no difference to what is told, is small.

    Parameters
    ----------
    bars : sequence of mapping
        With "from", "to" and "people".
    tell : PublishedCounts, optional
        Counts of the same people that are published beside the histogram: bars end where a sum
        over all bars so far is told there.

    Examples
    --------
    >>> joined([{"from": 1, "to": 1, "people": 3}, {"from": 2, "to": 4, "people": 8}])
    [{'from': 1, 'to': 4, 'people': 11}]
    """
    if any(isinstance(bar["people"], str) for bar in bars):
        return [dict(bar) for bar in bars]
    counts = [int(bar["people"] or 0) for bar in bars]
    total = sum(counts)
    sums = [sum(counts[: place + 1]) for place in range(len(counts))]
    tell = tell or PublishedCounts(sums, total)
    words: list[dict[str, Any]] = []
    start, last = 0, 0
    for place, reached in enumerate(sums):
        whole = reached == total and place == len(sums) - 1
        if whole or (tell.exact(reached) and not few(reached - last) and not few(total - reached)):
            words.append({"from": bars[start]["from"], "to": bars[place]["to"],
                          "people": suppress(reached - last)})  # fmt: skip
            start, last = place + 1, reached
    return words


def share_step(people: int) -> float:
    """The step in which a share of so many people is told: a round number, just large enough.

    Examples
    --------
    >>> share_step(6000), share_step(200), share_step(5), share_step(0)
    (0.001, 0.025, 1.0, 1.0)
    """
    if people <= SMALLEST_COUNT:
        return 1.0
    power = math.floor(math.log10(SMALLEST_COUNT / people))
    steps = (float(f"{digit}e{power}") for digit in _DIGITS)
    # People times step, not the quotient: 5 / 5000 is not quite 0.001.
    return next(step for step in steps if people * step >= SMALLEST_COUNT * (1 - 1e-12))


def publish_share(share: Any, people: Any, rounding: str = "nearest") -> Any:
    """Round a share of people, so that it does not tell of fewer than five of them.

    Parameters
    ----------
    share : float or None
    people : int
        How many it is a share of; nothing is told of fewer than five.
    rounding : {"nearest", "down", "up"}
        Bounds are rounded outwards.

    Examples
    --------
    >>> publish_share(7 / 6000, 6000), publish_share(0.5, 4)
    (0.001, None)
    >>> publish_share(0.0341, 200, "up")
    0.05
    """
    if few(people) or share is None or not math.isfinite(share):
        return None if few(people) else share
    if not isinstance(people, int) or not people:
        return share
    step = share_step(people)
    # A share that was rounded before lies on a step but for the last bit.
    steps = round(share / step, 9)
    whole = math.floor(steps) if rounding == "down" else math.ceil(steps)
    if rounding == "nearest":
        whole = round(steps)
    rounded = round(whole * step, 12)
    # the last step may reach beyond all people, of whom there is no share
    return min(rounded, 1.0) if share <= 1 else rounded


def publish_loss(error: Any, reference: Any) -> Any:
    """The difference of two shares that were published, so that readers who subtract agree.

    Examples
    --------
    >>> publish_loss(0.28, 0.26), publish_loss(None, 0.26)
    (0.02, None)
    """
    return None if error is None or reference is None else round(error - reference, 12)


def publish_interval(interval: Any, people: Any) -> list[Any] | None:
    """Round the ends of an interval of a share outwards.

    Examples
    --------
    >>> publish_interval((0.0121, 0.0189), 6000)
    [0.012, 0.019]
    """
    if interval is None or few(people):
        return None
    low, high = interval
    return [publish_share(low, people, "down"), publish_share(high, people, "up")]


def published_repr(words: Any) -> str:
    """Show an object by what it publishes of itself.

    Parameters
    ----------
    said : object with `to_dict`
    """
    facts = ", ".join(f"{name}={value!r}" for name, value in words.to_dict().items())
    return f"{type(words).__name__}({facts})"
