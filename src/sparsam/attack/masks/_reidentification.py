"""Whose minimised record is this? The adversary knows the person's whole record."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import ParameterError
from sparsam.attack._risk import Risk
from sparsam.attack.masks._evidence import (
    gaussian_rarity,
    rarity_of_records,
    rarity_of_values,
    weight_in_matching,
)
from sparsam.attack.masks._masked_reconstruction import SPLIT, checked_mask, people_interval
from sparsam.attack.masks._ranks import (
    Agreement,
    expected_reciprocal_rank,
    grades,
    harmonic_numbers,
    tie_counts,
)

EVIDENCE = {
    None: "nearest record, ties at random",
    "values": "nearest record, ties by rarity of the values",
    "records": "nearest record, ties by rarity of the record",
    "matching": "nearest record, ties by one-to-one matching",
    "gaussian": "nearest record, ties by a public normal law",
}
EMPTIED = ("absent", "last")


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
        The whole records, which the adversary has too. Values agree if they are equal.
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
        `kept_share` (of all values).

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
            "kept_share": float(mask.mean()),
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
    if evidence not in EVIDENCE:
        known = ", ".join(repr(word) for word in EVIDENCE)
        raise ParameterError(
            f"The 'evidence' parameter must be one of {known}. Got {evidence!r} instead."
        )
    if emptied not in EMPTIED:
        raise ParameterError(
            f"The 'emptied' parameter must be 'absent' or 'last'. Got {emptied!r} instead."
        )
    given = (mean is not None) + (covariance is not None)
    if given != (2 if evidence == "gaussian" else 0):
        raise ParameterError(
            "The public 'mean' and 'covariance' must be given for the evidence 'gaussian', and for "
            f"no other. Got {given} of them for {evidence!r}."
        )


def _mean_of(counts: NDArray[np.int64]) -> float | None:
    return float(counts.mean()) if counts.size else None
