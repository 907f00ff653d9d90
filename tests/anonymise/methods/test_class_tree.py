"""The tree of classes routes old and new rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.anonymise.methods._greedy import Greedy
from sparsam.anonymise.methods._guided import Guided
from sparsam.anonymise.methods._hybrid import Hybrid
from sparsam.anonymise.methods._mondrian import Mondrian
from sparsam.anonymise.privacy._privacy_models import KAnonymity
from sparsam.data import read


def slow_route(tree: Any, row: list[int]) -> int:
    nodes, node = tree.nodes, 0
    while nodes.attribute[node] >= 0:
        attribute = nodes.attribute[node]
        code = row[attribute]
        if nodes.mask_at[node] >= 0:
            bits = np.unpackbits(nodes.masks[nodes.mask_at[node] :], bitorder="little")
            left = bool(bits[code])
        elif code == tree.missing[attribute]:
            left = bool(nodes.missing_left[node])
        else:
            left = code <= nodes.threshold[node]
        node = nodes.children[node][0 if left else 1]
    return int(nodes.leaf[node])


def grown(name: str, codes: Any, attributes: Any, k: int) -> Any:
    answers = (codes.sum(axis=1) % 3).astype(np.int64)
    if name in ("guided", "hybrid"):
        learner: Any = Guided() if name == "guided" else Hybrid(least_gain=1.0)
        return learner.part(codes, attributes, KAnonymity(k), answers)
    return (Mondrian() if name == "mondrian" else Greedy()).part(codes, attributes, KAnonymity(k))


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(6, 80),
    name=st.sampled_from(["mondrian", "greedy", "guided", "hybrid"]),
)
def test_rows_are_routed_to_their_own_class(
    random_codes: Callable[..., Any], seed: int, n_rows: int, name: str
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    tree = grown(name, codes, attributes, 3)
    assert tree.route(codes).tolist() == tree.classes.of_row.tolist()
    sizes = np.array([attribute.size for attribute in attributes])
    new = np.random.default_rng(seed).integers(0, sizes, (30, len(sizes)))
    assert tree.route(new).tolist() == [slow_route(tree, row) for row in new.tolist()]


def test_new_rows_may_fall_short_of_k() -> None:
    table = read({"age": [20, 21, 40, 41]})
    tree = Mondrian().part(table.codes, table.attributes, KAnonymity(2))
    assert np.bincount(tree.route(table.codes[:3])).min() == 1


def test_an_unseen_category_goes_with_the_larger_part() -> None:
    attributes = read({"town": list("abcdefg")}).attributes
    codes = np.array([[0]] * 6 + [[1]] * 3, np.uint16)
    tree = Greedy().part(codes, attributes, KAnonymity(3))
    assert len(set(tree.route(np.array([[0], [5], [6]], np.uint16)).tolist())) == 1


def test_a_tree_of_one_class() -> None:
    table = read({"age": [20, 21, 40]})
    tree = Mondrian().part(table.codes, table.attributes, KAnonymity(2))
    assert (repr(tree), tree.depth) == ("ClassTree(1 classes, depth 0)", 0)
    assert tree.route(table.codes).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (np.zeros((2, 2), np.uint16), "one column per quasi-identifier"),
        (np.zeros(2, np.uint16), "one column per quasi-identifier"),
        (np.zeros((2, 1)), "whole numbers"),
        (np.full((2, 1), 4, np.uint16), "Got 2 that do not"),
        (np.full((2, 1), -1), "Got 2 that do not"),
    ],
)
def test_bad_codes_are_refused(codes: Any, message: str) -> None:
    table = read({"age": [20, 21, 40, 41]})
    tree = Mondrian().part(table.codes, table.attributes, KAnonymity(2))
    with pytest.raises(DataError, match=message):
        tree.route(codes)
