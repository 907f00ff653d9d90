"""Are there enough people to judge by?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsam._small_counts import SMALLEST_COUNT, suppress
from sparsam.data import Split

MET = "met"
NOT_MET = "not met"
TOO_FEW = "too few people to tell"
FEWEST_PEOPLE = 200
FEWEST_OUTSIDE = 30


@dataclass(frozen=True, repr=False)
class Evidence:
    """How many people a promise is judged on, and whether they are enough for one.

    Attributes
    ----------
    people : int
        In the test part.
    outside : int or None
        How many of them are not of the commonest class: with two classes those of the rarer one.
        None where the target is a number.
    in_all : int
        In all parts together.
    """

    people: int
    outside: int | None
    in_all: int

    @classmethod
    def of(cls, data: Split) -> Evidence:
        """Count the people of a split."""
        target = data.test.target
        in_all = data.train.n_rows + data.validation.n_rows + data.test.n_rows
        if data.test.numbers is not None:
            return cls(len(target), None, in_all)
        commonest = np.bincount(data.train.target, minlength=1).argmax()
        return cls(len(target), int((target != commonest).sum()), in_all)

    @property
    def enough(self) -> bool:
        """Whether a promise can be made at all."""
        outside = FEWEST_OUTSIDE if self.outside is None else self.outside
        return self.people >= FEWEST_PEOPLE and outside >= FEWEST_OUTSIDE

    @property
    def needed(self) -> int:
        """About how many people would do in all, were they like these: two digits, rounded up."""
        times = FEWEST_PEOPLE / max(1, self.people)
        if self.outside is not None:
            # as if few people were the most of few, which is all that may be told of them
            times = max(times, FEWEST_OUTSIDE / max(SMALLEST_COUNT, self.outside))
        return rounded_up(self.in_all * max(1.0, times))

    def verdict(self, met: bool) -> str:
        """What can be said of a requirement that is met, or not, on these people."""
        if not self.enough:
            return TOO_FEW
        return MET if met else NOT_MET

    @property
    def words(self) -> str:
        """Why there are too few people, and how many would do."""
        who = f"{suppress(self.people)} people"
        few_outside = self.outside is not None and self.outside < FEWEST_OUTSIDE
        if few_outside:
            who += f", {suppress(self.outside)} of them outside the commonest class"
        needed = f"about {self.needed:,} people in all would do"
        if few_outside and (self.outside or 0) < SMALLEST_COUNT:
            needed = f"it would take at least {self.needed:,} people in all"
        return f"the test part has {who}; {needed}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        return {
            "people": suppress(self.people),
            "enough": self.enough,
            "needed": None if self.enough else self.needed,
        }


def rounded_up(people: float) -> int:
    """About so many people: two digits, rounded up.

    Examples
    --------
    >>> rounded_up(15_196)
    16000
    """
    unit = 10 ** max(0, math.floor(math.log10(max(1.0, people))) - 1)
    return int(math.ceil(people / unit) * unit)
