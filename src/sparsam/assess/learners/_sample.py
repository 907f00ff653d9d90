"""Whom a model learns from, and who is held out to end its learning and to judge it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sparsam.attack import GeneralizedRecords
from sparsam.data import Attribute, Split

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Beliefs = NDArray[np.float64]
"""What is told of each record, three times: after learning was ended by the first half of the
people held out, by the second half, and by all of them."""

LARGE_VALIDATION = 5000  # people of the validation part: enough to judge models on them alone
_MOST_TURNS, _FEWEST_TURNS = 10, 3
_LEARNED_IN_ALL = 25_000  # people, over all turns
_KNOWN: WeakKeyDictionary[Split, list[Turn]] = WeakKeyDictionary()


@dataclass(frozen=True, repr=False)
class Turn:
    """A division of the people of the training and validation parts, the former first.

    Attributes
    ----------
    learned : ndarray of int64
        Whom models learn from.
    halves : tuple of two ndarrays of int64
        Who is held out. How long a model learns, and how strongly it trusts few people, is settled
        on one half when the other half is judged, and on both for the people who are judged later.
    """

    learned: Rows
    halves: tuple[Rows, Rows]


def turns(data: Split) -> list[Turn]:
    """Divide the people so that models can be chosen by people whom they have not seen.

    Where the validation part is large, it is held out in a single turn. Otherwise the people of
    both parts are dealt into folds, each with its share of every class, and each fold is held out
    once: everyone is judged, and the mean of what the models of all turns tell has learned from
    everyone. The test part takes no part in it.
    """
    if data not in _KNOWN:
        _KNOWN[data] = _turns(data)
    return _KNOWN[data]


def _turns(data: Split) -> list[Turn]:
    n_train, n_later = data.train.n_rows, data.validation.n_rows
    rng = np.random.default_rng(data.random_state)
    if n_later >= LARGE_VALIDATION:
        later = n_train + rng.permutation(n_later)
        return [Turn(np.arange(n_train), (np.sort(later[::2]), np.sort(later[1::2])))]
    target = np.concatenate([data.train.target, data.validation.target])
    order = rng.permutation(n_train + n_later)
    order = order[np.argsort(target[order], kind="stable")]
    n_turns = min(max(_LEARNED_IN_ALL // len(order), _FEWEST_TURNS), _MOST_TURNS, len(order))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    fold, half = place % n_turns, (place // n_turns) % 2
    return [
        Turn(
            np.flatnonzero(fold != held_out),
            (
                np.flatnonzero((fold == held_out) & (half == 0)),
                np.flatnonzero((fold == held_out) & (half == 1)),
            ),
        )
        for held_out in range(n_turns)
    ]


@dataclass(frozen=True, repr=False)
class Sample:
    """Distinct records with what the people of one turn tell of them.

    Attributes
    ----------
    codes : ndarray of uint16 of shape (n_records, n_columns)
    sizes : tuple of int
        How many codes each column has.
    values : tuple of (ndarray of float or None)
        For each column the number that each code stands for; None where codes are categories.
    sums : ndarray of float of shape (n_records, n_told)
        People who are learned from: how many have the record and each class or, where the target is
        a number, the sum of it.
    people : ndarray of float of shape (n_records,)
        How many they are.
    held_out : ndarray of float of shape (2, n_records, n_told + 1)
        The same sums of either half of the people held out; at last, how many these are.
    lines, numbers : ndarray
        The record and, where the target is one, the number of each person who is learned from.
    """

    codes: NDArray[np.uint16]
    sizes: tuple[int, ...]
    values: tuple[Floats | None, ...]
    sums: Floats
    people: Floats
    held_out: Floats
    lines: Rows
    numbers: Floats

    @property
    def unordered(self) -> list[int]:
        """The columns whose codes are categories."""
        return [column for column, values in enumerate(self.values) if values is None]

    @property
    def mean(self) -> Floats:
        """What is told of someone of whom nothing is known: shares of classes, or the mean."""
        return np.asarray(self.sums.sum(axis=0) / self.people.sum())


def samples(records: GeneralizedRecords, data: Split) -> Iterator[tuple[Turn, Sample]]:
    """Yield the sample of each turn."""
    attributes = data.train.table.attributes
    values = tuple(_values(attributes[a], records.lookups[a]) for a in records.columns)
    lines = np.concatenate([records.index["train"], records.index["validation"]])
    numbers, n_told = np.zeros(0), len(data.train.classes)
    target = np.concatenate([data.train.target, data.validation.target]).astype(np.int64)
    if data.train.numbers is not None and data.validation.numbers is not None:
        numbers, n_told = np.concatenate([data.train.numbers, data.validation.numbers]), 1

    def told(rows: Rows) -> tuple[Floats, Floats]:
        people = np.bincount(lines[rows], minlength=len(records)).astype(float)
        if len(numbers):
            sums = np.bincount(lines[rows], numbers[rows], minlength=len(records))[:, None]
        else:
            cells = lines[rows] * n_told + target[rows]
            sums = np.bincount(cells, minlength=len(records) * n_told).reshape(-1, n_told)
        return sums.astype(float), people

    for turn in turns(data):
        sums, people = told(turn.learned)
        held_out = np.empty((2, len(records), n_told + 1))
        for each, half in zip(held_out, turn.halves, strict=True):
            each[:, :-1], each[:, -1] = told(half)
        yield (
            turn,
            Sample(
                codes=records.records,
                sizes=records.sizes,
                values=values,
                sums=sums,
                people=people,
                held_out=held_out,
                lines=lines[turn.learned],
                numbers=numbers[turn.learned] if len(numbers) else numbers,
            ),
        )


def ranges_of(people: NDArray[np.floating | np.integer], most: int) -> NDArray[np.uint16]:
    """The range of each code, when codes in their order are parted into as many with equal shares.

    Parameters
    ----------
    people : ndarray of float
        How many have each code.
    most : int
        How many ranges there are at most.
    """
    before = (np.cumsum(people) - people / 2) / people.sum()
    ranges = np.minimum(before * most, most - 1).astype(np.int64)
    return np.unique(ranges, return_inverse=True)[1].astype(np.uint16)


def _values(attribute: Attribute, lookup: NDArray[np.uint16]) -> Floats | None:
    """The mean of the numbers in each bucket; NaN where there is none."""
    if not attribute.ordered:
        return None
    values = np.arange(attribute.n_values, dtype=float)
    if attribute.numeric:
        values = (attribute.lows + attribute.highs) / 2
    buckets, size = lookup[: attribute.n_values], int(lookup.max()) + 1
    n_values = np.bincount(buckets, minlength=size)
    sums = np.bincount(buckets, values, minlength=size)
    return np.where(n_values > 0, sums / np.maximum(n_values, 1), np.nan)
