"""Train what a mask keeps under differential privacy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from sparsam._checks import check_number, check_whole, is_number, wrong_parameter
from sparsam.data import NumericDomain
from sparsam.individual._arrays import Labels, Matrix
from sparsam.individual._learners import Stack, softmax

if TYPE_CHECKING:  # the anonymisers take a second to load, and few train in private
    from sparsam.anonymise import Payer, PrivateNetwork


class PrivateLearner:
    """Softmax regression, or a small network, whose training hides every single person (DP-SGD).

    Each model costs `epsilon` at `delta`, and it adds up: a search that trains a model for each
    mask costs far more than one training. `epsilon_` states the sum. So choose the mask with
    another learner, then train once with this one.

    Parameters
    ----------
    epsilon : float, default=1.0
        The privacy loss of one model: the lower, the more private.
    delta : float, default=1e-5
        The chance that the promise fails; must be below one by the number of people.
    hidden : sequence of int, default=()
        Units of the hidden layers; none for softmax regression.
    epochs : int, default=20
    batch : int, default=256
        People in a batch, on average.
    rate : float, default=0.1
        The step of Adam.
    clip : float, default=1.0
        The length that each person's gradient is clipped to.
    ledger : Ledger, optional
        Pays for each model before it is trained, and refuses what is over its budget.

    Attributes
    ----------
    n_trained_ : int
        How many models this learner has trained so far.
    epsilon_ : float
        What all of them cost together at `delta`: by opacus's own account for one model, by Renyi
        accounting for several, as if all had been trained on the same people.

    Notes
    -----
    **What epsilon covers**: the parameters of the model, for someone who adds or takes away one
    person's row, while the mask and the statistics of the imputation stay as they are. The number
    of people, the classes and the scaling of the attributes count as known.

    **What it does not cover**: the choice of the mask. An algorithm that looked at the values may
    have kept other people's values because of one person, which shows in the model too, and even
    more in the mask. A mask that was drawn without a look (random rows, individualised random)
    gives nothing of this kind away. Accuracies and losses measured on the training rows are not
    covered either. And epsilon fails when the imputation learns from the same people ("learned",
    or statistics of the training rows), since a person then changes what others are filled with:
    give public statistics.

    The noise comes from the operating system and cannot be seeded, so the same mask gives another
    model each time. A search that trains models (evolutionary, modelling, first order) then finds
    another mask each time too. `PrivateNetwork` does the training.

    Examples
    --------
    >>> learner = PrivateLearner(epsilon=2.0)
    >>> learner.name
    'softmax regression by DP-SGD (epsilon 2 at delta 1e-05 for each model; mask not covered)'
    >>> learner.n_trained_, learner.epsilon_
    (0, 0.0)
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-5,
        hidden: Sequence[int] = (),
        epochs: int = 20,
        batch: int = 256,
        rate: float = 0.1,
        clip: float = 1.0,
        ledger: Payer | None = None,
    ) -> None:
        owner = type(self).__name__
        for name, value in (("epsilon", epsilon), ("rate", rate), ("clip", clip)):
            check_number(owner, name, value, above=True)
        if not is_number(delta) or not 0 < delta < 1:
            raise wrong_parameter(owner, "delta", "a float in (0, 1)", delta)
        for units in hidden:
            check_whole(owner, "hidden", units, 1)
        check_whole(owner, "epochs", epochs, 1)
        check_whole(owner, "batch", batch, 1)
        self.epsilon = float(epsilon)
        self.delta = float(delta)
        self.hidden = tuple(map(int, hidden))
        self.epochs = int(epochs)
        self.batch = int(batch)
        self.rate = float(rate)
        self.clip = float(clip)
        self.ledger = ledger
        self.n_trained_ = 0
        self.epsilon_ = 0.0
        self._history: list[tuple[float, float, int]] = []

    @property
    def name(self) -> str:
        """What a mask states as its learner."""
        units = "-".join(map(str, self.hidden))
        kind = f"network with {units} hidden units" if units else "softmax regression"
        return (
            f"{kind} by DP-SGD (epsilon {self.epsilon:g} at delta {self.delta:g} for each model; "
            "mask not covered)"
        )

    def __repr__(self) -> str:
        return f"PrivateLearner(epsilon={self.epsilon:g}, delta={self.delta:g})"

    def spent(self) -> dict[str, Any]:
        """Plain data: what was promised, for how many models, and what it does not cover."""
        return {
            "mechanism": "DP-SGD",
            "epsilon_each": self.epsilon,
            "models": self.n_trained_,
            "epsilon": self.epsilon_,
            "delta": self.delta,
            "not_covered": "the choice of the mask",
        }

    def fit_many(self, X: Stack, y: Labels, n_classes: int) -> Matrix:
        """Train one model on each matrix of the stack, and add up what it costs.

        Parameters
        ----------
        X : ndarray of shape (n_masks, n_rows, n_attributes)
        y : ndarray of int
        n_classes : int

        Returns
        -------
        ndarray of shape (n_masks, n_parameters)
        """
        _opacus()
        models = []
        for rows in X:
            network = self._network(n_classes)
            network._train(rows, y.astype(np.int64))
            self._charge(network, len(y))
            parts = [part.detach().numpy().ravel() for part in network.module_.parameters()]
            models.append(np.concatenate(parts).astype(np.float64))
        return np.stack(models)

    def _network(self, n_classes: int) -> PrivateNetwork:
        from sparsam.anonymise import PrivateNetwork

        return PrivateNetwork(
            # the rows are numbers already, so no domain turns them into some
            domains={"row": NumericDomain(0, 1)},
            classes=range(n_classes),
            epsilon=self.epsilon,
            delta=self.delta,
            hidden=self.hidden,
            epochs=self.epochs,
            batch=self.batch,
            learning_rate=self.rate,
            clip=self.clip,
            ledger=self.ledger,
        )

    def _charge(self, network: PrivateNetwork, n_people: int) -> None:
        self._history.append(run_of(network.noise_, n_people, self.batch, self.epochs))
        self.n_trained_ += 1
        alone = self.n_trained_ == 1
        self.epsilon_ = network.epsilon_ if alone else together(self._history, self.delta)

    def probabilities(self, parameters: Matrix, X: Matrix, n_classes: int) -> Stack:
        """Return what each model says about each row.

        Parameters
        ----------
        parameters : ndarray of shape (n_masks, n_parameters)
        X : ndarray of shape (n_rows, n_attributes)
        n_classes : int

        Returns
        -------
        ndarray of shape (n_masks, n_rows, n_classes)
        """
        sizes = [X.shape[1], *self.hidden, n_classes]
        signal, at = X[None], 0
        for layer, (wide, units) in enumerate(pairwise(sizes)):
            weights = parameters[:, at : at + wide * units].reshape(-1, units, wide)
            at += wide * units
            shift = parameters[:, None, at : at + units]
            at += units
            signal = (
                np.matmul(np.tanh(signal) if layer else signal, weights.transpose(0, 2, 1)) + shift
            )
        return softmax(signal)


def run_of(noise: float, n_people: int, batch: int, epochs: int) -> tuple[float, float, int]:
    """Return a training as accountants see it: noise, chance to be in a batch, number of batches.

    Examples
    --------
    >>> run_of(5.0, 1000, 256, 20)
    (5.0, 0.25, 80)
    """
    batches = math.ceil(n_people / min(batch, n_people))
    return noise, 1 / batches, epochs * batches


def together(history: Sequence[tuple[float, float, int]], delta: float) -> float:
    """Return the privacy loss of several trainings on the same people, by Renyi accounting.

    Parameters
    ----------
    history : sequence of (noise, chance to be in a batch, number of batches)
    delta : float

    Returns
    -------
    float
    """
    accountant = _opacus().accountants.RDPAccountant()
    steps: dict[tuple[float, float], int] = {}
    for noise, chance, many in history:
        steps[noise, chance] = steps.get((noise, chance), 0) + many
    accountant.history = [(*run, many) for run, many in steps.items()]
    with warnings.catch_warnings():
        # that another order might be tighter still: what is found holds
        warnings.simplefilter("ignore")
        return float(accountant.get_epsilon(delta))


def _opacus() -> Any:
    """Return opacus, or an error that names the extra to install."""
    from sparsam.anonymise import training_libraries

    return training_libraries("PrivateLearner")[1]
