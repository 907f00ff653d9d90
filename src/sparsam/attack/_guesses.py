"""What an adversary believes of every person, and how well it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice, check_share
from sparsam._errors import DataError
from sparsam.attack._question import Posterior, Question
from sparsam.attack._records import GeneralizedRecords, part_of
from sparsam.attack._risk import Risk
from sparsam.attack._statistics import mean_interval, wilson_interval
from sparsam.data import Split

JUDGED = ("validation", "test")
SHARES = (0.01, 0.05, 0.1, 0.25, 0.5)  # of the guesses, the surest first (A2)


@dataclass(frozen=True, repr=False)
class Answer:
    """The strongest attack model's answer to one question, person by person.

    Attributes
    ----------
    question : Question
    guess : mapping of part to ndarray of int64
        The code that is guessed for each person.
    confidence : mapping of part to ndarray of float32
        How sure the adversary is of it.
    median : mapping of part to ndarray of float64, or None
        The best single number, for a numeric attribute.
    model : str
    """

    question: Question
    guess: Mapping[str, NDArray[np.int64]]
    confidence: Mapping[str, NDArray[np.float32]]
    median: Mapping[str, NDArray[np.float64]] | None
    model: str

    @classmethod
    def best(
        cls,
        question: Question,
        records: GeneralizedRecords,
        candidates: Mapping[str, Sequence[Posterior]],
    ) -> Answer:
        """Choose among candidates, each the mean of some posteriors, on validation data."""
        lines, index = records.seen_in("validation")

        def loss(model: str) -> tuple[float, float]:
            believed = _mean([posterior[lines] for posterior in candidates[model]])
            return question.loss(believed, index, "validation")

        model = min(candidates, key=loss)
        posterior = _mean(candidates[model])
        guess, confidence = question.guess(posterior)
        median = question.median(posterior)
        return cls(
            question,
            {part: guess[records.index[part]] for part in JUDGED},
            {part: confidence[records.index[part]] for part in JUDGED},
            None if median is None else {part: median[records.index[part]] for part in JUDGED},
            model,
        )

    def wrong(self, part: str) -> NDArray[np.bool_]:
        """Whether the guess for each person of a part is wrong."""
        return self.question.wrong(self.guess[part], part)


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
    """

    data: Split
    answers: tuple[Answer, ...]
    random_state: int
    id: str
    adversary: str

    def wrong(self, part: str) -> NDArray[np.bool_]:
        """Whether each guess is wrong: one line per person, one column per attribute."""
        return np.column_stack([answer.wrong(part) for answer in self.answers])

    def risk(self, part: str) -> Risk:
        """Judge the guesses on one part of the data (A1)."""
        _check_part(self.data, part)
        wrong = self.wrong(part)
        parts = tuple(
            self._attribute_risk(answer, wrong[:, number], part)
            for number, answer in enumerate(self.answers)
        )
        errors = [risk.value for risk in parts]
        return Risk(
            adversary=self.adversary,
            id=self.id,
            measure="error",
            value=float(wrong.mean()),
            baseline=float(np.mean([risk.baseline for risk in parts])),
            interval=mean_interval(wrong.mean(axis=1)),
            n=len(wrong),
            split=part,
            random_state=self.random_state,
            parts=parts,
            details={"smallest_error": min(errors), "largest_error": max(errors)},
        )

    def _attribute_risk(self, answer: Answer, wrong: NDArray[np.bool_], part: str) -> Risk:
        question = answer.question
        return Risk(
            adversary=self.adversary,
            id=self.id,
            measure="error",
            attribute=question.name,
            value=float(wrong.mean()),
            baseline=_naive_error(question, part),
            interval=wilson_interval(int(wrong.sum()), len(wrong)),
            n=len(wrong),
            split=part,
            random_state=self.random_state,
            model=answer.model,
            details=self._numeric_details(answer, part),
        )

    def _numeric_details(self, answer: Answer, part: str) -> dict[str, float | None]:
        """How near the guesses of numbers come; nothing for categories."""
        if answer.question.values is None:
            return {}
        median = None if answer.median is None else answer.median[part]
        return {
            "tolerance": answer.question.tolerance,
            "absolute_error": answer.question.absolute_error(median, part),
        }

    def confident_risk(self, share: float, part: str) -> Risk:
        """Judge only the guesses that the adversary is surest of (A2).

        For each attribute the `share` of the people with the highest confidence is kept; people
        with equal confidence at the border count in proportion.
        """
        _check_part(self.data, part)
        check_share("confident_risk", "share", share, above=True)
        wrong = self.wrong(part)
        n_kept = max(1, round(share * len(wrong)))
        parts = tuple(
            self._confident_attribute_risk(answer, wrong[:, number], n_kept, part, share)
            for number, answer in enumerate(self.answers)
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
        self, answer: Answer, wrong: NDArray[np.bool_], n_kept: int, part: str, share: float
    ) -> Risk:
        error = float(surest(answer.confidence[part], n_kept) @ wrong)
        return Risk(
            adversary=_confident_name(share),
            id="A2",
            measure="error",
            attribute=answer.question.name,
            value=error,
            baseline=_naive_error(answer.question, part),
            interval=wilson_interval(error * n_kept, n_kept),
            n=n_kept,
            split=part,
            random_state=self.random_state,
            model=answer.model,
        )


def _naive_error(question: Question, part: str) -> float:
    naive, _ = question.guess(question.prior())
    return float(question.wrong(naive, part).mean())


def surest(confidence: NDArray[np.float32], n_kept: int) -> NDArray[np.float64]:
    """Weights that sum to one over the `n_kept` surest rows, ties at the border in proportion.

    Examples
    --------
    >>> surest(np.array([0.9, 0.5, 0.5, 0.1], np.float32), 2).tolist()
    [0.5, 0.25, 0.25, 0.0]
    """
    border = np.partition(confidence, len(confidence) - n_kept)[len(confidence) - n_kept]
    above, tied = confidence > border, confidence == border
    weights = above.astype(float)
    weights[tied] = (n_kept - above.sum()) / tied.sum()
    return np.asarray(weights / n_kept)


def _confident_name(share: float) -> str:
    return f"A2 high-certainty reconstruction (surest {share:.0%})"


def _check_part(data: Split, part: str) -> None:
    check_choice("risk", "part", part, JUDGED)
    if part_of(data, part).n_rows == 0:
        raise DataError(f"The {part} part of the split holds no records to attack.")
