from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Table
from sparsam.generalization import Generalization
from sparsam.minimise._constraints import Constraints
from sparsam.minimise._partitions import code_counts, partition_of
from sparsam.minimise.model._ladder import Ranges, ladders, responses
from sparsam.minimise.model._limits import with_constants, within
from sparsam.minimise.model._oracle import Oracle
from sparsam.minimise.model._recoding import prediction_task

TREE = {
    "apple": ["fruit", "plant"],
    "pear": ["fruit", "plant"],
    "oak": ["tree", "plant"],
    "dog": ["animal"],
}


@pytest.fixture
def case():
    attributes = (
        Attribute("age", NumericDomain(0, 9, True), np.arange(10), np.arange(10)),
        Attribute("kind", CategoricalDomain(tuple(TREE)), missing=True),
        Attribute("sex", CategoricalDomain(("f", "m"))),
    )
    rng = np.random.default_rng(0)
    sizes = [attribute.size for attribute in attributes]
    codes = np.column_stack([rng.integers(0, size, 200) for size in sizes]).astype(np.uint16)
    table = Table(attributes, np.asfortranarray(codes))
    oracle = Oracle(lambda codes: codes.sum(axis=1) % 3, sizes)
    partitions = ladders(attributes, responses(attributes, table.codes, oracle), "response", rng)
    return partitions, prediction_task(table, np.zeros(200, np.int64), 1)


def test_nothing_demanded_changes_nothing(case):
    found, task = case
    assert within(found, task, Constraints()) == found


def test_demands_leave_only_what_they_allow(case):
    found, task = case
    rules = Constraints(must_keep=["sex"], must_drop=["kind"], max_buckets={"age": 4})
    age, kind, sex = within(found, task, rules)
    assert len(sex) == 1
    assert sex[0].buckets.tolist() == [0, 1]
    assert {one.n_buckets for one in kind} == {1}
    assert {one.n_buckets for one in age} == {4, 3, 2, 1}


def test_buckets_are_nodes_of_the_hierarchy(case):
    found, task = case
    _, kind, _ = within(found, task, Constraints(hierarchies={"kind": TREE}))
    groups = {
        frozenset(name for name, b in zip([*TREE, None], one.buckets, strict=True) if b == bucket)
        for one in kind
        for bucket in range(one.n_buckets)
    }
    allowed = [{"apple", "pear"}, {"apple", "pear", "oak"}, {*TREE, None}]
    allowed += [{name} for name in [*TREE, None]]
    assert groups <= {frozenset(group) for group in allowed}
    assert kind[0].n_buckets == 5
    assert kind[-1].n_buckets == 1
    counts = code_counts(task.codes, task.sizes)[1]
    for one in kind:
        assert one.buckets[one.representatives].tolist() == list(range(one.n_buckets))
        generalization = Generalization(
            [partition_of(task.table.attributes[1], one.buckets, counts)]
        )
        table = Table(task.table.attributes[1:2], np.asfortranarray(task.codes[:, 1:2]))
        assert one.loss == pytest.approx(generalization.information_loss(table).overall)
        if one is not kind[0]:  # the commonest stands for its node
            for bucket, code in enumerate(one.representatives):
                assert counts[code] == counts[one.buckets == bucket].max()


def test_hierarchy_and_limit_together(case):
    found, task = case
    rules = Constraints(hierarchies={"kind": TREE}, max_buckets={"kind": 3})
    _, kind, _ = within(found, task, rules)
    assert max(one.n_buckets for one in kind) == 3


def test_what_cannot_be_met_is_said():
    attribute = Attribute("c", CategoricalDomain(("a", "b")))
    table = Table((attribute,), np.zeros((9, 1), np.uint16, order="F"))
    task = prediction_task(table, np.zeros(9, np.int64), 1)
    oracle = Oracle(lambda codes: codes[:, 0], (2,))
    partitions = ladders(
        [attribute],
        responses([attribute], table.codes, oracle),
        "response",
        np.random.default_rng(0),
    )
    finest = [[level for level in partitions[0] if level.n_buckets > 1]]
    with pytest.raises(ParameterError, match="No partition of 'c'"):
        within(finest, task, Constraints(must_drop=["c"]))


def test_a_record_may_stand_for_everyone_at_the_end():
    one, two = np.zeros(3, np.int64), np.array([0, 0, 1])
    given_up = [Ranges(two, np.array([0, 2]), 0.4), Ranges(one, np.array([0]), 1.0)]
    kept = [Ranges(two, np.array([0, 2]), 0.4)]
    found = with_constants([given_up, kept], np.array([2, 1], np.uint16))
    assert [level.representatives.tolist() for level in found[0]] == [[0, 2], [0], [2]]
    assert found[0][-1].loss == 1.0
    assert found[1] == kept
