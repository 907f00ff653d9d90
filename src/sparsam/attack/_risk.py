"""What an adversary achieved, and against what it must be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sparsam._small_counts import published_repr
from sparsam.attack._published_risk import published_risk
from sparsam.attack._statistics import Interval


@dataclass(frozen=True, kw_only=True, repr=False)
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

    Notes
    -----
    Attributes hold exact numbers, to compute with. What a risk says of itself (`str`, `repr`,
    `to_dict`) tells nothing of fewer than five people, and shares in steps of five people or more.
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
        said = self.to_dict()
        if said["error"] is None or said["baseline"] is None:
            return f"{self.adversary} on {what}: not told, on so few people ({self.split})"
        low, high = said["interval"]
        return (
            f"{self.adversary} on {what}: error {said['error']:.3f} [{low:.3f}, {high:.3f}], "
            f"naive {said['baseline']:.3f}, recovered {said['recovered']:z.0%} "
            f"({self.split}, {self.n_records:,} records)"
        )

    def __repr__(self) -> str:
        return published_repr(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, parts included, fit to be published."""
        return published_risk(self.facts())

    def facts(self) -> dict[str, Any]:
        """Plain data, parts included, with exact numbers: not to be published."""
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
            "parts": [part.facts() for part in self.parts],
            "details": dict(self.details),
        }
