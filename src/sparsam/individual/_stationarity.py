"""Choose the mask so that the full model stays the best one: no retraining."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._checks import check_number, check_whole, wrong_parameter
from sparsam._errors import ParameterError
from sparsam.individual._arrays import Bits, Matrix, generator, kept_count, top
from sparsam.individual._imputation import impute
from sparsam.individual._learners import (
    LogisticLearner,
    Stack,
    curvature,
    n_outputs,
    one_hot,
    outputs_of,
    penalties,
    with_one,
)
from sparsam.individual._mask import Mask
from sparsam.individual._training_set import TrainingSet

Rows = NDArray[np.intp]
_SETTLE = 20
_WIDE = 1000


def stationarity(
    data: TrainingSet,
    keep: float,
    *,
    strengths: Sequence[float] | None = None,
    rounds: int | None = None,
    privacy: ArrayLike | None = None,
    privacy_weight: float = 0.0,
    start: ArrayLike | None = None,
    guided: bool | None = None,
    random_state: int = 0,
) -> Mask:
    """Keep values such that the model of the full data stays optimal on what is left.

    The parameters of the full model are the best for the minimised rows as soon as the gradients
    of those rows, with the penalty, add up to zero there. So the sum of the gradients is made
    small, in the metric of the loss on the full rows that it costs to second order. Each round
    proposes a swap of two values, or a drop and an addition, for every person, and takes the best
    prefix of the people sorted by gain. No model is trained on the way.

    Parameters
    ----------
    data : TrainingSet
        Its learner is used when it is logistic; for another one a softmax regression stands in.
        With above 1,000 parameters, as with texts, the model on the main axes of the rows does.
    keep : float
        The share of all values to keep.
    strengths : sequence of float, optional
        The penalties (l2) that the mask must suit, all at once: several of them keep the mask
        from suiting one learner alone. The learner's own one when left out.
    rounds : int, optional
        120 for each strength when left out.
    privacy : array-like of shape (n_attributes,) or (n_people, n_attributes), optional
        What keeping a value costs, such as `1 - uniqueness_scores(X)`.
    privacy_weight : float, default=0.0
        How much mean log loss one unit of mean cost of the kept values is worth.
    start : array-like of bool, optional
        The mask to start from, with the right count; a random one when left out.
    guided : bool, optional
        Propose values more often that are far from what they would be filled with. It helps where
        most values say nothing, as in texts and pictures; elsewhere it only keeps what is peculiar
        to a person. When left out, whether above 15 % of the values say nothing.
    random_state : int, default=0

    Returns
    -------
    Mask
        Its facts state `gap`: the penalised mean loss on the full rows that it costs, to second
        order.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((200, 4))
    >>> y = (X[:, 0] + X[:, 1] > 1).astype(int)
    >>> data = TrainingSet(X, y)
    >>> mask = stationarity(data, 0.25)
    >>> mask.n_kept, bool(mask.facts["gap"] < 1e-4)
    (200, True)
    """
    rng = generator(random_state)
    count = kept_count(keep, data.n_values)
    distance = _distances(data, guided)
    kept = _first(rng, data.present, distance, count) if start is None else np.array(start, bool)
    if kept.shape != data.shape or int(kept.sum()) != count or (kept & ~data.present).any():
        raise ParameterError(f"'start' must be a mask that keeps {count} values that are there.")
    chosen = _strengths(data, strengths)
    rounds = 120 * len(chosen) if rounds is None else rounds
    check_whole("stationarity", "rounds", rounds, 1)
    cost = _costs(privacy, privacy_weight, data.shape, count)
    state = _State(data, _Metric(data, chosen), kept, cost, distance)
    own = isinstance(data.learner, LogisticLearner)
    for turn in range(rounds):
        # early on the mask changes too fast, and a surrogate's own cost is beside the point
        if own and turn >= 2 * rounds // 3 and turn % _SETTLE == 0:
            state.settle()
        if turn % 2:
            state.pairs(rng)
        else:
            state.swaps(rng)
        state.guided = turn % 4 > 1  # every other pair of rounds, to reach all masks
    state.settle()
    facts: dict[str, str | float | int] = {"gap": state.gap(), "rounds": rounds}
    if strengths is not None:
        facts["strengths"] = ", ".join(f"{strength:g}" for strength in strengths)
    if privacy_weight:
        facts["privacy_weight"] = privacy_weight
    return data.mask(state.kept, "stationarity", random_state, facts)


def _strengths(data: TrainingSet, given: Sequence[float] | None) -> tuple[float, ...]:
    if given is None:
        learner = data.learner
        return (learner.l2 if isinstance(learner, LogisticLearner) else 1.0,)
    if not given or not all(strength > 0 for strength in given):
        raise wrong_parameter("stationarity", "strengths", "penalties > 0", given)
    return tuple(given)


def _costs(
    privacy: ArrayLike | None, weight: float, shape: tuple[int, int], count: int
) -> Matrix | None:
    """Cost of each kept value, in summed log loss."""
    check_number("stationarity", "privacy_weight", weight)
    if privacy is None or not weight:
        return None
    cost = np.asarray(privacy, np.float64)
    if cost.shape not in ((shape[1],), shape) or not np.isfinite(cost).all():
        raise ParameterError("'privacy' must be a finite cost for each attribute, or each value.")
    return np.broadcast_to(cost * (weight * shape[0] / count), shape)


def _distances(data: TrainingSet, guided: bool | None) -> Matrix:
    """How far each value is from what it would be filled with if nothing else were known."""
    plain = np.zeros(data.shape[1]) if data.imputation == "zero" else data.statistics.mean
    distance = np.abs(data.X - plain)
    if guided is None:
        guided = bool((distance[data.present] < 0.01).mean() > 0.15)
    return np.asarray(distance + 1e-3 if guided else np.ones(data.shape))


def _first(rng: np.random.Generator, present: Bits, distance: Matrix, count: int) -> Bits:
    """Draw the first mask; values that say much come more often."""
    race = -rng.standard_exponential(distance.shape) / distance
    return top(np.where(present, race, -np.inf), count)


class _Metric:
    """The full models, one for each strength, and the metric that their gradients are in.

    To first order the model trained on the minimised rows differs from the full one by G^-1 r,
    where G is the Hessian of the minimised rows; that costs r' G^-1 H G^-1 r / 2 on the full rows,
    where H is theirs. With H = L L', the whitened gradient is r G^-1 L. Until the mask has
    settled, H stands for G too, which leaves r' H^-1 r / 2.
    """

    def __init__(self, data: TrainingSet, strengths: tuple[float, ...]) -> None:
        self.y, self.n_classes = data.y, data.n_classes
        self.basis = _basis(data)
        rows = self._seen(data.X)
        X1 = with_one(rows[None])
        self.penalties = [penalties(rows.shape[1], data.n_classes, l2) for l2 in strengths]
        self.thetas = [
            LogisticLearner(l2).fit_many(rows[None], data.y, data.n_classes) for l2 in strengths
        ]
        self.roots = [
            np.linalg.cholesky(self._hessian(theta, X1, penalty))
            for theta, penalty in zip(self.thetas, self.penalties, strict=True)
        ]
        self.whitening: list[Matrix] = []

    def _seen(self, rows: Matrix) -> Matrix:
        return rows if self.basis is None else rows @ self.basis

    @staticmethod
    def _hessian(theta: Matrix, X1: Stack, penalty: Matrix) -> Matrix:
        hessian: Matrix = curvature(X1, outputs_of(theta, X1), penalty)[0]
        return hessian

    def settle(self, curved: Matrix) -> Matrix:
        """Take G from some rows; give the whitened gradient of the penalty."""
        X1, many = with_one(self._seen(curved)[None]), np.sqrt(len(self.thetas))
        self.whitening = [
            np.linalg.solve(self._hessian(theta, X1, penalty), root) / many
            for theta, root, penalty in zip(self.thetas, self.roots, self.penalties, strict=True)
        ]
        parts = zip(self.penalties, self.thetas, self.whitening, strict=True)
        return np.concatenate([(penalty * theta[0]) @ white for penalty, theta, white in parts])

    def gradients(self, filled: Matrix, rows: Rows) -> Matrix:
        """Return the whitened gradient of each of some people's loss, at the full models."""
        X1 = with_one(self._seen(filled))
        target = one_hot(self.y[rows], self.n_classes)
        gradients = []
        for theta, white in zip(self.thetas, self.whitening, strict=True):
            error = outputs_of(theta, X1[None])[0] - target
            joint = (error[:, :, None] * X1[:, None, :]).reshape(len(X1), -1)
            gradients.append(joint @ white)
        return np.concatenate(gradients, axis=1)


def _basis(data: TrainingSet) -> Matrix | None:
    """For a wide table, the main axes of its rows: as many as a Hessian can bear."""
    outputs = n_outputs(data.n_classes)
    if (data.shape[1] + 1) * outputs <= _WIDE:
        return None
    axes = np.linalg.svd(data.X, full_matrices=False)[2]
    return np.asarray(axes[: max(1, _WIDE // outputs - 1)].T)


class _State:
    """A mask, the gradient of each person under it, and their sum r."""

    def __init__(
        self,
        data: TrainingSet,
        metric: _Metric,
        kept: Bits,
        cost: Matrix | None,
        distance: Matrix,
    ) -> None:
        self.data, self.metric, self.kept, self.cost = data, metric, kept, cost
        self.distance, self.present = distance, data.present
        self.guided = False
        self._count(data.X)

    def settle(self) -> None:
        """Bring the metric and all gradients up to the mask."""
        self._count(self._filled(np.arange(len(self.kept)), self.kept))

    def _count(self, curved: Matrix) -> None:
        everyone = np.arange(len(self.kept))
        filled = self._filled(everyone, self.kept)
        self.base = self.metric.settle(curved)
        self.each = self.metric.gradients(filled, everyone)
        self.r = self.base + self.each.sum(0)

    def gap(self) -> float:
        """Loss per person on the full rows that the mask costs, to second order."""
        return float(self.r @ self.r / 2 / len(self.kept))

    def _filled(self, rows: Rows, here: Bits) -> Matrix:
        data = self.data
        if data.imputation == "learned":
            raise ParameterError(
                "Stationarity fills each person on their own: the imputation must be 'gaussian', "
                "'mean' or 'zero'. Got 'learned' instead."
            )
        return impute(data.values[rows], here, data.imputation, data.statistics, tolerance=1e-6)

    def swaps(self, rng: np.random.Generator) -> None:
        """Propose to swap one kept value of each person for another one of theirs."""
        held = self.kept.sum(1)
        rows = np.flatnonzero((held > 0) & (held < self.present.sum(1)))
        if not len(rows):
            return
        here = self.kept[rows]
        at = np.arange(len(rows))
        drop, add = self._pick(rng, rows, True), self._pick(rng, rows, False)
        here[at, drop] = False
        here[at, add] = True
        self._take(rows, here, at[:, None], *self._change(rows, here))

    def pairs(self, rng: np.random.Generator) -> None:
        """Propose that half of the people drop a value each, and the others add one each."""
        order = rng.permutation(len(self.kept))
        half = len(order) // 2
        givers, takers = order[:half], order[half:]
        givers = givers[self.kept[givers].any(1)]
        takers = takers[(self.present[takers] & ~self.kept[takers]).any(1)]
        if not len(givers) or not len(takers):
            return
        rows = np.concatenate([givers, takers])
        here = self.kept[rows]
        drop, add = self._pick(rng, givers, True), self._pick(rng, takers, False)
        here[np.arange(len(givers)), drop] = False
        here[np.arange(len(givers), len(rows)), add] = True
        change, spent, new = self._change(rows, here)
        gain = self._gains(change, spent)
        # the best giver goes with the best taker, so that the count stays exact
        first = np.argsort(-gain[: len(givers)], kind="stable")
        second = len(givers) + np.argsort(-gain[len(givers) :], kind="stable")
        many = min(len(first), len(second))
        groups = np.column_stack([first[:many], second[:many]])
        self._take(rows, here, groups, change, spent, new)

    def _pick(self, rng: np.random.Generator, rows: Rows, drop: bool) -> Rows:
        """Pick one value of each person at random, of the kept ones or of the others there are.

        Every other pair of rounds, values that say little go more often, and values that say much
        come more often: most words of a text are absent, and keeping that is no use.
        """
        kept = self.kept[rows]
        race = rng.standard_exponential(kept.shape)
        if self.guided:
            distance = self.distance[rows]
            race = race * distance if drop else race / distance
        these = kept if drop else self.present[rows] & ~kept
        return np.asarray(np.where(these, race, np.inf).argmin(1))

    def _change(self, rows: Rows, here: Bits) -> tuple[Matrix, Matrix, Matrix]:
        new = self.metric.gradients(self._filled(rows, here), rows)
        spent = np.zeros(len(rows))
        if self.cost is not None:
            spent = (self.cost[rows] * (here.astype(float) - self.kept[rows])).sum(1)
        return new - self.each[rows], spent, new

    def _gains(self, change: Matrix, spent: Matrix) -> Matrix:
        """What each proposal would win on its own, in summed loss."""
        gains: Matrix = -(change @ self.r + np.einsum("ij,ij->i", change, change) / 2 + spent)
        return gains

    def _take(
        self, rows: Rows, here: Bits, groups: Rows, change: Matrix, spent: Matrix, new: Matrix
    ) -> None:
        """Carry out the best prefix of the groups of proposals, sorted by gain."""
        moved, paid = change[groups].sum(1), spent[groups].sum(1)
        gain = self._gains(moved, paid)
        order = np.argsort(-gain, kind="stable")
        order = order[: int((gain > 0).sum())]
        if not len(order):
            return
        path = self.r + np.cumsum(moved[order], axis=0)
        value = np.einsum("ij,ij->i", path, path) / 2 + np.cumsum(paid[order])
        best = int(np.argmin(value))
        if value[best] >= self.r @ self.r / 2:
            return
        taken = groups[order[: best + 1]].ravel()
        self.kept[rows[taken]] = here[taken]
        self.each[rows[taken]] = new[taken]
        self.r = self.base + self.each.sum(0)
