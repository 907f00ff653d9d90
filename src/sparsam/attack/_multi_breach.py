"""A6: reconstruct from several generalizations of the same people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.attack._guesses import Guesses, strongest
from sparsam.attack._reconstruction import Reconstruction
from sparsam.attack._records import GeneralizedRecords, lookups_of
from sparsam.attack._risk import Risk
from sparsam.data import Split
from sparsam.generalization import Generalization


@dataclass(frozen=True)
class MultiBreach:
    """Guess personal values from two or more breaches of the same people (A6).

    Who sees two generalizations of a person knows each value up to the intersection of its
    buckets. One adversary attacks these finer records, and may fall back on any single breach,
    so that it is never weaker than the best attack on one of them.

    Parameters
    ----------
    others : sequence of Generalization
        What else was published of the same people.
    reconstruction : Reconstruction
    """

    id: ClassVar[str] = "A6"
    name: ClassVar[str] = "A6 multi-breach"

    others: Sequence[Generalization]
    reconstruction: Reconstruction = field(default_factory=Reconstruction)

    def attack(self, generalization: Generalization, data: Split, part: str = "test") -> Risk:
        """Attack all breaches together.

        Returns
        -------
        Risk
            `details` hold the errors of the single breaches.
        """
        if not self.others:
            raise ParameterError("MultiBreach needs at least one other generalization. Got none.")
        breaches = [lookups_of(g, data) for g in (generalization, *self.others)]
        single = [self._guess(breach, data) for breach in breaches]
        together = self._guess(tuple(map(intersected, zip(*breaches, strict=True))), data)
        answers = zip(together.answers, *(guesses.answers for guesses in single), strict=True)
        best = tuple(map(strongest, answers))
        guesses = Guesses(data, best, together.random_state, self.id, self.name)
        errors = [guess.risk(part).value for guess in single]
        return guesses.risk(part).with_details(single_breaches=errors)

    def _guess(self, breach: tuple[NDArray[np.uint16], ...], data: Split) -> Guesses:
        return self.reconstruction.guess(GeneralizedRecords.from_lookups(breach, data), data)


def intersected(buckets: Sequence[NDArray[np.uint16]]) -> NDArray[np.uint16]:
    """Number the non-empty intersections of the buckets of several partitions.

    Examples
    --------
    >>> intersected([np.array([0, 0, 1]), np.array([0, 1, 1])]).tolist()
    [0, 1, 2]
    """
    _, inverse = np.unique(np.column_stack(buckets), axis=0, return_inverse=True)
    return inverse.reshape(-1).astype(np.uint16)
