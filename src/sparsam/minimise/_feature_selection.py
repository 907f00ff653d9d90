"""Feature selection as a minimiser, a baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice, check_whole
from sparsam.data import Attribute, Roles, Task
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._minimiser import BucketMinimiser
from sparsam.minimise._partitions import full_resolution

Table2D = NDArray[np.float64]


class FeatureSelection(BucketMinimiser):
    """Collect the attributes that tell most about the target, at full resolution, and no others.

    A baseline (Staab et al., section 6 and appendix E). The scores are computed from the joint
    counts of attribute and target.

    Parameters
    ----------
    roles : Roles, optional
    keep : int, default=4
        How many attributes to collect (k), those that must be kept counted first.
    criterion : {"anova", "mutual_information", "chi2"}, default="anova"
        How much an attribute tells about the target. For "anova" a categorical attribute has the
        F value of its most telling category.
    constraints : Constraints, optional
    unseen : {"error", "common"}, default="error"

    Attributes
    ----------
    generalization_ : Generalization
    scores_ : ndarray of float of shape (n_features_in_,)

    Examples
    --------
    >>> import sparsam as sp
    >>> selection = FeatureSelection(sp.Roles("employed"), keep=2).fit(sp.load_example())
    >>> selection.generalization_.collected
    ('parents_employment', 'military_service')
    """

    swept, steps = "keep", (2, 4, 8, 10, 20)

    def __init__(
        self,
        roles: Roles | None = None,
        *,
        keep: int = 4,
        criterion: str = "anova",
        constraints: Constraints | None = None,
        unseen: str = "error",
    ) -> None:
        self.roles = roles
        self.keep = keep
        self.criterion = criterion
        self.constraints = constraints
        self.unseen = unseen

    def _buckets(self, task: Task, constraints: Constraints) -> Sequence[NDArray[np.integer]]:
        attributes = task.table.attributes
        tables = [_joint_counts(task, a) for a in range(len(attributes))]
        score = CRITERIA[self.criterion]
        self.scores_ = np.array([score(t, a) for t, a in zip(tables, attributes, strict=True)])
        kept = self._chosen(task, constraints)
        return [
            full_resolution(attribute) if a in kept else np.zeros(attribute.size, dtype=np.int64)
            for a, attribute in enumerate(attributes)
        ]

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
        check_choice(type(self).__name__, "criterion", self.criterion, CRITERIA)


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


CRITERIA: Mapping[str, Callable[[Table2D, Attribute], float]] = {
    "anova": anova,
    "mutual_information": mutual_information,
    "chi2": chi2,
}
