"""What answers `POST /predict`: a table of all answers, the questionnaire itself, or the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError, hint
from sparsam.collect._answer_table import MOST_CELLS, AnswerTable
from sparsam.collect._automaton import Automaton
from sparsam.collect._interviews import Interviews
from sparsam.collect._model_behind import ModelBehind, Takes
from sparsam.collect._target import record_sizes
from sparsam.collect.store._collected import Collected, CollectedInterviews
from sparsam.data import Category
from sparsam.generalization import Recoding


class KnownAnswers:
    """The answer to every interview: a questionnaire may know it by itself, or a table has it.

    Parameters
    ----------
    interviews : Interviews
    table : AnswerTable or None, default=None
        The answers to whole records; those that have the same interview must have the same answer.
    """

    def __init__(self, interviews: Interviews, table: AnswerTable | None = None) -> None:
        self._interviews = interviews
        self._automaton = Automaton.of(interviews.questionnaire, predicts=True, answers=table)

    def answer(self, codes: Sequence[int]) -> Category:
        """Return the answer to an interview.

        Parameters
        ----------
        codes : sequence of int
            Its number.
        """
        given, place = self._interviews.answers(codes[0]), 0 if self._automaton.nodes else -1
        while place >= 0:
            name, ways = self._automaton.nodes[place]
            place = next(after for buckets, after in ways if buckets == given[name])
        answer = self._automaton.ends[-1 - place]
        assert answer is not None
        return answer


class InterviewsBehind(ModelBehind):
    """A model that is asked about the numbers of interviews.

    Parameters
    ----------
    model : estimator, function, path or BlackBox
    collected : CollectedInterviews
    takes : {"labels", "codes"}, Recoding or None
        What the model is fed: None for what the recoding of the questionnaire makes of an
        interview, and for a model that was trained on collected interviews the labels or the codes
        of their answers.
    """

    def __init__(self, model: Any, collected: CollectedInterviews, takes: Takes | None) -> None:
        recoding = collected.source.recoding
        if isinstance(takes, Recoding) and takes != recoding:
            raise ParameterError(
                "The recoding must be that of the questionnaire. It is another one."
                + hint("leave 'takes' out", "leave --recoding out")
            )
        super().__init__(model, collected.generalization, recoding if takes is None else takes)
        self._collected = collected

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._collected.sizes)[:1]

    @property
    def shape(self) -> tuple[int, ...]:
        return (self._collected.interviews.total,)

    def _records(self, codes: NDArray[np.integer[Any]]) -> dict[str, NDArray[Any]]:
        numbers = [int(number) for number in np.asarray(codes)[:, 0]]
        if isinstance(self._takes, Recoding):
            cells = [self._collected.interviews.cell(number) for number in numbers]
            return super()._records(np.array(cells, np.int64))
        training = self._collected.training([(number, 1) for number in numbers], judged=False)
        if self._takes == "labels":
            return dict(training.records)
        return dict(zip(training.answers, training.codes.T, strict=True))


Answering = AnswerTable | KnownAnswers | ModelBehind


def answers_of(model: Any, collected: Collected, takes: Takes | None) -> Answering | None:
    """Return what answers: a table where it is small enough, else the model.

    Parameters
    ----------
    model : estimator, function, path, BlackBox, AnswerTable or None
        None for what a questionnaire knows by itself.
    collected : Collected
    takes : {"labels", "codes"}, Recoding or None

    Returns
    -------
    AnswerTable, KnownAnswers, ModelBehind or None
        None where nobody knows the answers.
    """
    asks = collected if isinstance(collected, CollectedInterviews) else None
    if model is None:
        return None if asks is None else _known(asks.interviews)
    if isinstance(model, AnswerTable):
        _check_table(model, collected)
        return model if asks is None else KnownAnswers(asks.interviews, model)
    behind = (
        ModelBehind(model, collected.generalization, takes)
        if asks is None
        else InterviewsBehind(model, asks, takes)
    )
    return AnswerTable.behind(behind) if collected.n_different <= MOST_CELLS else behind


def _known(interviews: Interviews) -> KnownAnswers | None:
    leaves = interviews.questionnaire.recoding.leaves.values()
    known = all(leaf.prediction is not None for leaf in leaves)
    return KnownAnswers(interviews) if known else None


def _check_table(table: AnswerTable, collected: Collected) -> None:
    sizes = record_sizes(collected.generalization)
    if dict(zip(table.names, table.shape, strict=True)) != sizes:
        raise ParameterError(
            "The table of answers must be of the generalization that is collected. It has other "
            "attributes or buckets."
        )
