"""What is counted in published cells: classes, whole rows, and classes that all say one thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.proof._cells import Numbers, alike, shared_records
from sparsam.anonymise.proof._certificate import KAnonymityTerms, OneValue, Terms, WholeRows

Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Counted:
    """What was counted in the cells of a release.

    Attributes
    ----------
    of_row : ndarray of int
        The class of each row: rows that have the same quasi-identifiers.
    sizes : ndarray of int
        Rows of every class.
    whole_rows : WholeRows
    one_value : tuple of OneValue
    """

    of_row: Numbers
    sizes: Numbers
    whole_rows: WholeRows
    one_value: tuple[OneValue, ...]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.of_row)

    @property
    def classes(self) -> int:
        """How many different combinations of quasi-identifiers."""
        return len(self.sizes)

    @property
    def smallest(self) -> int:
        """Rows of the smallest class."""
        return int(self.sizes.min()) if len(self.sizes) else 0


def counted(cells: Columns, quasi_identifiers: Sequence[str], demands: Sequence[Terms]) -> Counted:
    """Count classes, and whole rows, as finely as any reader of the table could.

    Parameters
    ----------
    cells : mapping of str to ndarray
        All published columns, as they are stored.
    quasi_identifiers : sequence of str
    demands : sequence of Terms
        The promises: what k is.
    """
    of_row = shared_records([cells[name] for name in quasi_identifiers])
    kept = {name: values for name, values in cells.items() if name not in set(quasi_identifiers)}
    k = max((one.k for one in demands if isinstance(one, KAnonymityTerms)), default=2)
    alone = shared_records(list(kept.values())) if kept else np.zeros(len(of_row), np.int64)
    sizes = _sizes_of(shared_records([of_row, *kept.values()]))
    whole = WholeRows(
        different=round(float((1 / sizes).sum())),
        unique=int((sizes == 1).sum()),
        few=int((sizes < k).sum()),
        kept_different=len(np.unique(alone)) if kept else 0,
        kept_few=int((_sizes_of(alone) < k).sum()) if kept else 0,
    )
    one_value = tuple(_one_value(name, of_row, values) for name, values in kept.items())
    return Counted(of_row, np.bincount(of_row).astype(np.int64), whole, one_value)


def _sizes_of(number: Numbers) -> Numbers:
    """For each row, how many rows are equal to it."""
    found: Numbers = np.bincount(number)[number].astype(np.int64)
    return found


def _one_value(name: str, of_row: Numbers, values: NDArray[Any]) -> OneValue:
    number = alike(values)
    if not len(number):
        return OneValue(name, 0, 0)
    pairs = np.unique(of_row * (int(number.max()) + 1) + number)
    values_of = np.bincount(pairs // (int(number.max()) + 1))
    single = np.flatnonzero(values_of == 1)
    return OneValue(name, len(single), int(np.bincount(of_row)[single].sum()))
