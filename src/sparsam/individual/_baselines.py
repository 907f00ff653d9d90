"""The three baselines: whole attributes, whole people, single values at random."""

from __future__ import annotations

import numpy as np

from sparsam.individual._checks import Bits, Labels, Matrix, kept_count, seed
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
    people, wide = data.shape
    whole, rest = divmod(kept_count(keep, data.shape), people)
    order = np.argsort(-association(data.X, data.y), kind="stable")
    kept = np.zeros((people, wide), bool)
    kept[:, order[:whole]] = True
    if rest:
        rng = np.random.default_rng(seed(random_state))
        kept[rng.choice(people, rest, replace=False), order[whole]] = True
    return data.mask(kept, "feature selection", random_state)


def random_rows(data: TrainingSet, keep: float, *, random_state: int = 0) -> Mask:
    """Keep random people whole, and nothing of the others (eq. 5).

    When the number of values is no multiple of the attributes, one more person keeps the rest.

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
    >>> sorted(random_rows(data, 0.5).kept.sum(1).tolist())
    [0, 0, 2, 2]
    """
    people, wide = data.shape
    whole, rest = divmod(kept_count(keep, data.shape), wide)
    rng = np.random.default_rng(seed(random_state))
    order = rng.permutation(people)
    kept = np.zeros((people, wide), bool)
    kept[order[:whole]] = True
    if rest:
        kept[order[whole], rng.choice(wide, rest, replace=False)] = True
    return data.mask(kept, "random rows", random_state)


def individual_random(data: TrainingSet, keep: float, *, random_state: int = 0) -> Mask:
    """Keep single values at random, whoever's they are (eq. 6, with an exact count).

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
    >>> individual_random(data, 0.25).n_kept
    2
    """
    rng = np.random.default_rng(seed(random_state))
    kept = random_bits(rng, data.shape, kept_count(keep, data.shape))
    return data.mask(kept, "individualised random", random_state)


def random_bits(rng: np.random.Generator, shape: tuple[int, int], count: int) -> Bits:
    """Set exactly `count` random bits.

    Examples
    --------
    >>> int(random_bits(np.random.default_rng(0), (3, 4), 5).sum())
    5
    """
    kept = np.zeros(shape[0] * shape[1], bool)
    kept[rng.choice(kept.size, count, replace=False)] = True
    return kept.reshape(shape)


def association(X: Matrix, y: Labels) -> Matrix:
    """Correlation ratio of each attribute with the label; |correlation| for two classes.

    Examples
    --------
    >>> association(np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([0, 1]))
    array([1., 0.])
    """
    n_classes = int(y.max()) + 1
    sizes = np.bincount(y, minlength=n_classes)
    centred = X - X.mean(0)
    sums = np.zeros((n_classes, X.shape[1]))
    np.add.at(sums, y, centred)
    between = (sums**2 / np.maximum(sizes, 1)[:, None]).sum(0)
    total = (centred**2).sum(0)
    found: Matrix = np.sqrt(np.where(total > 1e-12, between / np.maximum(total, 1e-12), 0.0))
    return found
