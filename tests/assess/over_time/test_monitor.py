"""Later people: the same ones give no alarm, changed ones do, and the right attribute is named."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sparsam._errors import DataError, ParameterError
from sparsam.assess import monitor, sweep
from sparsam.data import Roles
from sparsam.minimise import Constraints


@pytest.fixture(scope="module")
def same(artifact, people):
    return monitor(artifact, people(1))


def test_people_like_those_then_give_no_alarm(same):
    assert same.verdict == "holds"
    assert not same.shown
    assert {held.what for held in same.held} == {"utility loss", "risk"}
    assert set(same.advice) <= {"keep", "coarsen"}
    assert same.utility.value == pytest.approx(0.83, abs=0.04)
    json.dumps(same.to_dict(), allow_nan=False)


def test_a_category_that_doubles_is_caught_and_named(artifact, people):
    later = monitor(artifact, people(2, north=0.4))
    assert later.verdict == "does not hold"
    assert later.carriers["share"] == ["region"]
    assert "region" in later.advice["refit"]


def test_a_target_that_flips_in_one_group_is_caught_and_named(artifact, people, flip):
    turned = people(3)
    later = monitor(artifact, flip(turned, turned["region"] == "south"))
    assert later.verdict == "does not hold"
    assert later.carriers["error"][0] == "region"
    worst = max((c for c in later.shown if c.attribute == "region"), key=lambda c: c.by)
    assert (worst.kind, worst.bucket) == ("error", "south")


def test_generalized_records_are_enough(artifact, people, flip):
    turned = people(3, north=0.4)
    turned = flip(turned, turned["region"] == "south")
    records = artifact.apply(turned, keep="works")
    later = monitor(artifact, records)
    assert later.generalized
    assert not later.held
    assert later.carriers["error"][0] == "region"
    assert later.carriers["share"] == ["region"]
    alone = monitor(artifact, artifact.apply(turned))
    assert alone.carriers == {"share": ["region"]}
    assert alone.utility is None
    assert "no column 'works'" in alone.unknown[0]


def test_values_that_nobody_had(artifact, people):
    later = people(4)
    later["region"] = np.where(np.arange(3000) % 10 == 0, "abroad", later["region"])
    monitoring = monitor(artifact, later)
    assert monitoring.verdict == "does not hold"
    assert monitoring.advice["repair"] == ["region"]
    assert {change.kind for change in monitoring.shown} >= {"refused"}


@pytest.fixture(scope="module")
def villages(people):
    """People of whom some live in places that hardly anybody else lives in."""

    def settled(seed, share):
        found = people(seed)
        homes = found["region"].astype(object)
        few = np.random.default_rng(seed).random(len(homes)) < share
        homes[few] = [f"village {number}" for number in range(int(few.sum()))]
        return {**found, "region": homes}

    return settled


@pytest.mark.parametrize("minimiser", ["merging", "importance"])
def test_values_that_few_had_then(people, villages, minimiser):
    """They are not listed, so that they look as if nobody had had them."""
    front = sweep(
        villages(0, 0.05),
        Roles("works", personal=["sex", "region"], categorical=["region"]),
        minimisers=minimiser,
        constraints=Constraints(must_keep=["region"]),
        repeats=1,
        n_jobs=1,
    )
    chosen = front.choose(max_utility_loss=0.1).generalization
    assert chosen["region"].n_groups > 1
    later = monitor(chosen, villages(1, 0.05))
    assert "repair" not in later.advice
    assert later.verdict == "holds"
    more = monitor(chosen, villages(2, 0.3))
    assert "region" in more.carriers["unseen"]
    again = monitor(chosen, villages(3, 0.05), baseline=villages(4, 0.05))
    assert "unseen" not in again.carriers


def test_a_baseline_takes_the_place_of_evidence(artifact, people):
    bare = artifact.with_about({"target": "works", "personal": ["sex", "region"]})
    with pytest.raises(DataError, match="carries no evidence"):
        monitor(bare, people(1))
    later = monitor(bare, people(1), baseline=people(0), max_utility_loss=0.1)
    assert later.verdict == "holds"
    assert "people of the baseline" in later.held[0].against
    assert monitor(bare, people(2, north=0.4), baseline=people(0)).changed == ("region",)


def test_a_promise_that_is_broken(artifact, people, flip):
    """Shoes tell the target now, and are not collected."""
    later = people(5)
    later = flip(later, later["shoe"] % 2 == 0)
    monitoring = monitor(artifact, later)
    assert [held.verdict for held in monitoring.held if held.what == "utility loss"] == [
        "does not hold"
    ]
    assert "refit" in monitoring.advice


def test_an_attribute_that_tells_nobody_apart_is_named(artifact, people):
    later = {**people(6), "region": np.repeat("south", 3000)}
    assert "region" in monitor(artifact, later).advice["coarsen"]


def test_few_people_are_too_few(artifact, people):
    few = {name: values[:50] for name, values in people(1).items()}
    later = monitor(artifact, few)
    assert later.verdict == "too few people to tell"
    assert later.advice == {"wait": []}
    assert later.needed > 200


def test_later_looks_are_stricter(artifact, people, same):
    assert same.look == 1
    tenth = monitor(artifact, artifact.apply(people(1)), look=10)
    assert tenth.smallest > monitor(artifact, artifact.apply(people(1))).smallest


def test_a_target_in_one_class_is_said(artifact, people):
    later = {**people(1), "works": np.repeat("yes", 3000)}
    assert "at least two classes" in monitor(artifact, later).unknown[0]


def test_bad_input(artifact, people):
    with pytest.raises(DataError, match=r"\['region'\] are absent"):
        monitor(artifact, {"age": [30], "works": ["yes"]})
    with pytest.raises(DataError, match="at least one row"):
        monitor(artifact, {name: values[:0] for name, values in people(1).items()})
    strange = {**people(1), "age": np.repeat("under 30", 3000)}
    with pytest.raises(DataError, match="neither of the kind"):
        monitor(artifact, strange)
    other = artifact.apply(people(1))
    other["age"] = np.array(["under 30"] * 100 + other["age"].tolist()[100:], dtype=object)
    with pytest.raises(DataError, match="not of this artifact"):
        monitor(artifact, other)
    for wrong in ({"min_change": 0}, {"confidence": 1.0}, {"look": 0}):
        with pytest.raises(ParameterError, match="must be"):
            monitor(artifact, people(1), **wrong)


def test_a_target_that_turns_where_the_buckets_told_little(artifact, people):
    """From six of ten to four of ten in the south: a judge is as often wrong as before."""
    rng = np.random.default_rng(7)

    def mixed(seed, share):
        table = people(seed)
        drawn = np.where(rng.random(3000) < share, "yes", "no")
        return {**table, "works": np.where(table["region"] == "south", drawn, table["works"])}

    bare = artifact.with_about({"target": "works"})
    then, later = (bare.apply(mixed(*how), keep="works") for how in ((8, 0.6), (9, 0.4)))
    monitoring = monitor(bare, later, baseline=then)
    assert monitoring.carriers["class"][0] == "region"
    assert monitoring.verdict == "does not hold"
