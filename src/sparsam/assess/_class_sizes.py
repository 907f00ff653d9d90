"""How many people share each generalized record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
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
    """

    distinct: int
    smallest: int
    alone: int
    under: Mapping[int, int]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
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
    >>> class_sizes(np.array([1, 4, 20, 0])).to_dict()
    {'distinct': 3, 'smallest': 1, 'alone': 1, 'under': {'5': 5, '10': 5}}
    """
    seen = counts[counts > 0]
    return ClassSizes(
        distinct=int(seen.size),
        smallest=int(seen.min()) if seen.size else 0,
        alone=int((seen == 1).sum()),
        under={k: int(seen[seen < k].sum()) for k in thresholds},
    )
