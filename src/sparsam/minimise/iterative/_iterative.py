"""The iterative minimiser."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_share, check_whole
from sparsam.data import Roles, Task
from sparsam.generalization import Generalization
from sparsam.minimise._bucket_minimiser import BucketMinimiser
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._partitions import rare_together
from sparsam.minimise.iterative._reduction import Reduction


class Iterative(BucketMinimiser):
    """Coarsen one attribute after the other for as long as the task can bear it.

    Every attribute starts with a few buckets. Then the buckets of each attribute are made fewer
    until one fewer would cost the task too much; first come the attributes that help a prediction
    least and an adversary most (Staab et al. 2024, section 6 and appendix C).

    Parameters
    ----------
    roles : Roles, optional
    max_utility_loss : float, default=0.01
        How much larger the classifier's error may be than with everything collected, in [0, 1].
    buckets : int, default=4
        The buckets that each attribute starts with (k).
    constraints : Constraints, optional
    unseen : {"error", "common"}, default="error"
    random_state : int, default=0
        The seed of the part of the sample that is held out to measure errors on.

    Attributes
    ----------
    generalization_ : Generalization
    order_ : tuple of str
        The attributes in the order in which they were coarsened.
    utility_loss_ : float
        How much larger the classifier's error is than with everything collected, on the 30 % of
        the sample that were held out. Above `max_utility_loss` if the start was so already.

    Notes
    -----
    Numbers and ordered categories are cut at quantiles, categories grouped by their weights in a
    logistic regression such that the average variance of weights in a group is smallest. The order
    is by the increase of the classifier's error less that of the adversary's when an attribute is
    left out. Both errors are those of a model that counts (`sparsam.attack.look_up`): seconds
    where networks take hours. "Everything" is all attributes that may be collected, or the start
    if the model does better on it. If the start already costs more than is permitted, only
    what makes it no worse is taken away. An attribute early in the order can use up the permitted
    loss, so a larger loss does not always mean fewer buckets in all.

    Examples
    --------
    >>> import sparsam as sp
    >>> from sparsam.minimise import Iterative
    >>> sample = sp.load_example().take(range(2000))
    >>> found = Iterative(sp.Roles("employed"), max_utility_loss=0.1).fit(sample)
    >>> found.generalization_.collected
    ('age',)
    """

    # Of the loss of collecting nothing; denser where little is lost, as there the choice is made.
    swept, steps = "max_utility_loss", tuple((step / 8) ** 2 for step in range(8))

    def __init__(
        self,
        roles: Roles | None = None,
        *,
        max_utility_loss: float = 0.01,
        buckets: int = 4,
        constraints: Constraints | None = None,
        unseen: str = "error",
        random_state: int = 0,
    ) -> None:
        self.roles = roles
        self.max_utility_loss = max_utility_loss
        self.buckets = buckets
        self.constraints = constraints
        self.unseen = unseen
        self.random_state = random_state

    def path(self, task: Task, steps: Sequence[float] | None = None) -> list[Generalization]:
        """The generalizations at several permitted losses, from one preparation.

        Parameters
        ----------
        task : Task
        steps : sequence of float, optional
            The permitted losses, as shares of the loss of collecting nothing. `max_utility_loss`
            is that loss times the share, rounded to four decimals.

        Returns
        -------
        list of Generalization
            One for each step, in their order.
        """
        self._check(task)
        task = rare_together(task, self.constraints or Constraints())
        reduction = self._reduction(task, self.constraints or Constraints())
        most = max(0.0, reduction.loss_of_nothing())
        losses = [round(most * share, 4) for share in (self.steps if steps is None else steps)]
        reduced = {}
        for loss in dict.fromkeys(losses):
            minimiser = self._copy(max_utility_loss=loss)
            minimiser._check_parameters(task)
            reduced[loss] = minimiser._generalization(task, reduction.run(loss).buckets)
        return [reduced[loss] for loss in losses]

    def _buckets(self, task: Task, constraints: Constraints) -> Sequence[NDArray[np.integer]]:
        reduction = self._reduction(task, constraints)
        reduced = reduction.run(self.max_utility_loss)
        self.order_ = tuple(task.names[a] for a in reduction.order)
        self.utility_loss_ = reduced.loss
        return reduced.buckets

    def _reduction(self, task: Task, constraints: Constraints) -> Reduction:
        return Reduction(task, constraints, self.buckets, self.random_state)

    def _check(self, task: Task) -> None:
        self._check_parameters(task)
        (self.constraints or Constraints()).check(task)

    def _check_parameters(self, task: Task) -> None:
        super()._check_parameters(task)
        owner = type(self).__name__
        check_share(owner, "max_utility_loss", self.max_utility_loss)
        check_whole(owner, "buckets", self.buckets, 1)
        check_whole(owner, "random_state", self.random_state, 0)
