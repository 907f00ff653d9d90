"""Which generalizations a sweep tries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import clone

from sparsam._checks import check_choice
from sparsam.data import Task
from sparsam.generalization import Generalization
from sparsam.minimise import BY_NAME, MAX_RANGES, Constraints, Minimiser

ALL_MINIMISERS = tuple(BY_NAME)
PRIVACY = (0.0, 0.1, 0.3, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
# What is tried beside the parameter that a minimiser's `path` sweeps.
_FURTHER_SETTINGS: dict[str, list[dict[str, Any]]] = {
    "privacy tree": [{"privacy": privacy} for privacy in PRIVACY],
    # by what each tells beside the others, in ranges that a person could answer
    "importance": [{"max_ranges": MAX_RANGES, "criterion": "importance"}],
}
_LABELS = {"max_leaves": "leaves"}
# Merging judges the points of privacy trees too and keeps those that it cannot beat. Importance
# fills the gap between its points and everything, for tasks that need many attributes.
MINIMISERS = ("merging", "importance")


@dataclass(frozen=True)
class Candidate:
    """A generalization and how it was made.

    Attributes
    ----------
    minimiser : str
    parameters : dict
    generalization : Generalization
    """

    minimiser: str
    parameters: dict[str, Any]
    generalization: Generalization = field(repr=False)

    @property
    def label(self) -> str:
        """How it was made, in words."""
        settings = [f"{name.replace('_', ' ')} {value}" for name, value in self.parameters.items()]
        return ", ".join([self.minimiser, *settings])

    @property
    def path(self) -> tuple[Any, ...]:
        """What the candidates of one path share: all settings but the first, which is swept."""
        return (self.minimiser, *list(self.parameters.items())[1:])


def default_candidates(
    task: Task,
    minimisers: Sequence[str] = MINIMISERS,
    *,
    min_leaf: int = 100,
    constraints: Constraints | None = None,
    random_state: int = 0,
) -> Iterator[Candidate]:
    """Yield the settings of Staab et al. (appendix F) of each minimiser named."""
    shared = {"min_leaf": min_leaf, "constraints": constraints, "random_state": random_state}
    for name in minimisers:
        check_choice("sweep", "minimisers", name, ALL_MINIMISERS)
        kind = BY_NAME[name]
        own = {key: value for key, value in shared.items() if key in kind().get_params()}
        if name == "importance" and task.numbers is not None:
            # numbers bear coarse buckets badly: half of the attributes as they are, the best half
            fixed = {"keep": len(task.names) // 2, "criterion": "importance"}
            half = kind(**own, **fixed).fit_task(task).generalization_
            yield Candidate(name, fixed, half)
        for further in _FURTHER_SETTINGS.get(name, ({},)):
            minimiser = kind(**own, **further)
            steps = _numbers_of_attributes(len(task.names)) if name == "importance" else None
            for step, generalization in enumerate(minimiser.path(task, steps)):
                parameters = {**_setting(minimiser, generalization, step), **further}
                yield Candidate(name, parameters, generalization)


def _numbers_of_attributes(n: int) -> list[int]:
    """From all attributes to a quarter of them, by eighths."""
    return sorted({round(n * eighths / 8) for eighths in range(2, 9)} - {0}, reverse=True)


def _setting(minimiser: Minimiser, generalization: Generalization, step: int) -> dict[str, Any]:
    """The value of the parameter that was swept, or the place along the minimiser's own path."""
    if not minimiser.swept:
        return {"step": step}
    name = _LABELS.get(minimiser.swept, minimiser.swept)
    return {name: generalization.about["parameters"][minimiser.swept]}


def fitted_candidate(
    minimiser: Minimiser, task: Task, constraints: Constraints | None = None
) -> Candidate:
    """A candidate from a minimiser of the user's, which itself stays as it is."""
    minimiser = clone(minimiser)
    if minimiser.constraints is None:
        minimiser.set_params(constraints=constraints)
    parameters = {
        name: value
        for name, value in minimiser.get_params(deep=False).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    generalization = minimiser.fit_task(task).generalization_
    return Candidate(type(minimiser).__name__, parameters, generalization)


def without_repeats(candidates: Iterator[Candidate]) -> list[Candidate]:
    """Keep the first of the candidates whose partitions are the same."""
    seen: dict[Any, Candidate] = {}
    for candidate in candidates:
        seen.setdefault(candidate.generalization.partitions, candidate)
    return list(seen.values())
