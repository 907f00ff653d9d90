"""Moves: neighbours, missing values, nodes of a hierarchy."""

from __future__ import annotations

import numpy as np

from sparsam.data import Roles, resolve
from sparsam.minimise import Constraints
from sparsam.minimise.merging._moves import Move, Moves


def test_ordered_merges_are_of_neighbours_and_of_missing_values() -> None:
    task = resolve({"n": [1.0, 2.0, 3.0, None] * 5}, Roles(), y=[0, 1] * 10)
    found = list(Moves(task, Constraints()).merges([np.arange(4)]))
    pairs = [(0, 1), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert sorted(found, key=lambda m: m.buckets) == sorted(
        [*(Move(0, pair) for pair in pairs), Move(0, (0, 1, 2, 3))], key=lambda m: m.buckets
    )


def test_categories_of_a_hierarchy_merge_into_its_nodes_only() -> None:
    lines = {"a": ["x"], "b": ["x"], "c": ["y"], "d": ["y"]}
    task = resolve({"h": list("abcd") * 5}, Roles(), y=[0, 1] * 10)
    moves = Moves(task, Constraints(hierarchies={"h": lines}))
    assert {move.buckets for move in moves.merges([np.arange(4)])} == {(0, 1), (2, 3), (0, 1, 2, 3)}
    assert moves.has_hierarchy(0)
    assert [x.tolist() for x in moves.openings(0, np.zeros(4, np.int64))] == [[0, 0, 1, 1]]
    opened = [x.tolist() for x in moves.openings(0, np.array([0, 0, 1, 1]))]
    assert opened == [[0, 1, 2, 2], [0, 0, 1, 2]]
