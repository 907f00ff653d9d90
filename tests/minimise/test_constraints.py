"""Demands hold in what every minimiser learns, and senseless ones are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam import load_example
from sparsam._errors import ParameterError
from sparsam.data import CategoricalDomain, Roles, Task, resolve
from sparsam.minimise import Constraints, FeatureSelection, Minimiser, PrivacyTree, Uniform
from sparsam.minimise._splits import LEFT, RIGHT


@pytest.fixture(scope="module")
def example() -> Task:
    return resolve(load_example(), Roles("employed"))


@st.composite
def _constraints(draw: st.DrawFn, task: Task) -> Constraints:
    keep, drop, limits, hierarchies = [], [], {}, {}
    for attribute in task.table.attributes:
        demand = draw(st.sampled_from(["", "keep", "drop", "limit", "limit"]))
        if demand == "keep":
            keep.append(attribute.name)
        if demand == "drop":
            drop.append(attribute.name)
        if demand == "limit":
            limits[attribute.name] = draw(st.integers(1, 3))
        if not attribute.numeric and draw(st.booleans()):
            hierarchies[attribute.name] = draw(_hierarchy(attribute.domain))
    return Constraints(must_keep=keep, must_drop=drop, max_buckets=limits, hierarchies=hierarchies)


@st.composite
def _hierarchy(draw: st.DrawFn, domain: CategoricalDomain) -> Mapping[Any, Sequence[str]]:
    lines = [(), ("left", "all"), ("right", "all"), ("other",)]
    return {category: draw(st.sampled_from(lines)) for category in domain.categories}


@st.composite
def _minimisers(draw: st.DrawFn, constraints: Constraints) -> Minimiser:
    kind = draw(st.sampled_from(["tree", "tree", "tree", "uniform", "selection"]))
    if kind == "uniform":
        return Uniform(buckets=draw(st.integers(1, 4)), constraints=constraints)
    if kind == "selection":
        return FeatureSelection(keep=draw(st.integers(0, 4)), constraints=constraints)
    leaves, privacy = draw(st.integers(1, 12)), draw(st.sampled_from([0.0, 0.3]))
    return PrivacyTree(
        max_leaves=leaves, privacy=privacy, min_leaf=1, constraints=constraints, unseen="common"
    )


def _members(task: Task, minimiser: Minimiser, name: str) -> list[frozenset[int]]:
    """The codes of each bucket of an attribute."""
    lookup = minimiser.generalization_[name].lookup(task.table.attribute(name))
    numbers = range(int(lookup.max()) + 1)
    return [frozenset(np.flatnonzero(lookup == number).tolist()) for number in numbers]


def _nodes(task: Task, name: str, lines: Mapping[Any, Sequence[str]]) -> set[frozenset[int]]:
    attribute = task.table.attribute(name)
    assert isinstance(attribute.domain, CategoricalDomain)
    nodes = {frozenset(range(attribute.size)), *(frozenset([c]) for c in range(attribute.size))}
    for group in {group for line in lines.values() for group in line}:
        codes = [c for c, v in enumerate(attribute.domain.categories) if group in lines[v]]
        nodes.add(frozenset(codes))
    return nodes


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_every_minimiser_meets_every_demand(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task(max_rows=40, most_values=6))
    constraints = data.draw(_constraints(task))
    minimiser = data.draw(_minimisers(constraints)).fit_task(task)
    for attribute in task.table.attributes:
        name, buckets = attribute.name, _members(task, minimiser, attribute.name)
        if name in constraints.must_keep:
            assert all(len(members) == 1 for members in buckets)
        if name in constraints.must_drop:
            assert len(buckets) == 1
        assert len(buckets) <= constraints.max_buckets.get(name, attribute.size)
        if name in constraints.hierarchies:
            assert set(buckets) <= _nodes(task, name, constraints.hierarchies[name])
        elif attribute.ordered:
            runs = [sorted(members - {attribute.n_values}) for members in buckets]
            assert all(run == list(range(run[0], run[-1] + 1)) for run in runs if run)
    if isinstance(minimiser, PrivacyTree):
        for split in minimiser.splits_:
            assert task.names[split.attribute] not in constraints.must_drop
            for members in _members(task, minimiser, task.names[split.attribute]):
                # T(x) = T(g(x)): no bucket mixes codes that some split tells apart
                assert not {LEFT, RIGHT} <= set(split.sides[sorted(members)].tolist())


def test_growth_goes_on_elsewhere_when_an_attribute_has_its_buckets(example: Task) -> None:
    free = PrivacyTree(max_leaves=20, privacy=0.0).fit_task(example)
    assert free.generalization_["age"].n_buckets > 3
    bound = PrivacyTree(
        max_leaves=20, privacy=0.0, constraints=Constraints(max_buckets={"age": 3, "education": 1})
    ).fit_task(example)
    assert bound.generalization_["age"].n_buckets == 3
    assert bound.generalization_["education"].n_buckets == 1
    assert len(bound.splits_) == 19
    age = example.names.index("age")
    uses = [number for number, split in enumerate(bound.splits_) if split.attribute == age]
    assert len(uses) > 2  # the two cuts are used again
    assert len({split.attribute for split in bound.splits_[uses[2] :]}) > 1


def test_every_smaller_tree_keeps_within_the_limit_too(example: Task) -> None:
    constraints = Constraints(max_buckets={"age": 2, "relationship": 3})
    tree = PrivacyTree(privacy=0.0, min_leaf=20, constraints=constraints)
    for generalization in tree.path(example, range(1, 60, 7)):
        assert generalization["age"].n_buckets <= 2
        assert generalization["relationship"].n_buckets <= 3


def test_kept_and_dropped_attributes(example: Task) -> None:
    constraints = Constraints(must_keep=["sex", "age"], must_drop=["education"])
    for minimiser in (PrivacyTree(), Uniform(), FeatureSelection()):
        generalization = (
            minimiser.set_params(constraints=constraints).fit_task(example).generalization_
        )
        assert generalization["education"].n_buckets == 1
        assert generalization["sex"].n_buckets == example.table.attribute("sex").size
        assert generalization["age"].n_buckets == example.table.attribute("age").size


@pytest.mark.parametrize(
    ("demands", "message"),
    [
        ({"must_keep": ["agee"]}, "'must_keep' names 'agee'.* Did you mean 'age'"),
        ({"must_drop": ["employed"]}, "'must_drop' names 'employed', which is not an attribute"),
        ({"max_buckets": {"zzz": 1}}, "'max_buckets' names 'zzz'"),
        ({"hierarchies": {"zzz": {}}}, "'hierarchies' names 'zzz'"),
        ({"must_keep": ["age"], "must_drop": ["age"]}, r"neither .* Got \['age'\] in both"),
        ({"must_keep": ["age"], "max_buckets": {"age": 2}}, r"Got \['age'\] in both"),
        ({"max_buckets": {"age": 0}}, r"max_buckets\['age'\].*an int >= 1. Got 0 instead"),
        ({"max_buckets": {"age": 2.5}}, "an int >= 1. Got 2.5 instead"),
        ({"max_ranges": 1}, "'max_ranges' parameter of Constraints must be an int >= 2"),
        ({"must_drop": "age"}, r"must be a list of names(.|\n)*\['age'\]"),
        ({"hierarchies": {"age": {}}}, "'age' is numeric"),
        ({"hierarchies": {"sex": {}}}, r"'sex' must cover every category.* 2 of 2 have no entry"),
        ({"hierarchies": {"sex": {"female": "any", "male": "any"}}}, r"a list of its ancestors"),
        (
            {"hierarchies": {"sex": {"female": ["x", "y"], "male": ["x", "z"]}}},
            "'x' below different ancestors",
        ),
    ],
)
def test_senseless_demands_are_refused(example: Task, demands: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PrivacyTree(constraints=Constraints(**demands)).fit_task(example)


def test_a_column_that_is_not_used_cannot_be_kept_and_the_way_out_is_told(make_people: Any) -> None:
    people = make_people(60).assign(token=[f"t{i}" for i in range(60)], row=range(60))
    task = resolve(people, Roles("works", ignore=["row"]))
    with pytest.raises(ParameterError) as error:
        PrivacyTree(constraints=Constraints(must_keep=["token"])).fit_task(task)
    assert "'token', which is not used: looks like an identifier" in str(error.value)
    assert "declare it categorical or numeric" in str(error.value)
    with pytest.raises(ParameterError, match=r"not used: ignored, left out(.|\n)*take it out"):
        PrivacyTree(constraints=Constraints(must_keep=["row"])).fit_task(task)
    # what is not used is not collected either
    tree = PrivacyTree(constraints=Constraints(must_drop=["row", "token"]), min_leaf=20)
    assert "token" not in tree.fit_task(task).generalization_


def test_missing_hierarchy_entry_shows_a_position_and_no_value(example: Task) -> None:
    constraints = Constraints(hierarchies={"sex": {"female": []}})
    with pytest.raises(ParameterError, match="position 1 of the domain") as caught:
        Uniform(constraints=constraints).fit_task(example)
    assert "male" not in str(caught.value)
