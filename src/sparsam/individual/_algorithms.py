"""The algorithms that choose at random, by whole attributes or people, or by trying many masks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_whole
from sparsam.individual._arrays import Bits, Labels, Matrix, generator, kept_count, random_bits, top
from sparsam.individual._mask import Mask
from sparsam.individual._training_set import TrainingSet


def feature_selection(data: TrainingSet, keep: float, *, random_state: int = 0) -> Mask:
    """Keep the attributes that say most about the label, the same for all people (eq. 4).

    An attribute counts by its correlation with the label, or by its correlation ratio when there
    are more than two classes. The last attribute is kept for as many random people as are left.

    Parameters
    ----------
    data : TrainingSet
    keep : float
        The share of all values to keep.
    random_state : int, default=0

    Returns
    -------
    Mask

    Examples
    --------
    >>> data = TrainingSet([[0.0, 1.0], [0.1, 0.0], [1.0, 1.0], [0.9, 0.0]], [0, 0, 1, 1])
    >>> feature_selection(data, 0.5).kept.sum(0)
    array([4, 0])
    """
    order = np.argsort(-association(data.values, data.y), kind="stable")
    kept, rest = np.zeros(data.shape, bool), kept_count(keep, data.n_values)
    for attribute in order:
        there = np.flatnonzero(data.present[:, attribute])
        if rest < len(there):
            there = generator(random_state).choice(there, rest, replace=False)
        kept[there, attribute] = True
        rest -= len(there)
        if not rest:
            break
    return data.mask(kept, "feature selection", random_state)


def random_rows(data: TrainingSet, keep: float, *, random_state: int = 0) -> Mask:
    """Keep random people whole, and nothing of the others (eq. 5).

    Where that does not come out even, one more person keeps the rest.

    Examples
    --------
    >>> int(random_rows(TrainingSet([[0.0, 1.0], [0.1, 0.0]], [0, 1]), 0.5).kept.all(1).sum())
    1
    """
    rng, count = generator(random_state), kept_count(keep, data.n_values)
    order = rng.permutation(data.shape[0])
    so_far = np.cumsum(data.present[order].sum(1))
    whole = int(np.searchsorted(so_far, count, side="right"))
    kept = np.zeros(data.shape, bool)
    kept[order[:whole]] = data.present[order[:whole]]
    if rest := count - int(kept.sum()):
        there = np.flatnonzero(data.present[order[whole]])
        kept[order[whole], rng.choice(there, rest, replace=False)] = True
    return data.mask(kept, "random rows", random_state)


def individual_random(data: TrainingSet, keep: float, *, random_state: int = 0) -> Mask:
    """Keep single values at random, whoever's they are (eq. 6, with an exact count).

    Examples
    --------
    >>> individual_random(TrainingSet([[0.0, 1.0], [0.1, 0.0]], [0, 1]), 0.25).n_kept
    1
    """
    rng = generator(random_state)
    kept = random_bits(rng, data.present, kept_count(keep, data.n_values))
    return data.mask(kept, "individualised random", random_state)


def association(X: Matrix, y: Labels) -> Matrix:
    """Correlation ratio of each attribute with the label; |correlation| for two classes.

    Each over the people whose value is there; NaN says that it is not.

    Examples
    --------
    >>> association(np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([0, 1]))
    array([1., 0.])
    """
    n_classes, present = int(y.max()) + 1, ~np.isnan(X)
    sizes, sums = np.zeros((n_classes, X.shape[1])), np.zeros((n_classes, X.shape[1]))
    mean = np.where(present, X, 0.0).sum(0) / np.maximum(present.sum(0), 1)
    centred = np.where(present, X - mean, 0.0)
    np.add.at(sizes, y, present)
    np.add.at(sums, y, centred)
    between = (sums**2 / np.maximum(sizes, 1)).sum(0)
    total = (centred**2).sum(0)
    ratios: Matrix = np.sqrt(np.where(total > 1e-12, between / np.maximum(total, 1e-12), 0.0))
    return ratios


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
    scores = influences(data, keep, n_masks=n_masks, random_state=random_state)
    kept = top(np.where(data.present, scores, -np.inf), kept_count(keep, data.n_values))
    return data.mask(kept, "modelling", random_state, {"n_masks": n_masks})


def influences(
    data: TrainingSet, keep: float, *, n_masks: int = 400, random_state: int = 0
) -> Matrix:
    """Mean loss without each value less the mean loss with it.

    A value that all random masks had, or none, gets zero: nothing is known of it, or it is not
    there.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((60, 3))
    >>> data = TrainingSet(X, (X[:, 0] > 0.5).astype(int))
    >>> influences(data, 0.2, n_masks=4).shape
    (60, 3)
    """
    rng = generator(random_state)
    count = kept_count(keep, data.n_values)
    check_whole("modelling", "n_masks", n_masks, 2)
    left = n_masks
    sums, seen, total = np.zeros(data.shape), np.zeros(data.shape), 0.0
    while left:
        some = min(left, 16)
        masks = np.stack([random_bits(rng, data.present, count) for _ in range(some)])
        losses = data.losses(masks)
        sums += np.einsum("m,mnd->nd", losses, masks)
        seen += masks.sum(0)
        total += float(losses.sum())
        left -= some
    absent = n_masks - seen
    known = (seen > 0) & (absent > 0)
    without = (total - sums) / np.maximum(absent, 1)
    return np.where(known, without - sums / np.maximum(seen, 1), 0.0)


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
    rng = generator(random_state)
    count = kept_count(keep, data.n_values)
    for name, value, least in (
        ("population", population, 2),
        ("generations", generations, 1),
        ("flips", flips, 0),
    ):
        check_whole("evolutionary", name, value, least)
    masks = np.stack([random_bits(rng, data.present, count) for _ in range(population)])
    losses = data.losses(masks)
    for _ in range(generations):
        children = np.stack([_child(rng, masks, data.present, flips) for _ in range(population)])
        masks = np.concatenate([masks, children])
        losses = np.concatenate([losses, data.losses(children)])
        best = np.argsort(losses, kind="stable")[:population]
        masks, losses = masks[best], losses[best]
    facts = {"population": population, "generations": generations, "loss": float(losses[0])}
    return data.mask(masks[0], "evolutionary", random_state, facts)


def _child(rng: np.random.Generator, masks: NDArray[np.bool_], present: Bits, flips: int) -> Bits:
    first, second = rng.choice(len(masks), 2, replace=False)
    return mutate(rng, breed(rng, masks[first], masks[second]), present, flips)


def breed(rng: np.random.Generator, mother: Bits, father: Bits) -> Bits:
    """Keep what both parents keep, and fill up from what one of them keeps (eqs. 14 and 15).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> child = breed(rng, np.array([[True, True, False]]), np.array([[True, False, True]]))
    >>> bool(child[0, 0]), int(child.sum())
    (True, 2)
    """
    child = mother & father
    open_ = np.flatnonzero(mother ^ father)
    child.ravel()[rng.choice(open_, int(mother.sum() - child.sum()), replace=False)] = True
    return child


def mutate(rng: np.random.Generator, kept: Bits, present: Bits, flips: int) -> Bits:
    """Drop `flips` random kept values and add as many others that are there.

    Examples
    --------
    >>> there = np.array([[True, True, False]])
    >>> mutate(np.random.default_rng(0), np.array([[True, False, False]]), there, 1)
    array([[False,  True, False]])
    """
    here, gone = np.flatnonzero(kept), np.flatnonzero(present & ~kept)
    many = min(flips, len(here), len(gone))
    child = kept.copy()
    child.ravel()[rng.choice(here, many, replace=False)] = False
    child.ravel()[rng.choice(gone, many, replace=False)] = True
    return child
