"""The generalizations of an attribute: refines, merge and intersect obey the laws of a lattice."""

from __future__ import annotations

import itertools
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.data import CategoricalDomain, NumericDomain, Table, read
from sparsam.generalization import (
    CategoricalPartition,
    Generalization,
    Partition,
    categorical_partition,
    information_loss,
    numeric_partition,
)

NUMBERS = NumericDomain(0, 4, integer=True)
REALS = NumericDomain(0, 4)
COLOURS = CategoricalDomain(("red", "green", "blue"))


def all_numeric(domain: NumericDomain, name: str) -> list[Partition]:
    made: list[Partition] = []
    for size in range(4):
        for cuts in itertools.combinations((1, 2, 4), size):
            for missing in (None, *range(size + 2)):
                for beyond in ("clamp", "error"):
                    made.append(numeric_partition(name, domain, cuts, missing, beyond))  # type: ignore[arg-type]
    return list(dict.fromkeys(made))


def all_categorical() -> list[Partition]:
    made: list[Partition] = []
    for marks in ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)):
        groups = [
            [c for c, m in zip(COLOURS.categories, marks, strict=True) if m == mark]
            for mark in sorted(set(marks))
        ]
        for missing in (None, *range(len(groups) + 1)):
            own = missing == len(groups)
            for unseen in (None, *range(len(groups) + 1 + own)):
                made.append(categorical_partition("colour", COLOURS, groups, missing, unseen))
    return list(dict.fromkeys(made))


UNIVERSES = [all_numeric(NUMBERS, "n"), all_numeric(REALS, "x"), all_categorical()]
universes = st.integers(0, 2).map(UNIVERSES.__getitem__)


def several(count: int) -> Any:
    return universes.flatmap(
        lambda universe: st.tuples(
            st.just(universe), *[st.sampled_from(universe).map(single) for _ in range(count)]
        )
    )


def test_merge_collects_nothing_rather_than_only_what_both_refuse() -> None:
    g, h = (single(numeric_partition("n", NUMBERS, [cut])) for cut in (1, 2))
    assert g.merge(h).collected == ()


def single(partition: Partition) -> Generalization:
    return Generalization([partition])


def alike(first: Generalization, second: Generalization) -> bool:
    return first.refines(second) and second.refines(first)


@given(several(3))
def test_refines_is_a_partial_order(drawn: Any) -> None:
    _, g, h, k = drawn
    assert g.refines(g)
    if g.refines(h) and h.refines(k):
        assert g.refines(k)
    if alike(g, h):
        assert all(d["relation"] == "renamed" for d in g.diff(h))


def values_of(g: Generalization) -> list[Any]:
    values: list[Any] = [0, 1, 2, 3, 4, -1, 5, None]
    if g.names == ("x",):
        values += [0.5, 1.5, 3.5]
    return ["red", "green", "blue", None, "black"] if g.names == ("colour",) else values


def accepts(g: Generalization, value: Any) -> bool:
    return g.partitions[0].slot(value) < g.partitions[0].n_buckets


@settings(deadline=None, max_examples=150)
@given(several(2))
def test_merge_is_the_least_common_coarsening(drawn: Any) -> None:
    """Of all values that g or h accepts; what both refuse may stand anywhere."""
    universe, g, h = drawn
    merged = g.merge(h)
    assert g.refines(merged)
    assert h.refines(merged)
    accepted = [v for v in values_of(g) if accepts(g, v) or accepts(h, v)]
    together = [
        (first, second)
        for first, second in combinations(accepted, 2)
        if merged.partitions[0].bucket(first) == merged.partitions[0].bucket(second)
    ]
    for other in universe:
        if g.refines(single(other)) and h.refines(single(other)):
            assert all(other.bucket(first) == other.bucket(second) for first, second in together)


@settings(deadline=None, max_examples=150)
@given(several(2))
def test_intersect_is_the_greatest_common_refinement(drawn: Any) -> None:
    universe, g, h = drawn
    common = g.intersect(h)
    assert common.refines(g)
    assert common.refines(h)
    for other in map(single, universe):
        if other.refines(g) and other.refines(h):
            assert other.refines(common)


@given(several(3))
def test_merge_and_intersect_obey_the_laws_of_a_lattice(drawn: Any) -> None:
    _, g, h, k = drawn
    assert g.merge(g) == g == g.intersect(g)
    assert alike(g.merge(h), h.merge(g))
    assert alike(g.intersect(h), h.intersect(g))
    if all(accepts(part, value) for part in (g, h, k) for value in values_of(g)):
        assert alike(g.merge(h).merge(k), g.merge(h.merge(k)))
    assert alike(g.intersect(h).intersect(k), g.intersect(h.intersect(k)))
    assert g.merge(g.intersect(h)) == g == g.intersect(g.merge(h))


@given(several(2))
def test_refines_means_that_the_coarse_bucket_follows_from_the_fine_one(drawn: Any) -> None:
    _, g, h = drawn
    fine, coarse = g.partitions[0], h.partitions[0]
    image: dict[int, set[int]] = {}
    total = True
    for value in values_of(g):
        mine, theirs = fine.slot(value), coarse.slot(value)
        if mine < fine.n_buckets:
            image.setdefault(mine, set()).add(theirs)
            total = total and theirs < coarse.n_buckets
    follows = total and all(len(targets) == 1 for targets in image.values())
    assert g.refines(h) == follows


TABLE = read(
    {
        "n": [0, 1, 2, 3, 4, None],
        "x": [0.0, 1.0, 2.0, 3.0, 4.0, None],
        "colour": ["red", "green", "blue", "red", "red", None],
    }
)


@given(several(2), st.sampled_from(["goldsteen", "staab"]))
def test_a_finer_generalization_never_loses_more(drawn: Any, variant: Any) -> None:
    _, g, h = drawn
    common = g.intersect(h)
    if h.partitions[0].missing is None or common.partitions[0].missing is None:
        return
    fine, coarse = (information_loss(part, TABLE, variant=variant).overall for part in (common, h))
    assert 0 <= fine <= coarse + 1e-12
    assert coarse <= 1


def test_merge_joins_connected_components() -> None:
    domain = CategoricalDomain(("a", "b", "c", "d", "e"))
    g = single(categorical_partition("v", domain, [["a", "b"], ["c"], ["d"], ["e"]]))
    h = single(categorical_partition("v", domain, [["a"], ["b", "c"], ["d", "e"]]))
    merged = g.merge(h)["v"]
    assert merged.groups == (("a", "b", "c"), ("d", "e"))  # type: ignore[union-attr]
    assert g.intersect(h)["v"].n_buckets == 5


def test_merge_keeps_common_cuts_and_intersect_takes_all() -> None:
    domain = NumericDomain(0, 99, integer=True)
    g = single(numeric_partition("age", domain, [17, 30, 62]))
    h = single(numeric_partition("age", domain, [17, 50, 62], missing=4))
    assert g.merge(h)["age"].labels == ("under 17", "17–61", "62 and over", "missing")
    assert g.intersect(h)["age"].cuts == (17, 30, 50, 62)  # type: ignore[union-attr]
    assert g.intersect(h)["age"].missing is None


def test_intersect_reveals_what_both_codes_together_reveal() -> None:
    rng = np.random.default_rng(3)
    table = Table(TABLE.attributes, np.column_stack([rng.integers(0, 3, 200) for _ in range(3)]))
    g = single(categorical_partition("colour", COLOURS, [["red", "green"], ["blue"]], missing=0))
    h = single(categorical_partition("colour", COLOURS, [["red"], ["green", "blue"]], missing=0))
    both = np.column_stack([g.apply_codes(table), h.apply_codes(table)])
    classes = np.unique(both, axis=0, return_inverse=True)[1].ravel()
    common = g.intersect(h).apply_codes(table)[:, 0]
    assert len(set(zip(classes, common, strict=True))) == len(set(classes)) == len(set(common))


def test_a_label_of_the_users_own_survives() -> None:
    domain = NumericDomain(0, 99, integer=True)
    g = single(numeric_partition("age", domain, [18], labels=["minor", "adult"]))
    h = single(numeric_partition("age", domain, [18, 65]))
    assert g.merge(h)["age"].labels == ("minor", "adult")
    assert h.diff(g)[0]["relation"] == "coarser"


def test_diff_is_plain_data_and_names_the_relation() -> None:
    domain = NumericDomain(0, 99, integer=True)
    cuts: dict[str, list[float]] = {"g": [17, 62], "finer": [17, 30, 62], "coarser": [17]}
    made = {key: single(numeric_partition("age", domain, value)) for key, value in cuts.items()}
    made["different"] = single(numeric_partition("age", domain, [50]))
    made["other policy"] = single(numeric_partition("age", domain, [17, 62], missing=3))
    made["renamed"] = single(numeric_partition("age", domain, [17, 62], labels=["a", "b", "c"]))
    for relation in ("finer", "coarser", "different", "other policy", "renamed"):
        (difference,) = made["g"].diff(made[relation])
        assert difference["relation"] == relation
        assert difference["attribute"] == "age"
    assert difference["before"]["labels"] == ["under 17", "17–61", "62 and over"]
    assert made["g"].diff(made["g"]) == []


def test_other_attributes_or_domains_are_refused_by_name() -> None:
    g = single(numeric_partition("age", NumericDomain(0, 99), [17]))
    with pytest.raises(ParameterError, match="'age' is in one only"):
        g.merge(single(numeric_partition("height", NumericDomain(0, 99), [17])))
    with pytest.raises(ParameterError, match="same domain for 'age'"):
        g.refines(single(numeric_partition("age", NumericDomain(0, 98), [17])))
    flags = single(categorical_partition("v", CategoricalDomain((True, False)), [[True, False]]))
    ones = single(categorical_partition("v", CategoricalDomain((1, 0)), [[1, 0]]))
    with pytest.raises(ParameterError, match="same domain for 'v'"):
        flags.intersect(ones)
    assert flags != ones


@st.composite
def _lists(draw: st.DrawFn) -> CategoricalPartition:
    """A partition that lists some of the categories; the others are as if never seen."""
    listed = draw(st.lists(st.sampled_from("abcdef"), unique=True, max_size=5))
    if not listed:
        missing = draw(st.sampled_from([0, 1]))
        return categorical_partition("v", CategoricalDomain(()), [], missing=missing)
    n_groups = draw(st.integers(1, len(listed)))
    groups: list[list[str]] = [[] for _ in range(n_groups)]
    for place, category in enumerate(listed):
        groups[place % n_groups].append(category)
    missing = draw(st.none() | st.integers(0, n_groups))
    last = n_groups + (missing == n_groups)
    unseen = draw(st.none() | st.integers(0, last))
    domain = CategoricalDomain(tuple(listed))
    return categorical_partition("v", domain, groups, missing=missing, unseen=unseen)


def _accepted(partition: CategoricalPartition) -> dict[str | None, int]:
    """The obvious way: the bucket of every value that has one."""
    slots = {value: partition.slot(value) for value in [*"abcdef", "never seen", None]}
    return {value: slot for value, slot in slots.items() if slot < partition.n_buckets}


@given(_lists(), _lists())
def test_lists_of_categories_may_differ(one: CategoricalPartition, two: CategoricalPartition):
    first, second = _accepted(one), _accepted(two)
    inside: dict[int, set[int | None]] = {}
    for value, bucket in first.items():
        inside.setdefault(bucket, set()).add(second.get(value))
    expected = all(len(coarse) == 1 and None not in coarse for coarse in inside.values())
    assert single(one).refines(single(two)) == expected
    both = single(one).intersect(single(two))["v"]
    merged = single(one).merge(single(two))
    for value, bucket in _accepted(both).items():
        if both.collected:
            assert value in first
            assert value in second
        for other, another in _accepted(both).items():
            if bucket == another and both.collected:
                assert first[value] == first[other]
                assert second[value] == second[other]
    assert single(one).refines(merged)
    assert single(two).refines(merged)
