"""Where codes and buckets lie, and how a network's choice becomes buckets that may be used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Roles, Table, Task
from sparsam.minimise import Constraints
from sparsam.minimise.neural._layout import Layout, layout_of, likeliest_buckets, settled


def _task() -> Task:
    places = CategoricalDomain(("a1", "a2", "b1", "b2", "c1"))
    attributes = (
        Attribute("age", NumericDomain(0, 9, True), np.arange(4), np.arange(4), True),
        Attribute("place", places),
        Attribute("grade", CategoricalDomain(("low", "middle", "high"), True)),
    )
    codes = np.array([[0, 0, 0], [1, 1, 1], [1, 2, 2], [4, 3, 2]], dtype=np.uint16)
    target = np.array([0, 1, 0, 1], dtype=np.uint16)
    return Task(Table(attributes, codes), target, ("n", "y"), "target", (1, 2), (1.0, 1.0), Roles())


HIERARCHY = {"a1": ["A"], "a2": ["A"], "b1": ["B"], "b2": ["B"], "c1": ["C"]}


def test_codes_of_all_attributes_stand_in_one_line() -> None:
    layout = layout_of(_task(), Constraints(), 5)
    assert layout.starts.tolist() == [0, 5, 10]
    assert layout.owner.tolist() == [0] * 5 + [1] * 5 + [2] * 3
    # A missing age stands in no order.
    assert layout.ordered.tolist() == [True] * 4 + [False] * 6 + [True] * 3
    assert layout.shares[layout.codes_of(0)].tolist() == [0.25, 0.5, 0, 0, 0.25]
    assert layout.ranks()[layout.codes_of(2)].tolist() == [0.125, 0.375, 0.75]
    assert (layout.most, layout.widths.tolist()) == (5, [5, 5, 5])


def test_constraints_limit_the_buckets() -> None:
    demands = Constraints(must_keep=["age"], must_drop=["place"], max_buckets={"grade": 2})
    layout = layout_of(_task(), demands, 5)
    assert layout.widths.tolist() == [0, 1, 2]
    assert (layout.kept.tolist(), layout.learned.tolist(), layout.most) == ([0], [1, 2], 2)
    alone = layout_of(_task(), Constraints(must_keep=["age", "place", "grade"]), 5)
    assert alone.most == 1


def test_a_category_leaves_the_common_bucket_only_for_one_that_is_clearly_likelier() -> None:
    layout = layout_of(_task(), Constraints(), 3)
    table = np.tile([0.8, 0.1, 0.1], (13, 1))
    table[layout.codes_of(1)][1:4] = [[0.3, 0.5, 0.2], [0.3, 0.1, 0.6], [0.2, 0.2, 0.6]]
    table[layout.codes_of(2)][1] = [0.4, 0.5, 0.1]  # ordered: the nearest bucket, however near
    table[layout.codes_of(0)][4] = [0.5, 0.4, 0.1]
    found = likeliest_buckets(layout, table)
    assert found[layout.codes_of(1)].tolist() == [0, 0, 2, 2, 0]
    assert found[layout.codes_of(2)].tolist() == [0, 1, 0]
    assert not found[layout.codes_of(0)].any()


def test_what_rounding_breaks_is_repaired() -> None:
    layout = layout_of(_task(), Constraints(), 5)
    likeliest = np.array([1, 4, 3, 4, 1] + [0] * 5 + [2, 1, 2])
    age, _, grade = settled(layout, Constraints(), likeliest)
    assert age.tolist() == [0, 1, 1, 1, 0]  # the missing value stays where it was put
    assert grade.tolist() == [0, 0, 0]


def test_a_value_that_nobody_has_joins_the_most_common_bucket() -> None:
    layout = layout_of(_task(), Constraints(), 5)
    likeliest = np.array([0] * 5 + [3, 2, 2, 2, 4] + [0] * 3)
    assert settled(layout, Constraints(), likeliest)[1].tolist() == [0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("likeliest", "most", "expected"),
    [
        ([0, 0, 1, 1, 1], 5, [0, 0, 1, 1, 2]),
        ([0, 1, 1, 1, 1], 5, [0, 1, 2, 2, 3]),
        ([0, 1, 1, 1, 1], 3, [0, 0, 0, 0, 0]),  # one stranger in A is one in the whole, too
        ([0, 2, 1, 1, 1], 3, [0, 0, 1, 1, 2]),
        ([0, 0, 1, 1, 1], 2, [0, 0, 0, 0, 0]),
        ([3, 3, 3, 3, 3], 5, [0, 0, 0, 0, 0]),
    ],
)
def test_buckets_become_nodes_of_a_hierarchy(
    likeliest: list[int], most: int, expected: list[int]
) -> None:
    demands = Constraints(hierarchies={"place": HIERARCHY}, max_buckets={"place": most})
    layout = layout_of(_task(), demands, 5)
    line = np.array([0] * 5 + likeliest + [0] * 3)
    assert settled(layout, demands, line)[1].tolist() == expected


def _check_runs(layout: Layout, buckets: list[np.ndarray]) -> None:
    for a, bucket in enumerate(buckets):
        values = bucket[layout.ordered[layout.codes_of(a)]]
        assert (np.diff(values) >= 0).all()
        assert np.unique(bucket).tolist() == list(range(bucket.max() + 1))
        assert bucket.max() < layout.widths[a]


@given(st.data())
@settings(max_examples=60)
def test_any_choice_becomes_buckets_within_the_limits(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task(most_values=8))
    first, last = task.names[0], task.names[-1]
    demands = data.draw(
        st.sampled_from([Constraints(must_drop=[first]), Constraints(max_buckets={last: 2})])
    )
    layout = layout_of(task, demands, data.draw(st.integers(1, 5)))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    likeliest = rng.integers(0, layout.widths[layout.owner])
    _check_runs(layout, settled(layout, demands, likeliest))
