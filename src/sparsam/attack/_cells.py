"""Judge an adversary by counts of people, where people themselves stay elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam.attack._bound import Bound, deviation, most_right
from sparsam.attack._guesses import Answer
from sparsam.attack._question import Question
from sparsam.attack._risk import Risk
from sparsam.attack._statistics import wilson_interval
from sparsam.data import Cells

if TYPE_CHECKING:
    from sparsam.attack._reconstruction import Reconstruction


class Tally(NamedTuple):
    """How many people guesses of an attribute are judged on, and for how many they are wrong.

    Attributes
    ----------
    people : int
    wrong : int
        The adversary's guesses.
    naive : int
        Those made without the records.
    possible : int
        For how many people the best function of the record is right.
    """

    people: int = 0
    wrong: int = 0
    naive: int = 0
    possible: int = 0

    def plus(self, other: Tally) -> Tally:
        """That of these people and those of other records."""
        return Tally(*(own + more for own, more in zip(self, other, strict=True)))


def tally_cells(question: Question, guesses: NDArray[np.integer], cells: Cells) -> Tally:
    """Judge guesses for distinct records on many people.

    Parameters
    ----------
    question : Question
    guesses : ndarray of int
        The code that is guessed for each distinct record.
    cells : Cells
        How many people have each record and value. Their lines ascend.
    """
    naive, _ = question.guess(question.prior())
    return Tally(
        people=int(cells.counts.sum()),
        wrong=_people(cells, question.misses(guesses[cells.lines], cells.codes)),
        naive=_people(cells, question.misses(naive[np.zeros_like(cells.lines)], cells.codes)),
        possible=most_right(question, cells),
    )


def tallied_risk(answer: Answer, tally: Tally, adversary: Reconstruction, split: str) -> Risk:
    """How well an answer does on many people.

    Parameters
    ----------
    answer : Answer
    tally : Tally
        Of its guesses.
    adversary : Reconstruction
    split : str
        What these people are called.
    """
    return Risk(
        adversary=adversary.name,
        id=adversary.id,
        measure="error",
        attribute=answer.question.name,
        value=tally.wrong / max(1, tally.people),
        baseline=tally.naive / max(1, tally.people),
        interval=wilson_interval(tally.wrong, tally.people),
        n=tally.people,
        split=split,
        random_state=adversary.random_state,
        model=answer.model,
    )


def _people(cells: Cells, which: NDArray[np.bool_]) -> int:
    return int(cells.counts[which].sum())


def mean_risk(parts: Sequence[Risk], adversary: Reconstruction) -> Risk:
    """The mean over attributes; its interval is as wide as if errors on all of them went together.

    Parameters
    ----------
    parts : sequence of Risk
    adversary : Reconstruction
    """
    return Risk(
        adversary=adversary.name,
        id=adversary.id,
        measure="error",
        value=float(np.mean([part.value for part in parts])),
        baseline=float(np.mean([part.baseline for part in parts])),
        interval=(
            float(np.mean([part.interval[0] for part in parts])),
            float(np.mean([part.interval[1] for part in parts])),
        ),
        n=parts[0].n,
        split=parts[0].split,
        random_state=adversary.random_state,
        parts=tuple(parts),
    )


def tallied_bound(question: Question, tally: Tally, confidence: float, n_bounds: int) -> Bound:
    """What no adversary can exceed.

    Parameters
    ----------
    question : Question
    tally : Tally
    confidence : float
        Of all bounds together.
    n_bounds : int
        How many these are.
    """
    n = max(1, tally.people)
    share, above = tally.possible / n, deviation(n, (1 - confidence) / n_bounds)
    tolerance = question.tolerance if question.values is not None else None
    accuracy = min(1.0, share + above)
    return Bound(question.name, accuracy, share, confidence, tally.people, tolerance)
