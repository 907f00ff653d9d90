"""What is collected of each person: a record of buckets, or a finished interview."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any, Final

import msgspec
import numpy as np

from sparsam._documents import plain_parts
from sparsam._errors import ParameterError, hint
from sparsam.collect._interviews import Interviews
from sparsam.collect._questionnaire import Questionnaire
from sparsam.collect._runs import runs
from sparsam.collect._target import Target, record_sizes
from sparsam.collect.store._facts import Source
from sparsam.collect.store._tighten import sources
from sparsam.collect.store._training import Answers, Training
from sparsam.generalization import Generalization, unique_labels
from sparsam.generalization.recoding import union_label

NOT_ASKED: Final = "not asked"
_COLUMN: Final = "interview"


class Collected(ABC):
    """What one record is: its columns, what they mean, and by what they are known again.

    On the way and in a store a record is a few whole numbers, one for each column, each from 0 to
    below a size; there is none for anything finer.

    Attributes
    ----------
    source : Generalization or Questionnaire
    target : Target or None
        Collected too, in the last column.
    sizes : dict of str to int
        For each column how many numbers there are.
    names : tuple of str
        What a person may be asked for, the target last.
    """

    source: Generalization | Questionnaire
    target: Target | None
    sizes: dict[str, int]
    names: tuple[str, ...]

    @staticmethod
    def of(source: Generalization | Questionnaire, target: Target | None) -> Collected:
        """Return what a generalization or a questionnaire collects.

        Parameters
        ----------
        source : Generalization or Questionnaire
        target : Target or None
        """
        if isinstance(source, Questionnaire):
            return CollectedInterviews(source, target)
        if isinstance(source, Generalization):
            return CollectedRecords(source, target)
        raise ParameterError(
            "What is collected must be said by a Generalization or a Questionnaire. "
            f"Got {type(source).__name__} instead."
        )

    @property
    @abstractmethod
    def generalization(self) -> Generalization:
        """The buckets that answers are made of."""

    @property
    def n_different(self) -> int:
        """How many different records there can be, whatever their target."""
        n_classes = 1 if self.target is None else len(self.target.classes)
        return prod(self.sizes.values()) // n_classes

    @cached_property
    def fingerprint(self) -> str:
        """By what it is known again: whatever gives the numbers their meaning, and no more."""
        text = msgspec.json.encode([*self._meaning(), plain_parts(self.target)], order="sorted")
        return hashlib.sha256(text).hexdigest()[:16]

    @abstractmethod
    def _meaning(self) -> list[Any]:
        """What gives the numbers their meaning, as plain data."""

    @abstractmethod
    def sources(self, coarser: Collected) -> tuple[Source, ...]:
        """Return, for each column of what is coarser, where it comes from here.

        Raises
        ------
        ParameterError
            It is not coarser.
        """

    @cached_property
    def answers(self) -> dict[str, Answers]:
        """For each attribute the answers that there are."""
        return self._answers()

    @abstractmethod
    def _answers(self) -> dict[str, Answers]: ...

    @abstractmethod
    def _codes(self, rows: Sequence[Sequence[int]]) -> list[Sequence[int]]:
        """For each row the place of its answer to each attribute."""

    def training(self, rows: list[tuple[Any, ...]], *, judged: bool = True) -> Training:
        """Return records as a model is trained on them.

        Parameters
        ----------
        rows : list of tuple
            The number of each column, and how many records are alike.
        judged : bool, default=True
            Whether the column of the target is among them.
        """
        codes, classes = self._codes(rows), None
        if self.target is not None and judged:
            labels = np.array(self.target.classes, dtype=object)
            classes = labels[np.array([row[-2] for row in rows], dtype=np.int64)]
        return Training(
            self.generalization,
            self.answers,
            np.array(codes, dtype=np.int64).reshape(len(rows), len(self.answers)),
            classes,
            np.array([row[-1] for row in rows], dtype=np.float64),
            self.target,
        )


class CollectedRecords(Collected):
    """A bucket of each collected attribute.

    Parameters
    ----------
    generalization : Generalization
    target : Target or None
    """

    source: Generalization

    def __init__(self, generalization: Generalization, target: Target | None) -> None:
        self.source, self.target = generalization, target
        self.sizes = record_sizes(generalization, target)
        self.names = tuple(self.sizes)

    @property
    def generalization(self) -> Generalization:
        return self.source

    def _meaning(self) -> list[Any]:
        return [plain_parts(self.source.to_document())["attributes"]]

    def sources(self, coarser: Collected) -> tuple[Source, ...]:
        if not isinstance(coarser, CollectedRecords):
            raise ParameterError(
                "A store of whole records can only be tightened to another generalization. "
                "Got a questionnaire instead."
            )
        return sources(self.source, coarser.source, self.target)

    def _answers(self) -> dict[str, Answers]:
        partitions = [self.source[name] for name in self.source.collected]
        return {
            part.name: Answers(part.labels, tuple(range(part.n_buckets))) for part in partitions
        }

    def _codes(self, rows: Sequence[Sequence[int]]) -> list[Sequence[int]]:
        return [row[: len(self.source.collected)] for row in rows]


class CollectedInterviews(Collected):
    """The number of a finished interview.

    Parameters
    ----------
    questionnaire : Questionnaire
    target : Target or None
    """

    source: Questionnaire

    def __init__(self, questionnaire: Questionnaire, target: Target | None) -> None:
        self.source, self.target = questionnaire, target
        self.interviews = Interviews(questionnaire)
        column = _COLUMN
        self.names, more = self.interviews.names, {}
        if target is not None:
            target.check(self.generalization)
            column += "_" * (target.name == _COLUMN)
            self.names, more = (*self.names, target.name), {target.name: len(target.classes)}
        self.sizes = {column: self.interviews.total, **more}

    @property
    def generalization(self) -> Generalization:
        return self.source.recoding.generalization

    def _meaning(self) -> list[Any]:
        # the questions themselves: should they be found otherwise one day, the numbers are others
        partitions = plain_parts(self.generalization.to_document())["attributes"]
        asked = [part for part in partitions if part["name"] in self.interviews.names]
        return [asked, self.source.automaton.nodes]

    def sources(self, coarser: Collected) -> tuple[Source, ...]:
        raise ParameterError(
            "A store of interviews cannot be tightened: another questionnaire asks other "
            "questions, of which nobody has kept the answers."
            + hint(
                "open another store with the new questionnaire, and let this one expire",
                "collect into another database with the new questionnaire, and let this one expire",
            )
        )

    def _answers(self) -> dict[str, Answers]:
        answers = {}
        for name, choices in self.interviews.choices.items():
            part = self.generalization[name]
            labels = [NOT_ASKED, *(union_label(part, buckets) for buckets in choices)]
            answers[name] = Answers(unique_labels(labels), ("", *map(runs, choices)))
        return answers

    @cached_property
    def _places(self) -> dict[str, dict[tuple[int, ...], int]]:
        """For each attribute the place of each answer, after the one for what was not asked."""
        return {
            name: {buckets: code for code, buckets in enumerate(choices, start=1)}
            for name, choices in self.interviews.choices.items()
        }

    def _codes(self, rows: Sequence[Sequence[int]]) -> list[Sequence[int]]:
        given = [self.interviews.answers(number) for number, *_ in rows]
        return [
            [places.get(answers.get(name, ()), 0) for name, places in self._places.items()]
            for answers in given
        ]
