"""How well an adversary guesses an attribute of people whom a model was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.attack._risk import Risk
from sparsam.attack._statistics import paired_difference, unpaired_difference, wilson_interval


@dataclass(frozen=True, eq=False, repr=False)
class AttributeGuesses:
    """The values guessed and the true ones, as codes.

    Attributes
    ----------
    truth, guess, naive : ndarray of int
        Of the attacked people: the value, the adversary's guess, and the guess without the model.
    control_truth, control_guess : ndarray of int
        Of people whom the model was not trained on; empty where there are none.
    """

    truth: NDArray[Any]
    guess: NDArray[Any]
    naive: NDArray[Any]
    control_truth: NDArray[Any]
    control_guess: NDArray[Any]

    def risk(
        self, id: str, attribute: str, n_values: int, random_state: int = 0, **details: Any
    ) -> Risk:
        """Measure the guesses.

        Parameters
        ----------
        id, attribute : str
            The name of the attack, and what is guessed.
        n_values : int
        random_state : int, default=0
        **details
            More plain facts for the result.

        Returns
        -------
        Risk
            `value` is the share of the attacked people whose value is guessed, `baseline` the same
            for an adversary who knows all but the model. `details` hold the interval of what
            the model adds; the accuracy on people whom the model was not trained on (`control`);
            and the interval of how far it is below `value`: above 0 the model betrays its own
            people.
        """
        right, naive = self.guess == self.truth, self.naive == self.truth
        return Risk(
            adversary=id,
            id=id,
            measure="accuracy",
            value=float(right.mean()),
            interval=wilson_interval(float(right.sum()), len(right)),
            baseline=float(naive.mean()),
            n=len(right),
            split="members",
            random_state=random_state,
            attribute=attribute,
            details={
                "advantage_interval": list(paired_difference(right, naive)[1]),
                "n_values": n_values,
                **self._control(right),
                **self._by_value(n_values),
                **details,
            },
        )

    def _control(self, right: NDArray[np.bool_]) -> dict[str, Any]:
        beside = self.control_guess == self.control_truth
        if not len(beside):
            return {"control": None, "control_advantage_interval": None}
        difference = unpaired_difference(right, beside)[1]
        return {
            "control": float(beside.mean()),
            "control_advantage_interval": list(difference),
        }

    def _by_value(self, n_values: int) -> dict[str, float]:
        """Mean precision and recall over the values; a value never guessed has precision 0."""
        pairs = np.zeros((n_values, n_values))
        np.add.at(pairs, (self.truth, self.guess), 1)
        hits = np.diag(pairs)
        present = pairs.sum(axis=1) > 0
        precision = hits / np.maximum(pairs.sum(axis=0), 1)
        recall = hits / np.maximum(pairs.sum(axis=1), 1)
        return {
            "precision": float(precision[present].mean()),
            "recall": float(recall[present].mean()),
        }
