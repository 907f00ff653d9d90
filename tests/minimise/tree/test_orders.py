"""The orders in which an attribute may be cut."""

from __future__ import annotations

import numpy as np

from sparsam.data import Attribute, CategoricalDomain, NumericDomain
from sparsam.minimise.tree._hierarchy import Hierarchy
from sparsam.minimise.tree._orders import OrderRule

THREE = CategoricalDomain(("a", "b", "c"))
STARTS = np.array([0, 2, 5])  # two classes, a personal attribute of three values


def _orders(
    rule: OrderRule, lines: list[list[int]], present: list[int], grouped: bool = False
) -> list[list[int]]:
    counts = np.array(lines, dtype=np.int32)
    return [order.tolist() for order in rule.orders(counts, np.array(present), STARTS, grouped)]


LINES = [[1, 3, 0, 4, 0], [4, 0, 1, 1, 2], [1, 1, 2, 0, 0], [9, 9, 9, 9, 0]]


def test_categories_are_sorted_by_the_share_of_a_class() -> None:
    rule = OrderRule(Attribute("a", THREE), None, "target")
    assert _orders(rule, LINES, [0, 1, 2]) == [[1, 2, 0]]
    assert _orders(rule, LINES, [0, 2]) == [[2, 0]]


def test_equal_shares_keep_the_order_of_codes() -> None:
    rule = OrderRule(Attribute("a", THREE), None, "target")
    assert _orders(rule, [[2, 2, 4, 0, 0], [1, 3, 4, 0, 0], [3, 3, 6, 0, 0]], [0, 1, 2]) == [
        [0, 2, 1]
    ]


def test_more_classes_mean_an_order_for_each_that_occurs() -> None:
    rule = OrderRule(Attribute("a", THREE), None, "target")
    counts = np.array([[1, 2, 0], [3, 0, 0], [0, 3, 0]], dtype=np.int32)
    found = list(rule.orders(counts, np.arange(3), np.array([0, 3]), False))
    assert [order.tolist() for order in found] == [[2, 0, 1], [1, 0, 2]]


def test_shares_of_personal_values_are_orders_too() -> None:
    rule = OrderRule(Attribute("a", THREE), None, "personal")
    assert _orders(rule, LINES, [0, 1, 2]) == [[1, 2, 0], [0, 1, 2], [2, 1, 0], [0, 2, 1]]


def test_numbers_keep_their_order_and_missing_is_tried_at_both_ends() -> None:
    numbers = Attribute("n", NumericDomain(0, 2), np.arange(3.0), np.arange(3.0), missing=True)
    rule = OrderRule(numbers, None, "target")
    assert _orders(rule, LINES, [0, 2]) == [[0, 2]]
    assert _orders(rule, LINES, [0, 2, 3]) == [[0, 2, 3], [3, 0, 2]]
    assert _orders(rule, LINES, [0, 1, 2], grouped=True) == [[0, 1, 2]]


def test_a_hierarchy_is_sorted_level_by_level() -> None:
    ordered = Attribute("a", CategoricalDomain(("a", "b", "c"), ordered=True), missing=True)
    tree = Hierarchy(ordered, {"a": ["x"], "b": [], "c": ["x"]})
    rule = OrderRule(ordered, tree, "target")
    assert _orders(rule, LINES, [0, 1, 2, 3]) == [[1, 3, 2, 0]]
    assert _orders(rule, LINES, [0, 1, 2], grouped=True) == [[1, 2, 0]]
