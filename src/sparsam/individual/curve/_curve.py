"""Accuracy and risk of every algorithm along the kept share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, get_args

from sparsam._errors import DataError, ParameterError
from sparsam.individual._baselines import individual_random
from sparsam.individual._checks import positive, seed, share
from sparsam.individual._encoding import Encoded, PeopleSplit, split_people
from sparsam.individual._imputation import Imputation
from sparsam.individual._learners import Learner
from sparsam.individual._mask import Mask
from sparsam.individual._minimise_people import ALGORITHMS
from sparsam.individual._training_set import TrainingSet
from sparsam.individual.curve._bench import Bench
from sparsam.individual.curve._figures import CurvePoint, RunOverlap, SparsityCurve

Membership = Literal["all", "chosen", "none"]
Progress = Callable[[int, int], None]
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
FEWEST = 40
_NEAR = 0.3


def sparsity_curve(
    people: Encoded,
    keep: float,
    *,
    algorithm: str = "stationarity",
    algorithms: Sequence[str] | None = None,
    shares: Sequence[float] | None = None,
    learner: Learner | None = None,
    imputation: Imputation = "gaussian",
    options: Mapping[str, Any] | None = None,
    membership: Membership = "all",
    n_references: int = 8,
    n_runs: int = 3,
    split: PeopleSplit | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> SparsityCurve:
    """Measure what every algorithm costs and protects, for several shares of kept values.

    People are divided once: a quarter is minimised, a quarter is public, a quarter stands outside
    for the membership attack, and a quarter tests.

    Parameters
    ----------
    people : Encoded
        See `encode`.
    keep : float
        The chosen share of values to keep; always measured.
    algorithm : str, default="stationarity"
        The chosen one of `ALGORITHMS`; always measured.
    algorithms : sequence of str, optional
        Those to compare; all of `ALGORITHMS` when left out.
    shares : sequence of float, optional
        Kept shares; 1/16, 1/8, 1/4 and 1/2 when left out.
    learner : Learner, optional
        LogisticLearner() when left out.
    imputation : {"gaussian", "mean", "zero", "learned"}, default="gaussian"
    options : mapping, optional
        More parameters of the chosen algorithm.
    membership : {"all", "chosen", "none"}, default="all"
        Which points the membership attack is run against, besides the full model.
    n_references : int, default=8
        Reference models of that attack; even.
    n_runs : int, default=3
        Runs of the chosen algorithm with other seeds, to see how far their masks agree; below 2
        there is no comparison.
    split : PeopleSplit, optional
        Four parts of its own seed when left out.
    random_state : int, default=0
    progress : callable, optional
        Called with the number of masks measured so far, and of all.

    Returns
    -------
    SparsityCurve

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.individual import encode
    >>> X = np.random.default_rng(0).random((400, 3))
    >>> people = encode({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": X[:, 0] > X[:, 1]}, "y")
    >>> curve = sparsity_curve(people, 0.2, algorithms=["random rows"], shares=[0.5], n_runs=0)
    >>> [(point.algorithm, round(point.kept_share, 2)) for point in curve.points]
    [('stationarity', 0.2), ('stationarity', 0.5), ('random rows', 0.2), ('random rows', 0.5)]
    """
    chosen = share(keep, "keep")
    names = algorithm_names(algorithm, algorithms)
    if membership not in get_args(Membership):
        raise ParameterError(
            "The 'membership' parameter must be 'all', 'chosen' or 'none'. "
            f"Got {membership!r} instead."
        )
    number, runs = seed(random_state), positive(n_runs, "n_runs", 0)
    parts = _parts(people, split, number)
    bench = Bench(people, parts, learner, imputation, number)
    if membership != "none":
        bench.train_references(n_references)
    plan = [(name, one) for name in names for one in _shares(chosen, shares)]
    work = _Work(bench, algorithm, dict(options or {}), progress, len(plan) + max(0, runs - 1))
    mine = (algorithm, chosen)
    points = [work.point(*pair, membership=pair == mine or membership == "all") for pair in plan]
    everything = bench.data.mask(bench.data.full, "all values", number)
    return SparsityCurve(
        points=tuple(points),
        full=bench.measure(everything, membership=True),
        chosen=points[plan.index(mine)],
        overlap=work.overlap(chosen, runs) if runs > 1 else None,
        people={
            "public": len(parts.public),
            "members": len(parts.members),
            "others": len(parts.non_members),
            "test": len(parts.test),
        },
        learner=bench.data.learner.name,
        imputation=imputation,
        n_references=0 if membership == "none" else n_references,
        random_state=number,
    )


class _Work:
    """Finds masks and measures them, and tells how far it has come."""

    def __init__(
        self,
        bench: Bench,
        algorithm: str,
        options: dict[str, Any],
        progress: Progress | None,
        total: int,
    ) -> None:
        self.bench, self.algorithm, self.options = bench, algorithm, options
        self.progress, self.done, self.total = progress, 0, total

    def point(self, name: str, keep: float, *, membership: bool) -> CurvePoint:
        found = self.bench.measure(self._mask(name, keep), membership=membership)
        self._told()
        return found

    def overlap(self, keep: float, runs: int) -> RunOverlap:
        """Compare runs of the chosen algorithm, and random masks with the same seeds."""
        first = self.bench.random_state
        seeds = tuple(range(first, first + runs))
        masks = []
        for number in seeds:
            masks.append(self._mask(self.algorithm, keep, number))
            if number != first:
                self._told()
        drawn = [individual_random(self.bench.data, keep, random_state=one) for one in seeds]
        same, chance = list(_overlaps(masks)), list(_overlaps(drawn))
        return RunOverlap(
            algorithm=self.algorithm,
            kept_share=masks[0].kept_share,
            seeds=seeds,
            mean=sum(same) / len(same),
            low=min(same),
            high=max(same),
            random=masks[0].random_overlap(masks[1]),
            random_low=min(chance),
            random_high=max(chance),
        )

    def _mask(self, name: str, keep: float, random_state: int | None = None) -> Mask:
        number = self.bench.random_state if random_state is None else random_state
        more = self.options if name == self.algorithm else {}
        return find_mask(self.bench.data, name, keep, number, more)

    def _told(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def find_mask(
    data: TrainingSet, name: str, keep: float, random_state: int, options: Mapping[str, Any]
) -> Mask:
    """Run one algorithm; an option that it does not know is an error of the caller."""
    function = ALGORITHMS[name]
    known = set(inspect.signature(function).parameters) - {"data", "keep", "random_state"}
    if not set(options) <= known:
        raise ParameterError(
            f"The options of '{name}' are {sorted(known)}. Got {sorted(options)} instead."
        )
    return function(data, keep, random_state=random_state, **options)


def _overlaps(masks: Sequence[Mask]) -> Iterator[float]:
    for one, other in combinations(masks, 2):
        yield one.overlap(other)


def algorithm_names(algorithm: str, algorithms: Sequence[str] | None) -> list[str]:
    """Name the algorithms to measure, in their order; one that is not known is an error."""
    wanted = list(ALGORITHMS if algorithms is None else algorithms)
    unknown = [name for name in (algorithm, *wanted) if name not in ALGORITHMS]
    if unknown:
        raise ParameterError(
            f"The algorithms must be among {', '.join(ALGORITHMS)}. Got {unknown[0]!r} instead."
        )
    return [name for name in ALGORITHMS if name == algorithm or name in wanted]


def _shares(chosen: float, shares: Sequence[float] | None) -> list[float]:
    """The shares to measure; of the usual ones, those that are not next to the chosen one."""
    if shares is None:
        wanted = [one for one in SHARES if abs(one / chosen - 1) > _NEAR]
    else:
        wanted = [share(one, "shares") for one in shares]
    return sorted({*wanted, chosen})


def _parts(people: Encoded, split: PeopleSplit | None, random_state: int) -> PeopleSplit:
    n_people = len(people.y)
    if n_people < FEWEST:
        raise DataError(
            f"There must be at least {FEWEST} people to measure masks on. Got {n_people} instead."
        )
    if split is not None:
        return split
    return split_people(n_people, own_test=True, random_state=random_state)
