"""Finished interviews as numbers: which ones there can be, and which one somebody's answers are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sparsam._errors import SparsamError
from sparsam.collect._runs import runs

if TYPE_CHECKING:
    from sparsam.collect._questionnaire import Questionnaire


class Unfinished(SparsamError):  # noqa: N818 - an answer to whoever asked
    """Answers that are no finished interview; the message shows none of them.

    Parameters
    ----------
    name : str
        The attribute whose answer is absent, is none of those that are offered, or was not asked
        for.
    offered : tuple of str
        The answers to choose from; none where the attribute is not asked for.
    """

    def __init__(self, name: str, offered: tuple[str, ...] = ()) -> None:
        super().__init__("The answers must be those of a finished interview.")
        self.name = name
        self.offered = offered


@dataclass(frozen=True)
class Way:
    """One answer to one question.

    Parameters
    ----------
    buckets : tuple of int
        What it stands for.
    before : int
        How many interviews the answers before it lead to.
    after : int
        The question that it leads to; below zero the end.
    """

    buckets: tuple[int, ...]
    before: int
    after: int


class Interviews:
    """All interviews that a questionnaire can come to, each with a number from 0 on.

    An interview is a way through the automaton of the questions, from answer to answer. Ways are
    numbered in the order of the answers: the number of one is how many come before it. So a number
    is as good as all answers, every number is an interview, and nothing finer has one.

    Parameters
    ----------
    questionnaire : Questionnaire

    Attributes
    ----------
    total : int
        How many there are.
    names : tuple of str
        The attributes that may be asked for, in the order of the generalization.

    Examples
    --------
    >>> from sparsam.collect import Questionnaire
    >>> from sparsam.data import NumericDomain
    >>> from sparsam.generalization import Generalization, Recoding, numeric_partition
    >>> from sparsam.generalization.recoding._tree import Branch, Leaf
    >>> age = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 30, 62])
    >>> nodes = [
    ...     Branch("age", (0,), 1, 2),
    ...     Leaf((), {"age": 9}, "no"),
    ...     Leaf((), {"age": 40}, "yes"),
    ... ]
    >>> recoding = Recoding(Generalization([age]), {"age": [9, 25, 40, 70]}, nodes)
    >>> interviews = Interviews(Questionnaire(recoding))
    >>> interviews.total, interviews.number({"age": "1-3"}), interviews.answers(1)
    (2, 1, {'age': (1, 2, 3)})
    """

    def __init__(self, questionnaire: Questionnaire) -> None:
        self.questionnaire = questionnaire
        nodes = questionnaire.automaton.nodes
        asked = questionnaire.automaton.names
        generalization = questionnaire.recoding.generalization
        self.names = tuple(name for name in generalization.names if name in asked)
        self._steps: list[tuple[str, dict[str, Way]]] = []
        leads = [0] * len(nodes)  # to how many interviews; what a question leads to stands after it
        for place, (name, ways) in reversed(list(enumerate(nodes))):
            before, choices = 0, dict[str, Way]()
            for buckets, after in ways:
                choices[runs(buckets)] = Way(buckets, before, after)
                before += leads[after] if after >= 0 else 1
            leads[place] = before
            self._steps.append((name, choices))
        self._steps.reverse()
        self.total = leads[0] if leads else 1

    def number(self, answers: Mapping[str, str]) -> int:
        """Return the number of an interview.

        Parameters
        ----------
        answers : mapping of str to str
            As a page sends them: for each attribute that was asked for its buckets, such as
            "1-3.5". They must be exactly those of one interview.

        Raises
        ------
        Unfinished
        """
        number, place, n_asked = 0, 0 if self._steps else -1, 0
        while place >= 0:
            name, choices = self._steps[place]
            way = choices.get(answers.get(name, ""))
            if way is None:
                raise Unfinished(name, tuple(choices))
            number, place, n_asked = number + way.before, way.after, n_asked + 1
        if n_asked < len(answers):
            asked = self.answers(number)
            raise Unfinished(next(name for name in answers if name not in asked))
        return number

    def reduced(self, buckets: Mapping[str, int]) -> int:
        """Return the number of the interview of a person whose buckets are all known.

        What the interview would not have asked for, or not as exactly, is let go.

        Parameters
        ----------
        buckets : mapping of str to int
            One for each of `names`.

        Raises
        ------
        Unfinished
            A bucket does not exist.
        """
        number, place = 0, 0 if self._steps else -1
        while place >= 0:
            name, choices = self._steps[place]
            way = self._by_bucket[place].get(buckets[name])
            if way is None:
                raise Unfinished(name, tuple(choices))
            number, place = number + way.before, way.after
        return number

    @cached_property
    def _by_bucket(self) -> list[dict[int, Way]]:
        return [
            {bucket: way for way in choices.values() for bucket in way.buckets}
            for _, choices in self._steps
        ]

    def answers(self, number: int) -> dict[str, tuple[int, ...]]:
        """Return the answers of an interview, in the order in which they were given.

        Parameters
        ----------
        number : int
            From 0 to below `total`.

        Returns
        -------
        dict of str to tuple of int
            For each attribute that was asked for the buckets that the answer stands for.
        """
        assert 0 <= number < self.total
        answers, place = dict[str, tuple[int, ...]](), 0 if self._steps else -1
        while place >= 0:
            name, choices = self._steps[place]
            way = max(
                (way for way in choices.values() if way.before <= number),
                key=lambda way: way.before,
            )
            answers[name] = way.buckets
            number, place = number - way.before, way.after
        return answers

    def cell(self, number: int) -> tuple[int, ...]:
        """Return a record in buckets that has this interview, of which the model says the same.

        Parameters
        ----------
        number : int

        Returns
        -------
        tuple of int
            A bucket for each collected attribute of the generalization.
        """
        answers = self.answers(number)
        collected = self.questionnaire.recoding.generalization.collected
        return tuple(answers[name][0] if name in answers else 0 for name in collected)

    @cached_property
    def choices(self) -> dict[str, tuple[tuple[int, ...], ...]]:
        """For each attribute all answers that some interview offers, in ascending order."""
        offered: dict[str, set[tuple[int, ...]]] = {name: set() for name in self.names}
        for name, choices in self._steps:
            offered[name] |= {way.buckets for way in choices.values()}
        return {name: tuple(sorted(answers)) for name, answers in offered.items()}

    @cached_property
    def longest(self) -> int:
        """How many signs the answers of an interview have at most, without the names."""
        lengths = [0] * len(self._steps)
        for place, (_, choices) in reversed(list(enumerate(self._steps))):
            lengths[place] = max(
                len(text) + (lengths[way.after] if way.after >= 0 else 0)
                for text, way in choices.items()
            )
        return lengths[0] if lengths else 0
