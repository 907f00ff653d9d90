"""Search a mask by mutation, breeding and selection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam.individual._baselines import random_bits
from sparsam.individual._checks import Bits, kept_count, positive, seed
from sparsam.individual._mask import Mask
from sparsam.individual._training_set import TrainingSet


def evolutionary(
    data: TrainingSet,
    keep: float,
    *,
    population: int = 20,
    generations: int = 30,
    flips: int = 10,
    random_state: int = 0,
) -> Mask:
    """Keep values that a search by mutation and breeding found (appendix A.2).

    Each generation breeds as many children as there are masks, mutates them, trains one model for
    each, and keeps the best of old and new by the loss on the full training rows. Every mask has
    the exact count at every moment.

    Parameters
    ----------
    data : TrainingSet
    keep : float
        The share of all values to keep.
    population : int, default=20
    generations : int, default=30
    flips : int, default=10
        How many kept values a mutation drops, and how many it adds.
    random_state : int, default=0

    Returns
    -------
    Mask

    Examples
    --------
    >>> X = np.random.default_rng(0).random((60, 3))
    >>> data = TrainingSet(X, (X[:, 0] > 0.5).astype(int))
    >>> evolutionary(data, 0.2, population=4, generations=2).n_kept
    36
    """
    rng = np.random.default_rng(seed(random_state))
    count = kept_count(keep, data.shape)
    size = positive(population, "population", 2)
    positive(flips, "flips", 0)
    masks = np.stack([random_bits(rng, data.shape, count) for _ in range(size)])
    losses = data.losses(masks)
    for _ in range(positive(generations, "generations")):
        children = np.stack([_child(rng, masks, flips) for _ in range(size)])
        masks = np.concatenate([masks, children])
        losses = np.concatenate([losses, data.losses(children)])
        best = np.argsort(losses, kind="stable")[:size]
        masks, losses = masks[best], losses[best]
    facts = {"population": population, "generations": generations, "loss": float(losses[0])}
    return data.mask(masks[0], "evolutionary", random_state, facts)


def _child(rng: np.random.Generator, masks: NDArray[np.bool_], flips: int) -> Bits:
    one, other = rng.choice(len(masks), 2, replace=False)
    return mutate(rng, breed(rng, masks[one], masks[other]), flips)


def breed(rng: np.random.Generator, one: Bits, other: Bits) -> Bits:
    """Keep what both parents keep, and fill up from what one of them keeps (eqs. 14 and 15).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> child = breed(rng, np.array([[True, True, False]]), np.array([[True, False, True]]))
    >>> bool(child[0, 0]), int(child.sum())
    (True, 2)
    """
    child = one & other
    open_ = np.flatnonzero(one ^ other)
    child.ravel()[rng.choice(open_, int(one.sum() - child.sum()), replace=False)] = True
    return child


def mutate(rng: np.random.Generator, kept: Bits, flips: int) -> Bits:
    """Drop `flips` random kept values and add as many others.

    Examples
    --------
    >>> mutate(np.random.default_rng(0), np.array([[True, False]]), 1)
    array([[False,  True]])
    """
    here, gone = np.flatnonzero(kept), np.flatnonzero(~kept)
    many = min(flips, len(here), len(gone))
    child = kept.copy()
    child.ravel()[rng.choice(here, many, replace=False)] = False
    child.ravel()[rng.choice(gone, many, replace=False)] = True
    return child
