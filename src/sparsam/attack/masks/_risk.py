"""How surely an adversary who knows a person finds that person's minimised record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparsam._small_counts import publish_nested, publish_share, published_repr, suppress
from sparsam.attack._statistics import Interval


@dataclass(frozen=True, kw_only=True, repr=False)
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
        said = self.to_dict()
        found = "few" if said["found"] is None else f"{said['found']:.1%}"
        none_left, people = (
            count if isinstance(count, str) else f"{count:,}"
            for count in (said["n_emptied"], said["n_people"])
        )
        return (
            f"{self.adversary}: RIR {self.rir:.3f} [{low:.3f}, {high:.3f}], "
            f"random order {self.baseline:.3f}, finds {found} at once "
            f"({self.kept_share:.1%} kept, {none_left} of {people} people emptied)"
        )

    def __repr__(self) -> str:
        return published_repr(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        return {
            "adversary": self.adversary,
            "rir": self.rir,
            "interval": list(self.interval),
            "baseline": self.baseline,
            "advantage": self.advantage,
            "found": publish_share(self.found, self.n_people),
            "n_people": suppress(self.n_people),
            "n_emptied": publish_nested([self.n_emptied], self.n_people)[0],
            "kept_share": self.kept_share,
            "emptied": self.emptied,
            "details": dict(self.details),
        }
