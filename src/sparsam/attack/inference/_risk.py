"""How well an adversary guesses an attribute of people whom a model was trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._small_counts import publish_interval, publish_share, published_repr, suppress
from sparsam.attack._statistics import (
    Interval,
    paired_difference,
    unpaired_difference,
    wilson_interval,
)


@dataclass(frozen=True, kw_only=True, repr=False)
class AttributeRisk:
    """How often an adversary who may ask a model guesses someone's attribute.

    Attributes
    ----------
    adversary : str
    attribute : str
    accuracy : float
        Share of the attacked people whose value is guessed.
    baseline : float
        The same for an adversary who knows all but the model.
    interval : tuple of float
        95 % interval of `accuracy`.
    advantage_interval : tuple of float
        95 % interval of `advantage`, over the same people.
    n_records, n_values : int
        People attacked, and values that the attribute takes.
    control : float or None
        The accuracy on people whom the model was not trained on.
    control_interval : tuple of float or None
        95 % interval of `accuracy` less `control`: above 0 the model betrays its own people.
    random_state : int
    details : mapping
        More plain facts that only this adversary has.
    """

    adversary: str
    attribute: str
    accuracy: float
    baseline: float
    interval: Interval
    advantage_interval: Interval
    n_records: int
    n_values: int
    control: float | None = None
    control_interval: Interval | None = None
    random_state: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def advantage(self) -> float:
        """What asking the model adds to the accuracy."""
        return self.accuracy - self.baseline

    def __str__(self) -> str:
        said = self.to_dict()
        if said["accuracy"] is None:
            return f"{self.adversary} on {self.attribute}: not told, on so few people"
        low, high = said["interval"]
        beside = "" if said["control"] is None else f", {said['control']:.3f} on other people"
        return (
            f"{self.adversary} on {self.attribute}: accuracy {said['accuracy']:.3f} "
            f"[{low:.3f}, {high:.3f}], without the model {said['baseline']:.3f}{beside} "
            f"({self.n_records:,} records)"
        )

    def __repr__(self) -> str:
        return published_repr(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published: shares in steps of five people or more."""
        people = self.n_records
        accuracy, baseline = (publish_share(one, people) for one in (self.accuracy, self.baseline))
        return {
            "adversary": self.adversary,
            "attribute": self.attribute,
            "accuracy": accuracy,
            "baseline": baseline,
            "advantage": None if accuracy is None else round(accuracy - baseline, 12),
            "interval": publish_interval(self.interval, people),
            "advantage_interval": publish_interval(self.advantage_interval, people),
            "n_records": suppress(people),
            "n_values": self.n_values,
            "control": publish_share(self.control, people),
            "control_interval": publish_interval(self.control_interval, people),
            "random_state": self.random_state,
            "details": {
                name: publish_share(fact, people) if name in ("precision", "recall") else fact
                for name, fact in self.details.items()
            },
        }


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
        self, adversary: str, attribute: str, n_values: int, random_state: int = 0, **details: Any
    ) -> AttributeRisk:
        """Measure the guesses.

        Parameters
        ----------
        adversary, attribute : str
        n_values : int
        random_state : int, default=0
        **details
            More plain facts for the result.
        """
        right, naive = self.guess == self.truth, self.naive == self.truth
        beside = self.control_guess == self.control_truth
        return AttributeRisk(
            adversary=adversary,
            attribute=attribute,
            accuracy=float(right.mean()),
            baseline=float(naive.mean()),
            interval=wilson_interval(float(right.sum()), len(right)),
            advantage_interval=paired_difference(right, naive)[1],
            n_records=len(right),
            n_values=n_values,
            control=float(beside.mean()) if len(beside) else None,
            control_interval=unpaired_difference(right, beside)[1] if len(beside) else None,
            random_state=random_state,
            details={**self._by_value(n_values), **details},
        )

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
