"""Try many generalizations and measure each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, cpu_count, delayed, parallel_config

from sparsam._checks import check_share
from sparsam._errors import ParameterError
from sparsam._threads import one_thread
from sparsam.assess._assessment import Assessment, assess_generalization, measure_limits
from sparsam.assess._candidates import (
    MINIMISERS,
    Candidate,
    default_candidates,
    fitted_candidate,
    without_repeats,
)
from sparsam.assess._front import Front, Point
from sparsam.assess._score import AUTO, Score, score_for
from sparsam.attack import Reconstruction
from sparsam.data import Roles, Split, Task, resolve
from sparsam.data import split as split_task
from sparsam.minimise import Constraints, Minimiser

Progress = Callable[[int, int], None]


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
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Front:
    """Try every setting of several minimisers, attack each result, and draw the front.

    Parameters
    ----------
    data : frame, Table, path, Task or Split
        A sample at full resolution. It is split 60/10/30 unless it is a `Split` already:
        generalizations, classifiers and adversaries learn on the first part, choices are made on
        the second, figures are reported on the third.
    roles : Roles, optional
        Needed unless `data` is a `Task` or `Split`.
    minimisers : str, Minimiser or sequence of them
        By default "merging", "uniform" and "feature selection"; also "privacy tree" (PAT),
        "iterative", "model tree", "adversarial" and "mutual information". Names stand for all
        their settings in Staab et al. (appendix F), or for the whole path that they find; a
        minimiser of your own stands for itself, and is left as it was.
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
    n_jobs : int, optional
        Threads to use; as many as there are cores when not given. The result does not depend on it.
    progress : callable, optional
        Called with (done, total) after each assessment.

    Returns
    -------
    Front
    """
    parts = _split(data, roles, random_state)
    settled = score_for(parts, score)
    named = [minimisers] if isinstance(minimisers, str | Minimiser) else minimisers
    learned_from = _sample(parts.train, sample, random_state)
    with parallel_config("threading", n_jobs=n_jobs or cpu_count()):
        candidates = without_repeats(
            _candidates(learned_from, named, min_leaf, constraints, random_state)
        )
    if not candidates:
        raise ParameterError("A sweep needs at least one minimiser. Got none.")
    limits = measure_limits(parts, random_state, settled)
    adversary = adversary or Reconstruction(random_state=random_state)
    points = []
    for done, assessment in enumerate(
        _assess_all(candidates, parts, adversary, random_state, settled, n_jobs), start=1
    ):
        points.append(Point(candidates[done - 1], assessment))
        if progress is not None:
            progress(done, len(candidates))
    return Front(points, limits, parts, n_jobs or cpu_count())


def _split(data: Any, roles: Roles | None, random_state: int) -> Split:
    if isinstance(data, Split):
        return data
    if isinstance(data, Task):
        return split_task(data, random_state=random_state)
    if roles is None:
        raise ParameterError(
            "A sweep needs to know what each attribute is for.\n\n"
            "Hint: sweep(data, Roles(target='...'))"
        )
    return split_task(resolve(data, roles, look_for_leaks=True), random_state=random_state)


def _sample(task: Task, share: float, random_state: int) -> Task:
    check_share("sweep", "sample", share, above=True)
    if share == 1:
        return task
    size = max(1, round(share * task.n_rows))
    chosen = np.random.default_rng(random_state).permutation(task.n_rows)[:size]
    return task.take(np.sort(chosen))


def _candidates(
    task: Task,
    minimisers: Sequence[str | Minimiser],
    min_leaf: int,
    constraints: Constraints | None,
    random_state: int,
) -> Iterator[Candidate]:
    for minimiser in minimisers:
        if isinstance(minimiser, Minimiser):
            yield fitted_candidate(minimiser, task, constraints)
        else:
            yield from default_candidates(
                task,
                (minimiser,),
                min_leaf=min_leaf,
                constraints=constraints,
                random_state=random_state,
            )


def _assess_all(
    candidates: Sequence[Candidate],
    data: Split,
    adversary: Reconstruction,
    random_state: int,
    score: Score,
    n_jobs: int | None,
) -> Iterator[Assessment]:
    n_jobs = min(n_jobs or cpu_count(), len(candidates))
    jobs = (
        delayed(assess_generalization)(
            candidate.generalization,
            data,
            adversary=adversary,
            random_state=random_state,
            score=score,
        )
        for candidate in candidates
    )
    # One thread of a library in each of ours, so that sums are added in one order on any number
    # of cores. Compiled code runs beside the rest of Python, and nothing need be copied.
    with one_thread():
        yield from Parallel(n_jobs=n_jobs, backend="threading", return_as="generator")(jobs)
