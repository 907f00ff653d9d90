"""One generalization for several purposes, on a table where what each needs is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.assess import NothingFitsError, PurposesChoice, Score, minimise_for_purposes
from sparsam.assess.purposes._minimise_for_purposes import combined_constraints, named_limits
from sparsam.data import Roles
from sparsam.minimise import Constraints

ROLES = Roles(targets=["works", "ill"])
LIMITS = {"works": 0.05, "ill": 0.08}
SWEEP: dict[str, Any] = {"minimisers": ("merging", "uniform"), "min_leaf": 20, "n_jobs": 1}


def people(n: int, seed: int = 0) -> dict[str, Any]:
    """Work hangs on the age, illness on the town (known of the old); the sex tells nothing."""
    rng = np.random.default_rng(seed)
    age, town = rng.integers(20, 80, n), rng.choice(list("abcd"), n)
    ill = np.where(np.isin(town, ["a", "b"]) ^ (rng.random(n) < 0.15), "yes", "no")
    return {
        "age": age,
        "town": town,
        "sex": rng.choice(["f", "m"], n),
        "works": (age < 60) ^ (rng.random(n) < 0.1),
        "ill": np.where(age > 40, ill, None),
    }


@pytest.fixture(scope="module")
def choice() -> PurposesChoice:
    """What serves both purposes of 2,000 made-up people."""
    return minimise_for_purposes(people(2000), ROLES, max_utility_loss=LIMITS, **SWEEP)


def test_what_serves_all_is_what_each_needs(choice: PurposesChoice) -> None:
    assert choice.generalization.collected == ("age", "town")
    assert choice.alone["works"] is not None
    assert choice.alone["ill"] is not None
    assert choice.alone["works"].generalization.collected == ("age",)
    assert "town" in choice.alone["ill"].generalization.collected


def test_every_purpose_is_shown_on_its_own_people(choice: PurposesChoice) -> None:
    assert choice.met is True
    assert choice.verdict == "met"
    assert choice.shown["works"].people == choice.data.together.test.n_rows
    assert choice.shown["ill"].people == choice.data.parts["ill"].test.n_rows < 500
    for name, shown in choice.shown.items():
        assert shown.limit == LIMITS[name]
        assert shown.p_value <= 0.05
        assert shown.bound <= shown.limit


def test_the_table_of_needs(choice: PurposesChoice) -> None:
    needs = {need["attribute"]: need for need in choice.needs()}
    assert needs["sex"]["together"] == []
    assert needs["town"]["alone"]["works"] == []
    assert len(needs["town"]["alone"]["ill"]) >= 2
    assert len(needs["town"]["together"]) >= 2


def test_the_artifact_carries_its_purposes(choice: PurposesChoice) -> None:
    about = choice.generalization.about
    assert about["targets"] == ["works", "ill"]
    assert "target" not in about
    assert set(about["scores"]) == {"works", "ill"}


def test_plain_data_may_be_published(choice: PurposesChoice) -> None:
    facts = choice.to_dict()
    assert set(facts["purposes"]) == {"works", "ill"}
    assert facts["purposes"]["ill"]["people"] == choice.shown["ill"].people
    assert facts["purposes"]["works"]["at_most"] <= 0.05
    assert "n_records" not in facts["purposes"]["works"]["utility"]
    assert "2 of 3 attributes" in repr(choice)


def test_people_collected_apart_tell_no_less(choice: PurposesChoice) -> None:
    assert choice.apart is not None
    own = [each.generalization for each in choice.alone.values() if each is not None]
    assert all(choice.apart.generalization.refines(generalization) for generalization in own)


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ({"wroks": 0.01}, "'wroks', which is not a purpose. Did you mean 'works'?"),
        ({"works": -1}, "must be a float >= 0"),
        (2.0, r"must be a float in \[0, 1\]"),
    ],
)
def test_limits_that_cannot_be(limit: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        named_limits(limit, {"works": Score("accuracy"), "ill": Score("accuracy")})


def test_purposes_that_contradict() -> None:
    own = {"works": Constraints(must_keep=["age"]), "ill": Constraints(must_drop=["age"])}
    with pytest.raises(ParameterError, match=r"'works' must keep 'age'.*'ill' forbids it"):
        combined_constraints(own, ("works", "ill"))
    with pytest.raises(ParameterError, match="'nobody', which is not a purpose"):
        combined_constraints({"nobody": Constraints()}, ("works", "ill"))
    with pytest.raises(ParameterError, match="names 'works', which is not an attribute"):
        minimise_for_purposes(
            people(60), ROLES, constraints=Constraints(must_keep=["works"]), **SWEEP
        )


def test_fifty_rows_are_too_few() -> None:
    sweep = SWEEP | {"minimisers": ("uniform",)}
    with pytest.raises(NothingFitsError, match="too few people to tell"):
        minimise_for_purposes(people(50), ROLES, max_utility_loss=0.01, **sweep)
    assert minimise_for_purposes(people(50), ROLES, **sweep).met is None


def test_a_limit_that_nothing_keeps() -> None:
    with pytest.raises(NothingFitsError, match=r"for '(works|ill)' the most useful may lose"):
        minimise_for_purposes(
            people(1200), ROLES, max_utility_loss=0.0, **(SWEEP | {"minimisers": ("uniform",)})
        )


def test_without_a_limit_it_is_what_so_many_people_can_show() -> None:
    choice = minimise_for_purposes(people(2000), ROLES, max_utility_loss={"works": 0.05}, **SWEEP)
    assert choice.shown["works"].limit == 0.05
    assert choice.limit_words["works"] == ""
    # few have this target, so that one point of it would take many more
    assert 0.01 < choice.shown["ill"].limit < 0.5
    assert "is the smallest loss that so many people can" in choice.limit_words["ill"]
    assert choice.to_dict()["purposes"]["ill"]["limit_words"] == choice.limit_words["ill"]


def test_for_a_purpose_that_the_data_tell_nothing_of_nothing_is_collected() -> None:
    rng = np.random.default_rng(1)
    table = people(3000) | {"codes": rng.integers(0, 1000, 3000), "ill": rng.integers(0, 2, 3000)}
    sweep = SWEEP | {"minimisers": ("merging", "feature selection")}
    choice = minimise_for_purposes(table, ROLES, **sweep)
    assert not choice.limits["ill"].tells
    assert choice.generalization.collected == ("age",)


def test_roles_are_needed() -> None:
    with pytest.raises(ParameterError, match="what each attribute is for"):
        minimise_for_purposes(people(50))


def test_nothing_less_than_everything_may_be_collected() -> None:
    kept = Constraints(must_keep=["town", "sex", "age"])
    with pytest.raises(NothingFitsError, match="collects less than everything"):
        minimise_for_purposes(
            people(1500), ROLES, constraints=kept, **(SWEEP | {"minimisers": ("uniform",)})
        )
