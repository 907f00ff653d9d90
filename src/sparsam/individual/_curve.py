"""What was measured along the kept share: accuracy, three risks, and how far runs agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sparsam._errors import ParameterError
from sparsam._small_counts import publish_interval, publish_share, suppress
from sparsam.attack import Interval, Risk


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
