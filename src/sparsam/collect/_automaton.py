"""A questionnaire as an automaton: what is asked first, and where each answer leads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from sparsam._errors import ParameterError, hint
from sparsam.collect._outcomes import Region
from sparsam.data import Category
from sparsam.generalization.recoding import buckets_of, mask_of

if TYPE_CHECKING:
    from sparsam.collect._answer_table import AnswerTable
    from sparsam.collect._questionnaire import Questionnaire

_MOST_REGIONS: Final = 20_000

Way = tuple[tuple[int, ...], int]
"""Buckets that are one answer, and the node that it leads to; below zero an end, -1 the first."""


@dataclass(frozen=True)
class Automaton:
    """Everything that a questionnaire can come to ask.

    Parameters
    ----------
    nodes : tuple of (str, tuple of Way)
        The attribute that is asked for, and its answers. The first one is the beginning.
    ends : tuple
        The answers that the model gives; None alone where they are not asked for.
    """

    nodes: tuple[tuple[str, tuple[Way, ...]], ...]
    ends: tuple[Category | None, ...]

    @classmethod
    def of(
        cls, questionnaire: Questionnaire, *, predicts: bool, answers: AnswerTable | None = None
    ) -> Automaton:
        """Find all states that answers can lead to; those that ask alike are one.

        Parameters
        ----------
        questionnaire : Questionnaire
        predicts : bool
            Whether the ends tell what the model answers.
        answers : AnswerTable or None, default=None
            The model's answers, for ends that the questionnaire leaves to the model.

        Raises
        ------
        ParameterError
            There are too many states, or an end needs the model's answer and nobody has it.
        """
        compiler = _Compiler(questionnaire, predicts, answers)
        compiler.node(questionnaire.start().region)
        last = len(compiler.nodes) - 1  # the beginning: what it leads to was made before it
        nodes = tuple(
            (name, tuple((each, after if after < 0 else last - after) for each, after in ways))
            for name, ways in reversed(compiler.nodes)
        )
        return cls(nodes, tuple(answer for _, answer in compiler.ends))

    def followed_by(self, name: str, n_answers: int) -> Automaton:
        """Ask one more question at the end, whatever was answered before.

        Parameters
        ----------
        name : str
        n_answers : int
        """
        last = len(self.nodes)
        nodes = tuple(
            (asked, tuple((buckets, last if after < 0 else after) for buckets, after in ways))
            for asked, ways in self.nodes
        )
        more = (name, tuple(((answer,), -1) for answer in range(n_answers)))
        return Automaton((*nodes, more), (None,))

    @property
    def names(self) -> frozenset[str]:
        """The attributes that may be asked for."""
        return frozenset(name for name, _ in self.nodes)


class _Compiler:
    """The states that were met, by what they ask.

    Parameters
    ----------
    questionnaire : Questionnaire
    predicts : bool
    answers : AnswerTable or None
    """

    def __init__(
        self, questionnaire: Questionnaire, predicts: bool, answers: AnswerTable | None
    ) -> None:
        self._asks = questionnaire
        self._predicts = predicts
        self._answers = answers
        self._met: dict[Region, int] = {}
        self.nodes: dict[tuple[str, tuple[Way, ...]], int] = {}
        self.ends: dict[tuple[bool, Category | None], int] = {}

    def node(self, region: Region) -> int:
        """Return the number of what a region asks; below zero where it is an end."""
        if region not in self._met:
            if len(self._met) >= _MOST_REGIONS:
                raise ParameterError(
                    f"A questionnaire on a page must have at most {_MOST_REGIONS:,} states. This "
                    "one has more.\n\nHint: Make the recoding with fewer leaves."
                )
            self._met[region] = self._number(region)
        return self._met[region]

    def _number(self, region: Region) -> int:
        state = self._asks.state(region, remember=False)  # each comes once only
        names = list(self._asks.ranked(state)) if state.single else []
        if names and self._answers is None:
            # an open leaf: what is asked does not depend on these answers, nor does the end
            after = self._end(region)
            for name in reversed(names):
                after = self._numbered(name, [(each, after) for each in state.classes(name)])
            return after
        first = next(self._asks.ranked(state), None)
        if first is None:
            return self._end(region)
        place = self._asks.place(first)
        width = region[place].bit_length()
        return self._numbered(
            first,
            [
                (each, self.node((*region[:place], mask_of(each, width), *region[place + 1 :])))
                for each in state.classes(first)
            ],
        )

    def _numbered(self, name: str, ways: list[Way]) -> int:
        return self.nodes.setdefault((name, tuple(ways)), len(self.nodes))

    def _end(self, region: Region) -> int:
        answer = self._answer(region) if self._predicts else None
        return -1 - self.ends.setdefault((isinstance(answer, bool), answer), len(self.ends))

    def _answer(self, region: Region) -> Category:
        """What the model answers, whatever else of the region is true."""
        if self._answers is not None:
            return self._looked_up(self._answers, region)
        recoding = self._asks.recoding
        answer = recoding.leaves[self._asks.state(region, remember=False).leaf()].prediction
        if answer is None:
            raise ParameterError(
                "Some people's answers lead to an end that only the model can answer."
                + hint(
                    "give answers=AnswerTable.of(model, recoding.generalization, takes=recoding), "
                    "or an action to send the answers to",
                    "give --model too, or leave out --show-answer",
                )
            )
        return answer

    def _looked_up(self, answers: AnswerTable, region: Region) -> Category:
        generalization = self._asks.recoding.generalization
        if answers.names != generalization.collected:
            raise ParameterError("The table of answers belongs to another generalization.")
        possible = [
            buckets_of(region[self._asks.place(name)])
            if name in self._asks.names
            else range(generalization[name].n_buckets)
            for name in answers.names
        ]
        cells = answers.answers.reshape(answers.shape)[np.ix_(*possible)]
        if (cells != cells.flat[0]).any():
            raise ParameterError(
                "The model's answers depend on what the questionnaire does not ask for."
                + hint(
                    "make the table with takes=recoding, of the questionnaire's own recoding",
                    "give the model that the questionnaire was made for",
                )
            )
        return answers.classes[int(cells.flat[0])]
