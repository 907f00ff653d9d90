"""Measure accuracy and risk of every algorithm along the kept share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sparsam._checks import check_choice, check_share, check_whole
from sparsam._errors import DataError, ParameterError
from sparsam._joined import supplied
from sparsam._small_counts import publish_interval, publish_share, suppress
from sparsam.attack import (
    Interval,
    MaskedMembership,
    Risk,
    masked_reconstruction,
    paired_difference,
    reidentification,
    wilson_interval,
)
from sparsam.individual._algorithms import individual_random
from sparsam.individual._arrays import Labels, Matrix
from sparsam.individual._imputation import Imputation, PublicStatistics
from sparsam.individual._individual_minimiser import ALGORITHMS, find_mask
from sparsam.individual._learners import Learner
from sparsam.individual._mask import Mask
from sparsam.individual._people import Encoded, PeopleSplit, split_people
from sparsam.individual._training_set import TrainingSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Membership = Literal["all", "chosen", "none"]
Progress = Callable[[int, int], None]
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
FEWEST = 40
_NEAR = 0.3
Truths = NDArray[np.bool_]
EVIDENCE = "records"


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
    >>> from sparsam.individual import read_people
    >>> X = np.random.default_rng(0).random((400, 3))
    >>> columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": X[:, 0] > X[:, 1]}
    >>> people = read_people(columns, "y")
    >>> curve = sparsity_curve(
    ...     people.encoded, 0.2, algorithms=["random rows"], shares=[0.5], n_runs=0
    ... )
    >>> [(point.algorithm, round(point.kept_share, 2)) for point in curve.points]
    [('stationarity', 0.2), ('stationarity', 0.5), ('random rows', 0.2), ('random rows', 0.5)]
    """
    owner = "sparsity_curve"
    check_share(owner, "keep", keep, above=True)
    check_choice(owner, "membership", membership, get_args(Membership))
    check_whole(owner, "random_state", random_state, 0)
    check_whole(owner, "n_runs", n_runs, 0)
    names = algorithm_names(algorithm, algorithms)
    parts = _parts(people, split, random_state)
    bench = Bench(people, parts, learner, imputation, random_state)
    if membership != "none":
        bench.train_references(n_references)
    plan = [(name, share) for name in names for share in _shares(keep, shares)]
    work = _Work(bench, algorithm, dict(options or {}), progress, len(plan) + max(0, n_runs - 1))
    mine = (algorithm, keep)
    points = [work.point(*pair, membership=pair == mine or membership == "all") for pair in plan]
    everything = bench.data.mask(bench.data.full, "all values", random_state)
    return SparsityCurve(
        points=tuple(points),
        full=bench.measure(everything, membership=True),
        chosen=points[plan.index(mine)],
        overlap=work.overlap(keep, n_runs) if n_runs > 1 else None,
        people={
            "public": len(parts.public),
            "members": len(parts.members),
            "others": len(parts.non_members),
            "test": len(parts.test),
        },
        learner=bench.data.learner.name,
        imputation=imputation,
        n_references=0 if membership == "none" else n_references,
        random_state=random_state,
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
        point = self.bench.measure(self._mask(name, keep), membership=membership)
        self._advance()
        return point

    def overlap(self, keep: float, runs: int) -> RunOverlap:
        """Compare runs of the chosen algorithm, and random masks with the same seeds."""
        first = self.bench.random_state
        seeds = tuple(range(first, first + runs))
        masks = []
        for seed in seeds:
            masks.append(self._mask(self.algorithm, keep, seed))
            if seed != first:
                self._advance()
        random = [individual_random(self.bench.data, keep, random_state=seed) for seed in seeds]
        same, chance = list(_overlaps(masks)), list(_overlaps(random))
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
        seed = self.bench.random_state if random_state is None else random_state
        options = self.options if name == self.algorithm else {}
        return find_mask(self.bench.data, name, keep, seed, options)

    def _advance(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def _overlaps(masks: Sequence[Mask]) -> Iterator[float]:
    for first, second in combinations(masks, 2):
        yield first.overlap(second)


def algorithm_names(algorithm: str, algorithms: Sequence[str] | None) -> list[str]:
    """Name the algorithms to measure, in their order; one that is not known is an error."""
    names = [algorithm, *(ALGORITHMS if algorithms is None else algorithms)]
    for name in names:
        check_choice("sparsity_curve", "algorithms", name, ALGORITHMS)
    return [name for name in ALGORITHMS if name in names]


def _shares(chosen: float, shares: Sequence[float] | None) -> list[float]:
    """The shares to measure; of the usual ones, those that are not next to the chosen one."""
    if shares is None:
        shares = [share for share in SHARES if abs(share / chosen - 1) > _NEAR]
    for share in shares:
        check_share("sparsity_curve", "shares", share, above=True)
    return sorted({*shares, chosen})


def _parts(people: Encoded, split: PeopleSplit | None, random_state: int) -> PeopleSplit:
    n_people = len(people.y)
    if n_people < FEWEST:
        raise DataError(
            f"There must be at least {FEWEST} people to measure masks on. Got {n_people} instead."
        )
    if split is not None:
        return split
    return split_people(n_people, own_test=True, random_state=random_state)


class Bench:
    """Everything that stays the same from mask to mask.

    Parameters
    ----------
    people : Encoded
    split : PeopleSplit
        Members are minimised, public rows give statistics and reference models, the accuracy is
        measured on the test rows.
    learner : Learner, optional
    imputation : str
    random_state : int
    """

    def __init__(
        self,
        people: Encoded,
        split: PeopleSplit,
        learner: Learner | None,
        imputation: Imputation,
        random_state: int,
    ) -> None:
        self.people, self.split, self.random_state = people, split, random_state
        self.data = TrainingSet(
            people.X[split.members],
            _labels(people, split),
            PublicStatistics.of(people.X[split.public]),
            learner,
            imputation,
            people.attributes,
        )
        self.rows = self.data.complete(people.X, "people")
        self.most_common = int(np.bincount(self.data.y).argmax())
        self.game: MaskedMembership | None = None
        self.full_right = self._answers(self.data.X, self.data.y)[0]

    def train_references(self, n_references: int) -> None:
        """Train the reference models of the membership attack, once for all masks."""
        people, split = self.people, self.split

        def train(rows: NDArray[np.intp]) -> Matrix:
            return self._answers(self.rows[rows], people.y[rows])[1]

        self.game = MaskedMembership.trained(
            train,
            len(people.y),
            split.members,
            split.non_members,
            split.public,
            n_references=n_references,
            random_state=self.random_state,
        )

    def measure(self, mask: Mask, *, membership: bool) -> CurvePoint:
        """Measure one mask of the members."""
        data = self.data
        filled = data.X if mask.n_kept == data.n_values else data.imputed(mask.kept)
        right, confidence = self._answers(filled, data.y)
        game = self.game if membership else None
        return CurvePoint(
            algorithm=mask.algorithm,
            kept_share=mask.kept_share,
            accuracy=self._accuracy(right),
            reconstruction=masked_reconstruction(
                data.values, filled, mask.kept, mean=data.statistics.mean, adversary=data.imputation
            ),
            reidentification=reidentification(data.values, mask.kept),
            weighed=reidentification(data.values, mask.kept, evidence=EVIDENCE),
            membership=None
            if game is None
            else game.risk(confidence, random_state=self.random_state),
        )

    def _answers(self, X: Matrix, y: Labels) -> tuple[Truths, Matrix]:
        """Train on some rows: where the model is right, and how sure it is of the truth."""
        people, learner, n_classes = self.people, self.data.learner, self.data.n_classes
        parameters = learner.fit_many(X[None], y, n_classes)
        likely = learner.probabilities(parameters, self.rows, n_classes)[0]
        return likely.argmax(1) == people.y, likely[np.arange(len(people.y)), people.y]

    def _accuracy(self, right: Truths) -> MaskedAccuracy:
        test = self.split.test
        here, full = right[test], self.full_right[test]
        drop, interval = paired_difference(full, here)
        return MaskedAccuracy(
            accuracy=float(here.mean()),
            interval=wilson_interval(float(here.sum()), len(test)),
            baseline=float((self.people.y[test] == self.most_common).mean()),
            full=float(full.mean()),
            drop=drop,
            drop_interval=interval,
            n_people=len(test),
        )


def _labels(people: Encoded, split: PeopleSplit) -> Labels:
    labels: Labels = people.y[split.members]
    n_classes = len(people.classes)
    absent = n_classes - len(np.unique(labels))
    if absent:
        raise DataError(
            f"Every class must occur among the {len(labels):,} people to be minimised. "
            f"{absent} of {n_classes} classes are too rare.\n\n"
            "Hint: is the target a number? Cut it into classes first, such as 'income>50000'."
        )
    return labels


@dataclass(frozen=True, kw_only=True)
class MaskedAccuracy:
    """How often the model of minimised rows is right about people apart.

    Attributes
    ----------
    accuracy : float
        Share of right answers.
    interval : tuple of float
        95 % interval of `accuracy`.
    baseline : float
        The same for the most common class of the training rows, said of everyone.
    full : float
        The same for the model of all values.
    drop : float
        `full` less `accuracy`.
    drop_interval : tuple of float
        95 % interval of `drop`, over the same people.
    n_people : int
        People that it was measured on.
    """

    accuracy: float
    interval: Interval
    baseline: float
    full: float
    drop: float
    drop_interval: Interval
    n_people: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published: shares in steps of five people or more."""
        people = self.n_people
        return {
            "accuracy": publish_share(self.accuracy, people),
            "interval": publish_interval(self.interval, people),
            "baseline": publish_share(self.baseline, people),
            "full": publish_share(self.full, people),
            "drop": publish_share(self.drop, people),
            "drop_interval": publish_interval(self.drop_interval, people),
            "n_people": suppress(people),
        }


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """One mask of the members, measured.

    Attributes
    ----------
    algorithm : str
    kept_share : float
    accuracy : MaskedAccuracy
        On the test rows.
    reconstruction : Risk
        RCR, eq. 2: how near the filled rows come to the true ones.
    reidentification : Risk
        RIR, eq. 3, ties in a random order.
    weighed : Risk
        The same for an adversary who weighs how telling each record is.
    membership : Risk or None
        MIR, eq. 23, by RMIA; None where it was not asked for.
    """

    algorithm: str
    kept_share: float
    accuracy: MaskedAccuracy
    reconstruction: Risk
    reidentification: Risk
    weighed: Risk
    membership: Risk | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "algorithm": self.algorithm,
            "kept_share": self.kept_share,
            "accuracy": self.accuracy.to_dict(),
            "reconstruction": self.reconstruction.to_dict(),
            "reidentification": self.reidentification.to_dict(),
            "weighed": self.weighed.to_dict(),
            "membership": None if self.membership is None else self.membership.to_dict(),
        }


@dataclass(frozen=True, kw_only=True)
class RunOverlap:
    """How far masks of one algorithm with other seeds agree, beside masks drawn at random.

    Attributes
    ----------
    algorithm : str
    kept_share : float
    seeds : tuple of int
    mean, low, high : float
        Share of kept values that two runs have in common, over all pairs of runs.
    random : float
        The mean that independent random masks with as many values have: the kept share.
    random_low, random_high : float
        What as many random masks, drawn with the same seeds, really had.
    """

    algorithm: str
    kept_share: float
    seeds: tuple[int, ...]
    mean: float
    low: float
    high: float
    random: float
    random_low: float
    random_high: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**vars(self), "seeds": list(self.seeds)}


@dataclass(frozen=True, kw_only=True)
class SparsityCurve:
    """Accuracy and risk of every algorithm along the kept share.

    Attributes
    ----------
    points : tuple of CurvePoint
        By algorithm, then by kept share.
    full : CurvePoint
        All values kept: the reference.
    chosen : CurvePoint
        The chosen algorithm at the chosen share; one of `points`.
    overlap : RunOverlap or None
    people : mapping of str to int
        How many were public, members, others and test people.
    learner, imputation : str
    n_references : int
        Reference models of the membership attack; 0 where it was not asked for.
    random_state : int

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.individual import read_people, sparsity_curve
    >>> X = np.random.default_rng(0).random((400, 3))
    >>> columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": X[:, 0] > X[:, 1]}
    >>> people = read_people(columns, "y")
    >>> curve = sparsity_curve(people.encoded, 0.2, algorithms=[], shares=[0.5], n_runs=0)
    >>> curve.chosen.algorithm, [round(point.kept_share, 2) for point in curve.points]
    ('stationarity', [0.2, 0.5])
    """

    points: tuple[CurvePoint, ...]
    full: CurvePoint
    chosen: CurvePoint
    overlap: RunOverlap | None
    people: Mapping[str, int]
    learner: str
    imputation: str
    n_references: int
    random_state: int

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms that were measured, in order."""
        return tuple(dict.fromkeys(point.algorithm for point in self.points))

    def of(self, algorithm: str) -> tuple[CurvePoint, ...]:
        """The points of one algorithm, the smallest share first."""
        points = tuple(point for point in self.points if point.algorithm == algorithm)
        if not points:
            raise ParameterError(
                f"The algorithm must be one of {', '.join(self.algorithms)}. Got {algorithm!r}."
            )
        return points

    def plot(self, ax: Axes | None = None, *, measure: str = "accuracy", **style: Any) -> Axes:
        """Draw accuracy, or a risk, along the share of values that is kept.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own when left out.
        measure : str, default="accuracy"
            Or "reconstruction", "reidentification", "weighed" or "membership", of which more is
            worse.
        **style
            `title`, `figsize`, `colors`, `legend`, and properties of matplotlib's lines,
            such as `linewidth`.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> from sparsam.individual._people import encode
        >>> X = np.random.default_rng(0).random((400, 2))
        >>> people = encode({"a": X[:, 0], "b": X[:, 1], "y": X[:, 0] > X[:, 1]}, "y")
        >>> few = {"algorithms": ["feature selection"], "shares": [0.2], "n_runs": 0}
        >>> curve = sparsity_curve(people, 0.5, membership="none", **few)
        >>> curve.plot().get_ylabel()
        'Accuracy, people apart (%)'
        """
        axes: Axes = supplied("plot_curve")(self, ax, measure, **style)
        return axes

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "points": [point.to_dict() for point in self.points],
            "full": self.full.to_dict(),
            "chosen": self.chosen.to_dict(),
            "overlap": None if self.overlap is None else self.overlap.to_dict(),
            "people": dict(self.people),
            "learner": self.learner,
            "imputation": self.imputation,
            "n_references": self.n_references,
            "random_state": self.random_state,
        }

    def __repr__(self) -> str:
        chosen = self.chosen
        return (
            f"<SparsityCurve: {len(self.points)} points of {len(self.algorithms)} algorithms; "
            f"{chosen.algorithm} at {chosen.kept_share:.2%}: accuracy "
            f"{chosen.accuracy.accuracy:.3f} of {chosen.accuracy.full:.3f}>"
        )
