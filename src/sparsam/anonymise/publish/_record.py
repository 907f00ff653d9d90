"""A real record for every class: the one nearest to the middle, as the paper has it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, SparsamWarning
from sparsam.anonymise.publish._representative import Missing, middle_codes, values_of
from sparsam.anonymise.publish._tally import Places, ReleasedRows
from sparsam.data import Attribute, Table


def nearest_records(
    table: Table, released: ReleasedRows, answers: NDArray[Any] | None, missing: Missing
) -> dict[str, list[Any]]:
    """Return the record of every class that is nearest to its middle, among the majority.

    Goldsteen et al. 2021 (anonymising models), §3: the point closest to the median of the class
    among the points with the majority label. Numbers and ordered categories are scaled to their
    range, so that no attribute decides alone; a category is 0 or 1 from the most common one, and so
    is a missing value from one that is not.

    Parameters
    ----------
    table : Table
        The quasi-identifiers.
    released : ReleasedRows
    answers : ndarray or None
        The model's answer, or the true label, for every row of the table; None: all rows count.
    missing : {"own", "known"}
        See `averages`.

    Returns
    -------
    dict of str to list
        For each attribute one plain value a record.
    """
    warnings.warn(
        "'nearest' publishes the record of a real person for every class: whoever knows the "
        "person learns that they are in the data. Publish the 'mean' or 'median' instead if that "
        "must not be.",
        SparsamWarning,
        stacklevel=4,
    )
    away = np.zeros(len(released.rows))
    for place, attribute in enumerate(table.attributes):
        codes = table.codes[:, place]
        middle = middle_codes(attribute, released.tally(codes, attribute), "median", missing)
        away += _apart(attribute, codes[released.rows].astype(np.int64), middle[released.record])
    chosen = released.rows[_first_of_each(released, away, _majority(table, released, answers))]
    return {
        attribute.name: [values_of(attribute)[code] for code in table.codes[chosen, place].tolist()]
        for place, attribute in enumerate(table.attributes)
    }


def _apart(attribute: Attribute, codes: Places, middle: Places) -> NDArray[np.float64]:
    """Squared distance of each code from another, from 0 to 1."""
    differ: NDArray[np.float64] = (codes != middle).astype(np.float64)
    if not attribute.ordered:
        return differ
    numbers = np.arange(attribute.n_values, dtype=np.float64)
    if attribute.numeric:
        numbers = attribute.lows + (attribute.highs - attribute.lows) / 2
    span = float(numbers[-1] - numbers[0])
    scaled = np.append((numbers - numbers[0]) / span if span else numbers * 0.0, np.nan)
    found = (scaled[codes] - scaled[middle]) ** 2
    apart: NDArray[np.float64] = np.where(np.isnan(found), differ, found)
    return apart


def _majority(
    table: Table, released: ReleasedRows, answers: NDArray[Any] | None
) -> NDArray[np.bool_]:
    """Whether each row has the most common answer of its class (the first of several)."""
    if answers is None:
        return np.ones(len(released.rows), dtype=bool)
    if np.shape(answers) != (table.n_rows,):
        raise DataError(
            f"The answers must be one for each of the {table.n_rows:,} rows. "
            f"Got the shape {np.shape(answers)} instead."
        )
    labels, index = np.unique(np.asarray(answers)[released.rows], return_inverse=True)
    keys = released.record * len(labels) + index
    cells, counts = np.unique(keys, return_counts=True)
    record = cells // len(labels)
    order = np.lexsort((cells, -counts, record))
    starts = np.searchsorted(record, np.arange(released.n_records))
    found: NDArray[np.bool_] = keys == cells[order[starts]][released.record]
    return found


def _first_of_each(
    released: ReleasedRows, away: NDArray[np.float64], allowed: NDArray[np.bool_]
) -> Places:
    """The allowed row of each class that is nearest, the first of several."""
    order = np.lexsort((away, ~allowed, released.record))
    starts = np.searchsorted(released.record[order], np.arange(released.n_records))
    return order[starts]
