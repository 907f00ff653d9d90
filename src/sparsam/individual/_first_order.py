"""Approximate what each value adds to the utility, to first order."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from sparsam._checks import check_choice, check_whole
from sparsam._errors import ParameterError
from sparsam.individual._arrays import (
    Bits,
    Labels,
    Matrix,
    generator,
    kept_count,
    labels,
    matrix,
    random_bits,
    top,
)
from sparsam.individual._learners import (
    MOST_PARAMETERS,
    LogisticLearner,
    curvature,
    n_outputs,
    one_hot,
    outputs_of,
    penalties,
    with_one,
)
from sparsam.individual._mask import Mask
from sparsam.individual._training_set import TrainingSet

Rule = Literal["signed", "absolute"]


def first_order(
    data: TrainingSet,
    keep: float,
    *,
    held_out: tuple[ArrayLike, ArrayLike] | None = None,
    rule: Rule | None = None,
    relinearised: bool | None = None,
    rounds: int = 120,
    damping: float = 1e-2,
    random_state: int = 0,
) -> Mask:
    """Keep the values whose absence would cost most, to first order (eqs. 7 and 8).

    The paper's score multiplies the gradient of the loss at the optimum, which is zero there. Two
    ways out: the gradient of the loss on held-out rows, or the gradient on the training rows at
    the model of the current mask, computed again after every change of the mask.

    Parameters
    ----------
    data : TrainingSet
        Its learner is used when it is logistic; for another one a softmax regression stands in.
    keep : float
        The share of all values to keep.
    held_out : pair of (X, y), optional
        Labelled rows that are neither minimised nor used for testing.
    rule : {"signed", "absolute"}, optional
        Whether a value whose absence would lower the loss goes first, or values of little effect
        of any sign. The first trusts the approximation far from where it holds. When left out,
        "signed" with `relinearised`, whose steps are small, and else "absolute".
    relinearised : bool, optional
        Start from a random mask and improve it in steps. When left out, whether there are no
        held-out rows.
    rounds : int, default=120
        Steps of `relinearised`, with one model trained in each.
    damping : float, default=0.01
        Added to the diagonal of the Hessian of the mean loss.
    random_state : int, default=0

    Returns
    -------
    Mask

    Examples
    --------
    >>> X = np.random.default_rng(0).random((60, 3))
    >>> data = TrainingSet(X, (X[:, 0] > 0.5).astype(int))
    >>> first_order(data, 0.2, rounds=3).n_kept
    36
    """
    moving = held_out is None if relinearised is None else relinearised
    chosen: Rule = rule or ("signed" if moving else "absolute")
    check_choice("first_order", "rule", chosen, get_args(Rule))
    check_whole("first_order", "rounds", rounds, 1)
    if held_out is None and not moving:
        raise ParameterError(
            "The gradient on the training rows is zero at the full model: give 'held_out' rows, "
            "or leave 'relinearised' on."
        )
    wide = (data.shape[1] + 1) * n_outputs(data.n_classes)
    if wide > MOST_PARAMETERS:
        raise ParameterError(
            f"First order needs the Hessian: at most {MOST_PARAMETERS:,} parameters of the model. "
            f"Got {wide:,}.\n\nHint: 'stationarity' takes wide tables."
        )
    count, rng = kept_count(keep, data.n_values), generator(random_state)
    line = _Line(data, held_out, damping)
    if moving:
        begin = random_bits(rng, data.present, count)
        kept = _improve(data, line, begin, chosen, rounds, rng)
    else:
        score = _score(line.removal_costs(data.full), chosen)
        kept = top(np.where(data.present, score, -np.inf), count)
    facts = {"rule": chosen, "gradient": "re-linearised" if moving else "held-out"}
    return data.mask(kept, "first order", random_state, facts)


def _score(costs: Matrix, rule: Rule) -> Matrix:
    return np.abs(costs) if rule == "absolute" else costs


def _improve(
    data: TrainingSet,
    line: _Line,
    kept: Bits,
    rule: Rule,
    rounds: int,
    rng: np.random.Generator,
) -> Bits:
    """Exchange the worst kept values for the best of the others where the loss falls.

    The step doubles after a success and shrinks after a failure. Only half of the values may
    change in a round, so that a failure is not tried again.
    """
    count = int(kept.sum())
    most = max(1, min(count, data.n_values - count) // 4)
    many = most
    loss = data.losses(kept[None])[0]
    score = _score(line.removal_costs(kept), rule)
    for _ in range(rounds):
        free = (rng.random(kept.shape) < 0.5) & data.present
        size = min(many, int((kept & free).sum()), int((~kept & free).sum()))
        worst = top(np.where(kept & free, -score, -np.inf), size)
        best = top(np.where(~kept & free, score, -np.inf), size)
        trial = (kept & ~worst) | best
        after = data.losses(trial[None])[0]
        if after < loss:
            kept, loss, many = trial, after, min(most, 2 * many)
            score = _score(line.removal_costs(kept), rule)
        else:
            many = max(1, many // 3)
    return kept


class _Line:
    """The first-order effect of each value on the loss."""

    def __init__(
        self, data: TrainingSet, held_out: tuple[ArrayLike, ArrayLike] | None, damping: float
    ) -> None:
        self.data = data
        self.damping = damping
        known = isinstance(data.learner, LogisticLearner)
        self.learner = data.learner if known else LogisticLearner()
        if held_out is None:
            self.rows, self.truth = data.X, data.y
        else:
            self.rows = matrix(held_out[0], "held-out rows")
            self.truth = labels(held_out[1], len(self.rows), "held-out labels")

    def removal_costs(self, kept: Bits) -> Matrix:
        """How much the loss would grow if a value were filled instead of known.

        For a value that is not kept this is the loss that keeping it would save.
        """
        data = self.data
        filled = data.imputed(kept)
        # what a kept value would be filled with: the public mean
        without = np.where(kept, data.statistics.mean, filled)
        if data.imputation == "zero":
            without = np.where(kept, 0.0, filled)
        return (without - data.X) * self.slopes(filled)

    def slopes(self, filled: Matrix) -> Matrix:
        """Derivative of the loss after training with respect to each value of the rows."""
        data = self.data
        assert isinstance(self.learner, LogisticLearner)
        theta = self.learner.fit_many(filled[None], data.y, data.n_classes)
        X1 = with_one(filled[None])
        outputs = outputs_of(theta, X1)
        penalty = penalties(filled.shape[1], data.n_classes, self.learner.l2)
        hessian = curvature(X1, outputs, penalty)[0]
        hessian += self.damping * len(filled) * np.eye(len(hessian))
        pull = np.linalg.solve(hessian, loss_gradient(theta, self.rows, self.truth, data.n_classes))
        weights = theta.reshape(-1, X1.shape[2])[:, :-1]
        turn = pull.reshape(-1, X1.shape[2])
        along = X1[0] @ turn.T
        shares = outputs[0]
        bend = shares * (along - (shares * along).sum(1, keepdims=True))
        error = shares - one_hot(data.y, data.n_classes)
        slope: Matrix = -(error @ turn[:, :-1] + bend @ weights)
        return slope


def loss_gradient(theta: Matrix, rows: Matrix, truth: Labels, n_classes: int) -> Matrix:
    """Gradient of the mean log loss on some rows, flat.

    Examples
    --------
    >>> loss_gradient(np.zeros((1, 2)), np.array([[1.0]]), np.array([1]), 2)
    array([-0.5, -0.5])
    """
    X1 = with_one(rows[None])
    error = outputs_of(theta, X1)[0] - one_hot(truth, n_classes)
    return np.asarray((error.T @ X1[0]).ravel() / len(rows))
