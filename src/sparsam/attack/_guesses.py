"""What an adversary believes of every person, and how well it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice, check_share
from sparsam._errors import DataError
from sparsam.attack._question import Beliefs, Posterior, Question
from sparsam.attack._records import GeneralizedRecords, part_of
from sparsam.attack._risk import Risk
from sparsam.attack._statistics import mean_interval, paired_difference, wilson_interval
from sparsam.data import Split

JUDGED = ("validation", "test")
_BLOCK = 4096  # records to look at in one go
_SURPRISE = 0.5  # what it counts beside the error when a model is chosen
SHARES = (0.01, 0.05, 0.1, 0.25, 0.5)  # of the guesses, the surest first (A2)


@dataclass(frozen=True, repr=False)
class Answer:
    """The strongest attack model's answer to one question, for each distinct record.

    Attributes
    ----------
    question : Question
    index : mapping of part to ndarray of int64
        For each person of the part, which distinct record the person has.
    guesses : ndarray of uint16
        The code that is guessed for each record that somebody outside training has.
    sureness : ndarray of float32
        How sure the adversary is of it.
    medians : ndarray of float64 or None
        The best single number, for a numeric attribute.
    model : str
    """

    question: Question
    index: Mapping[str, NDArray[np.int64]]
    guesses: NDArray[np.uint16]
    sureness: NDArray[np.float32]
    medians: NDArray[np.float64] | None
    model: str

    @classmethod
    def best(
        cls,
        question: Question,
        records: GeneralizedRecords,
        candidates: Mapping[str, Sequence[Beliefs]],
    ) -> Answer:
        """Choose among candidates, each the mean of some beliefs, on validation data."""
        model = next(iter(candidates))
        if len(candidates) > 1:
            model = _strongest_of(candidates, question, records)
        lines = records.judged
        guess = np.zeros(len(records), dtype=np.uint16)
        confidence = np.zeros(len(records), dtype=np.float32)
        median = None if question.numbers is None else np.full(len(records), np.nan)
        for start in range(0, len(lines), _BLOCK):
            block = lines[start : start + _BLOCK]
            posterior = _mean([beliefs(block) for beliefs in candidates[model]])
            guess[block], confidence[block] = question.guess(posterior)
            if median is not None:
                median[block] = question.median(posterior)
        return cls(question, records.index, guess, confidence, median, model)

    @property
    def guess(self) -> dict[str, NDArray[np.uint16]]:
        """The code that is guessed for each person, by part."""
        return {part: self.guesses[self.index[part]] for part in JUDGED}

    @property
    def confidence(self) -> dict[str, NDArray[np.float32]]:
        """How sure the adversary is of it."""
        return {part: self.sureness[self.index[part]] for part in JUDGED}

    def median(self, part: str) -> NDArray[np.float64] | None:
        """The best single number for each person of a part; None for categories."""
        return None if self.medians is None else self.medians[self.index[part]]

    def wrong(self, part: str) -> NDArray[np.bool_]:
        """Whether the guess for each person of a part is wrong."""
        return self.question.wrong(self.guesses[self.index[part]], part)

    def surest_errors(
        self, wrong: NDArray[np.bool_], part: str, n_kept: Sequence[int]
    ) -> list[float]:
        """Share of wrong guesses among the surest of a part, for several numbers of people kept.

        Ties at the border count in proportion.
        """
        index, size = self.index[part], len(self.sureness)
        people = np.bincount(index, minlength=size)
        errors = np.bincount(index[wrong], minlength=size)
        seen = np.flatnonzero(people)
        weights = surest(self.sureness[seen], people[seen], n_kept)
        return [float(of_each @ errors[seen]) for of_each in weights]


def _strongest_of(
    candidates: Mapping[str, Sequence[Beliefs]], question: Question, records: GeneralizedRecords
) -> str:
    """The strongest candidate on validation data, block by block: beliefs may be wide.

    A few hundred people cannot tell errors of models apart that differ little. How surprised a
    model is by the truth varies less, so that half of it counts beside the error.
    """
    people, lines, index = records.some_of("validation")
    question = question.of_people("validation", people)
    order = np.argsort(index, kind="stable")
    borders = np.searchsorted(index[order], np.arange(0, len(lines) + _BLOCK, _BLOCK))
    losses = dict.fromkeys(candidates, np.zeros(2))
    for start, (first, last) in zip(range(0, len(lines), _BLOCK), pairwise(borders), strict=True):
        rows, block = order[first:last], lines[start : start + _BLOCK]
        asked = question.of_people("validation", rows)
        believed: dict[int, Posterior] = {}
        for model, members in candidates.items():
            for beliefs in members:
                if id(beliefs) not in believed:
                    believed[id(beliefs)] = beliefs(block)
            mean = _mean([believed[id(beliefs)] for beliefs in members])
            error, surprise = asked.loss(mean, index[rows] - start, "validation")
            losses[model] = losses[model] + [round(error * len(rows)), surprise * len(rows)]
    return min(candidates, key=lambda model: float(losses[model] @ (1.0, _SURPRISE)))


def strongest(answers: Sequence[Answer]) -> Answer:
    """The answer that errs least on validation data; the first of equal ones."""
    return min(answers, key=lambda answer: int(answer.wrong("validation").sum()))


def _mean(posteriors: Sequence[Posterior]) -> Posterior:
    if len(posteriors) == 1:
        return posteriors[0]
    total = posteriors[0].copy()
    for posterior in posteriors[1:]:
        total += posterior
    total /= len(posteriors)
    return total


@dataclass(frozen=True)
class Guesses:
    """What the adversary believes of every person, before it is judged on a part.

    Attributes
    ----------
    data : Split
    answers : tuple of Answer
        One for each personal attribute.
    random_state : int
    id, adversary : str
        Whose guesses these are: the short name and the words.
    without : Guesses or None
        Those of the same adversary who has no records; None for one who then can only guess the
        most common value. What the records give away is told against these.
    """

    data: Split
    answers: tuple[Answer, ...]
    random_state: int
    id: str
    adversary: str
    without: Guesses | None = None

    def wrong(self, part: str) -> NDArray[np.bool_]:
        """Whether each guess is wrong: one line per person, one column per attribute."""
        if part not in self._wrong:
            self._wrong[part] = np.column_stack([answer.wrong(part) for answer in self.answers])
        return self._wrong[part]

    @cached_property
    def _wrong(self) -> dict[str, NDArray[np.bool_]]:
        return {}

    def risk(self, part: str) -> Risk:
        """Judge the guesses on one part of the data (A1)."""
        _check_part(self.data, part)
        wrong, before = self.wrong(part), self._wrong_without(part)
        parts = tuple(
            self._attribute_risk(answer, wrong[:, number], before[:, number], part)
            for number, answer in enumerate(self.answers)
        )
        errors = [risk.value for risk in parts]
        details = {"smallest_error": min(errors), "largest_error": max(errors)}
        return Risk(
            adversary=self.adversary,
            id=self.id,
            measure="error",
            value=float(wrong.mean()),
            baseline=float(before.mean()),
            interval=mean_interval(wrong.mean(axis=1)),
            n=len(wrong),
            split=part,
            random_state=self.random_state,
            parts=parts,
            details=details
            | self._gain(wrong.mean(axis=1), before.mean(axis=1), self.answers, part),
        )

    def _wrong_without(self, part: str) -> NDArray[np.bool_]:
        """Whether each guess is wrong that is made without the records."""
        if self.without is not None:
            return self.without.wrong(part)
        return np.column_stack([answer.question.naive_wrong(part) for answer in self.answers])

    def _gain(
        self, wrong: NDArray[Any], before: NDArray[Any], answers: Sequence[Answer], part: str
    ) -> dict[str, Any]:
        """How far the advantage may lie from what it is on these people; and the naive error."""
        gain: dict[str, Any] = {"advantage_interval": list(paired_difference(before, wrong)[1])}
        if self.without is not None:
            gain["naive"] = float(np.mean([a.question.naive_error(part) for a in answers]))
        return gain

    def _attribute_risk(
        self, answer: Answer, wrong: NDArray[np.bool_], before: NDArray[np.bool_], part: str
    ) -> Risk:
        question = answer.question
        return Risk(
            adversary=self.adversary,
            id=self.id,
            measure="error",
            attribute=question.name,
            value=float(wrong.mean()),
            baseline=float(before.mean()),
            interval=wilson_interval(int(wrong.sum()), len(wrong)),
            n=len(wrong),
            split=part,
            random_state=self.random_state,
            model=answer.model,
            details=self._numeric_details(answer, part) | self._gain(wrong, before, [answer], part),
        )

    def _numeric_details(self, answer: Answer, part: str) -> dict[str, Any]:
        """How near the guesses of numbers come; nothing for categories."""
        if answer.question.values is None:
            return {}
        return {
            "tolerance": answer.question.tolerance,
            "absolute_error": answer.question.absolute_error(answer.median(part), part),
        }

    def confident_risk(self, share: float, part: str) -> Risk:
        """Judge only the guesses that the adversary is surest of (A2).

        For each attribute the `share` of the people with the highest confidence is kept; people
        with equal confidence at the border count in proportion.
        """
        return self.confident_risks([share], part)[share]

    def confident_risks(self, shares: Sequence[float], part: str) -> dict[float, Risk]:
        """The same for several shares, for which people are put in order once."""
        _check_part(self.data, part)
        for share in shares:
            check_share("confident_risk", "share", share, above=True)
        wrong = self.wrong(part)
        n_kept = [max(1, round(share * len(wrong))) for share in shares]
        errors = [
            answer.surest_errors(wrong[:, number], part, n_kept)
            for number, answer in enumerate(self.answers)
        ]
        return {
            share: self._confident_risk(share, kept, [error[place] for error in errors], part)
            for place, (share, kept) in enumerate(zip(shares, n_kept, strict=True))
        }

    def _confident_risk(self, share: float, n_kept: int, errors: list[float], part: str) -> Risk:
        parts = tuple(
            self._confident_attribute_risk(answer, error, n_kept, part, share)
            for answer, error in zip(self.answers, errors, strict=True)
        )
        return Risk(
            adversary=_confident_name(share),
            id="A2",
            measure="error",
            value=float(np.mean([risk.value for risk in parts])),
            baseline=float(np.mean([risk.baseline for risk in parts])),
            interval=(
                float(np.mean([risk.interval[0] for risk in parts])),
                float(np.mean([risk.interval[1] for risk in parts])),
            ),
            n=n_kept,
            split=part,
            random_state=self.random_state,
            parts=parts,
            details={"share": share},
        )

    def _confident_attribute_risk(
        self, answer: Answer, error: float, n_kept: int, part: str, share: float
    ) -> Risk:
        return Risk(
            adversary=_confident_name(share),
            id="A2",
            measure="error",
            attribute=answer.question.name,
            value=error,
            baseline=answer.question.naive_error(part),
            interval=wilson_interval(error * n_kept, n_kept),
            n=n_kept,
            split=part,
            random_state=self.random_state,
            model=answer.model,
        )


def surest(
    confidence: NDArray[np.float32], people: NDArray[np.int64], n_kept: Sequence[int]
) -> list[NDArray[np.float64]]:
    """The weight of each person when the surest are kept, ties in proportion.

    Parameters
    ----------
    confidence : ndarray of float32
        Of each record.
    people : ndarray of int64
        How many have it. Their weights, all people counted, sum to one.
    n_kept : sequence of int
        How many people are kept: one list of weights for each.

    Examples
    --------
    >>> weights = surest(np.array([0.9, 0.5, 0.1], np.float32), np.array([1, 2, 1]), [1, 2])
    >>> [of_each.tolist() for of_each in weights]
    [[1.0, 0.0, 0.0], [0.5, 0.25, 0.0]]
    """
    order = np.argsort(-confidence, kind="stable")
    so_far = np.cumsum(people[order])
    weights = []
    for kept in n_kept:
        last = min(int(np.searchsorted(so_far, kept)), len(order) - 1)
        border = confidence[order[last]]
        tied = confidence == border
        above = confidence > border
        of_each = above.astype(float)
        of_each[tied] = (kept - people[above].sum()) / people[tied].sum()
        weights.append(of_each / kept)
    return weights


def _confident_name(share: float) -> str:
    return f"A2 high-certainty reconstruction (surest {share:.0%})"


def _check_part(data: Split, part: str) -> None:
    check_choice("risk", "part", part, JUDGED)
    if part_of(data, part).n_rows == 0:
        raise DataError(f"The {part} part of the split holds no records to attack.")
