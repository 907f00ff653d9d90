"""The iterative minimiser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_share, check_whole
from sparsam.attack import GeneralizedRecords, Reconstruction, look_up, target_question
from sparsam.data import Roles, Task, split
from sparsam.generalization import Generalization
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._groupings import Groupings
from sparsam.minimise._minimiser import BucketMinimiser
from sparsam.minimise._partitions import rare_together

Buckets = list[NDArray[np.int64]]
_ROUND_OFF = 1e-9  # a sum of errors and permitted losses, far below one person's share


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


@dataclass(frozen=True)
class Reduced:
    """Where a reduction ended.

    Attributes
    ----------
    buckets : list of ndarray of int
        For each attribute, the bucket of each of its codes.
    loss : float
        How much larger the error held out is than with everything collected.
    """

    buckets: Buckets
    loss: float


class Reduction:
    """A start with a few buckets per attribute, and the order in which to take them away.

    Parameters
    ----------
    task : Task
    constraints : Constraints
    buckets : int
        The most buckets of an attribute at the start.
    random_state : int
        The seed of the people who are held out.

    Attributes
    ----------
    order : tuple of int
        The attributes that may be coarsened, those first whose absence costs the classifier least
        and the adversary most.
    """

    def __init__(
        self, task: Task, constraints: Constraints, buckets: int, random_state: int
    ) -> None:
        self._held_out = HeldOut(task, random_state)
        self._groupings = Groupings(self._held_out.seen, constraints, buckets)
        self._errors: dict[tuple[int, ...], float] = {}
        everywhere = range(len(task.names))
        self._start = [self._groupings.at_most(a, buckets) for a in everywhere]
        everything = [self._groupings.everything(a) for a in everywhere]
        full = self._held_out.classification_error(everything)
        # A model that sees everything could coarsen it to the start by itself.
        self._least = min(full, self._error(self._start))
        free = [
            a
            for a in everywhere
            if self._start[a].max() > 0 and task.names[a] not in constraints.must_keep
        ]
        worth = {a: self._worth(everything, a) - full for a in free}
        self.order = tuple(sorted(free, key=lambda a: worth[a]))

    def loss_of_nothing(self) -> float:
        """The loss when nothing is collected but what must be."""
        buckets = list(self._start)
        for a in self.order:
            buckets[a] = self._groupings.at_most(a, 1)
        return self._error(buckets) - self._least

    def run(self, max_loss: float) -> Reduced:
        """Take away what the permitted loss allows."""
        buckets = list(self._start)
        limit = max(self._least + max_loss, self._error(buckets)) + _ROUND_OFF
        for a in self.order:
            buckets = self._coarsened(buckets, a, limit)
        return Reduced(buckets, self._error(buckets) - self._least)

    def _coarsened(self, buckets: Buckets, attribute: int, limit: float) -> Buckets:
        """Fewer and fewer buckets of one attribute, until the next step would cost too much."""
        while (last := int(buckets[attribute].max())) > 0:
            fewer = list(buckets)
            fewer[attribute] = self._groupings.at_most(attribute, last)
            if self._error(fewer) > limit:
                break
            buckets = fewer
        return buckets

    def _worth(self, everything: Buckets, attribute: int) -> float:
        """Classifier's error less adversary's when one attribute is left out of everything."""
        without = list(everything)
        without[attribute] = np.zeros_like(everything[attribute])
        held_out = self._held_out
        return held_out.classification_error(without) - held_out.adversary_error(without)

    def _error(self, buckets: Buckets) -> float:
        # Groupings are settled by their numbers of buckets, so these tell states apart.
        state = tuple(int(bucket.max()) for bucket in buckets)
        if state not in self._errors:
            self._errors[state] = self._held_out.classification_error(buckets)
        return self._errors[state]


class HeldOut:
    """Errors of a classifier and an adversary that count, on a part of the sample held out.

    Parameters
    ----------
    task : Task
        The sample. It is split 60/10/30: to count on, to settle how far to trust small counts,
        and to measure on.
    random_state : int
        The seed of the split.
    """

    def __init__(self, task: Task, random_state: int) -> None:
        self._split = split(task, random_state=random_state)

    @property
    def seen(self) -> Task:
        """The part that is not held out: whatever is learned must be learned here."""
        return self._split.train

    def classification_error(self, buckets: Sequence[NDArray[np.integer]]) -> float:
        """Share of the people held out whose class is guessed wrongly from their buckets."""
        records, question = self._records(buckets), target_question(self._split)
        return question.error(look_up(records, question), records, "test")

    def adversary_error(self, buckets: Sequence[NDArray[np.integer]]) -> float:
        """Share of personal values that are guessed wrongly, by the weights of the attributes.

        An attribute in full resolution is known: no error, and nothing to count.
        """
        task, total = self.seen, sum(self.seen.weights)
        hidden = [
            (personal, weight)
            for personal, weight in zip(task.personal, task.weights, strict=True)
            if weight > 0 and int(buckets[personal].max()) + 1 < task.sizes[personal]
        ]
        if not hidden:
            return 0.0
        records = self._records(buckets)
        asked = Reconstruction().questions(records, self._split, [p for p, _ in hidden])
        errors = [q.error(look_up(records, q), records, "test") for q in asked]
        return sum(w * e for (_, w), e in zip(hidden, errors, strict=True)) / total

    def _records(self, buckets: Sequence[NDArray[np.integer]]) -> GeneralizedRecords:
        lookups = tuple(lookup.astype(np.uint16) for lookup in buckets)
        return GeneralizedRecords.from_lookups(lookups, self._split)
