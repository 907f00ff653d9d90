"""A1 and A2: reconstruct personal attributes from generalized records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sparsam._checks import check_number, wrong_parameter
from sparsam._errors import DataError, ParameterError, hint
from sparsam._threads import one_thread
from sparsam.attack._grouped_numbers import grouped_numbers
from sparsam.attack._guesses import Answer, Guesses
from sparsam.attack._look_up import LookUp
from sparsam.attack._network import network
from sparsam.attack._question import Beliefs, Posterior, Question, personal_question
from sparsam.attack._records import GeneralizedRecords
from sparsam.attack._risk import Risk
from sparsam.counting import Boosting
from sparsam.data import Split
from sparsam.generalization import Generalization

MODELS = ("look-up", "network", "gradient boosting")
QUICK_MODELS = ("look-up", "network")
_FEW_TO_CHOOSE_ON = 1_000
_NUMERIC_TOLERANCE = 0.05  # of the attribute's range
MOST_VALUES = 50  # one tree for each value and round: more would take hours
_BOOSTING = Boosting(rounds=40, rate=0.1, leaves=15, fewest=3.0)


@dataclass(frozen=True)
class Reconstruction:
    """Guess people's personal values from the records that were collected (A1).

    The adversary knows the generalization and the training part of the data at full resolution,
    sees the generalized records of everyone else, and guesses each personal attribute of each of
    them (Staab et al., section 5). For each attribute the strongest of several attack models is
    chosen on validation data.

    Parameters
    ----------
    models : tuple of {"look-up", "network", "gradient boosting"}, optional
        The attack models to choose from; with several, also the mean of what they believe. When
        not given, gradient boosting takes part where fewer than 1,000 people are there to choose
        on: more people learn as much from the others, in less time.
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

    id: ClassVar[str] = "A1"
    name: ClassVar[str] = "A1 reconstruction"

    models: tuple[str, ...] | None = None
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
                "none." + hint("set personal='all' or a list of names", "--personal all, or names")
            )
        self._check(data)
        answers = self.answers(records, data, data.train.personal)
        return Guesses(data, answers, self.random_state, self.id, self.name)

    def answers(
        self, records: GeneralizedRecords, data: Split, attributes: Sequence[int]
    ) -> tuple[Answer, ...]:
        """Answer the questions after some of the attributes."""
        questions = self.questions(records, data, attributes)
        models = self._models(data)
        # One thread, so that sums are added in one order on any number of cores.
        with one_thread():
            return tuple(self._answers(records, questions, models))

    def questions(
        self, records: GeneralizedRecords, data: Split, attributes: Sequence[int]
    ) -> list[Question]:
        """What is asked about some of the attributes: how close a guess must be is settled."""
        return [personal_question(a, data, records, self._tolerance(a, data)) for a in attributes]

    def _models(self, data: Split) -> tuple[str, ...]:
        """The models that take part in an attack on these people."""
        if self.models is not None:
            return self.models
        return MODELS if data.validation.n_rows < _FEW_TO_CHOOSE_ON else QUICK_MODELS

    def _answers(
        self,
        records: GeneralizedRecords,
        questions: Sequence[Question],
        models: tuple[str, ...],
    ) -> Iterator[Answer]:
        learned: Sequence[Beliefs | None] = [None] * len(questions)
        if "network" in models and records.columns:
            learned = _learned(records, questions, self.random_state)
        for question, beliefs in zip(questions, learned, strict=True):
            candidates = _candidates(records, question, beliefs, models)
            yield Answer.best(question, records, candidates)

    def _check(self, data: Split) -> None:
        if self.models is not None and (not self.models or set(self.models) - set(MODELS)):
            raise wrong_parameter("Reconstruction", "models", f"some of {MODELS}", self.models)
        attributes = [data.train.table.attributes[a] for a in data.train.personal]
        numeric = {attribute.name for attribute in attributes if attribute.numeric}
        for name, distance in self.tolerance.items():
            if name not in numeric:
                raise ParameterError(
                    "The 'tolerance' parameter of Reconstruction must name numeric personal "
                    f"attributes. '{name}' is none."
                )
            check_number("Reconstruction", "tolerance", distance)

    def _tolerance(self, attribute: int, data: Split) -> float:
        encoded = data.train.table.attributes[attribute]
        if not encoded.numeric:
            return 0.0
        span = float(encoded.highs[-1] - encoded.lows[0])
        return self.tolerance.get(encoded.name, _NUMERIC_TOLERANCE * span)


def _learned(
    records: GeneralizedRecords, questions: Sequence[Question], random_state: int
) -> list[Beliefs]:
    """What a network believes; of numbers that few people share it learns groups."""
    grouped = [grouped_numbers(question) for question in questions]
    asked = [
        question if group is None else group.question
        for question, group in zip(questions, grouped, strict=True)
    ]
    return [
        beliefs if group is None else group.apart(beliefs)
        for beliefs, group in zip(network(records, asked, random_state), grouped, strict=True)
    ]


def _candidates(
    records: GeneralizedRecords,
    question: Question,
    learned: Beliefs | None,
    models: tuple[str, ...],
) -> dict[str, list[Beliefs]]:
    """The beliefs whose mean each candidate holds; `learned` is the network's."""
    if not records.columns:
        return {"naive": [question.naive]}
    beliefs: dict[str, Beliefs | None] = {"network": learned}
    if "look-up" in models:
        beliefs["look-up"] = LookUp(records, question)
    if "gradient boosting" in models:
        posterior = boosting(records, question)
        beliefs["gradient boosting"] = None if posterior is None else posterior.__getitem__
    single = {m: [b] for m in MODELS if (b := beliefs.get(m)) is not None}
    if not single:
        return {"naive": [question.naive]}
    if len(single) == 1:
        return single
    together = [belief for [belief] in single.values()]
    candidates = {**single, " and ".join(single): together}
    quick = [belief for model in QUICK_MODELS for belief in single.get(model, ())]
    if 1 < len(quick) < len(together):
        candidates[" and ".join(QUICK_MODELS)] = quick
    return candidates


def boosting(records: GeneralizedRecords, question: Question) -> Posterior | None:
    """Posterior of each record; None where there are too many values to tell apart.

    Learned on distinct records, each weighted by the people behind it.
    """
    if not records.columns or question.size > MOST_VALUES:
        return None
    people = records.tabulate("train", question.codes["train"], question.size)
    seen = np.flatnonzero(people.sum(axis=0))
    if len(seen) < 2:
        return None
    posterior = np.full((len(records), question.size), np.finfo(np.float32).tiny, np.float32)
    posterior[:, seen] += _BOOSTING.shares(records.records, records.sizes, people[:, seen])
    possible = question.possible(records)
    if possible is not None:
        posterior[~possible] = 0.0
    return np.asarray(posterior / posterior.sum(axis=1, keepdims=True))
