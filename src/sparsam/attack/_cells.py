"""Judge an adversary by counts of people, where people themselves stay elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

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


def cells_risk(
    answer: Answer,
    guesses: NDArray[np.integer],
    cells: Cells,
    adversary: Reconstruction,
    split: str,
) -> Risk:
    """How well the guesses for distinct records do on many people.

    Parameters
    ----------
    answer : Answer
        Whose guesses these are.
    guesses : ndarray of int
        The code that is guessed for each distinct record.
    cells : Cells
        How many people have each record and value.
    adversary : Reconstruction
    split : str
        What these people are called.
    """
    question, people = answer.question, int(cells.counts.sum())
    naive, _ = question.guess(question.prior())
    wrong = _people(cells, question.misses(guesses[cells.lines], cells.codes))
    before = _people(cells, question.misses(naive[np.zeros_like(cells.lines)], cells.codes))
    return Risk(
        adversary=adversary.name,
        id=adversary.id,
        measure="error",
        attribute=question.name,
        value=wrong / max(1, people),
        baseline=before / max(1, people),
        interval=wilson_interval(wrong, people),
        n=people,
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


def cells_bound(question: Question, cells: Cells, confidence: float, n_bounds: int) -> Bound:
    """What no adversary can exceed, from how many people have each record and value.

    Parameters
    ----------
    question : Question
    cells : Cells
        Their lines ascend.
    confidence : float
        Of all bounds together.
    n_bounds : int
        How many these are.
    """
    people = int(cells.counts.sum())
    share = most_right(question, cells) / max(1, people)
    above = deviation(max(1, people), (1 - confidence) / n_bounds)
    tolerance = question.tolerance if question.values is not None else None
    accuracy = min(1.0, share + above)
    return Bound(question.name, accuracy, share, confidence, people, tolerance)
