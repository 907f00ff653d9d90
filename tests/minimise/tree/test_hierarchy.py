"""Buckets under a hierarchy are nodes of it, as high up as can be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.data import Attribute, CategoricalDomain
from sparsam.minimise.tree._hierarchy import Hierarchy

PLACES = {
    "Bern": ("Alps", "land"),
    "Graz": ("Alps", "land"),
    "Kiel": ("coast", "land"),
    "Riga": ("coast", "land"),
    "Malta": ("island",),
}


def _attribute(categories: Sequence[str], *, missing: bool = False) -> Attribute:
    return Attribute("place", CategoricalDomain(tuple(categories)), missing=missing)


def _nodes(attribute: Attribute, ancestors: dict[str, Sequence[str]]) -> set[frozenset[int]]:
    assert isinstance(attribute.domain, CategoricalDomain)
    nodes = {frozenset(range(attribute.size)), *(frozenset([c]) for c in range(attribute.size))}
    for group in {name for line in ancestors.values() for name in line}:
        members = [c for c, v in enumerate(attribute.domain.categories) if group in ancestors[v]]
        nodes.add(frozenset(members))
    return nodes


def _groups(buckets: np.ndarray) -> list[frozenset[int]]:
    numbers = range(int(buckets.max()) + 1)
    return [frozenset(np.flatnonzero(buckets == b).tolist()) for b in numbers]


def test_coarsest_stops_at_the_first_node_that_is_one_bucket() -> None:
    tree = Hierarchy(_attribute(list(PLACES), missing=True), PLACES)
    apart = {0, 1}
    buckets = tree.coarsest(lambda codes: not apart <= set(codes), 6)
    assert _groups(buckets) == [{0}, {1}, {2, 3}, {4}, {5}]
    assert tree.coarsest(lambda codes: True, 6).tolist() == [0] * 6


def test_order_keeps_every_group_together() -> None:
    tree = Hierarchy(_attribute(list(PLACES)), PLACES)
    score = {0: 0.9, 1: 0.1, 2: 0.4, 3: 0.6, 4: 0.2}
    order = tree.order(lambda codes: float(np.mean([score[code] for code in codes])))
    assert order == [4, 1, 0, 2, 3]


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (1, [{0, 1, 2, 3, 4}]),
        (2, [{0, 1, 2, 3}, {4}]),
        (3, [{0, 1}, {2, 3}, {4}]),
        (4, [{0}, {1}, {2, 3}, {4}]),
        (99, [{0}, {1}, {2}, {3}, {4}]),
    ],
)
def test_at_most_opens_the_largest_groups(most: int, expected: list[set[int]]) -> None:
    tree = Hierarchy(_attribute(list(PLACES)), PLACES)
    assert _groups(tree.at_most(most, 5)) == expected


@given(st.data())
@settings(deadline=None)
def test_buckets_are_always_nodes_and_missing_comes_last(data: st.DataObject) -> None:
    groups = {"g0": ("h0",), "g1": ("h0",), "g2": ("h1",), "g3": ()}
    ancestors: dict[str, Sequence[str]] = {}
    for code in range(data.draw(st.integers(1, 8))):
        group = data.draw(st.sampled_from(["", *groups]))
        ancestors[f"c{code}"] = (group, *groups[group]) if group else ()
    attribute = _attribute(list(ancestors), missing=data.draw(st.booleans()))
    tree = Hierarchy(attribute, ancestors)
    apart = {frozenset(data.draw(st.sets(st.integers(0, attribute.size - 1)))) for _ in range(2)}
    most = data.draw(st.integers(1, 9))
    found = [
        tree.at_most(most, attribute.size),
        tree.coarsest(
            lambda codes: not any(len(a & set(codes)) > 1 for a in apart), attribute.size
        ),
    ]
    assert int(found[0].max()) + 1 <= most
    for buckets in found:
        assert set(_groups(buckets)) <= _nodes(attribute, ancestors)
        values = buckets[: attribute.n_values]
        assert set(values.tolist()) == set(range(int(values.max()) + 1))
    assert all(len(a & bucket) < 2 for a in apart for bucket in _groups(found[1]))
