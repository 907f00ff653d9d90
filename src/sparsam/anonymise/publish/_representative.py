"""One value of the original domain for every class and attribute."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparsam.anonymise.publish._tally import Places, Tally
from sparsam.data import Attribute, NumericDomain

Average = Literal["mean", "median", "mode"]
Missing = Literal["own", "known"]


def values_of(attribute: Attribute) -> list[Any]:
    """Return the plain value of every code, missing last; a bin of numbers is its middle.

    Parameters
    ----------
    attribute : Attribute

    Examples
    --------
    >>> values_of(Attribute("age", NumericDomain(0, 9, integer=True), [0, 4], [3, 9]))
    [2, 6, None]
    """
    found = attribute.decode(np.arange(attribute.n_values))
    if isinstance(attribute.domain, NumericDomain) and attribute.domain.integer:
        found = np.rint(found).astype(np.int64)
    return [*found.tolist(), None]


def averages(attribute: Attribute, tally: Tally, how: Average, missing: Missing) -> list[Any]:
    """Return the middle of every class, in values that the attribute can take.

    Parameters
    ----------
    attribute : Attribute
    tally : Tally
    how : {"mean", "median", "mode"}
        The mean of numbers (a whole one where all are whole), the median of numbers and of ordered
        categories (the lower of two), or the most common value. What has no mean has a median, and
        what has no order its most common value.
    missing : {"own", "known"}
        Whether missing is a value like any other, published where most of the class lack one, or
        published only where the whole class lacks one.

    Returns
    -------
    list
        One plain value a record, None for missing.
    """
    values = values_of(attribute)
    if how == "mean" and attribute.numeric:
        lacking = _lacking(tally, missing)
        means = tally.mean(np.asarray(values[:-1], np.float64))
        if isinstance(attribute.domain, NumericDomain) and attribute.domain.integer:
            whole = np.rint(np.where(lacking, 0.0, means)).astype(np.int64)
            return _with_holes(whole, lacking)
        return _with_holes(means, lacking)
    return [values[code] for code in middle_codes(attribute, tally, how, missing).tolist()]


def middle_codes(attribute: Attribute, tally: Tally, how: Average, missing: Missing) -> Places:
    """Return the code in the middle of every class: the median where there is an order.

    Parameters
    ----------
    attribute : Attribute
    tally : Tally
    how : {"mean", "median", "mode"}
    missing : {"own", "known"}
    """
    if how == "mode" or not attribute.ordered:
        return tally.mode(known=missing == "known")
    median = tally.at(np.maximum(tally.n_known - 1, 0) // 2)
    return np.where(_lacking(tally, missing), tally.missing, median)


def draws(
    attribute: Attribute, tally: Tally, missing: Missing, rng: np.random.Generator
) -> list[Any]:
    """Draw a value of every class at random, as often as it occurs there.

    Parameters
    ----------
    attribute : Attribute
    tally : Tally
    missing : {"own", "known"}
        Whether missing is drawn like any other value, or only where there is nothing else.
    rng : numpy Generator
    """
    among = tally.n_known
    if missing == "own":
        among = among + tally.n_missing
    places = rng.integers(0, np.maximum(among, 1))
    values = values_of(attribute)
    return [values[code] for code in tally.at(places).tolist()]


def _lacking(tally: Tally, missing: Missing) -> NDArray[np.bool_]:
    known = tally.n_known
    found: NDArray[np.bool_] = known == 0 if missing == "known" else tally.n_missing > known
    return found


def _with_holes(values: NDArray[Any], holes: NDArray[np.bool_]) -> list[Any]:
    return [None if hole else value for value, hole in zip(values.tolist(), holes, strict=True)]
