"""How many people share each generalized record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._small_counts import publish_classes, published_repr


@dataclass(frozen=True, repr=False)
class ClassSizes:
    """People by the number of others whose generalized record is the same.

    Attributes
    ----------
    distinct : int
        Distinct generalized records.
    smallest : int
        People behind the rarest of them (k of k-anonymity).
    alone : int
        People whose record nobody shares.
    under : mapping of int to int
        For each k, the people in classes smaller than k.
    people : int or None
        Everyone, where that is known.

    Notes
    -----
    Attributes hold exact numbers. What is said (`repr`, `to_dict`) hides few people, and
    differences of few people.
    """

    distinct: int
    smallest: int
    alone: int
    under: Mapping[int, int]
    people: int | None = None

    def __repr__(self) -> str:
        return published_repr(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        return publish_classes(self.facts(), self.people)

    def facts(self) -> dict[str, Any]:
        """Plain data with exact numbers: not to be published."""
        return {
            "distinct": self.distinct,
            "smallest": self.smallest,
            "alone": self.alone,
            "under": {str(k): people for k, people in self.under.items()},
        }


def class_sizes(counts: NDArray[np.int64], thresholds: tuple[int, ...] = (5, 10)) -> ClassSizes:
    """Summarise how many people stand behind each distinct record.

    Examples
    --------
    >>> class_sizes(np.array([1] * 7 + [2, 100])).to_dict()["under"]
    {'5': 'fewer than 12', '10': 'fewer than 12'}
    """
    seen = counts[counts > 0]
    return ClassSizes(
        distinct=int(seen.size),
        smallest=int(seen.min()) if seen.size else 0,
        alone=int((seen == 1).sum()),
        under={k: int(seen[seen < k].sum()) for k in thresholds},
        people=int(seen.sum()),
    )
