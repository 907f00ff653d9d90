"""The networks of the neural minimisers: one that generalizes, and one that guesses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparsam.minimise.neural._layout import Layout

if TYPE_CHECKING:
    import torch

HIDDEN = 50
STEPS = 16  # smooth steps that a monotone network adds up
_NEVER = -1e9
_LEAST_VARIANCE = 1e-5


class GeneralizingNetworks:
    """For each code of each attribute, how likely it is to go to which bucket.

    Categories: a linear layer from one-hot to one logit per bucket. Numbers and ordered categories:
    a monotone network (weights that are squares, tanh, batch normalisation over all people) from
    the rank in [0, 1] to [0, 1], and minus the squared distance from the middle of each bucket,
    in widths of a bucket. A missing value among numbers: one logit per bucket of its own.

    Parameters
    ----------
    layout : Layout
    generator : torch.Generator
        On the CPU.
    device : torch.device
    """

    def __init__(self, layout: Layout, generator: torch.Generator, device: torch.device) -> None:
        import torch

        def constant(values: NDArray[np.generic]) -> torch.Tensor:
            return torch.as_tensor(values, device=device)

        k, n_attributes = layout.most, len(layout.attributes)
        line = np.flatnonzero(layout.ordered)
        self._ordered, self._owner = constant(line), constant(layout.owner)
        self._of_line = constant(layout.owner[line])
        widths = np.maximum(layout.widths, 1)
        self._closed = constant(np.arange(k) >= widths[layout.owner][:, None])
        middles = (np.arange(k) + 0.5)[None, :]
        self._middles = constant(middles.astype(np.float32))
        self._widths = constant(widths[layout.owner[line]][:, None].astype(np.float32))
        belongs = layout.owner[line] == np.arange(n_attributes)[:, None]
        people = belongs * layout.shares[line]
        self._people = constant(
            (people / np.maximum(people.sum(axis=1, keepdims=True), 1e-12)).astype(np.float32)
        )
        self._rank = self._normalised(constant(layout.ranks()[line].astype(np.float32)))

        def start(*shape: int, spread: float = 1.0) -> torch.Tensor:
            drawn = torch.randn(shape, generator=generator, dtype=torch.float32, device="cpu")
            return (drawn * spread).to(device).requires_grad_()

        # The values of an attribute start together, so that chance alone parts few of them.
        self._free, self._bias = start(len(layout.owner), k, spread=0.1), start(n_attributes, k)
        self._slope, self._place = start(n_attributes, STEPS), start(n_attributes, STEPS)
        self._height = start(n_attributes, STEPS)
        self._scale = constant(np.ones(n_attributes, dtype=np.float32)).requires_grad_()
        self._shift = constant(np.zeros(n_attributes, dtype=np.float32)).requires_grad_()

    @property
    def parameters(self) -> list[torch.Tensor]:
        """What is learned."""
        monotone = [self._slope, self._place, self._height, self._scale, self._shift]
        return [self._free, self._bias, *monotone]

    def log_table(self, temperature: float) -> torch.Tensor:
        """Logarithm of the probability of each bucket (columns) for each code (rows)."""
        import torch

        logits = self._free + torch.nn.functional.embedding(self._owner, self._bias)
        if len(self._ordered):
            distance = self._widths * self._mapped()[:, None] - self._middles
            logits = logits.index_copy(0, self._ordered, -(distance**2))
        return torch.log_softmax(logits.masked_fill(self._closed, _NEVER) / temperature, dim=1)

    def table(self, temperature: float) -> NDArray[np.float64]:
        """Probability of each bucket (columns) for each code (rows), as it was learned."""
        import torch

        with torch.no_grad():
            return self.log_table(temperature).exp().cpu().numpy().astype(np.float64)

    def _mapped(self) -> torch.Tensor:
        """The monotone map of each code that has an order to [0, 1]."""
        import torch

        def own(parameter: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.embedding(self._of_line, parameter)

        steps = torch.tanh(own(self._slope) ** 2 * self._rank[:, None] + own(self._place))
        height = self._normalised((steps * own(self._height) ** 2).sum(dim=1))
        scale, shift = (own(p[:, None])[:, 0] for p in (self._scale, self._shift))
        return (1 + torch.tanh(scale**2 * height + shift)) / 2

    def _normalised(self, values: torch.Tensor) -> torch.Tensor:
        """Mean 0 and variance 1 over all people, attribute by attribute."""
        centred = values - (self._people @ values)[self._of_line]
        variance = (self._people @ centred**2)[self._of_line]
        return centred / (variance + _LEAST_VARIANCE).sqrt()


class GuessingNetwork:
    """One hidden layer of rectified units, from a generalized record to several guesses.

    Parameters
    ----------
    layout : Layout
    outputs : sequence of int
        How many answers each guess chooses from.
    generator : torch.Generator
        On the CPU.
    device : torch.device
    """

    def __init__(
        self,
        layout: Layout,
        outputs: Sequence[int],
        generator: torch.Generator,
        device: torch.device,
    ) -> None:
        import torch

        def start(inputs: int, *shape: int) -> torch.Tensor:
            bound = 1 / np.sqrt(max(1, inputs))
            drawn = torch.rand(shape, generator=generator, dtype=torch.float32, device="cpu")
            weights: torch.Tensor = ((2 * drawn - 1) * bound).to(device)
            return weights.requires_grad_()

        n_inputs = len(layout.learned) * layout.most
        n_known = n_inputs + len(layout.kept)
        self._outputs = list(outputs)
        self._in, self._in_bias = start(n_known, n_inputs, HIDDEN), start(n_known, HIDDEN)
        self._out = start(HIDDEN, HIDDEN, sum(outputs))
        self._out_bias = start(HIDDEN, sum(outputs))
        # Attributes at full resolution enter by their place in the line of codes.
        n_codes = len(layout.owner) if len(layout.kept) else 0
        self._full = start(n_known, n_codes, HIDDEN)

    @property
    def parameters(self) -> list[torch.Tensor]:
        """What is learned."""
        return [self._in, self._in_bias, self._out, self._out_bias, self._full]

    def losses(
        self, buckets: torch.Tensor, full: torch.Tensor, answers: torch.Tensor
    ) -> torch.Tensor:
        """Mean cross-entropy of each guess.

        Parameters
        ----------
        buckets : tensor of shape (n_rows, n_learned, n_buckets)
        full : tensor of int of shape (n_rows, n_kept)
            Places in the line of codes.
        answers : tensor of int of shape (n_rows, n_guesses)
        """
        import torch

        hidden = torch.addmm(self._in_bias, buckets.flatten(1), self._in)
        if full.shape[1]:
            hidden = hidden + torch.nn.functional.embedding(full, self._full).sum(dim=1)
        logits = torch.addmm(self._out_bias, torch.relu(hidden), self._out)
        guesses = torch.split(logits, self._outputs, dim=1)
        return torch.stack(
            [
                torch.nn.functional.cross_entropy(guess, answers[:, q])
                for q, guess in enumerate(guesses)
            ]
        )
