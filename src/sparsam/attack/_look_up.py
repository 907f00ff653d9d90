"""Guess from counts: what people with the same generalized record had."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.attack._question import Lines, Posterior, Question
from sparsam.attack._records import GeneralizedRecords, PeopleWith
from sparsam.counting import compiled, record_keys

STRENGTHS = (0.5, 2.0, 8.0, 32.0)
Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


def look_up(records: GeneralizedRecords, question: Question) -> Posterior:
    """Posterior of each record by counting, backing off to coarser records where counts are thin.

    The first estimate is uniform over the codes in the question's own bucket. Then come the people
    in that bucket, then those who share one more column with the record, and so on; the columns
    are ordered by how much each tells beside the question's own bucket. Each estimate is shrunk
    towards the one before as if m people more had been seen there (empirical Bayes); m is chosen
    on validation data.
    """
    return LookUp(records, question)(np.arange(len(records)))


class LookUp:
    """The same for the records that are asked for.

    Parameters
    ----------
    records : GeneralizedRecords
    question : Question
    """

    def __init__(self, records: GeneralizedRecords, question: Question) -> None:
        self._seats = _Seats.of(question)
        self._own = question.own_buckets(records).astype(np.int64)
        if self._seats.width > 1:
            self._count(records, question)
            self._strength = self._best_strength(records, question)

    def __call__(self, lines: Lines) -> Posterior:
        """Shares of all codes for some of the records."""
        if self._seats.width == 1:
            return self._seats.spread(np.ones((len(lines), 1), np.float32), self._own[lines])
        return self._believed(lines, self._strength)

    def _count(self, records: GeneralizedRecords, question: Question) -> None:
        """Put the records in an order in which those that share the first columns are together."""
        seats = self._seats.seat[question.codes["train"]]
        people = PeopleWith.of(records.index["train"], seats, len(records), self._seats.width)
        order = _column_order(records, question, self._seats, people)
        columns = np.ascontiguousarray(records.records[:, order])
        by_rank = np.argsort(record_keys(columns, [records.sizes[c] for c in order]), kind="stable")
        ranked = columns[by_rank]
        equal = np.cumprod(ranked[1:] == ranked[:-1], axis=1, dtype=np.int8)
        self._rank = np.empty(len(by_rank), dtype=np.int64)
        self._rank[by_rank] = np.arange(len(by_rank))
        self._common = np.concatenate([[-1], equal.sum(axis=1, dtype=np.int64)])
        self._people = people.ranked(by_rank)
        self._levels = (0 if question.own_column is None else 1, len(order) + 1)
        self._first = (self._own[by_rank], self._seats.uniform().astype(float))

    def _best_strength(self, records: GeneralizedRecords, question: Question) -> float:
        asked, lines, index = records.some_of("validation")
        question = question.of_people("validation", asked)

        def loss(strength: float) -> tuple[float, float]:
            return question.loss(self._believed(lines, strength), index, "validation")

        return min(STRENGTHS, key=loss)

    def _believed(self, lines: Lines, strength: float) -> Posterior:
        ranks = self._rank[lines]
        order = np.argsort(ranks, kind="stable")
        belief = np.empty((len(lines), self._seats.width), dtype=np.float32)
        back_off(
            ranks[order],
            order,
            self._common,
            self._people.starts,
            self._people.codes,
            self._people.counts,
            *self._first,
            *self._levels,
            strength,
            belief,
        )
        return self._seats.spread(belief, self._own[lines])


@dataclass(frozen=True, repr=False)
class _Seats:
    """Codes numbered within their bucket, so that a record needs no cells for impossible ones.

    Attributes
    ----------
    seat : ndarray of int64
        The number of each code among the codes of its bucket.
    codes : ndarray of int64 of shape (n_buckets, width)
        The code in each seat of each bucket; -1 for an empty seat.
    """

    seat: NDArray[np.int64]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, question: Question) -> _Seats:
        buckets = question.buckets
        buckets = np.zeros(question.size, np.uint16) if buckets is None else buckets
        order = np.argsort(buckets, kind="stable")
        counts = np.bincount(buckets)
        seat = np.empty(question.size, dtype=np.int64)
        seat[order] = np.arange(question.size) - np.repeat(np.cumsum(counts) - counts, counts)
        codes = np.full((len(counts), int(counts.max())), -1, dtype=np.int64)
        codes[buckets, seat] = np.arange(question.size)
        return cls(seat, codes)

    @property
    def width(self) -> int:
        return int(self.codes.shape[1])

    def uniform(self) -> Posterior:
        """Equal shares for the codes of each bucket."""
        taken = self.codes >= 0
        # A bucket that no code falls into has no seat taken.
        n_taken = np.maximum(taken.sum(axis=1, keepdims=True), 1)
        shares: Posterior = (taken / n_taken).astype(np.float32)
        return shares

    def spread(self, belief: Posterior, own: NDArray[np.int64]) -> Posterior:
        """Shares of all codes from those of the seats in each line's own bucket."""
        if len(self.codes) == 1:
            return belief
        posterior = np.zeros((len(belief), len(self.seat)), dtype=np.float32)
        for seat in range(self.width):
            codes = self.codes[own, seat]
            lines = np.flatnonzero(codes >= 0)
            posterior[lines, codes[lines]] = belief[lines, seat]
        return posterior


@compiled(error_model="numpy")
def back_off(
    ranks: Ids,
    places: Ids,
    common: Ids,
    starts: Ids,
    seats: Ids,
    counts: Floats,
    buckets: Ids,
    first: Floats,
    coarsest: int,
    finest: int,
    strength: float,
    belief: Posterior,
) -> None:
    """Set the beliefs of some records, given by their ascending ranks, in their places.

    Records are ranked so that those which share their first columns are together: `common` says
    how many each shares with the one before. The people of rank r have the `seats` from
    `starts[r]` on, so many of each as `counts` say. Before anyone is counted, what `first` says of
    the record's bucket is believed: a line for each record would be gigabytes of the same few.
    """
    width = belief.shape[1]
    believed = np.empty((finest + 1, width))
    ends = np.zeros(finest + 1, np.int64)  # where the group of each level ends
    for i in range(ranks.shape[0]):
        rank = ranks[i]
        for level in range(coarsest, finest):
            if rank < ends[level]:
                continue
            begin = rank
            while common[begin] >= level:
                begin -= 1
            end = rank + 1
            while end < common.shape[0] and common[end] >= level:
                end += 1
            ends[level] = end
            people = 0.0
            for entry in range(starts[begin], starts[end]):
                people += counts[entry]
            for seat in range(width):
                before = (
                    first[buckets[rank], seat] if level == coarsest else believed[level - 1, seat]
                )
                believed[level, seat] = strength * before / (people + strength)
            for entry in range(starts[begin], starts[end]):
                believed[level, seats[entry]] += counts[entry] / (people + strength)
        for seat in range(width):
            belief[places[i], seat] = believed[finest - 1, seat]


def _column_order(
    records: GeneralizedRecords, question: Question, seats: _Seats, people: PeopleWith
) -> list[int]:
    own = question.own_column
    others = [column for column in range(len(records.sizes)) if column != own]
    lines = people.lines
    first = question.own_buckets(records).astype(np.int64)[lines]
    information = [
        _conditional_information(
            (first, records.records[lines, column].astype(np.int64), people.codes),
            (len(seats.codes), records.sizes[column], seats.width),
            people.counts,
        )
        for column in others
    ]
    ranked = [others[i] for i in np.argsort(-np.array(information), kind="stable")]
    return ranked if own is None else [own, *ranked]


def _conditional_information(
    columns: tuple[Ids, Ids, Ids], shape: tuple[int, int, int], people: Floats
) -> float:
    """Mutual information of the last two columns, given the first one."""
    cells = (columns[0] * shape[1] + columns[1]) * shape[2] + columns[2]
    joint = np.asarray(np.bincount(cells, people, int(np.prod(shape))), float).reshape(shape)
    return (
        _entropy_sum(joint.sum(axis=1))
        + _entropy_sum(joint.sum(axis=2))
        - _entropy_sum(joint)
        - _entropy_sum(joint.sum(axis=(1, 2)))
    )


def _entropy_sum(counts: NDArray[np.float64]) -> float:
    """Minus the sum of n log n."""
    positive = counts[counts > 0]
    return float(-(positive * np.log(positive)).sum())
