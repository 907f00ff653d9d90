"""Guess from counts: what people with the same generalized record had."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam.attack._question import Posterior, Question
from sparsam.attack._records import GeneralizedRecords
from sparsam.counting import record_keys

STRENGTHS = (0.5, 2.0, 8.0, 32.0)


def look_up(records: GeneralizedRecords, question: Question) -> Posterior:
    """Posterior of each record by counting, backing off to coarser records where counts are thin.

    The first estimate is uniform over the codes in the question's own bucket. Then come the people
    in that bucket, then those who share one more column with the record, and so on; the columns
    are ordered by how much each tells beside the question's own bucket. Each estimate is shrunk
    towards the one before as if m people more had been seen there (empirical Bayes); m is chosen
    on validation data.
    """
    seats = _Seats.of(question)
    own = question.own_buckets(records)
    if seats.width == 1:
        return seats.spread(np.ones((len(records), 1), np.float32), own)
    lines, index = records.seen_in("validation")

    def loss(belief: Posterior) -> tuple[float, float]:
        return question.loss(seats.spread(belief[lines], own[lines]), index, "validation")

    return seats.spread(min(_beliefs(records, question, seats), key=loss), own)


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

    def spread(self, belief: Posterior, own: NDArray[np.uint16]) -> Posterior:
        """Shares of all codes from those of the seats in each line's own bucket."""
        posterior = np.zeros((len(belief), len(self.seat)), dtype=np.float32)
        for seat in range(self.width):
            codes = self.codes[own, seat]
            lines = np.flatnonzero(codes >= 0)
            posterior[lines, codes[lines]] = belief[lines, seat]
        return posterior


def _beliefs(records: GeneralizedRecords, question: Question, seats: _Seats) -> list[Posterior]:
    """For each strength, the shares of the seats in each record."""
    own = question.own_buckets(records).astype(np.int64)
    beliefs, parent = [seats.uniform()] * len(STRENGTHS), own
    order = _column_order(records, question, seats)
    for length in range(0 if question.own_column is None else 1, len(order) + 1):
        first, group = _group(records, order[:length])
        cells = group[records.index["train"]] * seats.width + seats.seat[question.codes["train"]]
        counts = np.bincount(cells, minlength=len(first) * seats.width).astype(np.float32)
        counts = counts.reshape(len(first), seats.width)
        beliefs = [
            _shrunk(counts, belief[parent[first]], strength)
            for belief, strength in zip(beliefs, STRENGTHS, strict=True)
        ]
        parent = group
    return [belief[parent] for belief in beliefs]


def _column_order(records: GeneralizedRecords, question: Question, seats: _Seats) -> list[int]:
    own = question.own_column
    others = [column for column in range(len(records.sizes)) if column != own]
    information = [_conditional_information(records, question, seats, column) for column in others]
    ranked = [others[i] for i in np.argsort(-np.array(information), kind="stable")]
    return ranked if own is None else [own, *ranked]


def _conditional_information(
    records: GeneralizedRecords, question: Question, seats: _Seats, column: int
) -> float:
    """Mutual information of the question and a column, given the question's own bucket."""
    shape = (len(seats.codes), records.sizes[column], seats.width)
    line = question.own_buckets(records).astype(np.int64) * shape[1] + records.records[:, column]
    cells = line[records.index["train"]] * shape[2] + seats.seat[question.codes["train"]]
    joint = np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(float)
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


def _group(
    records: GeneralizedRecords, columns: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One record of each group of equal records, and the group of each record."""
    keys = record_keys(records.records[:, columns], [records.sizes[c] for c in columns])
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return first, group


def _shrunk(counts: NDArray[np.float32], prior: Posterior, strength: float) -> Posterior:
    """Shares among the people counted and `strength` more who are like the prior."""
    prior *= np.float32(strength)
    prior += counts
    prior /= prior.sum(axis=1, keepdims=True)
    return prior
