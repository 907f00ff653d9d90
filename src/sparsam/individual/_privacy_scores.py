"""Put privacy into the choice of values (section 5.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sparsam._checks import check_number
from sparsam._errors import ParameterError
from sparsam.individual._arrays import Bits, Matrix, bits, matrix, top
from sparsam.individual._mask import Mask


def uniqueness_scores(X: ArrayLike) -> Matrix:
    """Score attributes by how little they single people out: 1 for the fewest distinct values.

    The negative number of distinct values, brought to [0, 1] (section 5.2). All zero when all
    attributes have as many.

    Parameters
    ----------
    X : matrix
        NaN where a value is not there.

    Returns
    -------
    ndarray of shape (n_attributes,)

    Examples
    --------
    >>> uniqueness_scores([[0, 1, 1], [0, 2, 2], [1, 3, 2]])
    array([1., 0., 1.])
    """
    rows = matrix(X, holes=True)
    distinct = [len(np.unique(column[~np.isnan(column)])) for column in rows.T]
    return _to_unit(-np.array(distinct, np.float64))


def independence_scores(X: ArrayLike) -> Matrix:
    """Score attributes by how little they say about the others: 1 for the least correlated.

    The negative mean absolute correlation with the other attributes, brought to [0, 1]
    (section 5.2). A constant attribute says nothing.

    Parameters
    ----------
    X : matrix
        NaN where a value is not there: a correlation is over the people who have both.

    Returns
    -------
    ndarray of shape (n_attributes,)

    Examples
    --------
    >>> independence_scores([[0, 0, 0], [1, 1, 1], [2, 2, 0], [3, 3, 1]]).round(2)
    array([0., 0., 1.])
    """
    related = np.abs(_correlations(matrix(X, holes=True)))
    np.fill_diagonal(related, 0.0)
    return _to_unit(-related.sum(1) / max(1, len(related) - 1))


def _correlations(rows: Matrix) -> Matrix:
    """Correlations, each over the people who have both values; zero where one is constant."""
    present = ~np.isnan(rows)
    here = present.astype(np.float64)
    mean = np.where(present, rows, 0.0).sum(0) / np.maximum(here.sum(0), 1)
    centred = np.where(present, rows - mean, 0.0)
    pairs = np.maximum(here.T @ here, 1)
    sums = centred.T @ here  # of each attribute, over the people who have the other one too
    covariance = centred.T @ centred - sums * sums.T / pairs
    squares = (centred**2).T @ here - sums**2 / pairs
    length = np.sqrt(np.maximum(squares * squares.T, 0.0))
    related: Matrix = np.where(length > 1e-12, covariance / np.maximum(length, 1e-12), 0.0)
    return related


def with_privacy(
    mask: Mask, scores: ArrayLike, beta: float, present: ArrayLike | None = None
) -> Mask:
    """Rank values by C = B + beta V and keep as many as the mask does (section 5.2, as printed).

    Since B is 0 or 1 and V lies in [0, 1], no order between a kept value and another one can turn
    below beta = 1: the mask stays as it is. Of equals, kept values come first. `graded` acts from
    the first bit of beta.

    Parameters
    ----------
    mask : Mask
    scores : array-like of shape (n_attributes,) or (n_people, n_attributes)
        In [0, 1]; a high score means that keeping the value costs little privacy.
    beta : float
    present : array-like of bool, optional
        Where a value is there to be kept; everywhere when left out.

    Returns
    -------
    Mask

    Examples
    --------
    >>> mask = Mask([[True, False], [False, True]])
    >>> with_privacy(mask, [0.0, 1.0], 0.99) == mask
    True
    >>> with_privacy(mask, [0.0, 1.0], 1.5).kept
    array([[False,  True],
           [False,  True]])
    """
    value = _scores(scores, mask.shape)
    return _ranked(mask, mask.kept.astype(np.float64), value, beta, present, "privacy scores")


def graded(
    mask: Mask,
    utility: ArrayLike,
    scores: ArrayLike,
    beta: float,
    present: ArrayLike | None = None,
) -> Mask:
    """Rank values by U + beta V, where U says how useful each single value is.

    U is the rank of the utility in [0, 1], such as that of `influences` or of the votes of several
    masks, so that a small beta already turns the order of values that are nearly as useful.

    Parameters
    ----------
    mask : Mask
        How many values to keep, and what the result states.
    utility : array-like of shape (n_people, n_attributes)
    scores : array-like of shape (n_attributes,) or (n_people, n_attributes)
        In [0, 1]; a high score means that keeping the value costs little privacy.
    beta : float
    present : array-like of bool, optional
        Where a value is there to be kept; everywhere when left out.

    Returns
    -------
    Mask

    Examples
    --------
    >>> mask = Mask([[True, False], [False, True]])
    >>> graded(mask, [[3.0, 2.9], [0.0, 3.1]], [0.0, 1.0], 0.5).kept
    array([[False,  True],
           [False,  True]])
    """
    useful = matrix(utility, "utility")
    bits(mask.kept, useful.shape)
    _, place = np.unique(useful.ravel(), return_inverse=True)
    rank = place.reshape(useful.shape) / max(1, place.max())
    value = _scores(scores, mask.shape)
    return _ranked(mask, rank, value, beta, present, "graded privacy scores")


def votes(masks: ArrayLike) -> Matrix:
    """How many of several masks of the same people keep each value: a utility for `graded`.

    Examples
    --------
    >>> votes([[[True, False]], [[True, True]]])
    array([[2., 1.]])
    """
    return np.asarray(np.asarray(masks, bool).sum(0), np.float64)


def _ranked(
    mask: Mask, useful: Matrix, value: Matrix, beta: float, present: ArrayLike | None, how: str
) -> Mask:
    check_number("a ranking", "beta", beta)
    there = np.ones(mask.shape, bool) if present is None else bits(present, mask.shape)
    score = np.where(there, useful + beta * value, -np.inf)
    kept = _top_old_first(score, mask.kept, mask.n_kept)
    if np.array_equal(kept, mask.kept):
        return mask
    return Mask(
        kept,
        mask.attributes,
        algorithm=f"{mask.algorithm} with {how}".strip(),
        learner=mask.learner,
        random_state=mask.random_state,
        facts={**mask.facts, "beta": float(beta)},
        n_values=mask.n_values,
    )


def _top_old_first(score: Matrix, kept: Bits, count: int) -> Bits:
    """Take the highest scores; of equals, kept values come first, then by place."""
    order = np.lexsort((~kept.ravel(), -score.ravel()))
    place = np.empty(len(order), np.float64)
    place[order] = -np.arange(len(order))
    return top(place.reshape(score.shape), count)


def _scores(scores: ArrayLike, shape: tuple[int, int]) -> Matrix:
    value = np.asarray(scores, np.float64)
    if value.shape not in ((shape[1],), shape) or not ((value >= 0) & (value <= 1)).all():
        raise ParameterError(
            "'scores' must be in [0, 1], one for each attribute or for each value."
        )
    return np.broadcast_to(value, shape)


def _to_unit(raw: Matrix) -> Matrix:
    low, high = raw.min(), raw.max()
    if high - low < 1e-12:
        return np.zeros_like(raw)
    return np.asarray((raw - low) / (high - low))
