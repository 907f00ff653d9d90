"""Train a generalization together with those who guess from it, the same way every time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice, check_number, check_share, check_whole
from sparsam._errors import MissingExtraError, ParameterError
from sparsam.data import Roles, Task
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._minimiser import BucketMinimiser
from sparsam.minimise.neural._networks import (
    GeneralizingNetworks,
    GuessingNetwork,
    Layout,
    layout_of,
    likeliest_buckets,
    settled,
)

if TYPE_CHECKING:
    import torch

HOT, COLD = 2.0, 0.5  # temperatures at the start and at the end
EPOCHS_PER_RATE = 5
_LEAST_DRAW = 1e-20
DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to learn, and from which seed."""

    trade_off: float
    epochs: int
    batch_size: int
    learning_rate: float
    random_state: int


@dataclass(frozen=True, repr=False)
class Setup:
    """What every network of one training is made from."""

    task: Task
    layout: Layout
    schedule: Schedule
    generator: torch.Generator
    device: torch.device


@dataclass(frozen=True)
class Batch:
    """Some people's generalized records, drawn from the probabilities of the buckets.

    Attributes
    ----------
    rows : tensor of int
        Who they are.
    buckets : tensor of float of shape (n_rows, n_learned, n_buckets)
        One where the drawn bucket is, else zero.
    full : tensor of int of shape (n_rows, n_kept)
        The codes that are kept at full resolution, by their place in the line of codes.
    """

    rows: torch.Tensor
    buckets: torch.Tensor
    full: torch.Tensor


class Penalty(Protocol):
    """What a generalization pays for what it reveals."""

    def respond(self, batch: Batch) -> None:
        """Learn from the batch, if there is anything to learn, before the penalty is asked for."""

    def value(self, batch: Batch, log_table: torch.Tensor) -> torch.Tensor:
        """The penalty, to be made small."""

    def end_epoch(self) -> None:
        """Learn more slowly, if need be."""


class Learner:
    """Adam on some parameters, its rate a tenth after every five epochs."""

    def __init__(self, parameters: list[torch.Tensor], learning_rate: float) -> None:
        import torch

        self._parameters = parameters
        self._adam = torch.optim.Adam(parameters, lr=learning_rate)
        self._rate = torch.optim.lr_scheduler.StepLR(self._adam, EPOCHS_PER_RATE, 0.1)

    def step(self, loss: torch.Tensor) -> None:
        """Make a loss smaller; no parameter of anyone else is touched."""
        import torch

        gradients = torch.autograd.grad(loss, self._parameters, allow_unused=True)
        for parameter, gradient in zip(self._parameters, gradients, strict=True):
            parameter.grad = gradient
        self._adam.step()

    def end_epoch(self) -> None:
        """Count an epoch."""
        self._rate.step()


class Training:
    """The generalizing networks g, the classifier f, and the penalty on what g reveals.

    Parameters
    ----------
    setup : Setup
    penalty : Penalty
    """

    def __init__(self, setup: Setup, penalty: Penalty) -> None:
        import torch

        self._setup, self._penalty = setup, penalty
        task, layout, device = setup.task, setup.layout, setup.device
        self.networks = GeneralizingNetworks(layout, setup.generator, device)
        self._classifier = GuessingNetwork(
            layout, [max(1, len(task.classes))], setup.generator, device
        )
        parameters = self.networks.parameters + self._classifier.parameters
        self._learner = Learner(parameters, setup.schedule.learning_rate)
        line = task.codes.astype(np.int32) + layout.starts.astype(np.int32)
        self._learned = torch.as_tensor(line[:, layout.learned], device=device)
        self._full = torch.as_tensor(line[:, layout.kept], device=device)
        self._target = torch.as_tensor(task.target.astype(np.int64)[:, None], device=device)
        # Noise is drawn where it is needed; everything else is drawn on the CPU.
        self._noise = torch.Generator(device=device)
        self._noise.manual_seed(setup.schedule.random_state)

    def run(self) -> NDArray[np.float64]:
        """Train; return the mean loss of the classifier and the mean penalty of each epoch."""
        import torch

        schedule = self._setup.schedule
        n_rows = self._setup.task.n_rows
        n_steps = -(-n_rows // schedule.batch_size)
        curve = torch.zeros((schedule.epochs, 2), dtype=torch.float32, device=self._setup.device)
        for epoch in range(schedule.epochs):
            order = torch.randperm(n_rows, generator=self._setup.generator, device="cpu")
            order = order.to(self._setup.device)
            for step in range(n_steps):
                done = (epoch * n_steps + step) / max(1, schedule.epochs * n_steps - 1)
                rows = order[step * schedule.batch_size : (step + 1) * schedule.batch_size]
                curve[epoch] += self._step(rows, HOT + (COLD - HOT) * done) / n_steps
            self._learner.end_epoch()
            self._penalty.end_epoch()
        return curve.cpu().numpy().astype(np.float64)

    def _step(self, rows: torch.Tensor, temperature: float) -> torch.Tensor:
        import torch

        log_table = self.networks.log_table(temperature)
        batch = self._batch(rows, log_table)
        self._penalty.respond(replace(batch, buckets=batch.buckets.detach()))
        share = self._setup.schedule.trade_off
        errors = self._classifier.losses(batch.buckets, batch.full, self._target[rows])[0]
        penalty = self._penalty.value(batch, log_table)
        self._learner.step((1 - share) * errors + share * penalty)
        return torch.stack([errors.detach(), penalty.detach()])

    def _batch(self, rows: torch.Tensor, log_table: torch.Tensor) -> Batch:
        """Draw one bucket for each value; its gradient is that of the relaxed draw."""
        import torch

        logits = torch.nn.functional.embedding(self._learned[rows], log_table)
        draws = torch.empty_like(logits).exponential_(generator=self._noise)
        relaxed = torch.softmax(logits - draws.clamp_min(_LEAST_DRAW).log(), dim=2)
        drawn = torch.zeros_like(relaxed).scatter_(2, relaxed.argmax(dim=2, keepdim=True), 1.0)
        return Batch(rows, drawn + (relaxed - relaxed.detach()), self._full[rows])


@dataclass(frozen=True, repr=False)
class Trained:
    """The end of a training: the likeliest bucket of each code in the line, and the way there."""

    likeliest: NDArray[np.int64]
    loss_curve: NDArray[np.float64]
    device: str


def train(
    task: Task,
    layout: Layout,
    schedule: Schedule,
    device: str,
    owner: str,
    penalty: Callable[[Setup], Penalty],
) -> Trained:
    """Train the networks of a minimiser.

    Parameters
    ----------
    task : Task
    layout : Layout
    schedule : Schedule
    device : {"auto", "cpu", "cuda"}
    owner : str
        The name of the minimiser, for errors.
    penalty : callable
        Makes the penalty from the setup.
    """
    torch = _torch(owner)
    place = _device(torch, device, owner)
    if layout.most == 1:
        return Trained(np.zeros(len(layout.owner), dtype=np.int64), np.zeros((0, 2)), place.type)
    with _alone(torch, place):
        generator = torch.Generator(device="cpu")
        generator.manual_seed(schedule.random_state)
        setup = Setup(task, layout, schedule, generator, place)
        training = Training(setup, penalty(setup))
        curve = training.run()
        if not np.isfinite(curve).all():
            raise ParameterError(
                f"The networks of {owner} left the range of numbers.\n\n"
                f"Hint: lower the 'learning_rate', which is {schedule.learning_rate}."
            )
        likeliest = likeliest_buckets(layout, training.networks.table(COLD))
        return Trained(likeliest, curve, place.type)


def _torch(owner: str) -> ModuleType:
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError(
            f"{owner} needs torch, which is not installed.\n\nHint: pip install 'sparsam[neural]'"
        ) from error
    return torch


def _device(torch: ModuleType, device: str, owner: str) -> torch.device:
    available = bool(torch.cuda.is_available())
    if device == "cuda" and not available:
        raise ParameterError(
            f"The 'device' parameter of {owner} must be 'auto' or 'cpu' where torch finds no GPU. "
            "Got 'cuda' instead."
        )
    chosen = "cuda" if available and device != "cpu" else "cpu"
    return torch.device(chosen)  # type: ignore[no-any-return]  # torch is a module passed in


@contextmanager
def _alone(torch: ModuleType, device: torch.device) -> Iterator[None]:
    """Add sums in one order, in one thread, and leave torch as it was found."""
    threads = torch.get_num_threads()
    settled = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    torch.set_num_threads(1)
    if device.type == "cpu":
        torch.use_deterministic_algorithms(True)
    try:
        with torch.inference_mode(False), torch.enable_grad():
            yield
    finally:
        torch.use_deterministic_algorithms(settled, warn_only=warn_only)
        torch.set_num_threads(threads)


class NeuralMinimiser(BucketMinimiser):
    """Learn a generalization by gradient descent; the base of the neural minimisers.

    A subclass stores its parameters and says in `_penalty` what revealing costs.
    """

    def __init__(
        self,
        roles: Roles | None = None,
        *,
        trade_off: float = 0.1,
        buckets: int = 5,
        epochs: int = 20,
        batch_size: int = 256,
        learning_rate: float = 0.01,
        constraints: Constraints | None = None,
        unseen: str = "error",
        random_state: int = 0,
        device: str = "auto",
    ) -> None:
        self.roles = roles
        self.trade_off = trade_off
        self.buckets = buckets
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.constraints = constraints
        self.unseen = unseen
        self.random_state = random_state
        self.device = device

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
        check_number(owner, "learning_rate", self.learning_rate, above=True)
        check_choice(owner, "device", self.device, DEVICES)
