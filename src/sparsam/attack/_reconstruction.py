"""A1 and A2: reconstruct personal attributes from generalized records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sparsam._errors import DataError, ParameterError
from sparsam.attack._look_up import look_up
from sparsam.attack._network import network
from sparsam.attack._question import Posterior, Question, personal_question
from sparsam.attack._records import GeneralizedRecords, part_of
from sparsam.attack._risk import Risk
from sparsam.attack._statistics import mean_interval, wilson_interval
from sparsam.data import Split
from sparsam.generalization import Generalization

MODELS = ("look-up", "network")
_NUMERIC_TOLERANCE = 0.05  # of the attribute's range


@dataclass(frozen=True)
class Reconstruction:
    """Guess people's personal values from the records that were collected (A1).

    The adversary knows the generalization and the training part of the data at full resolution,
    sees the generalized records of everyone else, and guesses each personal attribute of each of
    them (Staab et al., section 5). For each attribute the strongest of several attack models is
    chosen on validation data.

    Parameters
    ----------
    models : tuple of {"look-up", "network"}
        The attack models to choose from; with both, also the mean of what they believe.
    tolerance : mapping of str to float
        For numeric personal attributes: how far off a guess may be and still count as right.
        Without an entry, 5 % of the attribute's range.
    random_state : int

    Examples
    --------
    >>> import sparsam as sp
    >>> split = sp.split(sp.resolve(sp.load_example(), sp.Roles("employed")))
    >>> nothing = sp.Generalization.nothing(split.train.table)
    >>> Reconstruction().attack(nothing, split).recovered
    0.0
    """

    models: tuple[str, ...] = MODELS
    tolerance: Mapping[str, float] = field(default_factory=dict)
    random_state: int = 0

    def attack(self, generalization: Generalization, data: Split, part: str = "test") -> Risk:
        """Attack the generalized records of one part of the data.

        Parameters
        ----------
        generalization : Generalization
        data : Split
        part : {"test", "validation"}
            The people whose records were breached.

        Returns
        -------
        Risk
            The mean over the personal attributes; `parts` holds each of them.
        """
        return self.guess(GeneralizedRecords.of(generalization, data), data).risk(part)

    def guess(self, records: GeneralizedRecords, data: Split) -> Guesses:
        """Learn all attack models and keep, for each attribute, the best on validation data."""
        if not data.train.personal:
            raise DataError(
                "An adversary needs at least one personal attribute to recover. The roles name "
                "none.\n\nHint: set personal='categorical', 'all' or a list of names."
            )
        self._check(data)
        questions = [
            personal_question(a, data, records, self._tolerance(a, data))
            for a in data.train.personal
        ]
        # One thread, so that sums are added in one order on any number of cores.
        with threadpool_limits(limits=1, user_api="blas"):
            answers = tuple(self._answers(records, questions))
        return Guesses(records, data, answers, self.random_state)

    def _answers(
        self, records: GeneralizedRecords, questions: Sequence[Question]
    ) -> Iterator[Answer]:
        # One question at a time: beliefs about many records and values are large.
        learned: Iterable[Posterior | None] = [None] * len(questions)
        if "network" in self.models and records.columns:
            learned = network(records, questions, self.random_state)
        for question, posterior in zip(questions, learned, strict=True):
            yield Answer.best(question, records, self._candidates(records, question, posterior))

    def _candidates(
        self, records: GeneralizedRecords, question: Question, learned: Posterior | None
    ) -> dict[str, list[Posterior]]:
        """The posteriors whose mean each candidate believes; `learned` is the network's."""
        if not records.columns:
            return {"naive": [np.repeat(question.prior(), len(records), axis=0)]}
        counted = look_up(records, question) if "look-up" in self.models else None
        if counted is None or learned is None:
            return {self.models[0]: [p for p in (counted, learned) if p is not None]}
        both = [counted, learned]
        return {"look-up": [counted], "network": [learned], "look-up and network": both}

    def _check(self, data: Split) -> None:
        if not self.models or set(self.models) - set(MODELS):
            raise ParameterError(
                f"The 'models' parameter of Reconstruction must name some of {MODELS}. "
                f"Got {self.models!r} instead."
            )
        attributes = [data.train.table.attributes[a] for a in data.train.personal]
        numeric = {attribute.name for attribute in attributes if attribute.numeric}
        for name, distance in self.tolerance.items():
            if name not in numeric:
                raise ParameterError(
                    "The 'tolerance' parameter of Reconstruction must name numeric personal "
                    f"attributes. '{name}' is none."
                )
            if not distance >= 0:
                raise ParameterError(
                    f"The tolerance for '{name}' must be a number >= 0. Got {distance!r} instead."
                )

    def _tolerance(self, attribute: int, data: Split) -> float:
        encoded = data.train.table.attributes[attribute]
        if not encoded.numeric:
            return 0.0
        span = float(encoded.highs[-1] - encoded.lows[0])
        return self.tolerance.get(encoded.name, _NUMERIC_TOLERANCE * span)


@dataclass(frozen=True)
class Answer:
    """The strongest attack model's answer to one question, for each distinct record.

    Attributes
    ----------
    question : Question
    guess : ndarray of int64
        The code that is guessed.
    confidence : ndarray of float32
        How sure the adversary is of it.
    median : ndarray of float64 or None
        The best single number, for a numeric attribute.
    model : str
    """

    question: Question
    guess: NDArray[np.int64]
    confidence: NDArray[np.float32]
    median: NDArray[np.float64] | None
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
        return cls(question, *question.guess(posterior), question.median(posterior), model)


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
    """What the adversary believes of every distinct record, before it is judged on a part."""

    records: GeneralizedRecords
    data: Split
    answers: tuple[Answer, ...]
    random_state: int

    def wrong(self, part: str) -> NDArray[np.bool_]:
        """Whether each guess is wrong: one line per person, one column per attribute."""
        index = self.records.index[part]
        wrong = np.empty((len(index), len(self.answers)), dtype=bool)
        for number, answer in enumerate(self.answers):
            wrong[:, number] = answer.question.wrong(answer.guess[index], part)
        return wrong

    def risk(self, part: str) -> Risk:
        """Judge the guesses on one part of the data (A1)."""
        _check_part(self.data, part)
        wrong = self.wrong(part)
        parts = tuple(
            self._attribute_risk(answer, wrong[:, number], part)
            for number, answer in enumerate(self.answers)
        )
        return Risk(
            adversary="A1 reconstruction",
            attribute=None,
            error=float(wrong.mean()),
            baseline=float(np.mean([risk.baseline for risk in parts])),
            interval=mean_interval(wrong.mean(axis=1)),
            n_records=len(wrong),
            split=part,
            random_state=self.random_state,
            parts=parts,
        )

    def _attribute_risk(self, answer: Answer, wrong: NDArray[np.bool_], part: str) -> Risk:
        question = answer.question
        numeric = question.values is not None
        naive, _ = question.guess(question.prior())
        median = answer.median
        median = None if median is None else median[self.records.index[part]]
        return Risk(
            adversary="A1 reconstruction",
            attribute=question.name,
            error=float(wrong.mean()),
            baseline=float(question.wrong(naive, part).mean()),
            interval=wilson_interval(int(wrong.sum()), len(wrong)),
            n_records=len(wrong),
            split=part,
            random_state=self.random_state,
            model=answer.model,
            tolerance=question.tolerance if numeric else None,
            absolute_error=question.absolute_error(median, part),
        )

    def confident_risk(self, share: float, part: str) -> Risk:
        """Judge only the guesses that the adversary is surest of (A2).

        For each attribute the `share` of the people with the highest confidence is kept; people
        with equal confidence at the border count in proportion.
        """
        _check_part(self.data, part)
        if not 0 < share <= 1:
            raise ParameterError(f"The share of records must be in (0, 1]. Got {share} instead.")
        wrong = self.wrong(part)
        n_kept = max(1, round(share * len(wrong)))
        parts = tuple(
            self._confident_attribute_risk(answer, wrong[:, number], n_kept, part, share)
            for number, answer in enumerate(self.answers)
        )
        return Risk(
            adversary=_confident_name(share),
            attribute=None,
            error=float(np.mean([risk.error for risk in parts])),
            baseline=float(np.mean([risk.baseline for risk in parts])),
            interval=(
                float(np.mean([risk.interval[0] for risk in parts])),
                float(np.mean([risk.interval[1] for risk in parts])),
            ),
            n_records=n_kept,
            split=part,
            random_state=self.random_state,
            parts=parts,
        )

    def _confident_attribute_risk(
        self, answer: Answer, wrong: NDArray[np.bool_], n_kept: int, part: str, share: float
    ) -> Risk:
        question = answer.question
        weights = surest(answer.confidence[self.records.index[part]], n_kept)
        naive, _ = question.guess(question.prior())
        error = float(weights @ wrong)
        return Risk(
            adversary=_confident_name(share),
            attribute=question.name,
            error=error,
            baseline=float(question.wrong(naive, part).mean()),
            interval=wilson_interval(error * n_kept, n_kept),
            n_records=n_kept,
            split=part,
            random_state=self.random_state,
            model=answer.model,
        )


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
    if part not in ("validation", "test"):
        raise ParameterError(f"The part must be 'validation' or 'test'. Got {part!r} instead.")
    if part_of(data, part).n_rows == 0:
        raise DataError(f"The {part} part of the split holds no records to attack.")
