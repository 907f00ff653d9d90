"""What an adversary achieved, and against what it must be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sparsam.attack._statistics import Interval


@dataclass(frozen=True, kw_only=True)
class Risk:
    """How well an adversary recovers what a generalization hides.

    Attributes
    ----------
    adversary : str
    attribute : str or None
        The personal attribute; None for the mean over all of them.
    error : float
        Share of people whose value the adversary gets wrong.
    baseline : float
        The same for the naive adversary, who has seen no record and guesses the most common value.
    interval : tuple of float
        95 % interval of `error`, from the number of records it was measured on.
    n_records : int
    split : str
        The part of the data it was measured on.
    random_state : int
    model : str or None
        The attack model that was the strongest on validation data.
    tolerance : float or None
        A numeric value counts as recovered within this distance.
    absolute_error : float or None
        Mean distance of the adversary's best single guess of a numeric value.
    parts : tuple of Risk
        The risks by attribute that a mean is made of.
    details : mapping
        More plain facts that only this adversary has.
    """

    adversary: str
    attribute: str | None
    error: float
    baseline: float
    interval: Interval
    n_records: int
    split: str
    random_state: int
    model: str | None = None
    tolerance: float | None = None
    absolute_error: float | None = None
    parts: tuple[Risk, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def advantage(self) -> float:
        """Errors that the adversary avoids and the naive one makes; below 0 it is the weaker."""
        return self.baseline - self.error

    @property
    def recovered(self) -> float:
        """Share of the naive adversary's errors that this one avoids: 0 nothing, 1 everything."""
        return self.advantage / self.baseline if self.baseline > 0 else 0.0

    def with_details(self, **details: Any) -> Risk:
        """The same risk with more facts."""
        return replace(self, details={**self.details, **details})

    def __str__(self) -> str:
        what = self.attribute or "all personal attributes"
        low, high = self.interval
        return (
            f"{self.adversary} on {what}: error {self.error:.3f} [{low:.3f}, {high:.3f}], "
            f"naive {self.baseline:.3f}, recovered {self.recovered:.0%} "
            f"({self.split}, {self.n_records:,} records)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, parts included."""
        return {
            "adversary": self.adversary,
            "attribute": self.attribute,
            "error": self.error,
            "baseline": self.baseline,
            "advantage": self.advantage,
            "recovered": self.recovered,
            "interval": list(self.interval),
            "n_records": self.n_records,
            "split": self.split,
            "random_state": self.random_state,
            "model": self.model,
            "tolerance": self.tolerance,
            "absolute_error": self.absolute_error,
            "parts": [part.to_dict() for part in self.parts],
            "details": dict(self.details),
        }
