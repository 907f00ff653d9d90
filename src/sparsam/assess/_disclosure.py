"""Disclosure risk: how many people share what is stored about a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam._small_counts import publish_distinct, publish_share, suppress
from sparsam.counting import distinct_records

VARIANTS = {
    "as_printed": "Goldsteen et al. 2021 eq. 4 as printed: mean over the records of 1 / frequency "
    "of the record; the same as distinct records / records",
    "as_reported": "the convention behind the figures of Goldsteen et al. 2021, section 4.2: sum "
    "over the distinct records of 1 / frequency, divided by the number of records",
}


@dataclass(frozen=True)
class Disclosure:
    """How easily a stored record leads to one person, from near 0 (hardly) to 1 (always).

    Attributes
    ----------
    as_printed : float
        Eq. 4 of Goldsteen et al. 2021 as it is printed: the mean over the records of
        1 / frequency.
    as_reported : float
        As the paper's own figures come about: the sum runs over the distinct records only. Never
        more than `as_printed`.
    distinct : int
        Distinct records.
    n_records : int
    """

    as_printed: float
    as_reported: float
    distinct: int
    n_records: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        return {
            "as_printed": publish_share(self.as_printed, self.n_records),
            "as_reported": publish_share(self.as_reported, self.n_records),
            "distinct": publish_distinct(self.distinct, self.n_records),
            "n_records": suppress(self.n_records),
        }


def disclosure(codes: NDArray[np.uint16], sizes: Sequence[int]) -> Disclosure:
    """Measure the disclosure risk of records, in both readings of eq. 4.

    Parameters
    ----------
    codes : ndarray of uint16, shape (n_records, n_quasi_identifiers)
        What someone may know of each person.
    sizes : sequence of int
        The number of codes of each column.

    Returns
    -------
    Disclosure

    Examples
    --------
    >>> records = np.array([[0, 1], [0, 1], [1, 0], [1, 1]], np.uint16)
    >>> disclosure(records, (2, 2))
    Disclosure(as_printed=0.75, as_reported=0.625, distinct=3, n_records=4)
    """
    n_records = len(codes)
    if not n_records:
        raise DataError("Disclosure risk is a mean over records. Got none.")
    counts = distinct_records(codes, sizes).counts
    return Disclosure(
        as_printed=len(counts) / n_records,
        as_reported=float((1.0 / counts).sum()) / n_records,
        distinct=len(counts),
        n_records=n_records,
    )
