"""How several adversaries do along a front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from joblib import Parallel, cpu_count, delayed

from sparsam.assess._front import Front
from sparsam.assess._score import ACCURACY, Score
from sparsam.attack import INFORMED, Bench, Guesses, Reconstruction
from sparsam.data import Split
from sparsam.generalization import Generalization

RECONSTRUCTING = ("A1", "A3", "A4", "A5")


@dataclass(frozen=True)
class AttackedPoint:
    """A point of a front and the errors of several adversaries on it.

    Attributes
    ----------
    number : int
        Which of the front's points it is.
    label : str
    utility_error : float
    errors : dict of str to float
        By adversary, on test data.
    score : Score
        What the utility is measured by.
    """

    number: int
    label: str
    utility_error: float
    errors: dict[str, float]
    score: Score = ACCURACY

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "id": self.number,
            "label": self.label,
            "utility_error": self.utility_error,
            "scale": self.score.scale,
            "errors": self.errors,
        }


def attack_along(
    front: Front,
    adversaries: Sequence[str] = RECONSTRUCTING,
    *,
    reconstruction: Reconstruction | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[AttackedPoint]:
    """Attack every point that no other one beats with several adversaries (figures 6 and 7).

    Parameters
    ----------
    front : Front
    adversaries : sequence of str, default=("A1", "A3", "A4", "A5")
    reconstruction : Reconstruction, optional
    n_jobs : int, optional
        Processes; all cores when not given. The result does not depend on it.
    progress : callable, optional
        Called with (done, total).

    Returns
    -------
    list of AttackedPoint

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> tree = sp.PrivacyTree(max_leaves=4)
    >>> front = sp.sweep(people, sp.Roles("employed"), minimisers=tree, repeats=1)
    >>> [attacked] = attack_along(front, ["A1", "A4"], n_jobs=1)
    >>> sorted(attacked.errors)
    ['A1', 'A4']
    """
    best = front.best
    numbers = {id(point): number for number, point in enumerate(front.points)}
    adversary = reconstruction or Reconstruction(random_state=front.data.random_state)
    without = _without(front.data, adversaries, adversary)
    jobs = (
        delayed(_errors)(
            Bench(point.candidate.generalization, front.data, (), adversary, dict(without)),
            tuple(adversaries),
        )
        for point in best
    )
    workers = max(1, min(n_jobs or cpu_count(), len(best)))
    results = Parallel(n_jobs=workers, return_as="generator", max_nbytes=None)(jobs)
    points = []
    for point, errors in zip(best, results, strict=True):
        error = point.assessment.utility.error
        label, score = point.candidate.label, front.limits.score
        points.append(AttackedPoint(numbers[id(point)], label, error, errors, score))
        if progress is not None:
            progress(len(points), len(best))
    return points


def _without(
    data: Split, adversaries: Sequence[str], reconstruction: Reconstruction
) -> dict[str, Guesses]:
    """What the adversaries guess who have no records: the same for all points."""
    bench = Bench(Generalization.nothing(data.train.table), data, (), reconstruction)
    for name in adversaries:
        if name in INFORMED:
            bench.guessed_without(INFORMED[name])
    return bench.without


def _errors(bench: Bench, adversaries: tuple[str, ...]) -> dict[str, float]:
    return {name: next(iter(bench.run(name))).value for name in adversaries}
