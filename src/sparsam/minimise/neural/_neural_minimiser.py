"""What the two neural minimisers have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import isfinite
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice, check_share, check_whole
from sparsam._errors import ParameterError
from sparsam.data import Task
from sparsam.minimise._bucket_minimiser import BucketMinimiser
from sparsam.minimise._constraints import Constraints
from sparsam.minimise.neural._layout import layout_of, settled
from sparsam.minimise.neural._training import Penalty, Schedule, Setup, train

DEVICES = ("auto", "cpu", "cuda")


class NeuralMinimiser(BucketMinimiser):
    """Learn a generalization by gradient descent; the base of the neural minimisers.

    A subclass stores its parameters and says in `_penalty` what revealing costs.
    """

    trade_off: float
    buckets: int
    epochs: int
    batch_size: int
    learning_rate: float
    random_state: int
    device: str

    @abstractmethod
    def _penalty(self, setup: Setup) -> Penalty:
        """What a generalization pays for what it reveals."""

    def _buckets(self, task: Task, constraints: Constraints) -> Sequence[NDArray[np.integer]]:
        layout = layout_of(task, constraints, int(self.buckets))
        schedule = Schedule(
            trade_off=float(self.trade_off),
            epochs=int(self.epochs),
            batch_size=int(self.batch_size),
            learning_rate=float(self.learning_rate),
            random_state=int(self.random_state),
        )
        trained = train(task, layout, schedule, self.device, type(self).__name__, self._penalty)
        self.loss_curve_, self.device_ = trained.loss_curve, trained.device
        return settled(layout, constraints, trained.likeliest)

    def _check_parameters(self, task: Task) -> None:
        super()._check_parameters(task)
        owner = type(self).__name__
        check_share(owner, "trade_off", self.trade_off)
        for name, lowest in (("buckets", 1), ("epochs", 1), ("batch_size", 1), ("random_state", 0)):
            check_whole(owner, name, getattr(self, name), lowest)
        _check_rate(owner, self.learning_rate)
        check_choice(owner, "device", self.device, DEVICES)


def _check_rate(owner: str, value: object) -> None:
    fits = isinstance(value, Real) and not isinstance(value, bool)
    if not fits or not (isfinite(float(value)) and float(value) > 0):  # type: ignore[arg-type]
        raise ParameterError(
            f"The 'learning_rate' parameter of {owner} must be a float > 0. Got {value!r} instead."
        )
