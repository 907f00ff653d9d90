"""Which generalizations a sweep tries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import clone

from sparsam._errors import ParameterError
from sparsam.data import Task
from sparsam.generalization import Generalization
from sparsam.minimise import (
    Adversarial,
    Constraints,
    FeatureSelection,
    Iterative,
    Merging,
    Minimiser,
    ModelTree,
    MutualInformation,
    PrivacyTree,
    Uniform,
)

LEAVES = (2, 4, 6, 8, 10, 20, 50, 100, 200)
PRIVACY = (0.0, 0.1, 0.3, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
UNIFORM_BUCKETS = (1, 2, 3, 4, 5)
SELECTED = (2, 4, 8, 10, 20)
# Of the loss of collecting nothing; denser where little is lost, as there the choice is made.
LOSS_SHARES = tuple((step / 8) ** 2 for step in range(8))
# Dense where little is given up: on an even grid most points collect next to nothing.
TRADE_OFFS = {
    "adversarial": tuple((step / 8) ** 2 for step in range(9)),
    "mutual information": tuple((step / 8) ** 3 for step in range(9)),
}
# Merging judges the points of privacy trees too and keeps those that it cannot beat.
MINIMISERS = ("merging", "uniform", "feature selection")


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


@dataclass(frozen=True)
class Settings:
    """What all minimisers of a sweep share.

    Attributes
    ----------
    min_leaf : int
    constraints : Constraints or None
    random_state : int
    """

    min_leaf: int = 100
    constraints: Constraints | None = None
    random_state: int = 0


def default_candidates(
    task: Task,
    minimisers: Sequence[str] = MINIMISERS,
    *,
    min_leaf: int = 100,
    constraints: Constraints | None = None,
    random_state: int = 0,
) -> Iterator[Candidate]:
    """Yield the settings of Staab et al. (appendix F) of each minimiser named."""
    settings = Settings(min_leaf, constraints, random_state)
    for name in minimisers:
        if name not in _MAKERS:
            raise ParameterError(
                f"A minimiser must be one of {ALL_MINIMISERS}. Got {name!r} instead."
            )
        yield from _MAKERS[name](name, task, settings)


def _privacy_trees(name: str, task: Task, settings: Settings) -> Iterator[Candidate]:
    for privacy in PRIVACY:
        tree = PrivacyTree(
            privacy=privacy, min_leaf=settings.min_leaf, constraints=settings.constraints
        )
        for leaves, generalization in tree.path(task, LEAVES).items():
            yield Candidate(name, {"leaves": leaves, "privacy": privacy}, generalization)


def _uniform(name: str, task: Task, settings: Settings) -> Iterator[Candidate]:
    for buckets in UNIFORM_BUCKETS:
        uniform = Uniform(
            buckets=buckets, constraints=settings.constraints, random_state=settings.random_state
        )
        yield _fitted(name, uniform, task, buckets=buckets)


def _feature_selection(name: str, task: Task, settings: Settings) -> Iterator[Candidate]:
    for keep in SELECTED:
        selection = FeatureSelection(keep=keep, constraints=settings.constraints)
        yield _fitted(name, selection, task, keep=keep)


def _iterative(name: str, task: Task, settings: Settings) -> Iterator[Candidate]:
    iterative = Iterative(constraints=settings.constraints, random_state=settings.random_state)
    for loss, generalization in iterative.path(task, LOSS_SHARES).items():
        yield Candidate(name, {"max_utility_loss": loss}, generalization)


def _model_tree(name: str, task: Task, settings: Settings) -> Iterator[Candidate]:
    # A classifier of our own stands in for the model that already runs (Apt).
    tree = ModelTree(constraints=settings.constraints, random_state=settings.random_state)
    for step, generalization in enumerate(tree.path(task)):
        yield Candidate(name, {"step": step}, generalization)


def _merging(name: str, task: Task, settings: Settings) -> Iterator[Candidate]:
    merging = Merging(
        min_leaf=settings.min_leaf,
        constraints=settings.constraints,
        random_state=settings.random_state,
    )
    for step, generalization in enumerate(merging.path(task)):
        yield Candidate(name, {"step": step}, generalization)


def _neural(name: str, task: Task, settings: Settings) -> Iterator[Candidate]:
    kind = Adversarial if name == "adversarial" else MutualInformation
    for trade_off in TRADE_OFFS[name]:
        minimiser = kind(
            trade_off=trade_off,
            constraints=settings.constraints,
            random_state=settings.random_state,
        )
        yield _fitted(name, minimiser, task, trade_off=trade_off)


_MAKERS: dict[str, Callable[[str, Task, Settings], Iterator[Candidate]]] = {
    "privacy tree": _privacy_trees,
    "uniform": _uniform,
    "feature selection": _feature_selection,
    "iterative": _iterative,
    "model tree": _model_tree,
    "adversarial": _neural,
    "mutual information": _neural,
    "merging": _merging,
}
ALL_MINIMISERS = tuple(_MAKERS)


def _fitted(name: str, minimiser: Minimiser, task: Task, **parameters: Any) -> Candidate:
    return Candidate(name, parameters, minimiser.fit_task(task).generalization_)


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
    return _fitted(type(minimiser).__name__, minimiser, task, **parameters)


def without_repeats(candidates: Iterator[Candidate]) -> list[Candidate]:
    """Keep the first of the candidates whose partitions are the same."""
    seen: dict[Any, Candidate] = {}
    for candidate in candidates:
        seen.setdefault(candidate.generalization.partitions, candidate)
    return list(seen.values())
