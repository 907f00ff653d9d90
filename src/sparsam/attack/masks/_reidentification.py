"""Whose minimised record is this? The adversary knows the person's whole record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._checks import check_choice, check_whole
from sparsam._errors import DataError, ParameterError
from sparsam.attack._risk import Risk
from sparsam.attack.masks._masked_reconstruction import (
    SPLIT,
    checked_mask,
    kept_share,
    people_interval,
)

EVIDENCE = {
    None: "nearest record, ties at random",
    "values": "nearest record, ties by rarity of the values",
    "records": "nearest record, ties by rarity of the record",
    "matching": "nearest record, ties by one-to-one matching",
    "gaussian": "nearest record, ties by a public normal law",
}
EMPTIED = ("absent", "last")
Matrix = NDArray[np.float64]
Counts = NDArray[np.int64]
_CELLS = 2**23  # pairs of people and records held at once
_COLUMNS = 512  # attributes multiplied at once
Mask = NDArray[np.bool_]
_COVARIANCES = 2**22  # entries of covariances held at once


def reidentification(
    X: ArrayLike,
    kept: ArrayLike,
    *,
    evidence: str | None = None,
    emptied: str = "absent",
    mean: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
) -> Risk:
    """Measure how far up an adversary ranks the minimised record of each person it knows.

    For each whole record the adversary ranks all minimised records by their distance over the kept
    values (Fioretto et al. 2024, eq. 3). A person's own record is at distance 0; so are all others
    whose kept values agree. Those ties decide, and the paper leaves their order open. By default
    it is random, and the expected reciprocal rank counts. A stronger adversary weighs evidence: a
    record that agrees in rare or in many values is likelier the right one than a record that would
    agree with almost anyone.

    Parameters
    ----------
    X : array of float, shape (n_people, n_attributes)
        The whole records, which the adversary has too. Values agree if they are equal. NaN where a
        value is not there: a record that keeps one there is not this person's.
    kept : array of bool, same shape
        The values that the minimised records have.
    evidence : {None, "values", "records", "matching", "gaussian"}, default=None
        How ties are ranked. None: at random. "values": by how rare each kept value is. "records":
        by how few people the record agrees with at all. "matching": the same, where also each
        record belongs to one person only. "gaussian": by how improbable the kept values are under
        the public normal law.
    emptied : {"absent", "last"}, default="absent"
        A record without a kept value comes after all others. If it is the person's own, then they
        are not in the data ("absent", counts 0), or the emptied records are guessed last, in a
        random order ("last").
    mean, covariance : array of float, optional
        Public statistics, for "gaussian" only.

    Returns
    -------
    Risk
        `value` is the mean over people of the expected reciprocal rank (RIR): 1 is everyone found.
        `baseline` is that of a random order. `details` hold `ranked_first` (the expected share of
        people whose record comes first), `n_emptied` (people of whom no value was kept) and
        `kept_share` (of the values there are).

    Notes
    -----
    The adversary knows everything of everyone, as in the paper; a real one knows less. Random rows
    have the kept share for their risk, if no two people are alike.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    >>> kept = np.array([[True, True], [True, False], [True, False], [False, False]])
    >>> round(reidentification(X, kept).value, 3)
    0.688
    >>> round(reidentification(X, kept, evidence="records").value, 3)
    0.75
    """
    records, mask = checked_mask(X, kept)
    _check_words(evidence, emptied, mean, covariance)
    agreement = Agreement.of(records, mask)
    weights = _weights(evidence, records, mask, agreement, mean, covariance)
    ahead, tied = tie_counts(agreement, grades(weights))
    n_people, n_emptied = len(records), int((~agreement.filled).sum())
    if emptied == "last":
        ahead = np.where(agreement.filled, ahead, n_people - n_emptied)
        tied = np.where(agreement.filled, tied, n_emptied)
    there = tied > 0
    rank = np.where(there, expected_reciprocal_rank(ahead, np.maximum(tied, 1)), 0.0)
    first = np.where(there & (ahead == 0), 1.0 / np.maximum(tied, 1), 0.0)
    n_ranked = int(there.sum())
    return Risk(
        adversary=EVIDENCE[evidence],
        measure="reciprocal rank",
        value=float(rank.mean()),
        interval=people_interval(rank),
        baseline=float(harmonic_numbers(n_ranked)[-1] / n_people),
        n=n_people,
        split=SPLIT,
        random_state=0,
        details={
            "evidence": evidence,
            "emptied": emptied,
            "ranked_first": float(first.mean()),
            "n_emptied": n_emptied,
            "kept_share": kept_share(records, mask),
            "alike": _mean_of(tied[there]),
        },
    )


def _weights(
    evidence: str | None,
    records: NDArray[np.float64],
    kept: NDArray[np.bool_],
    agreement: Agreement,
    mean: ArrayLike | None,
    covariance: ArrayLike | None,
) -> NDArray[np.float64]:
    if evidence == "values":
        return rarity_of_values(records, kept)
    if evidence == "records":
        return rarity_of_records(agreement)
    if evidence == "matching":
        return weight_in_matching(agreement)
    if mean is not None and covariance is not None:
        return gaussian_rarity(records, kept, mean, covariance)
    return np.zeros(len(records))


def _check_words(
    evidence: str | None, emptied: str, mean: ArrayLike | None, covariance: ArrayLike | None
) -> None:
    if evidence is not None:
        check_choice("reidentification", "evidence", evidence, [*filter(None, EVIDENCE)])
    check_choice("reidentification", "emptied", emptied, EMPTIED)
    n_given = (mean is not None) + (covariance is not None)
    if n_given != (2 if evidence == "gaussian" else 0):
        raise ParameterError(
            "The public 'mean' and 'covariance' must be given for the evidence 'gaussian', and for "
            f"no other. Got {n_given} of them for {evidence!r}."
        )


def _mean_of(counts: NDArray[np.int64]) -> float | None:
    return float(counts.mean()) if counts.size else None


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """Tells whether all kept values of a minimised record are those of a person.

    The values are replaced by their places among the distinct values of the attribute. The squared
    distance of such whole numbers over the kept values is a matrix product without rounding, and it
    is 0 if and only if the record agrees. An emptied record agrees with nobody.

    Attributes
    ----------
    codes : ndarray of int, shape (n_people, n_attributes)
    kept : ndarray of bool, same shape
        In the last column: whether the record has any value.
    """

    codes: NDArray[np.int32]
    kept: NDArray[np.bool_]

    @classmethod
    def of(cls, records: Matrix, kept: NDArray[np.bool_]) -> Agreement:
        """Encode the records.

        Parameters
        ----------
        records : ndarray of float, shape (n_people, n_attributes)
        kept : ndarray of bool, same shape
        """
        codes = np.empty(records.shape, dtype=np.int32)
        for number, column in enumerate(records.T):
            codes[:, number] = np.unique(column, return_inverse=True)[1]
        # An attribute of one value, or of no kept one, tells nobody apart. One column of zeros
        # stands for them all: a record that has only such values agrees with everyone.
        telling = kept.any(axis=0) & (codes.max(axis=0) > 0)
        rest = np.zeros((len(codes), 1), np.int32)
        filled = kept.any(axis=1, keepdims=True)
        return cls(np.hstack([codes[:, telling], rest]), np.hstack([kept[:, telling], filled]))

    @property
    def filled(self) -> NDArray[np.bool_]:
        """Whether a record has a kept value."""
        return self.kept[:, -1]

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.bool_]]]:
        """Return the people of each block, and the truth value of each of them and each record."""
        n_people = len(self.codes)
        size = max(1, _CELLS // n_people)
        precision = self._precision()
        empty = ~self.filled
        for start in range(0, n_people, size):
            people = slice(start, min(start + size, n_people))
            agrees = self._distance(people, precision) == 0
            agrees[:, empty] = False
            yield people, agrees

    def _distance(self, people: slice, precision: type[np.floating]) -> NDArray[np.floating]:
        """Squared distance of the codes over the kept values of each record."""
        total: NDArray[np.floating] | None = None
        for start in range(0, self.codes.shape[1], _COLUMNS):
            columns = slice(start, start + _COLUMNS)
            codes = self.codes[:, columns].astype(precision)
            kept = self.kept[:, columns].astype(precision)
            known = codes[people]
            shown = kept * codes
            left = np.hstack([known**2, known, np.ones((len(known), 1), precision)])
            right = np.hstack([kept, -2 * shown, (shown * codes).sum(axis=1, keepdims=True)])
            part = left @ right.T
            total = part if total is None else np.add(total, part, out=total)
        assert total is not None
        return total

    def _precision(self) -> type[np.floating]:
        largest = 4.0 * float((self.codes.max(axis=0).astype(np.float64) ** 2).sum())
        if largest < 2**24:
            return np.float32
        if largest < 2**53:
            return np.float64
        raise DataError("The records have too many distinct values to be compared exactly.")


def expected_reciprocal_rank(ahead: Counts, tied: Counts) -> Matrix:
    """Mean of 1 / rank when ties are put in a random order.

    With `ahead` records before the ties and `tied` of them, the ranks ahead + 1 … ahead + tied are
    equally likely: (H(ahead + tied) − H(ahead)) / tied, with the harmonic numbers H.

    Parameters
    ----------
    ahead : ndarray of int
    tied : ndarray of int
        At least 1: the record itself is among them.

    Examples
    --------
    >>> expected_reciprocal_rank(np.array([0, 0, 2]), np.array([1, 2, 1])).round(3).tolist()
    [1.0, 0.75, 0.333]
    """
    before, among = np.asarray(ahead, dtype=np.int64), np.asarray(tied, dtype=np.int64)
    if not before.size:
        return np.zeros(0)
    sums = harmonic_numbers(int((before + among).max()))
    means: Matrix = (sums[before + among] - sums[before]) / among
    return means


def harmonic_numbers(n: int) -> Matrix:
    """Return H(0) … H(n), where H(n) = 1 + 1/2 + … + 1/n.

    Parameters
    ----------
    n : int

    Examples
    --------
    >>> harmonic_numbers(2).tolist()
    [0.0, 1.0, 1.5]
    """
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, n + 1))])


def grades(weights: Matrix, tolerance: float = 1e-9) -> Counts:
    """Number weights from the least one up; such as differ by round-off only are equal.

    Parameters
    ----------
    weights : ndarray of float
    tolerance : float, default=1e-9
        Of the size of the largest weight, or of 1 if that is less.

    Examples
    --------
    >>> grades(np.array([0.5, 2.0, 0.5 + 1e-15])).tolist()
    [0, 1, 0]
    """
    order = np.argsort(weights, kind="stable")
    size = max(1.0, float(np.abs(weights).max(initial=0.0)))
    numbers = np.zeros(len(weights), dtype=np.int64)
    numbers[order[1:]] = np.cumsum(np.diff(weights[order]) > tolerance * size)
    return numbers


def tie_counts(agreement: Agreement, grade: Counts) -> tuple[Counts, Counts]:
    """Count for each person the agreeing records of a higher grade than theirs, and of the same.

    0 and 0 for a person whose record was emptied.

    Parameters
    ----------
    agreement : Agreement
    grade : ndarray of int, shape (n_people,)
        Of the records; the higher, the earlier guessed.
    """
    ahead, tied = np.zeros_like(grade), np.zeros_like(grade)
    for people, agrees in agreement.blocks():
        own = grade[people, None]
        ahead[people] = np.count_nonzero(agrees & (grade > own), axis=1)
        tied[people] = np.count_nonzero(agrees & (grade == own), axis=1)
    empty = ~agreement.filled
    ahead[empty], tied[empty] = 0, 0
    return ahead, tied


def rarity_of_values(records: Matrix, kept: Mask) -> Matrix:
    """Sum of −log of the share of people who have each kept value, as if values were independent.

    Parameters
    ----------
    records : ndarray of float, shape (n_people, n_attributes)
    kept : ndarray of bool, same shape

    Examples
    --------
    >>> found = rarity_of_values(np.array([[0.0], [0.0], [1.0], [2.0]]), np.ones((4, 1), bool))
    >>> np.exp(-found).round(6).tolist()
    [0.5, 0.5, 0.25, 0.25]
    """
    total = np.zeros(len(records))
    for column, present in zip(records.T, kept.T, strict=True):
        _, places, counts = np.unique(column, return_inverse=True, return_counts=True)
        total += np.where(present, -np.log(counts[places] / len(column)), 0.0)
    return total


def rarity_of_records(agreement: Agreement) -> Matrix:
    """−log of the share of people with whom each record agrees; 0 for an emptied record.

    If the record is equally likely anyone's with whom it agrees, that share times the number of
    people is how many it may be.

    Parameters
    ----------
    agreement : Agreement
    """
    counts = sum(agrees.sum(axis=0) for _, agrees in agreement.blocks())
    share = np.where(agreement.filled, counts, len(agreement.codes)) / len(agreement.codes)
    rarity: Matrix = -np.log(share)
    return rarity


def weight_in_matching(agreement: Agreement, rounds: int = 3) -> Matrix:
    """Weigh records when each belongs to one person and each person has one.

    A person with whom a telling record agrees is less likely to own another one. Sums over people
    and over records are brought to 1 in turn (Sinkhorn's scaling of the table of agreement), which
    approximates the chances in a random one-to-one matching. The first round alone is
    `rarity_of_records`, up to a constant.

    Parameters
    ----------
    agreement : Agreement
    rounds : int, default=3
        More bring next to nothing, and each takes as long as all of `rarity_of_records`, twice.
    """
    check_whole("weight_in_matching", "rounds", rounds, 1)
    filled = agreement.filled
    n_people = len(filled)
    n_emptied = int((~filled).sum())
    person = np.ones(n_people)
    for number in range(rounds):
        sums = sum(person[people] @ agrees for people, agrees in agreement.blocks())
        # An emptied record may be anyone's.
        record = 1.0 / np.where(filled, sums, person.sum())
        if number + 1 < rounds:
            emptied = n_emptied / person.sum()
            for people, agrees in agreement.blocks():
                person[people] = 1.0 / (agrees @ np.where(filled, record, 0.0) + emptied)
    weights: Matrix = np.log(record)
    return weights


def gaussian_rarity(records: Matrix, kept: Mask, mean: ArrayLike, covariance: ArrayLike) -> Matrix:
    """−log of the probability of each record's kept values, by a public normal law.

    A density says nothing about how many share a value until it is multiplied by the width of one:
    the mean step between the distinct values of the attribute.

    Parameters
    ----------
    records : ndarray of float, shape (n_people, n_attributes)
    kept : ndarray of bool, same shape
    mean, covariance : array of float
        See `gaussian_surprise`.
    """
    values = [np.unique(column[~np.isnan(column)]) for column in records.T]
    several = np.array([len(distinct) > 1 for distinct in values])
    widths = np.array([np.ptp(v) / (len(v) - 1) if len(v) > 1 else 0.0 for v in values])
    logs = np.log(np.where(several, widths, 1.0))
    telling = kept & several
    rarity: Matrix = gaussian_surprise(records, telling, mean, covariance) - telling @ logs
    return rarity


def gaussian_surprise(
    records: Matrix, kept: Mask, mean: ArrayLike, covariance: ArrayLike, ridge: float = 1e-6
) -> Matrix:
    """−log of the density of each record's kept values under a public normal law.

    Half of the squared Mahalanobis distance, of the log-determinant and of log 2π for each value;
    0 for an emptied record.

    Parameters
    ----------
    records : ndarray of float, shape (n_people, n_attributes)
    kept : ndarray of bool, same shape
    mean : array of float, shape (n_attributes,)
    covariance : array of float, shape (n_attributes, n_attributes)
    ridge : float, default=1e-6
        Added to the variances, for attributes that depend on one another.
    """
    centre, spread = np.asarray(mean, np.float64), np.asarray(covariance, np.float64)
    n_attributes = records.shape[1]
    if centre.shape != (n_attributes,) or spread.shape != (n_attributes, n_attributes):
        raise ParameterError(
            f"The public mean and covariance must be of {n_attributes:,} attributes. "
            f"Got the shapes {centre.shape} and {spread.shape} instead."
        )
    spread = spread + ridge * np.eye(n_attributes)
    sizes = kept.sum(axis=1)
    surprise = np.zeros(len(records))
    # Records with as many kept values have covariances of one size: solved together.
    for size in np.unique(sizes[sizes > 0]):
        alike = np.flatnonzero(sizes == size)
        for rows in np.array_split(alike, -(-len(alike) * int(size) ** 2 // _COVARIANCES)):
            chosen = np.nonzero(kept[rows])[1].reshape(len(rows), size)
            gap = records[rows[:, None], chosen] - centre[chosen]
            surprise[rows] = _surprise(gap, spread[chosen[:, :, None], chosen[:, None, :]])
    return surprise


def _surprise(gap: Matrix, spread: Matrix) -> Matrix:
    try:
        factor = np.linalg.cholesky(spread)
    except np.linalg.LinAlgError:
        raise DataError("The public covariance must be positive definite. It is not.") from None
    scaled = np.linalg.solve(factor, gap[:, :, None])[:, :, 0]
    logs = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    surprise: Matrix = 0.5 * (scaled**2).sum(axis=1) + logs + 0.5 * np.log(2 * np.pi) * gap.shape[1]
    return surprise
