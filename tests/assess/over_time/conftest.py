"""A choice on made-up people, and later people of whom it is known what changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sparsam.assess import sweep
from sparsam.data import Roles
from sparsam.generalization import Generalization
from sparsam.minimise import Constraints

ROLES = Roles("works", personal=["sex", "region"])
N_PEOPLE = 3000


def draw(seed: int, n: int = N_PEOPLE, *, north: float = 0.2) -> dict[str, Any]:
    """People whose work depends on their age and region; sex and shoe tell nothing of it."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    region = rng.choice(["north", "south", "west"], n, p=[north, 0.5, 0.5 - north])
    chance = np.where(age < 60, 0.85, 0.15) - 0.1 * (region == "north")
    return {
        "age": age,
        "region": region,
        "sex": rng.choice(["f", "m"], n),
        "shoe": rng.integers(36, 46, n),
        "works": np.where(rng.random(n) < chance, "yes", "no"),
    }


def flipped(people: dict[str, Any], where: Any) -> dict[str, Any]:
    """The same people, some with the opposite target."""
    other = np.where(people["works"] == "yes", "no", "yes")
    return {**people, "works": np.where(where, other, people["works"])}


@pytest.fixture(scope="session")
def flip() -> Callable[..., dict[str, Any]]:
    return flipped


@pytest.fixture(scope="session")
def people() -> Callable[..., dict[str, Any]]:
    return draw


@pytest.fixture(scope="session")
def artifact() -> Generalization:
    """What a choice on 3,000 people gave, and collects age and region, with its evidence."""
    front = sweep(
        draw(0),
        ROLES,
        minimisers=("privacy tree",),
        min_leaf=50,
        n_jobs=1,
        constraints=Constraints(must_keep=["region"]),
    )
    return front.choose(max_utility_loss=0.1).generalization
