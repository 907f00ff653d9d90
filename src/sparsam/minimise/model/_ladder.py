"""Partitions of one attribute, from every value apart to one bucket, as a model's answers ask.

Two values may share a bucket when the model answers alike for both. So the model is asked about a
few people with every value in turn, and the values whose answers differ least are put together
first, for what it gains in information loss (ILAG, Goldsteen et al. 2021, eq. 3, for a merge).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsam.data import Attribute, NumericDomain
from sparsam.minimise._ranges import equal_runs
from sparsam.minimise._splits import numbered_by_first_code
from sparsam.minimise.model._oracle import Oracle
from sparsam.minimise.model._profiles import AnyTwo, Neighbours, profiles

REPRESENTATIVES = ("response", "median", "mean", "random")

# Values of an ordered attribute that are asked about one by one; the fewer, the more of these there
# are, so that enough people can be asked about.
_MOST_VALUES, _FEWEST_VALUES, _ENOUGH_PEOPLE = 256, 64, 100
_MOST_ASKED, _ASKED_FOR_EACH = 150_000, 25
_MOST_PEOPLE, _FEWEST_PEOPLE = 400, 40
_FINE = (1_024, 512, 256, 128)  # ranges with equally many people, finer than what is asked about
_UNSEEN = 0.5  # people that a value counts which nobody among those learned from has
_ALL_LEVELS = 20
_LEVELS_OF_MANY = (*range(1, 9), 10, 12, 16, 20, 24, 32)  # buckets of an order of many values
_STEP = 1.25
_MOST_CONSTANTS = 3
_HALF_AS_MANY = 0.02


@dataclass(frozen=True, repr=False)
class Ranges:
    """One way to generalise an attribute, on codes.

    Attributes
    ----------
    buckets : ndarray of int
        The bucket of each code.
    representatives : ndarray of int
        The code that stands for each bucket.
    loss : float
        The information loss of the attribute (eq. 1-2).
    """

    buckets: NDArray[np.int64]
    representatives: NDArray[np.int64]
    loss: float

    @property
    def n_buckets(self) -> int:
        """How many buckets there are."""
        return len(self.representatives)

    @property
    def stand_ins(self) -> NDArray[np.uint16]:
        """For each code the one that stands for it."""
        return self.representatives[self.buckets].astype(np.uint16)


def identity(attribute: Attribute, counts: NDArray[np.int64]) -> Ranges:
    """Every code stands for itself."""
    codes = np.arange(attribute.size, dtype=np.int64)
    return Ranges(codes, codes, mean_penalty(attribute, codes, counts))


def without_rare(
    ranges: Ranges,
    attribute: Attribute,
    counts: NDArray[np.int64],
    rare: NDArray[np.bool_],
    same: NDArray[np.uint16],
) -> Ranges:
    """The same ranges, but that rare categories go with another one and stand for nothing.

    Parameters
    ----------
    ranges : Ranges
    attribute : Attribute
    counts : ndarray of int
        How often each code occurs.
    rare : ndarray of bool
        Codes of categories that must not be named.
    same : ndarray of int
        For each code the one that it goes with: itself, unless it is rare.
    """
    if not rare.any():
        return ranges
    used, buckets = np.unique(ranges.buckets[same], return_inverse=True)
    stand_ins = ranges.representatives[used]
    for b in np.flatnonzero(rare[stand_ins]):
        named = np.flatnonzero((buckets == b) & ~rare)
        stand_ins[b] = named[counts[named].argmax()]
    return Ranges(buckets, stand_ins, mean_penalty(attribute, buckets, counts))


def mean_penalty(
    attribute: Attribute, buckets: NDArray[np.int64], counts: NDArray[np.int64]
) -> float:
    """The information loss of one attribute for people with these codes (eq. 1-2)."""
    penalty = penalties(attribute, buckets, int(buckets.max()) + 1)
    return float(penalty[buckets] @ counts / max(counts.sum(), 1))


def penalties(
    attribute: Attribute, buckets: NDArray[np.int64], n_buckets: int
) -> NDArray[np.float64]:
    """The penalty of each bucket: width over range, or categories over categories (eq. 1-2)."""
    if n_buckets == 1:  # not collected, so lost whole
        return np.ones(1)
    if not attribute.numeric:
        sizes = np.bincount(buckets, minlength=n_buckets)
        return np.where(sizes <= 1, 0.0, sizes / attribute.size)
    return _widths(attribute, *_ends(attribute, buckets, n_buckets))


def _ends(
    attribute: Attribute, buckets: NDArray[np.int64], n_buckets: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lowest and the highest number of each bucket; the outermost reach to the domain's end."""
    domain, values = attribute.domain, buckets[: attribute.n_values]
    assert isinstance(domain, NumericDomain)
    low, high = np.full(n_buckets, np.inf), np.full(n_buckets, -np.inf)
    np.minimum.at(low, values, attribute.lows)
    np.maximum.at(high, values, attribute.highs)
    low[values[0]] = min(domain.low, attribute.lows[0])
    high[values[-1]] = max(domain.high, attribute.highs[-1])
    return low, high


def _widths(
    attribute: Attribute, low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Width over that of the domain, between 0 and 1; 0 for a bucket of missing values only."""
    domain = attribute.domain
    assert isinstance(domain, NumericDomain)
    extent = domain.high / 2 - domain.low / 2  # halves keep the difference of two huge ones finite
    if extent <= 0:
        return np.zeros(len(low))
    halves = np.where(high >= low, high / 2 - low / 2, 0.0)
    return np.minimum(np.maximum(halves / extent, 0.0), 1.0)


@dataclass(frozen=True, repr=False)
class Responses:
    """What a model answers about some people with other values in turn.

    Attributes
    ----------
    counts : list of ndarray of int
        For each attribute, how often each code occurs.
    values : list of ndarray of int
        The codes that were asked about.
    profiles : list of ndarray of float
        A line for each of them; squared distances between lines are shares of answers.
    """

    counts: list[NDArray[np.int64]]
    values: list[NDArray[np.int64]]
    profiles: list[NDArray[np.float64]]


def responses(
    attributes: Sequence[Attribute], codes: NDArray[np.uint16], oracle: Oracle
) -> Responses:
    """Ask a model about a few people with every value of each attribute in turn.

    Parameters
    ----------
    attributes : sequence of Attribute
    codes : ndarray of uint16
        The people to learn from; the model is asked about the first of them.
    oracle : Oracle
    """
    counts = [np.bincount(codes[:, a], minlength=x.size) for a, x in enumerate(attributes)]
    budget = min(_MOST_ASKED, _ASKED_FOR_EACH * len(codes))
    n_wide = sum(x.ordered and x.size > _FEWEST_VALUES for x in attributes)
    each = _MOST_ASKED // max(_ENOUGH_PEOPLE * n_wide, 1)
    most = int(np.clip(each, _FEWEST_VALUES, _MOST_VALUES))
    groups = [_first_groups(x, c, most) for x, c in zip(attributes, counts, strict=True)]
    asked = sum(len(values) for values in groups)
    n_people = int(np.clip(budget // max(asked, 1), _FEWEST_PEOPLE, _MOST_PEOPLE))
    ordered = [
        int((values < x.n_values).sum()) if x.ordered else 0
        for x, values in zip(attributes, groups, strict=True)
    ]
    return Responses(counts, groups, profiles(oracle, codes[:n_people], groups, ordered))


def ladders(
    attributes: Sequence[Attribute],
    asked: Responses,
    representative: str,
    rng: np.random.Generator,
    least_cost: float = 1e-5,
    max_ranges: int | None = None,
) -> list[list[Ranges]]:
    """For each attribute its partitions, from the finest to one bucket.

    Parameters
    ----------
    attributes : sequence of Attribute
    asked : Responses
    representative : {"response", "median", "mean", "random"}
    rng : Generator
    least_cost : float
        What a merge costs at least: of merges that cost no more, the one that gains most in
        information loss comes first.
    max_ranges : int, optional
        Down to so many ranges, numbers are put together by the model's answers alone: what that
        gains in information loss counts only from there on.
    """
    partitions = []
    for attribute, counts, values, answers in zip(
        attributes, asked.counts, asked.values, asked.profiles, strict=True
    ):
        ladder = _Ladder(
            attribute, counts, values, answers, representative, rng, least_cost, max_ranges
        )
        fine = _fine_levels(attribute, counts, len(values))
        partitions.append([identity(attribute, counts), *fine, *ladder.climb()])
    return partitions


def fewer_preferred(ladder: Sequence[Ranges], max_ranges: int) -> list[Ranges]:
    """The same levels, but those of more ranges than wanted count as if they lost less.

    Half as many ranges gain next to nothing in information loss, which is measured in widths. To a
    person who must answer they are worth something: a fiftieth of the attribute.

    Parameters
    ----------
    ladder : sequence of Ranges
    max_ranges : int
    """
    return [
        replace(each, loss=each.loss - _HALF_AS_MANY * math.log2(each.n_buckets / max_ranges))
        if each.n_buckets > max_ranges
        else each
        for each in ladder
    ]


def _first_groups(attribute: Attribute, counts: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """The codes to ask about: all, those that occur, or one of each run of many numbers."""
    if attribute.size <= most:
        return np.arange(attribute.size)
    present = np.flatnonzero(counts)
    if not attribute.ordered or len(present) <= most:
        return present
    kept = present[present < attribute.n_values]
    run = equal_runs(counts[kept], most)
    middle = [kept[run == r][(run == r).sum() // 2] for r in np.unique(run)]
    return np.array([*middle, *present[present >= attribute.n_values]], dtype=np.int64)


def _fine_levels(attribute: Attribute, counts: NDArray[np.int64], n_asked: int) -> list[Ranges]:
    """Partitions between every number apart and those that the model was asked about."""
    present = np.flatnonzero(counts[: attribute.n_values])
    if not attribute.numeric or not len(present):
        return []
    before = np.searchsorted(present, np.arange(attribute.n_values), side="right") - 1
    levels: list[Ranges] = []
    for most in _FINE:
        runs = equal_runs(counts[present], most)
        if not n_asked < int(runs[-1]) + 1 < len(present) / 2:
            continue
        first = np.searchsorted(runs, np.arange(int(runs[-1]) + 2))
        middle = present[(first[:-1] + first[1:]) // 2]
        buckets = runs[before.clip(0)]
        if attribute.missing:
            buckets = np.append(buckets, len(middle))
            middle = np.append(middle, attribute.n_values)
        loss = mean_penalty(attribute, buckets, counts)
        levels.append(Ranges(buckets, middle.astype(np.int64), loss))
    return levels


class _Ladder:
    """Merges the values of one attribute, two buckets at a time."""

    def __init__(
        self,
        attribute: Attribute,
        counts: NDArray[np.int64],
        values: NDArray[np.int64],
        profiles: NDArray[np.float64],
        representative: str,
        rng: np.random.Generator,
        least_cost: float = 1e-5,
        max_ranges: int | None = None,
    ) -> None:
        self._attribute, self._counts, self._values = attribute, counts, values
        self._least_cost = least_cost
        self._most = len(values) if max_ranges is None or not attribute.numeric else max_ranges
        self._by_answers = len(values) > self._most
        self._profiles, self._how, self._rng = profiles, representative, rng
        self._owner = self._owners()
        self._in_order = bool((np.diff(self._owner) >= 0).all())
        self._weights = np.bincount(self._owner, counts, minlength=len(values)).clip(_UNSEEN)
        self._total = self._weights.sum()
        # while values merge: a line for each bucket, at the place of its first value
        self._means, self._mass = profiles.copy(), self._weights.copy()
        self._bucket = np.arange(len(values))
        self._alive = np.ones(len(values), dtype=bool)
        self._missing = values >= attribute.n_values
        self._size, self._low, self._high = self._extents()
        self._penalties = self._penalty(self._size, self._low, self._high)
        self._n_people = max(counts.sum(), 1)
        self._stand_ins = values.copy()
        alone = representative == "response"  # the answers to one value are most like its own
        self._stale: set[int] = set() if alone else set(range(len(values)))  # no stand-in yet

    def _owners(self) -> NDArray[np.int64]:
        """For each code the value (a place in `values`) that it starts out with."""
        attribute, values = self._attribute, self._values
        codes = np.arange(attribute.size)
        if not attribute.ordered:
            owner = np.full(attribute.size, int(self._counts[values].argmax()))
            owner[values] = np.arange(len(values))
            return owner
        numbers = values[values < attribute.n_values]
        if not len(numbers):
            return np.zeros(attribute.size, dtype=np.int64)
        after = np.searchsorted(numbers, codes).clip(0, len(numbers) - 1)
        before = (after - 1).clip(0)
        nearer = np.abs(numbers[before] - codes) <= np.abs(numbers[after] - codes)
        owner = np.where(nearer, before, after)
        if attribute.missing and len(values) > len(numbers):
            owner[attribute.n_values] = len(numbers)
        return owner

    def climb(self) -> list[Ranges]:
        """The partitions worth a look, from fine to coarse; the last ones have one bucket."""
        n_buckets = len(self._values)
        wanted = _wanted(n_buckets, self._attribute.ordered) | {min(self._most, n_buckets)}
        levels = [self._ranges()] if n_buckets in wanted else []
        pairs = self._pairs()
        while n_buckets > 1:
            if self._by_answers and n_buckets <= self._most:
                self._by_answers = False
                x, z = pairs.all()
                pairs.put(x, z, self._ratios(x, z, self._costs(x, z)))
            self._merge_best(pairs)
            n_buckets -= 1
            if n_buckets in wanted:
                levels.append(self._ranges())
        return [*levels, *self._other_constants(levels[-1])]

    def _other_constants(self, nothing: Ranges) -> list[Ranges]:
        """Other values that may stand for the whole attribute: what suits depends on the others."""
        common = np.argsort(-self._counts, kind="stable")[:_MOST_CONSTANTS]
        others = [c for c in common if self._counts[c] and c != nothing.representatives[0]]
        return [Ranges(nothing.buckets, np.array([c]), nothing.loss) for c in others]

    def _pairs(self) -> Neighbours | AnyTwo:
        """The pairs of values that may share a bucket, with what each costs for what it gains."""
        n = len(self._values)
        pairs = Neighbours(n, self._missing) if self._attribute.ordered else AnyTwo(n)
        x, z = pairs.all()
        pairs.put(x, z, self._ratios(x, z, self._first_costs()[x, z]))
        return pairs

    def _first_costs(self) -> NDArray[np.float64]:
        squares = (self._means**2).sum(axis=1)
        apart = squares[:, None] + squares[None] - 2 * self._means @ self._means.T
        mass = self._mass[:, None]
        shared = mass * self._mass / (mass + self._mass) / self._total
        costs: NDArray[np.float64] = apart.clip(0) * shared
        return costs

    def _costs(self, x: NDArray[np.int64], z: NDArray[np.int64]) -> NDArray[np.float64]:
        """Answers that change when two buckets become one."""
        apart = ((self._means[x] - self._means[z]) ** 2).sum(axis=1)
        of_x, of_z = self._mass[x], self._mass[z]
        costs: NDArray[np.float64] = apart * (of_x * of_z / (of_x + of_z) / self._total)
        return costs

    def _merge_best(self, pairs: Neighbours | AnyTwo) -> None:
        first, second = pairs.best()
        self._merge(first, second)
        x, z = pairs.merge(first, second)
        pairs.put(x, z, self._ratios(x, z, self._costs(x, z)))

    def _merge(self, first: int, second: int) -> None:
        mass = self._mass[first] + self._mass[second]
        share = self._mass[first] / mass
        self._means[first] = share * self._means[first] + (1 - share) * self._means[second]
        self._mass[first] = mass
        self._size[first] += self._size[second]
        self._low[first] = min(self._low[first], self._low[second])
        self._high[first] = max(self._high[first], self._high[second])
        place = slice(first, first + 1)
        self._penalties[place] = self._penalty(
            self._size[place], self._low[place], self._high[place]
        )
        self._alive[second] = False
        self._bucket[self._bucket == second] = first
        self._stale.discard(second)
        self._stale.add(first)

    def _ratios(
        self, x: NDArray[np.int64], z: NDArray[np.int64], costs: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What two buckets cost as one, for what that gains."""
        if self._by_answers:  # of equals those of the fewest people
            people: NDArray[np.float64] = (self._mass[x] + self._mass[z]) / self._total
            return costs + self._least_cost * people
        ratios: NDArray[np.float64] = (costs + self._least_cost) / np.maximum(
            self._gains(x, z), 1e-9
        )
        return ratios

    def _gains(self, x: NDArray[np.int64], z: NDArray[np.int64]) -> NDArray[np.float64]:
        """Information loss that putting two buckets together adds."""
        size, low, high, mass = self._size, self._low, self._high, self._mass
        both_low, both_high = np.minimum(low[x], low[z]), np.maximum(high[x], high[z])
        after = self._penalty(size[x] + size[z], both_low, both_high)
        of_x, of_z = mass[x], mass[z]
        gained = after * (of_x + of_z) - self._penalties[x] * of_x - self._penalties[z] * of_z
        gains: NDArray[np.float64] = gained / self._total
        return gains

    def _extents(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """How many codes each value starts out with, and the ends of its range."""
        n = len(self._values)
        size = np.bincount(self._owner, minlength=n).astype(float)
        if self._attribute.numeric:
            return size, *_ends(self._attribute, self._owner, n)
        return size, np.zeros(n), np.zeros(n)

    def _penalty(
        self, size: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        if self._attribute.numeric:
            return _widths(self._attribute, low, high)
        return np.where(size > 1, size / self._attribute.size, 0.0)

    def _ranges(self) -> Ranges:
        for first in sorted(self._stale):
            self._stand_ins[first] = self._stand_in(first)
        self._stale.clear()
        bucket, alive = self._bucket[self._owner], self._alive.nonzero()[0]
        loss = float(self._penalties[bucket] @ self._counts / self._n_people)  # `mean_penalty`
        loss = loss if len(alive) > 1 else 1.0
        if self._in_order:  # so are the buckets, each at the place of its first value
            return Ranges((np.cumsum(self._alive) - 1)[bucket], self._stand_ins[alive], loss)
        buckets = numbered_by_first_code(bucket)
        representatives = np.empty(len(alive), dtype=np.int64)
        representatives[buckets[self._values[alive]]] = self._stand_ins[alive]
        return Ranges(buckets, representatives, loss)

    def _stand_in(self, first: int) -> int:
        """The code that stands for the bucket of a value."""
        members = np.flatnonzero(self._bucket == first)
        seen = members[self._counts[self._values[members]] > 0]
        if self._how == "response" or not len(seen):
            return int(self._values[self._most_alike(seen if len(seen) else members)])
        codes = np.flatnonzero((self._bucket[self._owner] == first) & (self._counts > 0))
        return stand_in(self._attribute, codes, self._counts, self._how, self._rng)

    def _most_alike(self, members: NDArray[np.int64]) -> int:
        """The value whose answers are nearest those of the bucket, the commonest of equals."""
        if len(members) == 1:
            return int(members[0])
        weights, profiles = self._weights[members], self._profiles[members]
        mean = weights @ profiles / weights.sum()
        apart = ((profiles - mean) ** 2).sum(axis=1).round(9)
        nearest = (apart == apart.min()).nonzero()[0]
        return int(members[nearest[weights[nearest].argmax()]])


def stand_in(
    attribute: Attribute,
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    how: str,
    rng: np.random.Generator,
) -> int:
    """The code that stands for several: their median, the one nearest their mean, or a draw.

    Categories without an order are stood for by the commonest, unless a draw is asked for.
    """
    shares = counts[codes] / counts[codes].sum()
    if how == "random":
        return int(rng.choice(codes, p=shares))
    values = codes[codes < attribute.n_values]
    if not attribute.ordered or not len(values):
        return int(codes[shares.argmax()])
    shares = counts[values] / counts[values].sum()
    if how == "mean":
        middle = (attribute.lows + attribute.highs) / 2 if attribute.numeric else None
        numbers = values.astype(float) if middle is None else middle[values]
        return int(values[np.abs(numbers - shares @ numbers).argmin()])
    return int(values[np.searchsorted(np.cumsum(shares), 0.5 - 1e-12)])


def _wanted(n_buckets: int, ordered: bool) -> set[int]:
    """How many buckets to look at: small numbers, then ever larger steps."""
    wanted = set(range(1, _ALL_LEVELS + 1))
    if ordered and n_buckets > 2 * _LEVELS_OF_MANY[-1]:
        wanted = set(_LEVELS_OF_MANY)
    size = float(max(wanted))
    while size < n_buckets:
        size *= _STEP
        wanted.add(int(size))
    return {min(size, n_buckets) for size in wanted}
