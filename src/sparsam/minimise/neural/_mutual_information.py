"""The minimiser of mutual information."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparsam.minimise.neural._networks import Layout
from sparsam.minimise.neural._training import Batch, NeuralMinimiser, Setup

if TYPE_CHECKING:
    import torch


class MutualInformation(NeuralMinimiser):
    """Let a classifier do its task while the buckets tell as little as possible about the values.

    Two neural networks learn at once (Staab et al. 2024, section 6 and appendix C, "MutualInf"):
    one generalizes and one predicts the target from what is left. The first also pays for the
    information that its buckets hold about the values, of every attribute, whoever may ask.

    Parameters
    ----------
    roles : Roles, optional
    trade_off : float, default=0.1
        Weight of the information (lambda) in [0, 1]; that of the classifier's loss is the rest.
        At 0 only the task counts, at 1 only privacy.
    buckets, epochs, batch_size, learning_rate, constraints, unseen, random_state, device
        As for `Adversarial`.

    Attributes
    ----------
    generalization_ : Generalization
    loss_curve_ : ndarray of float of shape (epochs, 2)
        Mean loss of the classifier and mean bound on the information in each epoch.
    device_ : str
        Where it was computed.

    See Also
    --------
    Adversarial : the same networks, and an adversary in place of the information; the notes there
        say what the networks are.

    Notes
    -----
    Minimises over g and f (1 - lambda) L_clf + lambda L_inf. L_inf bounds the mutual information
    I(z, x) = H(z) - H(z|x) from above: by Jensen's inequality H(z) is at most
    -E_z E_x sum_i log P(z_i|x_i), with z and x drawn independently, and H(z|x) is exact. Both are
    sums over attributes, so they are computed from the shares of the codes, without sampling.
    Their difference is the mean, over two people drawn at random, of the Kullback-Leibler
    divergence between the probabilities of their buckets. It is a loose bound: zero only where
    everyone's buckets are equally likely, and without limit where they are certain.

    The sum is divided by the number of attributes (the paper does not), so that `trade_off` means
    much the same on a narrow and on a wide table. A personal attribute counts as much as it is
    sensitive, every other attribute counts once.

    The same seed gives the same result, bit for bit, on any number of cores; on a GPU sums may be
    added in another order. Needs torch: ``pip install 'sparsam[neural]'``.

    Examples
    --------
    >>> import sparsam as sp
    >>> from sparsam.minimise import MutualInformation
    >>> sample = sp.load_example().take(range(2000))
    >>> found = MutualInformation(sp.Roles("employed"), epochs=2, device="cpu").fit(sample)
    >>> found.generalization_["age"].n_buckets <= 5
    True
    """

    # Dense where little is given up: on an even grid most points collect next to nothing.
    swept, steps = "trade_off", tuple((step / 8) ** 3 for step in range(9))

    def _penalty(self, setup: Setup) -> InformationBound:
        sensitivity = np.ones(len(setup.task.names))
        sensitivity[list(setup.task.personal)] = setup.task.weights
        return InformationBound(setup.layout, sensitivity, setup.device)


class InformationBound:
    """The upper bound on what buckets tell about values (appendix C), per attribute.

    Parameters
    ----------
    layout : Layout
    sensitivity : ndarray of float
        How much each attribute counts.
    device : torch.device
    """

    def __init__(
        self, layout: Layout, sensitivity: NDArray[np.float64], device: torch.device
    ) -> None:
        import torch

        counted = np.where(layout.widths > 0, sensitivity, 0.0)
        counted = counted / max(1e-12, counted.sum())
        belongs = layout.owner == np.arange(len(layout.attributes))[:, None]
        self._people = torch.as_tensor((belongs * layout.shares).astype(np.float32), device=device)
        self._owner = torch.as_tensor(layout.owner, device=device)
        price = counted[layout.owner] * layout.shares
        self._price = torch.as_tensor(price[:, None].astype(np.float32), device=device)

    def respond(self, batch: Batch) -> None:
        """There is nobody to respond."""

    def value(self, batch: Batch, log_table: torch.Tensor) -> torch.Tensor:
        """The bound, exactly, from the probabilities of the buckets of each code."""
        return self.of(log_table)

    def of(self, log_table: torch.Tensor) -> torch.Tensor:
        """Sum over buckets and codes of share times (own - common probability) times log own."""
        own = log_table.exp()
        common = (self._people @ own)[self._owner]
        return (self._price * (own - common) * log_table).sum()

    def end_epoch(self) -> None:
        """There is nothing to slow down."""
