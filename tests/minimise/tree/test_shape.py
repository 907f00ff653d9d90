from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.minimise._constraints import Constraints
from sparsam.minimise.tree._buckets import ABSENT, LEFT, RIGHT, Split
from sparsam.minimise.tree._growth import Growth
from sparsam.minimise.tree._shape import TreeNode, leaves_of, tree_shape, with_neighbours


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
    found = leaves_of(nodes, task.codes)
    assert found.tolist() == [_walked(nodes, record) for record in task.codes]
    for node in inner:  # as many people go left as the growth counted
        below = {node.left}
        for child in range(node.left, len(nodes)):
            if child in below and nodes[child].split is not None:
                below |= {nodes[child].left, nodes[child].right}
        assert np.isin(found, list(below)).sum() == node.split.n_left


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
