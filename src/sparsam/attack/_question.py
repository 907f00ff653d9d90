"""What is to be guessed from a generalized record, and how a guess is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sparsam.attack._records import PARTS, GeneralizedRecords, part_of
from sparsam.data import Attribute, Split

Posterior = NDArray[np.float32]
Lines = NDArray[np.int64]
Beliefs = Callable[[Lines], Posterior]  # of some distinct records, one line for each

_LEAST = 1e-12  # a posterior of zero is a surprise, but not an infinite one


@dataclass(frozen=True, repr=False)
class Question:
    """One column to be guessed from generalized records.

    Attributes
    ----------
    name : str
    size : int
        Number of codes to choose from.
    codes : mapping of part to ndarray of uint16
        The truth, row by row.
    own_column : int or None
        The record's column that holds the bucket of the very attribute to be guessed; None when
        it is not collected.
    buckets : ndarray of uint16 or None
        The bucket of each code; None when the attribute is not collected.
    values : ndarray of float or None
        The number that each code stands for, for a numeric attribute (NaN: missing).
    tolerance : float
        A numeric guess counts as right within this distance.
    """

    name: str
    size: int
    codes: Mapping[str, NDArray[np.uint16]]
    own_column: int | None = None
    buckets: NDArray[np.uint16] | None = None
    values: NDArray[np.float64] | None = None
    tolerance: float = 0.0

    def of_people(self, part: str, people: NDArray[np.int64]) -> Question:
        """The same question, asked of some people of a part."""
        return replace(self, codes={**self.codes, part: self.codes[part][people]})

    def own_buckets(
        self, records: GeneralizedRecords, lines: NDArray[np.int64] | slice = slice(None)
    ) -> NDArray[np.uint16]:
        """The bucket of the attribute itself in some of the records; 0 when not collected."""
        if self.own_column is None:
            return np.zeros(len(records), np.uint16)[lines]
        return records.records[lines, self.own_column]

    def possible(
        self, records: GeneralizedRecords, lines: NDArray[np.int64] | slice = slice(None)
    ) -> NDArray[np.bool_] | None:
        """Which codes some of the records leave possible; None when all of them."""
        if self.buckets is None:
            return None
        return np.asarray(self.own_buckets(records, lines)[:, None] == self.buckets[None, :])

    def close(self) -> NDArray[np.bool_]:
        """Which pairs of codes count as the same value."""
        same = np.eye(self.size, dtype=bool)
        if self.values is None:
            return same
        distance = np.abs(self.values[:, None] - self.values[None, :])
        return np.asarray((distance <= self.tolerance) | same)

    def guess(self, posterior: Posterior) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Best guess for each line of the posterior, and how sure the guesser is of it."""
        mass = posterior
        if self.values is not None:
            # A value that cannot be has no mass of its own, only close ones: never guess it.
            around = posterior @ self.close().astype(np.float32)
            mass = np.where(posterior > 0, around, np.float32(0.0))
        guess = mass.argmax(axis=1)
        return guess, np.minimum(mass[np.arange(len(mass)), guess], np.float32(1.0))

    def wrong(self, guess: NDArray[np.integer], part: str) -> NDArray[np.bool_]:
        """Whether the guess for each row of a part misses the truth."""
        return self.misses(guess, self.codes[part])

    def misses(self, guess: NDArray[np.integer], truth: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether guesses miss the truth, both as codes."""
        if self.values is None:
            return np.asarray(guess != truth)
        return np.asarray(~self.close()[guess, truth])

    def error(self, posterior: Posterior, records: GeneralizedRecords, part: str) -> float:
        """Share of the rows of a part for which the best guess is wrong."""
        return self.loss(posterior, records.index[part], part)[0]

    def loss(
        self, posterior: Posterior, index: NDArray[np.int64], part: str
    ) -> tuple[float, float]:
        """Error on a part, and mean surprise at the truth, which decides between equal errors.

        `index` says which line of the posterior each row of the part has.
        """
        truth = self.codes[part]
        if not truth.size:
            return 0.0, 0.0
        guess, _ = self.guess(posterior)
        surprise = -np.log(np.maximum(posterior[index, truth], _LEAST)).mean(dtype=float)
        return float(self.wrong(guess[index], part).mean()), float(surprise)

    def prior(self) -> Posterior:
        """What someone believes who has seen the training sample, but no record (one line)."""
        return self._prior

    @cached_property
    def _prior(self) -> Posterior:
        counts = np.bincount(self.codes["train"], minlength=self.size)
        shares: Posterior = (counts / max(1, counts.sum())).astype(np.float32)
        return shares[None, :]

    def naive_error(self, part: str) -> float:
        """Share of the rows of a part for which the guess of that someone is wrong."""
        if part not in self._naive_errors:
            self._naive_errors[part] = float(self.naive_wrong(part).mean())
        return self._naive_errors[part]

    def naive_wrong(self, part: str) -> NDArray[np.bool_]:
        """For which rows of a part it is wrong."""
        guess, _ = self.guess(self.prior())
        return self.wrong(guess, part)

    @cached_property
    def _naive_errors(self) -> dict[str, float]:
        return {}

    def naive(self, lines: Lines) -> Posterior:
        """The same for some records."""
        return np.repeat(self.prior(), len(lines), axis=0)

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """The number that each code stands for; None where none is known."""
        return None if self.values is None or np.isnan(self.values).all() else self.values

    def median(self, posterior: Posterior) -> NDArray[np.float64] | None:
        """The best single number for each line of the posterior; None for categories."""
        if self.numbers is None:
            return None
        known = np.flatnonzero(~np.isnan(self.numbers))
        order = known[np.argsort(self.numbers[known], kind="stable")]
        mass = np.cumsum(posterior[:, order], axis=1)
        below = (mass < mass[:, -1:] / 2).sum(axis=1)
        medians: NDArray[np.float64] = self.numbers[order[below]]
        return medians

    def absolute_error(self, median: NDArray[np.float64] | None, part: str) -> float | None:
        """Mean distance of one number per row from the truth; None where no number is known."""
        if self.values is None or median is None:
            return None
        distance = np.abs(median - self.values[self.codes[part]])
        known = distance[~np.isnan(distance)]
        return float(known.mean()) if known.size else None


def personal_question(
    attribute: int, split: Split, records: GeneralizedRecords, tolerance: float
) -> Question:
    """The question after one personal attribute of the people in a split."""
    encoded = split.train.table.attributes[attribute]
    collected = attribute in records.columns
    return Question(
        name=encoded.name,
        size=encoded.size,
        codes={part: part_of(split, part).codes[:, attribute] for part in PARTS},
        own_column=records.columns.index(attribute) if collected else None,
        buckets=records.lookups[attribute] if collected else None,
        values=code_values(encoded) if encoded.numeric else None,
        tolerance=tolerance,
    )


def target_question(split: Split) -> Question:
    """The question after the target: what the user's own model is asked."""
    return Question(
        name=split.train.target_name,
        size=len(split.train.classes),
        codes={part: part_of(split, part).target for part in PARTS},
    )


def code_values(attribute: Attribute) -> NDArray[np.float64]:
    """The number that each code of a numeric attribute stands for; NaN for missing."""
    middle = (attribute.lows + attribute.highs) / 2
    return np.append(middle, np.nan) if attribute.missing else middle
