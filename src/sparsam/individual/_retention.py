"""Decide which values of a table to retain, with the evidence for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sparsam._checks import check_number, check_share, check_whole
from sparsam._errors import ParameterError
from sparsam.attack import Risk, masked_reconstruction, reidentification
from sparsam.individual._imputation import Imputation, PublicStatistics
from sparsam.individual._individual_minimiser import IndividualMinimiser, find_mask
from sparsam.individual._learners import Learner
from sparsam.individual._mask import Mask
from sparsam.individual._people import Encoded, PeopleSplit, PeopleTable, split_people
from sparsam.individual._privacy_scores import uniqueness_scores
from sparsam.individual._sparsity_curve import (
    EVIDENCE,
    FEWEST,
    Membership,
    Progress,
    SparsityCurve,
    algorithm_names,
    sparsity_curve,
)
from sparsam.individual._training_set import TrainingSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURED_ON = "people apart of a division of the same table"
_MOST_RANKED = 20_000
_AIM = 0.5


@dataclass(frozen=True, kw_only=True)
class Retention:
    """A mask over all people of a table, and what speaks for it.

    Attributes
    ----------
    mask : Mask
        Over everyone.
    curve : SparsityCurve
        The same algorithm, and others, on a division of the same table: accuracy on people apart
        cannot be measured where everyone is minimised.
    reconstruction : Risk
        RCR of the mask itself.
    reidentification, weighed : Risk or None
        RIR of the mask itself, ties at random and weighed by evidence; None above 20,000 people.
    max_drop : float or None
        The drop in accuracy that was permitted.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.individual import read_people, retain
    >>> X = np.random.default_rng(0).random((400, 3))
    >>> columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": X[:, 0] > X[:, 1]}
    >>> people = read_people(columns, "y")
    >>> retention = retain(people, keep=0.2, algorithms=[], shares=[], n_runs=0)
    >>> retention.mask.kept_share, retention.curve.chosen.algorithm
    (0.2, 'stationarity')
    """

    mask: Mask
    curve: SparsityCurve
    reconstruction: Risk
    reidentification: Risk | None
    weighed: Risk | None
    max_drop: float | None

    @property
    def drop(self) -> float:
        """What the chosen algorithm loses at the chosen share, on the test people."""
        return self.curve.chosen.accuracy.drop

    @property
    def met(self) -> bool:
        """Whether the permitted drop holds on the test people; True where none was given."""
        return self.max_drop is None or self.drop <= self.max_drop

    def plot(self, ax: Axes | None = None, *, measure: str = "accuracy", **style: Any) -> Axes:
        """Draw what the algorithm costs or spares along the share that is kept.

        Parameters
        ----------
        ax, measure, **style
            As for `SparsityCurve.plot`; `mask.plot()` draws the mask.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        ``retain(people, keep=0.2).plot(measure="weighed")`` draws how often people are recognised.
        """
        return self.curve.plot(ax, measure=measure, **style)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        ranked = {"reidentification": self.reidentification, "weighed": self.weighed}
        return {
            "mask": self.mask.header(),
            "curve": self.curve.to_dict(),
            "reconstruction": self.reconstruction.to_dict(),
            **{name: None if risk is None else risk.to_dict() for name, risk in ranked.items()},
            "max_drop": self.max_drop,
            "drop": self.drop,
            "met": self.met,
        }


def retain(
    people: PeopleTable | Encoded,
    *,
    keep: float | None = None,
    max_drop: float | None = None,
    algorithm: str = "stationarity",
    algorithms: Sequence[str] | None = None,
    shares: Sequence[float] | None = None,
    learner: Learner | None = None,
    imputation: Imputation = "gaussian",
    options: Mapping[str, Any] | None = None,
    membership: Membership = "all",
    n_references: int = 8,
    n_runs: int = 3,
    sample: int | None = 12_000,
    privacy_weight: float = 0.0,
    rows: ArrayLike | None = None,
    table_rows: int | None = None,
    facts: Mapping[str, str | float | int] | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
    on_mask: Callable[[Mask], None] | None = None,
) -> Retention:
    """Find which single values of a table to retain, for everyone in it, and measure the cost.

    It must see everything once: it is a tool for deciding what to retain, not what to ask for.

    Two things are done. The algorithm is run on everyone. On a division of the table (see
    `sparsity_curve`) it is measured on people apart, with the same share and beside others. Then
    the mask over everyone is attacked in turn.

    Parameters
    ----------
    people : PeopleTable or Encoded
        See `read_people`.
    keep : float, optional
        The share of the values that are there to keep.
    max_drop : float, optional
        The drop in accuracy that is permitted. The search aims at half of it on people apart,
        since the drop is then measured again on others. Give this or `keep`.
    algorithm, algorithms, shares, learner, imputation, options, membership, n_references, n_runs
        See `sparsity_curve`.
    sample : int or None, default=12,000
        At most so many people, drawn at random, are divided and measured; None for all of them.
        The mask is over everyone in any case.
    privacy_weight : float, default=0.0
        For stationarity: spare values that single people out; how much mean log loss one unit of
        their mean uniqueness is worth.
    rows, table_rows, facts
        For the mask; see `Mask`. A `PeopleTable` knows its rows and how it was read.
    random_state : int, default=0
    progress : callable, optional
        Called with the number of masks measured so far, and of all.
    on_mask : callable, optional
        Called with the mask as soon as it is found, before anything is measured: to save it, as
        what follows may take long.

    Returns
    -------
    Retention

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.individual import read_people
    >>> X = np.random.default_rng(0).random((400, 3))
    >>> columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": X[:, 0] > X[:, 1]}
    >>> people = read_people(columns, "y")
    >>> retention = retain(people, keep=0.2, algorithms=[], shares=[], n_runs=0)
    >>> print(retention.mask)
    400 people x 3 attributes: 20.00 % kept (240 of 1,200 values), stationarity for logistic
    regression (l2=1), seed 0
    """
    if (keep is None) == (max_drop is None):
        raise ParameterError("Give 'keep' or 'max_drop', one of the two.")
    check_whole("retain", "random_state", random_state, 0)
    check_number("retain", "privacy_weight", privacy_weight)
    facts = dict(facts or {})
    if isinstance(people, PeopleTable):
        facts |= people.facts
        if people.rows is not None:
            rows, table_rows = people.rows, people.n_rows
        people = people.encoded
    if privacy_weight:
        costs = 1 - uniqueness_scores(people.X)
        options = {**(options or {}), "privacy": costs, "privacy_weight": privacy_weight}
    algorithm_names(algorithm, algorithms)
    some = _sampled(people, sample, random_state)
    split = split_people(max(len(some.y), 8), own_test=True, random_state=random_state)
    settings: dict[str, Any] = {
        "algorithm": algorithm,
        "learner": learner,
        "imputation": imputation,
        "options": options,
        "random_state": int(random_state),
    }
    if keep is None:
        keep = _least(some, split, max_drop, settings)
    data = TrainingSet(
        people.X, people.y, PublicStatistics.of(people.X), learner, imputation, people.attributes
    )
    mask = find_mask(data, algorithm, keep, random_state, options or {})
    mask = mask.with_facts({}, rows, table_rows)
    if on_mask is not None:
        on_mask(mask.with_facts(facts))
    curve = sparsity_curve(
        some,
        keep,
        algorithms=algorithms,
        shares=shares,
        membership=membership,
        n_references=n_references,
        n_runs=n_runs,
        split=split,
        progress=progress,
        **settings,
    )
    mask = mask.with_facts({**_figures(mask, data, curve), **facts})
    return _attacked(mask, data, curve, max_drop)


def _sampled(people: Encoded, sample: int | None, random_state: int) -> Encoded:
    if sample is not None:
        check_whole("retain", "sample", sample, FEWEST)
    if sample is None or len(people.y) <= sample:
        return people
    rng = np.random.default_rng(random_state)
    rows = np.sort(rng.choice(len(people.y), sample, replace=False))
    return Encoded(people.X[rows], people.y[rows], people.attributes, people.classes)


def _least(
    people: Encoded, split: PeopleSplit, max_drop: float | None, settings: Mapping[str, Any]
) -> float:
    """The least share within half of the permitted drop, on people who are not minimised."""
    check_share("retain", "max_drop", max_drop)
    minimiser = IndividualMinimiser(max_drop=_AIM * float(max_drop or 0), **settings)
    minimiser.fit(
        people.X[split.members],
        people.y[split.members],
        public=people.X[split.public],
        validation=(people.X[split.non_members], people.y[split.non_members]),
    )
    return float(minimiser.keep_)


def _figures(mask: Mask, data: TrainingSet, curve: SparsityCurve) -> dict[str, str | float]:
    """What was measured, for the mask to say."""
    full, minimised = data.accuracies(np.stack([data.full, mask.kept]))
    measured = curve.chosen.accuracy
    return {
        "accuracy": measured.accuracy,
        "full_accuracy": measured.full,
        "measured_on": MEASURED_ON,
        "training_accuracy": float(minimised),
        "training_full_accuracy": float(full),
    }


def _attacked(
    mask: Mask, data: TrainingSet, curve: SparsityCurve, max_drop: float | None
) -> Retention:
    filled = data.X if mask.n_kept == data.n_values else data.imputed(mask.kept)
    ranked = len(data.X) <= _MOST_RANKED
    return Retention(
        mask=mask,
        curve=curve,
        reconstruction=masked_reconstruction(
            data.values, filled, mask.kept, mean=data.statistics.mean, adversary=data.imputation
        ),
        reidentification=reidentification(data.values, mask.kept) if ranked else None,
        weighed=reidentification(data.values, mask.kept, evidence=EVIDENCE) if ranked else None,
        max_drop=max_drop,
    )
