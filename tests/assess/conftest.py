"""Simulated tables with known answers, and one small sweep that several tests look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from sparsam.assess import (
    Assessment,
    Front,
    Limits,
    Point,
    assess_generalization,
    measure_limits,
    sweep,
)
from sparsam.assess._assessment import ClassSizes, PersonErrors
from sparsam.assess._candidates import Candidate
from sparsam.assess._evidence import Evidence
from sparsam.assess._utility import Classifier, Utility
from sparsam.attack import Risk
from sparsam.data import Roles, Split, read, resolve, split
from sparsam.generalization import Generalization, categorical_partition


@pytest.fixture(scope="session")
def people_split(make_people: Callable[..., Any]) -> Split:
    """300 made-up people, divided."""
    return split(resolve(make_people(), Roles("works")))


@pytest.fixture(scope="session")
def small_front(make_people: Callable[..., Any]) -> Front:
    """A sweep over trees and uniform generalizations of 700 made-up people."""
    return sweep(
        make_people(700),
        Roles("works"),
        minimisers=("privacy tree", "uniform"),
        min_leaf=20,
        n_jobs=1,
    )


def _utility(wrong: Sequence[bool], part: str) -> Utility:
    return Classifier("look-up", {part: np.asarray(wrong, dtype=bool)}).utility(part)


def _risk(error: float, part: str, recovered: Sequence[float] = ()) -> Risk:
    parts = tuple(
        Risk(
            adversary="A1 reconstruction",
            attribute=f"p{number}",
            measure="error",
            value=0.5 * (1 - share),
            baseline=0.5,
            interval=(0.0, 1.0),
            n=1000,
            split=part,
            random_state=0,
        )
        for number, share in enumerate(recovered)
    )
    return Risk(
        adversary="A1 reconstruction",
        attribute=None,
        measure="error",
        value=error,
        baseline=0.5,
        interval=(0.0, 1.0),
        n=1000,
        split=part,
        random_state=0,
        parts=parts,
    )


@pytest.fixture(scope="session")
def make_assessment(people_split: Split) -> Callable[..., Assessment]:
    """Build an assessment from the errors person by person, equal on validation and test."""

    def make(
        utility: Sequence[bool],
        risk: Sequence[float],
        *,
        generalization: Generalization | None = None,
        recovered: Sequence[float] = (),
        smallest: int = 7,
    ) -> Assessment:
        errors = PersonErrors(np.asarray(utility, dtype=bool), np.asarray(risk, dtype=np.float32))
        mean = float(errors.risk.mean())
        return Assessment(
            generalization=generalization or Generalization.nothing(people_split.train.table),
            utility=_utility(utility, "test"),
            risk=_risk(mean, "test", recovered),
            validation_utility=_utility(utility, "validation"),
            validation_risk=_risk(mean, "validation", recovered),
            confident_risks={},
            class_sizes=ClassSizes(3, smallest, 0, {5: 0}),
            information_loss=0.5,
            person_errors={"validation": errors, "test": errors},
        )

    return make


@pytest.fixture(scope="session")
def make_limits() -> Callable[..., Limits]:
    """Build limits from whom the model with everything collected gets wrong."""

    def make(wrong: Sequence[bool]) -> Limits:
        array = np.asarray(wrong, dtype=bool)
        best = Classifier("look-up", {"validation": array, "test": array})
        nothing = _utility(np.ones(len(array), dtype=bool).tolist(), "test")
        half = np.full(len(array), 0.5, dtype=np.float32)
        return Limits(
            best.utility("test"),
            nothing,
            0.5,
            best,
            Evidence(1000, 400, 3000),
            (0.1, (0.05, 0.15)),
            {"validation": half, "test": half},
        )

    return make


@pytest.fixture(scope="session")
def make_point() -> Callable[[str, Assessment], Point]:
    """Build a point of a front from an assessment."""
    return lambda name, assessment: Point(
        Candidate(name, {}, assessment.generalization), assessment
    )


@pytest.fixture(scope="session")
def simulate() -> Callable[..., Split]:
    """Draw people from a table of probabilities: P(class | a, b), a and b uniform."""

    def draw(probabilities: Any, n_rows: int = 4000, seed: int = 0) -> Split:
        table = np.asarray(probabilities)
        rng = np.random.default_rng(seed)
        a, b = rng.integers(0, table.shape[0], n_rows), rng.integers(0, table.shape[1], n_rows)
        steps = table[a, b].cumsum(axis=1)
        y = (rng.random(n_rows)[:, None] > steps).sum(axis=1).clip(max=table.shape[2] - 1)
        columns = {"a": [f"a{code}" for code in a], "b": [f"b{code}" for code in b]}
        people = {**columns, "y": [f"y{code}" for code in y]}
        return split(resolve(read(people), Roles("y")))

    return draw


@pytest.fixture(scope="session")
def unfair(simulate_unfair: Callable[..., Split]) -> tuple[Assessment, Limits, Split]:
    """What is lost without the route, by which one in twenty would lose ten points."""
    data = simulate_unfair()
    skill = data.train.table.attribute("skill")
    kept = categorical_partition("skill", skill.domain, [["high"], ["low"]])
    nothing = Generalization.nothing(data.train.table).partitions
    less = Generalization([kept if part.name == "skill" else part for part in nothing])
    limits = measure_limits(data)
    return assess_generalization(less, data), limits, data


@pytest.fixture(scope="session")
def simulate_unfair() -> Callable[..., Split]:
    """Draw people of whom the skill tells the outcome, but for some of a minority the route too.

    Nine in ten follow the skill, but those of the minority who came by the second route its
    contrary: without the route their outcomes are told ten points worse, and all on average half a
    point.
    """

    def draw(n_rows: int = 40_000, seed: int = 0) -> Split:
        rng = np.random.default_rng(seed)
        minority, skilled, second, other = (
            rng.random(n_rows) < share for share in (0.05, 0.5, 0.125, 0.1)
        )
        hired = np.where(minority & second, ~skilled, skilled) ^ other
        people = {
            "ethnicity": np.where(minority, "minority", "majority"),
            "skill": np.where(skilled, "high", "low"),
            "route": np.where(second, "second", "first"),
            "region": rng.choice(["north", "south", "island"], n_rows, p=[0.3, 0.69, 0.01]),
            "hired": np.where(hired, "yes", "no"),
        }
        return split(resolve(read(people), Roles("hired")), (0.2, 0.1, 0.7))

    return draw
