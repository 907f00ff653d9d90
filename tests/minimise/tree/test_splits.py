"""Buckets keep what cuts tell apart, no less and, where that can be computed, no more."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.data import Attribute, CategoricalDomain, NumericDomain
from sparsam.minimise._constraints import Constraints
from sparsam.minimise.tree._growth import Growth
from sparsam.minimise.tree._splits import (
    ABSENT,
    LEFT,
    RIGHT,
    Split,
    TreeNode,
    code_buckets,
    leaves_of,
    numbered_by_first_code,
    tree_shape,
    with_neighbours,
)


def _categories(n: int, *, ordered: bool = False, missing: bool = False) -> Attribute:
    names = tuple(f"c{code}" for code in range(n))
    return Attribute("a", CategoricalDomain(names, ordered), missing=missing)


def _sides(text: str) -> np.ndarray:
    return np.array([{".": ABSENT, "L": LEFT, "R": RIGHT}[letter] for letter in text], np.int8)


@st.composite
def _cuts(draw: st.DrawFn, attribute: Attribute) -> list[np.ndarray]:
    """Cuts as a tree makes them: some codes occur; ordered ones are cut at one place."""
    cuts = []
    for _ in range(draw(st.integers(0, 5))):
        present = [code for code in range(attribute.size) if draw(st.booleans())]
        order = present if attribute.ordered else draw(st.permutations(present))
        if attribute.ordered and draw(st.booleans()) and attribute.n_values in present:
            order = [attribute.n_values, *present[:-1]]
        if len(present) < 2:
            continue
        length = draw(st.integers(1, len(present) - 1))
        sides = np.zeros(attribute.size, dtype=np.int8)
        sides[present] = RIGHT
        sides[list(order[:length])] = LEFT
        cuts.append(sides)
    return cuts


def _mixed(buckets: np.ndarray, sides: np.ndarray) -> bool:
    return any({LEFT, RIGHT} <= set(sides[buckets == b].tolist()) for b in set(buckets.tolist()))


@given(st.data())
@settings(deadline=None)
def test_no_bucket_mixes_codes_that_a_cut_tells_apart(data: st.DataObject) -> None:
    n, missing = data.draw(st.integers(1, 7)), data.draw(st.booleans())
    attribute = _categories(n, ordered=data.draw(st.booleans()), missing=missing)
    cuts = data.draw(_cuts(attribute))
    buckets = code_buckets(attribute, cuts)
    assert len(buckets) == attribute.size
    assert not any(_mixed(buckets, sides) for sides in cuts)
    assert set(buckets.tolist()) == set(range(int(buckets.max()) + 1))
    values = buckets[:n]
    assert set(values.tolist()) == set(range(int(values.max()) + 1))  # a missing bucket comes last
    if attribute.ordered:
        assert (np.diff(values) >= 0).all()


@given(st.data())
@settings(deadline=None)
def test_ordered_attributes_are_cut_at_the_fewest_places(data: st.DataObject) -> None:
    attribute = _categories(data.draw(st.integers(1, 7)), ordered=True)
    cuts = data.draw(_cuts(attribute))
    places = range(1, attribute.n_values)
    fewest = next(
        count
        for count in range(attribute.n_values)
        for chosen in combinations(places, count)
        if not any(
            _mixed(np.searchsorted(chosen, np.arange(attribute.n_values), side="right"), sides)
            for sides in cuts
        )
    )
    assert int(code_buckets(attribute, cuts).max()) == fewest


@given(st.data())
@settings(deadline=None)
def test_missing_value_joins_a_bucket_unless_every_one_is_told_apart_from_it(
    data: st.DataObject,
) -> None:
    attribute = _categories(data.draw(st.integers(1, 6)), ordered=True, missing=True)
    cuts = data.draw(_cuts(attribute))
    buckets = code_buckets(attribute, cuts)
    runs = int(buckets[:-1].max()) + 1
    joinable = [
        b
        for b in range(runs)
        if not any(_mixed(np.append(buckets[:-1], b), sides) for sides in cuts)
    ]
    assert (int(buckets[-1]) < runs) == bool(joinable)


def test_no_cut_means_one_bucket() -> None:
    assert code_buckets(_categories(4, missing=True), []).tolist() == [0] * 5


def test_absent_categories_are_not_torn_apart_as_they_are_by_parity() -> None:
    # One node knows only the first two categories, another only the last two.
    cuts = [_sides("RL.."), _sides("..LR")]
    by_parity = [np.where(c, c, np.array([LEFT, RIGHT, LEFT, RIGHT])) for c in cuts]
    assert code_buckets(_categories(4), by_parity).max() + 1 == 4
    assert code_buckets(_categories(4), cuts).max() + 1 == 2


def test_codes_that_no_cut_speaks_of_make_no_bucket() -> None:
    assert code_buckets(_categories(5), [_sides("L..R.")]).tolist() == [0, 0, 0, 1, 0]
    ordered = _categories(5, ordered=True)
    assert code_buckets(ordered, [_sides("L..R.")]).tolist() == [0, 0, 0, 1, 1]


def test_one_cut_serves_two_overlapping_gaps() -> None:
    numbers = Attribute("n", NumericDomain(0, 9), np.arange(6.0), np.arange(6.0))
    assert code_buckets(numbers, [_sides("L...R."), _sides(".L.R..")]).tolist() == [0] * 3 + [1] * 3


def test_missing_between_two_sides_gets_the_last_bucket() -> None:
    numbers = Attribute("n", NumericDomain(0, 9), np.arange(3.0), np.arange(3.0), missing=True)
    apart = [_sides("LLRR"), _sides("LLLR")]
    assert code_buckets(numbers, apart).tolist() == [0, 0, 1, 2]
    assert code_buckets(numbers, apart[:1]).tolist() == [0, 0, 1, 1]
    assert code_buckets(numbers, [_sides("LRRL")]).tolist() == [0, 1, 1, 0]


@given(st.lists(st.integers(0, 9), min_size=1))
def test_numbering_follows_first_codes(buckets: list[int]) -> None:
    numbered: Any = numbered_by_first_code(np.array(buckets)).tolist()
    seen: dict[int, int] = {}
    assert numbered == [seen.setdefault(bucket, len(seen)) for bucket in buckets]


def _grown(task):
    growth = Growth(
        task, privacy=0.0, min_leaf=1, category_orders="target", constraints=Constraints()
    )
    return growth.grow(task.n_rows)


def _walked(nodes, record):
    """The leaf of one record, step by step."""
    number = 0
    while nodes[number].split is not None:
        node = nodes[number]
        left = node.split.sides[record[node.split.attribute]] == LEFT
        number = node.left if left else node.right
    return number


@given(data=st.data())
@settings(max_examples=60)
def test_every_split_is_a_node_and_every_row_finds_its_leaf(any_task, data):
    task = data.draw(any_task())
    splits = _grown(task)
    nodes = tree_shape(splits, task.n_rows)
    inner = [node for node in nodes if node.split is not None]
    assert len(inner) == len(splits)
    assert len(nodes) == 2 * len(splits) + 1
    for number, node in enumerate(nodes):
        if node.split is not None:
            assert number < node.left < node.right < len(nodes)
            assert nodes[node.left].depth == nodes[node.right].depth == node.depth + 1
    leaf = leaves_of(nodes, task.codes)
    assert leaf.tolist() == [_walked(nodes, record) for record in task.codes]
    for node in inner:  # as many people go left as the growth counted
        below = {node.left}
        for child in range(node.left, len(nodes)):
            if child in below and nodes[child].split is not None:
                below |= {nodes[child].left, nodes[child].right}
        assert np.isin(leaf, list(below)).sum() == node.split.n_left


@given(data=st.data())
@settings(max_examples=40)
def test_a_tree_that_is_cut_off_is_the_top_of_the_whole(any_task, data):
    task = data.draw(any_task())
    splits = _grown(task)
    whole = tree_shape(splits, task.n_rows)
    levels = data.draw(st.integers(0, 4))
    cut = tree_shape(splits, task.n_rows, levels)
    assert max(node.depth for node in cut) <= levels
    kept = [id(node.split) for node in whole if node.split is not None and node.depth < levels]
    assert sorted(kept) == sorted(id(node.split) for node in cut if node.split is not None)
    # people together in the whole tree stay together
    fine, coarse = leaves_of(whole, task.codes), leaves_of(cut, task.codes)
    pairs = set(zip(fine.tolist(), coarse.tolist(), strict=True))
    assert len(pairs) == len(set(fine.tolist()))


def test_no_split_is_one_leaf():
    assert tree_shape((), 5) == [TreeNode(None)]
    assert leaves_of([TreeNode(None)], np.zeros((3, 1), np.uint16)).tolist() == [0, 0, 0]


def test_a_code_that_a_node_never_met_goes_where_its_neighbour_goes():
    sides = np.array([ABSENT, LEFT, ABSENT, ABSENT, RIGHT, ABSENT])
    nodes = [
        TreeNode(Split(0, sides, 4, 2, 0.1), 1, 2),
        TreeNode(None, depth=1),
        TreeNode(None, depth=1),
    ]
    ordered = with_neighbours(nodes, [True])[0].split
    assert ordered.sides.tolist() == [LEFT, LEFT, LEFT, RIGHT, RIGHT, RIGHT]
    assert with_neighbours(nodes, [False])[0].split.sides.tolist() == sides.tolist()
