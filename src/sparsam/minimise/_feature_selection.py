"""Feature selection as a minimiser, a baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice, check_whole
from sparsam.counting import Boosting
from sparsam.data import Attribute, Roles, Task
from sparsam.generalization import Generalization
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._minimiser import BucketMinimiser
from sparsam.minimise._partitions import full_resolution
from sparsam.minimise._ranges import at_most
from sparsam.minimise.merging._people import code_inputs

Table2D = NDArray[np.float64]
IMPORTANCE = "importance"
_MOST_PEOPLE = 20_000  # more would hardly change the order of the attributes
_MOST_EXCHANGED = 200_000  # people, times the attributes whose values they exchange
_LEAST = 1e-3
_TEACHER = Boosting(fewest=20.0)


class FeatureSelection(BucketMinimiser):
    """Collect the attributes that tell most about the target, at full resolution, and no others.

    A baseline (Staab et al., section 6 and appendix E). The scores are computed from the joint
    counts of attribute and target.

    Parameters
    ----------
    roles : Roles, optional
    keep : int, default=4
        How many attributes to collect (k), those that must be kept counted first.
    criterion : {"anova", "mutual_information", "chi2", "importance"}, default="anova"
        How much an attribute tells about the target. For "anova" a categorical attribute has the
        F value of its most telling category. "importance" is what it tells beside all others: how
        much worse boosted trees tell the target of people whom they have not seen when these people
        have the attribute's values of one another (Breiman 2001).
    max_ranges : int or None, default=None
        Most ranges of a number that is kept, with about equally many people in each; None for full
        resolution, as in the paper. What must be kept stays as it is.
    constraints : Constraints, optional
    unseen : {"error", "common"}, default="error"

    Attributes
    ----------
    generalization_ : Generalization
    scores_ : ndarray of float
        One for each attribute.

    Examples
    --------
    >>> import sparsam as sp
    >>> selection = FeatureSelection(sp.Roles("employed"), keep=2).fit(sp.load_example())
    >>> selection.generalization_.collected
    ('parents_employment', 'military_service')
    """

    swept, steps = "keep", (2, 4, 8, 10, 20)
    _known_scores: NDArray[np.float64] | None = None

    def __init__(
        self,
        roles: Roles | None = None,
        *,
        keep: int = 4,
        criterion: str = "anova",
        max_ranges: int | None = None,
        constraints: Constraints | None = None,
        unseen: str = "error",
    ) -> None:
        self.roles = roles
        self.keep = keep
        self.criterion = criterion
        self.max_ranges = max_ranges
        self.constraints = constraints
        self.unseen = unseen

    def path(self, task: Task, steps: Sequence[float] | None = None) -> list[Generalization]:
        """The generalizations of several numbers of attributes; the scores are computed once.

        Parameters
        ----------
        task : Task
        steps : sequence of float, optional
            How many attributes to collect, by default 2, 4, 8, 10 and 20.

        Returns
        -------
        list of Generalization
        """
        generalizations, scores = [], None
        for step in self.steps if steps is None else steps:
            selection = self._copy(keep=step)
            selection._known_scores = scores
            generalizations.append(selection.fit_task(task).generalization_)
            scores = selection.scores_
        return generalizations

    def _buckets(self, task: Task, constraints: Constraints) -> Sequence[NDArray[np.integer]]:
        attributes = task.table.attributes
        self.scores_ = self._scores(task) if self._known_scores is None else self._known_scores
        kept = self._chosen(task, constraints)
        return [
            self._ranges(task, a) if a in kept else np.zeros(attribute.size, dtype=np.int64)
            for a, attribute in enumerate(attributes)
        ]

    def _scores(self, task: Task) -> NDArray[np.float64]:
        """How much each attribute tells."""
        if self.criterion == IMPORTANCE:
            return importances(task)
        attributes, score = task.table.attributes, CRITERIA[self.criterion]
        tables = [_joint_counts(task, a) for a in range(len(attributes))]
        return np.array([score(t, a) for t, a in zip(tables, attributes, strict=True)])

    def _ranges(self, task: Task, a: int) -> NDArray[np.int64]:
        attribute = task.table.attributes[a]
        buckets = full_resolution(attribute)
        if attribute.numeric and self.max_ranges is not None:
            known = slice(attribute.n_values)
            counts = np.bincount(task.codes[:, a], minlength=attribute.size)
            buckets[known] = at_most(buckets[known], counts[known], self.max_ranges)
            buckets[attribute.n_values :] = buckets[known].max() + 1
        return buckets

    def _chosen(self, task: Task, constraints: Constraints) -> set[int]:
        most = constraints.max_buckets
        ranked = [
            a
            for a in np.argsort(-self.scores_, kind="stable").tolist()
            if task.names[a] not in constraints.must_drop
            and task.sizes[a] <= most.get(task.names[a], task.sizes[a])
        ]
        ranked.sort(key=lambda a: task.names[a] not in constraints.must_keep)
        return set(ranked[: self.keep])

    def _check_parameters(self, task: Task) -> None:
        super()._check_parameters(task)
        check_whole(type(self).__name__, "keep", self.keep, 0)
        check_choice(type(self).__name__, "criterion", self.criterion, (*CRITERIA, IMPORTANCE))
        if self.max_ranges is not None:
            check_whole(type(self).__name__, "max_ranges", self.max_ranges, 2)


def _joint_counts(task: Task, attribute: int) -> Table2D:
    size, n_classes = task.sizes[attribute], len(task.classes)
    cells = task.codes[:, attribute].astype(np.int64) * n_classes + task.target
    return np.bincount(cells, minlength=size * n_classes).reshape(size, n_classes).astype(float)


def anova(counts: Table2D, attribute: Attribute) -> float:
    """F value of a one-way analysis of variance between the classes."""
    if attribute.numeric:
        # Missing values have no number; they are left out, as an analyst would.
        middle = (attribute.lows + attribute.highs) / 2
        return _f_value(counts[: attribute.n_values], middle)
    return max(_f_value(counts, np.arange(len(counts)) == code) for code in range(len(counts)))


def _f_value(counts: Table2D, values: NDArray[np.float64] | NDArray[np.bool_]) -> float:
    n_rows, per_class = counts.sum(), counts.sum(axis=0)
    counts, per_class = counts[:, per_class > 0], per_class[per_class > 0]
    n_classes = len(per_class)
    constant = (counts.sum(axis=1) > 0).sum() < 2
    if constant or n_classes < 2 or n_rows <= n_classes:
        return 0.0
    centred = values - (counts.sum(axis=1) @ values) / n_rows
    means = (centred @ counts) / per_class
    between = float(per_class @ means**2)
    within = float((counts * (centred[:, None] - means) ** 2).sum())
    if within == 0:
        return float("inf") if between > 0 else 0.0
    return float((between / (n_classes - 1)) / (within / (n_rows - n_classes)))


def mutual_information(counts: Table2D, _: Attribute) -> float:
    """Mutual information of attribute and target, in nats."""
    share = counts / counts.sum()
    independent = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
    seen = share > 0
    return float((share[seen] * np.log(share[seen] / independent[seen])).sum())


def chi2(counts: Table2D, _: Attribute) -> float:
    """Pearson's chi-squared statistic of the table of attribute and target."""
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0, keepdims=True) / counts.sum()
    seen = expected > 0
    return float(((counts - expected)[seen] ** 2 / expected[seen]).sum())


def importances(task: Task) -> NDArray[np.float64]:
    """How much worse the target is told of people not seen when they exchange their values.

    Every fourth person is not seen. Each of them gets the value of the one who stands half of the
    rows away, one attribute after the other: no chance is involved.
    """
    rows = np.arange(0, task.n_rows, max(1, -(-task.n_rows // _MOST_PEOPLE)))
    n_held_out = min(len(rows) // 4, _MOST_EXCHANGED // len(task.names))
    if n_held_out < 2:
        return np.zeros(len(task.names))
    held_out = rows[::4][:n_held_out]
    seen = np.setdiff1d(rows, rows[::4])
    inputs = code_inputs(task, seen, 0)
    ranks = [np.unique(column, return_inverse=True)[1] for column in inputs.T]
    codes = np.stack(ranks, axis=1).astype(np.uint16)
    asked = [codes[held_out]]
    for a in range(len(task.names)):
        exchanged = codes[held_out]
        exchanged[:, a] = np.roll(exchanged[:, a], n_held_out // 2)
        asked.append(exchanged)
    sizes = [int(rank.max()) + 1 for rank in ranks]
    errors = _errors(task, seen, held_out, np.concatenate([codes[seen], *asked]), sizes)
    return np.asarray(errors[1:] - errors[0])


def _errors(
    task: Task,
    seen: NDArray[np.int64],
    held_out: NDArray[np.int64],
    codes: NDArray[np.uint16],
    sizes: Sequence[int],
) -> NDArray[np.float64]:
    """The mean error on those held out, for each block of codes that follows those seen."""
    people = np.zeros(len(codes))
    people[: len(seen)] = 1.0
    if task.numbers is None:
        counts = np.zeros((len(codes), len(task.classes)))
        counts[np.arange(len(seen)), task.target[seen]] = 1.0
        told = _TEACHER.shares(codes, sizes, counts)[len(seen) :]
        blocks = told.reshape(-1, len(held_out), len(task.classes))
        truth = blocks[:, np.arange(len(held_out)), task.target[held_out]]
        return np.asarray(-np.log(np.maximum(truth, _LEAST)).mean(axis=1))
    sums = np.zeros((len(codes), 1))
    sums[: len(seen), 0] = task.numbers[seen]
    told = _TEACHER.means(codes, sizes, sums, people)[len(seen) :, 0]
    return np.asarray(
        ((told.reshape(-1, len(held_out)) - task.numbers[held_out]) ** 2).mean(axis=1)
    )


CRITERIA: Mapping[str, Callable[[Table2D, Attribute], float]] = {
    "anova": anova,
    "mutual_information": mutual_information,
    "chi2": chi2,
}
