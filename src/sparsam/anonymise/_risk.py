"""What someone risks whose record is published: prosecutor, journalist and marketer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._checks import check_share
from sparsam._errors import DataError
from sparsam.attack import Risk


def release_risk(
    sizes: ArrayLike,
    *,
    people: ArrayLike | None = None,
    population: ArrayLike | None = None,
    threshold: float = 0.2,
) -> dict[str, Risk]:
    """Measure the risk of being recognised from the sizes of the published classes.

    Parameters
    ----------
    sizes : array of int
        Rows of every published class; empty classes are left out.
    people : array of int, optional
        People behind every class, where several rows may be one person's.
    population : array of int, optional
        People of the population whose record is that of the class.
    threshold : float, default=0.2
        A risk above it counts as high (0.2: fewer than five people share the record).

    Returns
    -------
    dict of str to Risk
        The `value` of each is a mean over the published *records* of the chance that the person
        behind it is recognised; a mean over classes would hide large risks of few. `details` hold
        that of the person most at risk (`highest`) and the share of records above the threshold.

        "prosecutor": they look for one person and know that the person is in the release.
        "journalist": they look for anyone, in a population of which the release is a part; without
        one, this is the prosecutor's risk, which is the worst that it can be. "marketer": they
        match everyone they can.

        The baseline is a guess among all records of the release.

    Examples
    --------
    >>> risk = release_risk([2, 8])["prosecutor"]
    >>> risk.value, risk.details["highest"], risk.details["share_above"]
    (0.2, 0.5, 0.2)
    """
    rows = _counts("sizes", sizes)
    used = rows > 0
    if not used.any():
        raise DataError("Risk is a mean over published records. There are none.")
    behind = rows if people is None else _counts("people", people, rows)
    among = behind if population is None else _counts("population", population, rows)
    rows, behind, among = rows[used], behind[used], among[used]
    _check(rows, behind, among, threshold)
    sought = {"prosecutor": behind, "journalist": among, "marketer": among}
    return {
        name: _record_risk(name, rows, group, threshold, population is not None)
        for name, group in sought.items()
    }


def _record_risk(
    adversary: str,
    rows: NDArray[np.int64],
    people: NDArray[np.int64],
    threshold: float,
    population: bool,
) -> Risk:
    chance = 1.0 / people
    n_records = int(rows.sum())
    average = float((rows * chance).sum() / n_records)
    return Risk(
        adversary=adversary,
        id=adversary,
        measure="recognition",
        value=average,
        interval=(average, average),  # every record is counted: nothing is estimated
        baseline=1.0 / n_records,
        n=n_records,
        split="release",
        random_state=0,
        details={
            "highest": float(chance.max()),
            "share_above": float(rows[chance > threshold].sum() / n_records),
            "threshold": float(threshold),
            "n_classes": len(rows),
            "population": population,
        },
    )


def _counts(name: str, values: ArrayLike, like: NDArray[Any] | None = None) -> NDArray[np.int64]:
    counts = np.asarray(values)
    if counts.ndim != 1 or (counts.size and counts.dtype.kind not in "iu"):
        raise DataError(f"The {name} of classes must be whole numbers, one for each class.")
    if like is not None and len(counts) != len(like):
        raise DataError(
            f"The {name} must be one number for each of the {len(like):,} classes. "
            f"Got {len(counts):,} instead."
        )
    if (counts < 0).any():
        raise DataError(f"The {name} of classes must be at least 0. Got others.")
    return counts.astype(np.int64)


def _check(
    rows: NDArray[np.int64],
    people: NDArray[np.int64],
    population: NDArray[np.int64],
    threshold: float,
) -> None:
    check_share("release_risk", "threshold", threshold)
    if (people < 1).any() or (people > rows).any():
        raise DataError("A class must have at least one person, and no more people than rows.")
    if (population < people).any():
        raise DataError(
            "The population of a class must be at least its people in the release. It is smaller "
            f"in {int((population < people).sum()):,} classes."
        )
