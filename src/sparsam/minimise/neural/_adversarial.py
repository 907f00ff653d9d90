"""The adversarial minimiser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparsam._checks import check_whole
from sparsam.data import Roles, Task
from sparsam.minimise._constraints import Constraints
from sparsam.minimise.neural._networks import GuessingNetwork
from sparsam.minimise.neural._training import Batch, Learner, NeuralMinimiser, Setup

if TYPE_CHECKING:
    import torch


class Adversarial(NeuralMinimiser):
    """Let a classifier and an adversary compete for the data, and collect what the first needs.

    Three neural networks learn at once (Staab et al. 2024, section 6 and appendix C, "AdvTrain"):
    one generalizes, one predicts the target from what is left, and one guesses the personal
    attributes from it. The first helps the second and hinders the third.

    Parameters
    ----------
    roles : Roles, optional
    trade_off : float, default=0.4
        Weight of the adversary's loss (lambda) in [0, 1]; that of the classifier's is the rest.
        At 0 only the task counts, at 1 only privacy.
    buckets : int, default=5
        The most buckets of an attribute (k). The networks may leave some of them empty.
    epochs : int, default=20
    batch_size : int, default=256
    learning_rate : float, default=0.01
        Of Adam; a tenth of it after every five epochs.
    inner_steps : int, default=1
        How many steps the adversary learns for each step of the others.
    constraints : Constraints, optional
    unseen : {"error", "common"}, default="error"
    random_state : int, default=0
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where to compute; "auto" takes a GPU if torch finds one. A GPU is faster than one core only
        with much larger batches.

    Attributes
    ----------
    generalization_ : Generalization
    loss_curve_ : ndarray of float of shape (epochs, 2)
        Mean loss of the classifier and minus that of the adversary in each epoch.
    device_ : str
        Where it was computed.

    See Also
    --------
    MutualInformation : the same networks, without an adversary.

    Notes
    -----
    Minimises over g and f, and maximises over h, (1 - lambda) L_clf - lambda L_adv. Both losses are
    cross-entropies; L_adv is the mean over the personal attributes, weighted by how sensitive they
    are. f and h have one hidden layer of 50 rectified units.

    The generalization g has one network per attribute: categories go from one-hot to one logit per
    bucket; numbers and ordered categories through a monotone network to [0, 1], and bucket j gets
    minus the squared distance from its middle. A missing value among numbers has logits of its own,
    and so may share a bucket with numbers or not. Divided by a temperature that falls from 2 to
    0.5, the logits give the probability of each bucket. In the end each value goes to its likeliest
    bucket, a category only if that is at least twice as likely as the one that is likeliest for the
    attribute as a whole: values that nothing tells apart must not be parted by rounding (without
    this condition, which the paper does not have, both neural minimisers have a worse front).

    Where the paper leaves a choice: f and h see buckets that are *drawn* from these probabilities
    (with straight-through Gumbel gradients), because probabilities as such would let them read
    the exact value, and the front was worse; numbers are normalised by rank; and distances are
    measured in widths of a bucket, without which the probabilities hardly differ.
    Attributes that must be kept are seen by f and h at full resolution. A category that nobody
    in the sample has joins the most common bucket.

    The same seed gives the same result, bit for bit, on any number of cores; on a GPU sums may be
    added in another order. Needs torch: ``pip install 'sparsam[neural]'``.

    Examples
    --------
    >>> import sparsam as sp
    >>> from sparsam.minimise import Adversarial
    >>> sample = sp.load_example().take(range(2000))
    >>> found = Adversarial(sp.Roles("employed"), epochs=2, device="cpu").fit(sample)
    >>> found.generalization_["age"].n_buckets <= 5
    True
    """

    # Dense where little is given up: on an even grid most points collect next to nothing.
    swept, steps = "trade_off", tuple((step / 8) ** 2 for step in range(9))

    def __init__(
        self,
        roles: Roles | None = None,
        *,
        trade_off: float = 0.4,
        buckets: int = 5,
        epochs: int = 20,
        batch_size: int = 256,
        learning_rate: float = 0.01,
        inner_steps: int = 1,
        constraints: Constraints | None = None,
        unseen: str = "error",
        random_state: int = 0,
        device: str = "auto",
    ) -> None:
        super().__init__(
            roles,
            trade_off=trade_off,
            buckets=buckets,
            epochs=epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
            constraints=constraints,
            unseen=unseen,
            random_state=random_state,
            device=device,
        )
        self.inner_steps = inner_steps

    def _penalty(self, setup: Setup) -> Opponent:
        return Opponent(setup, int(self.inner_steps))

    def _check_parameters(self, task: Task) -> None:
        super()._check_parameters(task)
        check_whole(type(self).__name__, "inner_steps", self.inner_steps, 1)


class Opponent:
    """The adversary h: what it guesses wrongly is to the generalization's credit.

    Attributes at full resolution are not asked for: they are known, whatever is learned.

    Parameters
    ----------
    setup : Setup
    inner_steps : int
    """

    def __init__(self, setup: Setup, inner_steps: int) -> None:
        import torch

        task, device = setup.task, setup.device
        kept = set(setup.layout.kept.tolist())
        asked = [
            (p, weight)
            for p, weight in zip(task.personal, task.weights, strict=True)
            if weight > 0 and p not in kept
        ]
        self._inner_steps = inner_steps if asked else 0
        places = [p for p, _ in asked]
        self._truth = torch.as_tensor(task.codes[:, places].astype(np.int64), device=device)
        weights = np.array([weight for _, weight in asked], dtype=np.float32)
        self._weights = torch.as_tensor(
            weights / weights.sum() if asked else weights, device=device
        )
        if asked:
            sizes = [task.sizes[p] for p in places]
            self._network = GuessingNetwork(setup.layout, sizes, setup.generator, device)
            self._learner = Learner(self._network.parameters, setup.schedule.learning_rate)

    def respond(self, batch: Batch) -> None:
        """Learn to guess from the records as they are."""
        for _ in range(self._inner_steps):
            self._learner.step(self._loss(batch))

    def value(self, batch: Batch, log_table: torch.Tensor) -> torch.Tensor:
        """Minus the adversary's loss."""
        if not self._inner_steps:
            return log_table.new_zeros(())
        return -self._loss(batch)

    def end_epoch(self) -> None:
        """Lower the learning rate when it is time to."""
        if self._inner_steps:
            self._learner.end_epoch()

    def _loss(self, batch: Batch) -> torch.Tensor:
        losses = self._network.losses(batch.buckets, batch.full, self._truth[batch.rows])
        return losses @ self._weights
