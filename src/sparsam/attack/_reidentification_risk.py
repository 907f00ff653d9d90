"""How surely an adversary who knows a person finds that person's minimised record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparsam.attack._statistics import Interval


@dataclass(frozen=True, kw_only=True)
class ReidentificationRisk:
    """How far up an adversary who knows a whole record ranks that person's minimised record.

    Attributes
    ----------
    adversary : str
    rir : float
        Mean over people of the expected reciprocal rank (Fioretto et al. 2024, eq. 3). 1 is
        everyone found.
    interval : tuple of float
        95 % interval of `rir`.
    baseline : float
        The same for an adversary who puts the records in a random order.
    found : float
        Expected share of people whose record comes first.
    n_people : int
    n_emptied : int
        People of whom no value was kept.
    kept_share : float
        Share of all values that were kept.
    emptied : str
        "absent": someone of whom no value was kept counts 0. "last": the emptied records are
        guessed last, in a random order.
    details : mapping
        More plain facts that only this adversary has.
    """

    adversary: str
    rir: float
    interval: Interval
    baseline: float
    found: float
    n_people: int
    n_emptied: int
    kept_share: float
    emptied: str
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def advantage(self) -> float:
        """What the adversary achieves beyond a random order."""
        return self.rir - self.baseline

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.adversary}: RIR {self.rir:.3f} [{low:.3f}, {high:.3f}], "
            f"random order {self.baseline:.3f}, finds {self.found:.1%} at once "
            f"({self.kept_share:.1%} kept, {self.n_emptied:,} of {self.n_people:,} people emptied)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "adversary": self.adversary,
            "rir": self.rir,
            "interval": list(self.interval),
            "baseline": self.baseline,
            "advantage": self.advantage,
            "found": self.found,
            "n_people": self.n_people,
            "n_emptied": self.n_emptied,
            "kept_share": self.kept_share,
            "emptied": self.emptied,
            "details": dict(self.details),
        }
