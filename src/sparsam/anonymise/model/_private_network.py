"""A network trained under differential privacy: DP-SGD by opacus."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, MissingExtraError, ParameterError
from sparsam.anonymise.model._private_training import EXTRA, PrivateClassifier
from sparsam.data import Domain


class Payer(Protocol):
    """What a run of training is charged to: a `sparsam.explore.Ledger`."""

    def charge_training(
        self, noise_multiplier: float, sample_rate: float, steps: int, *, purpose: str
    ) -> object:
        """Charge the run, or refuse it."""


class PrivateNetwork(PrivateClassifier):
    """A small network whose every step of training is clipped and made noisy (DP-SGD).

    After Abadi et al. 2016, by opacus: people are drawn into batches at random, each person's
    gradient is clipped, and noise is added, as much as the asked epsilon needs.

    Parameters
    ----------
    domains, classes, epsilon
        See `PrivateClassifier`.
    delta : float, default=1e-5
        The chance that the promise fails; must be below one by the number of people.
    hidden : sequence of int, default=(64,)
        Units of the hidden layers; none for logistic regression.
    epochs : int, default=20
    batch : int, default=256
        People in a batch, on average.
    learning_rate : float, default=0.01
    clip : float, default=1.0
        The length that each person's gradient is clipped to.
    ledger : Ledger, optional
        Pays for the run before it begins, from the account that explorations are paid from; it
        refuses what is over its budget, and nothing is trained then. See `sparsam.explore`.

    Notes
    -----
    The noise is drawn as floating-point numbers, without opacus's secure mode, which needs a
    library that is no longer kept up.
    """

    def __init__(
        self,
        *,
        domains: Mapping[str, Domain],
        classes: Sequence[Any],
        epsilon: float = 1.0,
        delta: float = 1e-5,
        hidden: Sequence[int] = (64,),
        epochs: int = 20,
        batch: int = 256,
        learning_rate: float = 0.01,
        clip: float = 1.0,
        ledger: Payer | None = None,
    ) -> None:
        super().__init__(domains=domains, classes=classes, epsilon=epsilon)
        self.delta = delta
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.clip = clip
        self.ledger = ledger

    def _train(self, inputs: NDArray[np.float64], labels: NDArray[np.int64]) -> None:
        torch, opacus = _libraries("PrivateNetwork")
        if not 0 < self.delta < 1:
            raise ParameterError(
                "The 'delta' parameter of PrivateNetwork must be a number between 0 and 1. "
                f"Got {self.delta!r} instead."
            )
        if self.delta >= 1 / len(labels):
            raise DataError(
                # How many there are is private too.
                "The 'delta' parameter of PrivateNetwork must be below one by the number of "
                f"people. Got {self.delta!r} instead."
            )
        generator = torch.Generator()
        generator.manual_seed(secrets.randbits(63))
        rows = torch.utils.data.TensorDataset(
            torch.tensor(inputs, dtype=torch.float32), torch.tensor(labels)
        )
        loader = torch.utils.data.DataLoader(
            rows, batch_size=min(self.batch, len(labels)), generator=generator
        )
        module = _network(torch, inputs.shape[1], self.hidden, len(self.classes))
        optimizer = torch.optim.Adam(module.parameters(), lr=self.learning_rate)
        with warnings.catch_warnings():
            # That the generator is not the secure one is said in the notes above.
            warnings.simplefilter("ignore")
            engine = opacus.PrivacyEngine()
            module, optimizer, loader = engine.make_private_with_epsilon(
                module=module,
                optimizer=optimizer,
                data_loader=loader,
                target_epsilon=float(self.epsilon),
                target_delta=float(self.delta),
                epochs=self.epochs,
                max_grad_norm=float(self.clip),
                noise_generator=generator,
            )
            if self.ledger is not None:
                self.ledger.charge_training(
                    float(optimizer.noise_multiplier),
                    1 / len(loader),
                    self.epochs * len(loader),
                    purpose="train a network with DP-SGD",
                )
            self._steps(torch, module, optimizer, loader)
            self.epsilon_ = float(engine.get_epsilon(self.delta))
        self.delta_ = float(self.delta)
        self.noise_ = float(optimizer.noise_multiplier)
        # The hooks that record each person's gradient stay behind.
        self.module_ = module.to_standard_module().eval()

    def _steps(self, torch: Any, module: Any, optimizer: Any, loader: Any) -> None:
        loss = torch.nn.CrossEntropyLoss()
        module.train()
        for _ in range(self.epochs):
            for batch, truth in loader:
                optimizer.zero_grad()
                loss(module(batch), truth).backward()
                optimizer.step()

    def _probabilities(self, inputs: NDArray[np.float64]) -> NDArray[np.float64]:
        torch, _ = _libraries("PrivateNetwork")
        with torch.no_grad():
            logits = self.module_(torch.tensor(inputs, dtype=torch.float32))
        return np.asarray(torch.softmax(logits.double(), dim=1).numpy())

    def spent(self) -> dict[str, Any]:
        """Plain data: what the model promises, and by what means."""
        # Not the noise: beside the epsilon it gives the number of people.
        return {**super().spent(), "clip": float(self.clip)}


def _network(torch: Any, n_inputs: int, hidden: Sequence[int], n_classes: int) -> Any:
    layers: list[Any] = []
    width = n_inputs
    for units in hidden:
        layers += [torch.nn.Linear(width, units), torch.nn.Tanh()]
        width = units
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, n_classes))


def _libraries(owner: str) -> tuple[Any, Any]:
    try:
        import opacus
        import torch
    except ImportError as error:
        raise MissingExtraError(
            f"{owner} needs torch and opacus, which are not installed.\n\n"
            f"Hint: pip install 'sparsam[{EXTRA}]'"
        ) from error
    return torch, opacus
