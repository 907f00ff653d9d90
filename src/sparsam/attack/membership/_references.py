"""Reference models: trained like the attacked one, on people whose membership is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class References:
    """What reference models say of every person, and on whom each of them was trained.

    Attributes
    ----------
    confidence : ndarray of float, shape (n_references, n_people)
        The probability that each reference gives to the true label.
    inside : ndarray of bool, shape (n_references, n_people)
    """

    confidence: NDArray[np.float64]
    inside: NDArray[np.bool_]

    def __post_init__(self) -> None:
        shape = self.confidence.shape
        if len(shape) != 2 or self.inside.shape != shape or self.inside.dtype != bool:
            raise DataError(
                "References must have one confidence and one truth value 'inside' for each model "
                f"and person. Got the shapes {shape} and {self.inside.shape}."
            )

    def mean(self, inside: bool) -> NDArray[np.float64]:
        """Return the mean over the references trained with each person, or without.

        NaN for a person of whom there is no such reference.
        """
        return self._moment(self.confidence, self.inside == inside)

    @staticmethod
    def _moment(values: NDArray[np.float64], used: NDArray[np.bool_]) -> NDArray[np.float64]:
        counts = used.sum(axis=0)
        sums = np.where(used, values, 0.0).sum(axis=0)
        found: NDArray[np.float64] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return found

    def __repr__(self) -> str:
        n_references, n_people = self.confidence.shape
        return f"References({n_references} models, {n_people:,} people)"


def draw_references(
    pool: Rows, n_references: int, random_state: int, size: int | None = None
) -> list[Rows]:
    """Draw the training rows of reference models, in pairs that part the pool into halves.

    So every person of the pool is inside half of the references and outside the other half, or
    outside more of them where `size` is smaller.

    Parameters
    ----------
    pool : ndarray of int
        Rows to draw from.
    n_references : int
        Even.
    random_state : int
    size : int, optional
        Rows of each reference, at most half of the pool; half of it if not given.

    Examples
    --------
    >>> first, second = draw_references(np.arange(4), 2, random_state=0)
    >>> sorted([*first.tolist(), *second.tolist()])
    [0, 1, 2, 3]
    """
    if n_references < 2 or n_references % 2:
        raise ParameterError(
            "The 'n_references' parameter must be an even number of at least 2. "
            f"Got {n_references!r} instead."
        )
    if len(pool) < 4:
        raise DataError(f"References need at least 4 people to train on. Got {len(pool)}.")
    rng = np.random.default_rng(random_state)
    drawn: list[Rows] = []
    for _ in range(n_references // 2):
        order = rng.permutation(pool)
        half = len(pool) // 2
        drawn += [np.sort(part[:size]) for part in (order[:half], order[half:])]
    return drawn


def train_references(
    train: Callable[[Rows], NDArray[np.float64]], rows: list[Rows], n_people: int
) -> References:
    """Train reference models one after the other.

    Parameters
    ----------
    train : callable
        Trains a model on some rows, and gives its probability of the true label of every person.
    rows : list of ndarray of int
        The rows that each reference is trained on.
    n_people : int
    """
    confidence = np.empty((len(rows), n_people))
    inside = np.zeros((len(rows), n_people), dtype=bool)
    for number, chosen in enumerate(rows):
        said = np.asarray(train(chosen), dtype=np.float64)
        if said.shape != (n_people,):
            raise DataError(
                f"A reference must give one probability for each of {n_people:,} people. "
                f"Got the shape {said.shape} instead."
            )
        confidence[number], inside[number, chosen] = said, True
    return References(confidence, inside)
