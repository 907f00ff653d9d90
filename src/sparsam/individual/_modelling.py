"""Model what each value adds to the utility, from many random masks."""

from __future__ import annotations

import numpy as np

from sparsam.individual._baselines import random_bits
from sparsam.individual._checks import Matrix, kept_count, positive, seed
from sparsam.individual._mask import Mask
from sparsam.individual._training_set import TrainingSet


def modelling(data: TrainingSet, keep: float, *, n_masks: int = 400, random_state: int = 0) -> Mask:
    """Keep the values whose absence cost most over many random masks (eqs. 9 to 13).

    Each value counts by the mean loss of the models that lacked it less the mean loss of those
    that had it, as if values acted independently.

    Parameters
    ----------
    data : TrainingSet
    keep : float
        The share of all values to keep, in the random masks as in the result.
    n_masks : int, default=400
        How many models to train.
    random_state : int, default=0

    Returns
    -------
    Mask

    Examples
    --------
    >>> X = np.random.default_rng(0).random((60, 3))
    >>> data = TrainingSet(X, (X[:, 0] > 0.5).astype(int))
    >>> modelling(data, 0.2, n_masks=10).n_kept
    36
    """
    found = influences(data, keep, n_masks=n_masks, random_state=random_state)
    kept = top(found, kept_count(keep, data.shape))
    return data.mask(kept, "modelling", random_state, {"n_masks": n_masks})


def influences(
    data: TrainingSet, keep: float, *, n_masks: int = 400, random_state: int = 0
) -> Matrix:
    """Mean loss without each value less the mean loss with it.

    A value that all random masks had, or none, gets zero: nothing is known of it.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((60, 3))
    >>> data = TrainingSet(X, (X[:, 0] > 0.5).astype(int))
    >>> influences(data, 0.2, n_masks=4).shape
    (60, 3)
    """
    rng = np.random.default_rng(seed(random_state))
    count = kept_count(keep, data.shape)
    left = positive(n_masks, "n_masks", 2)
    sums, seen, total = np.zeros(data.shape), np.zeros(data.shape), 0.0
    while left:
        some = min(left, 16)
        masks = np.stack([random_bits(rng, data.shape, count) for _ in range(some)])
        losses = data.losses(masks)
        sums += np.einsum("m,mnd->nd", losses, masks)
        seen += masks.sum(0)
        total += float(losses.sum())
        left -= some
    absent = n_masks - seen
    known = (seen > 0) & (absent > 0)
    without = (total - sums) / np.maximum(absent, 1)
    return np.where(known, without - sums / np.maximum(seen, 1), 0.0)


def top(score: Matrix, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Keep exactly `count` values with the highest score; of equals, those that come first.

    Examples
    --------
    >>> top(np.array([[1.0, 3.0], [2.0, 0.0]]), 2)
    array([[False,  True],
           [ True, False]])
    """
    kept = np.zeros(score.size, bool)
    kept[np.argsort(-score.ravel(), kind="stable")[:count]] = True
    return kept.reshape(score.shape)
