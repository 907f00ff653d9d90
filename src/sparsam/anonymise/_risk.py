"""What someone risks whose record is published: prosecutor, journalist and marketer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._checks import check_share
from sparsam._errors import DataError


@dataclass(frozen=True)
class RecordRisk:
    """How likely the people behind published records are to be recognised.

    Attributes
    ----------
    highest : float
        The risk of the person most at risk.
    average : float
        The mean over the published *records*; a mean over classes would hide large risks of few.
    share_above : float
        The share of records whose risk is above the threshold.
    """

    highest: float
    average: float
    share_above: float


@dataclass(frozen=True)
class ReleaseRisk:
    """The risk of being recognised in a release, by what the other one knows.

    Attributes
    ----------
    prosecutor : RecordRisk
        They look for one person and know that the person is in the release.
    journalist : RecordRisk
        They look for anyone, in a population of which the release is a part. Without a population
        this is the prosecutor's risk, which is the worst that it can be.
    marketer : float
        They match everyone they can: the share of records that is matched rightly on average.
    baseline : float
        The risk without quasi-identifiers: a guess among all records of the release.
    threshold : float
        What `share_above` is measured against.
    n_records, n_classes : int
        Published records; suppressed ones are not among them. Different records.
    population : bool
        Whether the sizes of classes in the population were given.
    """

    prosecutor: RecordRisk
    journalist: RecordRisk
    marketer: float
    baseline: float
    threshold: float
    n_records: int
    n_classes: int
    population: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def release_risk(
    sizes: ArrayLike,
    *,
    people: ArrayLike | None = None,
    population: ArrayLike | None = None,
    threshold: float = 0.2,
) -> ReleaseRisk:
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
    ReleaseRisk

    Examples
    --------
    >>> risk = release_risk([2, 8])
    >>> risk.prosecutor.highest, risk.prosecutor.average, risk.prosecutor.share_above
    (0.5, 0.2, 0.2)
    """
    rows = _counts("sizes", sizes)
    used = rows > 0
    if not used.any():
        raise DataError("Risk is a mean over published records. There are none.")
    behind = rows if people is None else _counts("people", people, rows)
    among = behind if population is None else _counts("population", population, rows)
    rows, behind, among = rows[used], behind[used], among[used]
    _check(rows, behind, among, threshold)
    journalist = _record_risk(rows, among, threshold)
    return ReleaseRisk(
        prosecutor=_record_risk(rows, behind, threshold),
        journalist=journalist,
        marketer=journalist.average,
        baseline=1.0 / float(rows.sum()),
        threshold=float(threshold),
        n_records=int(rows.sum()),
        n_classes=len(rows),
        population=population is not None,
    )


def _record_risk(
    rows: NDArray[np.int64], people: NDArray[np.int64], threshold: float
) -> RecordRisk:
    risk = 1.0 / people
    n_records = rows.sum()
    return RecordRisk(
        highest=float(risk.max()),
        average=float((rows * risk).sum() / n_records),
        share_above=float(rows[risk > threshold].sum() / n_records),
    )


def _counts(name: str, values: ArrayLike, like: NDArray[Any] | None = None) -> NDArray[np.int64]:
    found = np.asarray(values)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise DataError(f"The {name} of classes must be whole numbers, one a class.")
    if like is not None and len(found) != len(like):
        raise DataError(
            f"The {name} must be one number for each of the {len(like):,} classes. "
            f"Got {len(found):,} instead."
        )
    if (found < 0).any():
        raise DataError(f"The {name} of classes must be at least 0. Got others.")
    return found.astype(np.int64)


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
