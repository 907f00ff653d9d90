"""What the paths of a tree leave possible, and trees that are none."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, numeric_partition
from sparsam.generalization._partition_base import FieldError
from sparsam.generalization.recoding._tree import Branch, Leaf, Node, Paths, buckets_of, mask_of

SIZES = {"a": 4, "b": 3, "c": 2}


def ranges(**sizes: int) -> Generalization:
    domain = NumericDomain(0, 100_000, integer=True)
    return Generalization(
        numeric_partition(name, domain, range(1, size)) for name, size in sizes.items()
    )


@given(st.sets(st.integers(0, 70)))
def test_masks_hold_buckets(buckets: set[int]) -> None:
    mask = mask_of(buckets, 71)
    assert mask == sum(1 << bucket for bucket in buckets)
    assert buckets_of(mask) == sorted(buckets)


def grown(rng: random.Random) -> list[Node]:
    """Grow a tree at random, its nodes in an order that is not depth first."""
    leaf = Leaf((), {"a": 0, "b": 0, "c": 0})
    nodes: list[Node] = [leaf]
    left = {0: {name: set(range(size)) for name, size in SIZES.items()}}
    for _ in range(rng.randrange(12)):
        place = rng.choice([i for i in left if any(len(one) > 1 for one in left[i].values())])
        name = rng.choice([name for name, one in left[place].items() if len(one) > 1])
        here = left.pop(place)
        goes = set(rng.sample(sorted(here[name]), rng.randrange(1, len(here[name]))))
        nodes[place] = Branch(name, tuple(goes), len(nodes), len(nodes) + 1)
        left[len(nodes)] = {**here, name: goes}
        left[len(nodes) + 1] = {**here, name: here[name] - goes}
        nodes += [leaf, leaf]
    return nodes


@given(st.integers(0, 10**6))
def test_paths_are_what_walking_down_leaves(seed: int) -> None:
    nodes = grown(random.Random(seed))
    paths = Paths(ranges(**SIZES), nodes)
    expected: dict[int, dict[str, frozenset[int]]] = {0: {}}
    for number, node in enumerate(nodes):
        here = expected[number]
        assert paths.possible(number) == here
        for name, size in SIZES.items():
            whole = frozenset(range(size))
            assert buckets_of(paths.masks(name)[number]) == sorted(here.get(name, whole))
        if isinstance(node, Branch):
            still = here.get(node.attribute, frozenset(range(SIZES[node.attribute])))
            expected[node.then] = {**here, node.attribute: still & set(node.left)}
            expected[node.otherwise] = {**here, node.attribute: still - set(node.left)}
            assert paths.side(node.then) == sorted(still & set(node.left))


LEAF = Leaf((), {"a": 0, "b": 0, "c": 0})


@pytest.mark.parametrize(
    ("nodes", "field"),
    [
        ([Branch("a", (0,), 1, 1), LEAF], "nodes[0].otherwise"),
        ([Branch("a", (0,), 1, 0), LEAF, LEAF], "nodes[0].otherwise"),
        ([Branch("a", (0,), 1, 3), LEAF, LEAF], "nodes[0].otherwise"),
        ([Branch("a", (0,), 1, 10**30), LEAF, LEAF], "nodes[0].otherwise"),
        ([LEAF, LEAF], "nodes[1]"),
        ([Branch("z", (0,), 1, 2), LEAF, LEAF], "nodes[0].attribute"),
        ([Branch("a", (4,), 1, 2), LEAF, LEAF], "nodes[0].left"),
        ([Branch("a", (0, 0), 1, 2), LEAF, LEAF], "nodes[0].left"),
        ([Branch("a", (0, 1, 2, 3), 1, 2), LEAF, LEAF], "nodes[0].left"),
        ([Branch("a", (0,), 1, 2), Branch("a", (0,), 3, 4), *[LEAF] * 3], "nodes[1].left"),
        ([Branch("a", (0,), 1, 2), LEAF, Branch("a", (0,), 3, 4), *[LEAF] * 2], "nodes[2].left"),
    ],
)
def test_what_is_no_tree_is_refused(nodes: list[Node], field: str) -> None:
    with pytest.raises(FieldError) as caught:
        Paths(ranges(**SIZES), nodes)
    assert caught.value.field == field


def chain(name: Any, size: int) -> list[Node]:
    nodes: list[Node] = []
    for i in range(size):
        nodes += [Branch(name(i), (i % 2_500,), 2 * i + 1, 2 * i + 2), LEAF]
    return [*nodes, LEAF]


def test_a_deep_tree_is_no_matter() -> None:
    sizes = {f"a{i}": 2 for i in range(10_000)}
    nodes = [
        Branch(node.attribute, (0,), node.then, node.otherwise)
        if isinstance(node, Branch)
        else node
        for node in chain(lambda i: f"a{i}", 10_000)
    ]
    paths = Paths(ranges(**sizes), nodes)
    assert len(paths.possible(len(nodes) - 1)) == 10_000


def test_a_tree_that_parts_too_many_buckets_is_refused() -> None:
    with pytest.raises(FieldError, match="at most 4,194,304 buckets"):
        Paths(ranges(a=2_500), chain(lambda i: "a", 2_400))
