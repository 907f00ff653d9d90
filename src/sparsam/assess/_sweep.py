"""Try many generalizations and measure each of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from joblib import Parallel, cpu_count, delayed, parallel_config

from sparsam._checks import check_share, check_whole
from sparsam._errors import ParameterError
from sparsam._threads import one_thread
from sparsam.assess._assessment import (
    Assessment,
    Limits,
    attacked,
    measure_limits,
    measure_utility,
)
from sparsam.assess._candidates import (
    MINIMISERS,
    Candidate,
    default_candidates,
    fitted_candidate,
    without_repeats,
)
from sparsam.assess._front import Front
from sparsam.assess._learning import learning_part
from sparsam.assess._point import Point
from sparsam.assess._score import AUTO, Score, score_for
from sparsam.assess._trial import LossDemand, Tried
from sparsam.assess._utility import Classifier, best_classifier
from sparsam.attack import GeneralizedRecords, Reconstruction
from sparsam.data import MOST_PEOPLE, Roles, Split, Task, draw_people, resolve
from sparsam.data import split as split_task
from sparsam.minimise import Constraints, Minimiser

Progress = Callable[[int, int], None]
REPEATS = 3
_AT_ONCE = 4  # candidates of a path that are judged before it is asked whether to go on


def sweep(
    data: Any,
    roles: Roles | None = None,
    *,
    minimisers: str | Minimiser | Sequence[str | Minimiser] = MINIMISERS,
    min_leaf: int = 100,
    sample: float = 1.0,
    constraints: Constraints | None = None,
    adversary: Reconstruction | None = None,
    random_state: int = 0,
    score: str = AUTO,
    repeats: int = REPEATS,
    max_people: int = MOST_PEOPLE,
    max_memory: int | str | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Front:
    """Try every setting of several minimisers, attack each result, and draw the front.

    Parameters
    ----------
    data : frame, Table, path, Task or Split
        A sample at full resolution. It is split 60/10/30 unless it is a `Split` already:
        generalizations, classifiers and adversaries learn on the first part, models and what to
        test are chosen on the second, figures are tested and reported on the third.
    roles : Roles, optional
        Needed unless `data` is a `Task` or `Split`.
    minimisers : str, Minimiser or sequence of them
        By default "merging" and "importance"; also "privacy tree" (PAT), "uniform", "feature
        selection", "iterative", "model tree", "adversarial" and "mutual information". Names stand
        for all their settings in Staab et al. (appendix F), or for the whole path that they find;
        a minimiser of your own stands for itself, and is left as it was.
    min_leaf : int, default=100
        The fewest people in a leaf of a privacy tree.
    sample : float, default=1.0
        Share of the training part that the minimisers learn from: how small may the sample at full
        resolution be (Staab et al., section 8.3)? Classifiers and adversaries learn from all of
        it, or from 100,000 people of it drawn at random; everyone in the other parts is judged.
    constraints : Constraints, optional
        Hold for a minimiser of your own too, unless it has its own.
    adversary : Reconstruction, optional
    random_state : int, default=0
    score : str, default="auto"
        What utility is measured by, as for `assess_generalization`: one that fits the target.
    repeats : int, default=3
        In how many ways the people are divided; they decide together when a choice is made. A
        `Split` stands for itself alone.
    max_people : int, default=300000
        Of more people so many are drawn at random to learn from and to choose on. Everyone else is
        counted in what is reported of the choice: see `Choice.everyone`.
    max_memory : int or str, optional
        As for `read`: of a table in an engine that would take more, a sample is drawn there.
    n_jobs : int, optional
        Threads to use; as many as there are cores when not given. The result does not depend on it.
    progress : callable, optional
        Called with (done, total) after each assessment.

    Returns
    -------
    Front

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> roles = sp.Roles("employed")
    >>> front = sweep(people, roles, minimisers=["uniform", sp.PrivacyTree()], repeats=1)
    >>> len(front), front.choose().generalization.collected
    (3, ('age',))
    """
    check_whole("sweep", "repeats", repeats, 1)
    check_whole("sweep", "max_people", max_people, 3)
    named = [minimisers] if isinstance(minimisers, str | Minimiser) else minimisers
    task = _task(data, roles, max_memory, random_state)
    task = draw_people(task, max_people, random_state) if isinstance(task, Task) else task
    parts = task if isinstance(task, Split) else split_task(task, random_state=random_state)
    settings = _Settings(
        minimisers=tuple(named),
        min_leaf=min_leaf,
        sample=sample,
        constraints=constraints,
        adversary=adversary or Reconstruction(random_state=random_state),
        random_state=random_state,
        score=score_for(parts, score),
        n_jobs=n_jobs or cpu_count(),
    )
    others = []
    if isinstance(task, Task):
        others = [_Repeat(settings, task, _seed(random_state, n)) for n in range(1, repeats)]
    return _Learned(settings, parts).front(progress, others)


@dataclass(frozen=True)
class _Settings:
    """What a sweep does with people, however they are divided."""

    minimisers: tuple[str | Minimiser, ...]
    min_leaf: int
    sample: float
    constraints: Constraints | None
    adversary: Reconstruction
    random_state: int
    score: Score
    n_jobs: int


class _Learned:
    """What was learned from one way to divide the people, before anyone attacks it."""

    def __init__(self, settings: _Settings, data: Split) -> None:
        self._settings = settings
        self.data = data
        learned_from = _sample(data.train, settings.sample, settings.random_state)
        with parallel_config("threading", n_jobs=settings.n_jobs):
            self.candidates = without_repeats(_candidates(learned_from, settings))
        if not self.candidates:
            raise ParameterError("A sweep needs at least one minimiser. Got none.")
        # groups of classes follow from the people who are judged
        self._score = replace(score_for(data, settings.score.name), why=settings.score.why)
        self.limits = measure_limits(data, settings.random_state, self._score)
        self._known: dict[int, Tried] = {}
        self._models: dict[int, Classifier] = {}

    def tried(self, limit: float) -> list[Tried]:
        """What is lost with those that could be within a limit, by what is known before testing.

        Only how many attributes are enough is asked here: of the candidates of a path that collect
        as many, the most detailed one stands for all. Each path is walked from many attributes to
        few. Where a few one after the other are expected to lose more than twice the limit, those
        after them are left alone; and so is a candidate of another path that collects no fewer
        attributes than one which is expected to be within the limit.
        """
        demand = LossDemand(limit, self._score, self.limits.classifier.losses)
        tried: list[Tried] = []
        for _, candidates in groupby(self.candidates, key=lambda c: c.path):
            within = [t.n_collected for t in tried if demand.estimate(t) <= limit]
            path = [
                finest
                for n, finest in _finest_of_each(candidates).items()
                if n < min(within, default=math.inf)
            ]
            for first in range(0, len(path), _AT_ONCE):
                few = self._measured(path[first : first + _AT_ONCE])
                tried += few
                if all(demand.estimate(t) > 2 * limit for t in few):
                    break
        return tried

    def _measured(self, candidates: Sequence[Candidate]) -> list[Tried]:
        """What is lost with some; the fewer buckets, the more it is taken to protect."""
        fresh = [c for c in candidates if id(c) not in self._known]
        jobs = (
            delayed(measure_utility)(
                c.generalization, self.data, self._settings.random_state, self._score
            )
            for c in fresh
        )
        with one_thread():
            models = Parallel(n_jobs=self._n_jobs, backend="threading")(jobs)
        for candidate, model in zip(fresh, models, strict=True):
            self._models[id(candidate)] = model
            protection = -float(candidate.generalization.n_buckets)
            self._known[id(candidate)] = Tried(candidate, model.losses, protection, model.answers)
        return [self._known[id(candidate)] for candidate in candidates]

    @property
    def _n_jobs(self) -> int:
        return min(self._settings.n_jobs, len(self.candidates))

    def front(self, progress: Progress | None = None, others: Sequence[_Repeat] = ()) -> Front:
        """Attack all of it."""
        points = []
        for candidate, assessment in zip(self.candidates, self._assessments(), strict=True):
            points.append(Point(candidate, assessment))
            if progress is not None:
                progress(len(points), len(self.candidates))
        return Front(points, self.limits, self.data, others)

    def _assessments(self) -> Iterator[Assessment]:
        jobs = (delayed(self._assessed)(candidate) for candidate in self.candidates)
        # One thread of a library in each of ours, so that sums are added in one order on any number
        # of cores. Compiled code runs beside the rest of Python, and nothing need be copied.
        with one_thread():
            yield from Parallel(n_jobs=self._n_jobs, backend="threading", return_as="generator")(
                jobs
            )

    def _assessed(self, candidate: Candidate) -> Assessment:
        """What one costs and protects; its model is known where it was tried before."""
        generalization, learned = candidate.generalization, learning_part(self.data)
        records = GeneralizedRecords.of(generalization, learned)
        model = self._models.get(id(candidate))
        if model is None:
            model = best_classifier(
                records, learned, self._settings.random_state, score=self._score
            )
        adversary = self._settings.adversary
        return attacked(generalization, records, model, adversary, self.data, learned)


def _finest_of_each(candidates: Iterable[Candidate]) -> dict[int, Candidate]:
    """By number of attributes, the most first: the most detailed of those that collect as many."""
    finest: dict[int, Candidate] = {}
    for candidate in candidates:
        n = len(candidate.generalization.collected)
        if (
            n not in finest
            or candidate.generalization.n_buckets > finest[n].generalization.n_buckets
        ):
            finest[n] = candidate
    return dict(sorted(finest.items(), reverse=True))


class _Repeat:
    """The same sweep on the same people, divided in another way, when it is asked for."""

    def __init__(self, settings: _Settings, task: Task, seed: int) -> None:
        self._settings = settings
        self._task = task
        self._seed = seed

    @cached_property
    def _learned(self) -> _Learned:
        return _Learned(self._settings, split_task(self._task, random_state=self._seed))

    @property
    def data(self) -> Split:
        return self._learned.data

    def tried(self, limit: float) -> tuple[Sequence[Tried], Limits]:
        return self._learned.tried(limit), self._learned.limits

    def front(self) -> Front:
        return self._learned.front()


def _seed(random_state: int, number: int) -> int:
    """A seed for another way to divide the people, far from those that users name."""
    return int(np.random.SeedSequence([random_state, number]).generate_state(1)[0])


def _task(
    data: Any, roles: Roles | None, max_memory: int | str | None, random_state: int
) -> Task | Split:
    if isinstance(data, Task | Split):
        return data
    if roles is None:
        raise ParameterError(
            "A sweep needs to know what each attribute is for.\n\n"
            "Hint: sweep(data, Roles(target='...'))"
        )
    return resolve(
        data, roles, look_for_leaks=True, max_memory=max_memory, random_state=random_state
    )


def _sample(task: Task, share: float, random_state: int) -> Task:
    check_share("sweep", "sample", share, above=True)
    if share == 1:
        return task
    size = max(1, round(share * task.n_rows))
    chosen = np.random.default_rng(random_state).permutation(task.n_rows)[:size]
    return task.take(np.sort(chosen))


def _candidates(task: Task, settings: _Settings) -> Iterator[Candidate]:
    for minimiser in settings.minimisers:
        if isinstance(minimiser, Minimiser):
            yield fitted_candidate(minimiser, task, settings.constraints)
        else:
            yield from default_candidates(
                task,
                (minimiser,),
                min_leaf=settings.min_leaf,
                constraints=settings.constraints,
                random_state=settings.random_state,
            )
