"""Privacy models against slow, obvious oracles."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from sparsam._errors import DataError, ParameterError, RoleError
from sparsam.anonymise._privacy_models import (
    AllOf,
    Closeness,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    PrivacyModel,
    RecursiveDiversity,
)
from sparsam.data import Roles, Table, read

LEVELS = ("low", "middle", "high", "top")
ROLES = Roles(ordered={"s": LEVELS})


def table_of(values: list[Any]) -> Table:
    """A table with an ordered sensitive column and another that always has values."""
    return read({"s": values, "full": list(range(len(values)))}, roles=ROLES)


def earth_movers(p: list[float], q: list[float], cost: np.ndarray) -> float:
    """Move one heap onto the other at least cost: a linear programme over all moves."""
    n = len(p)
    give = [[float(i == row) for i in range(n) for _ in range(n)] for row in range(n)]
    take = [[float(j == row) for _ in range(n) for j in range(n)] for row in range(n)]
    solution = linprog(cost.ravel(), A_eq=np.array(give + take), b_eq=np.array([*p, *q]))
    return float(solution.fun)


def slow_entropy(values: list[Any]) -> float:
    counts = Counter(values).values()
    return -sum(c / len(values) * math.log(c / len(values)) for c in counts)


def slow_recursive(values: list[Any], c: Fraction, l: int) -> bool:  # noqa: E741
    falling = sorted(Counter(values).values(), reverse=True)
    return falling[0] < c * sum(falling[l - 1 :])


columns = st.lists(st.sampled_from([*LEVELS, None]), min_size=4, max_size=14).filter(
    lambda values: any(value is not None for value in values)
)


@st.composite
def tables_and_rows(draw: st.DrawFn) -> tuple[list[Any], np.ndarray, np.ndarray]:
    values = draw(columns)
    side = draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    return values, np.flatnonzero(np.array(side) == 0), np.flatnonzero(np.array(side) == 1)


@given(tables_and_rows(), st.integers(2, 4))
def test_diversity_is_what_the_oracles_say(case: Any, l: int) -> None:  # noqa: E741
    values, rows, _ = case
    table = table_of(values)
    inside = [values[row] for row in rows]
    distinct = DistinctDiversity(l, "s").bound(table)
    entropy = EntropyDiversity(l - 0.5, "s").bound(table)
    recursive = RecursiveDiversity(1.5, l, "s").bound(table)
    assert distinct.holds(rows) == (len(set(inside)) >= l)
    if inside:
        assert entropy.holds(rows) == (slow_entropy(inside) >= math.log(l - 0.5) - 1e-12)
        assert recursive.holds(rows) == slow_recursive(inside, Fraction(3, 2), l)


@given(tables_and_rows())
@settings(max_examples=40)
def test_distances_are_the_earth_movers(case: Any) -> None:
    values, rows, _ = case
    if not len(rows):
        return
    table = table_of(values)
    occurring = [v for v in LEVELS if v in values] + [None] * (None in values)
    p = [[values[row] for row in rows].count(v) / len(rows) for v in occurring]
    q = [values.count(v) / len(values) for v in occurring]
    apart = np.ones((len(occurring), len(occurring))) - np.eye(len(occurring))
    equal = Closeness(0.1, "s").bound(table).distance_of(rows)
    assert equal == pytest.approx(earth_movers(p, q, apart), abs=1e-7)
    known = len(occurring) - (None in values)
    for i in range(known):
        for j in range(known):
            apart[i, j] = abs(i - j) / max(known - 1, 1)
    ordered = Closeness(0.1, "s", "ordered").bound(table).distance_of(rows)
    exact = earth_movers(p, q, apart)
    assert ordered >= exact - 1e-7
    if None not in values:
        assert ordered == pytest.approx(exact, abs=1e-7)


MODELS: list[PrivacyModel] = [
    KAnonymity(3),
    KAnonymity(2, entity="who"),
    DistinctDiversity(2, "s"),
    EntropyDiversity(1.8, "s"),
    RecursiveDiversity(2, 2, "s"),
    Closeness(0.3, "s"),
    Closeness(0.3, "s", "ordered"),
    AllOf(KAnonymity(2), DistinctDiversity(2, "s")),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@given(tables_and_rows(), st.integers(1, 5))
@settings(max_examples=60)
def test_what_holds_for_two_classes_holds_for_both_together(
    model: PrivacyModel, case: Any, people: int
) -> None:
    values, one, other = case
    who = np.arange(len(values)) % people
    bound = model.bound(table_of(values), {"who": who})
    if bound.holds(one) and bound.holds(other):
        assert bound.holds(np.concatenate([one, other]))
    for rows in (one, other):
        assert not bound.holds(rows) or len(rows) >= bound.least_rows
        assert isinstance(bound.holds(rows), bool)
    assert not bound.holds(np.array([], np.int64))


def test_closeness_of_the_paper() -> None:
    """Li et al. 2007, §4.2: incomes of 3k to 11k."""
    table = read({"income": [3, 4, 5, 6, 7, 8, 9, 10, 11]})
    model = Closeness(0.2, "income", "ordered").bound(table)
    assert model.distance_of(np.array([0, 1, 2])) == pytest.approx(0.375)
    assert model.distance_of(np.array([3, 5, 8])) == pytest.approx(0.167, abs=5e-4)
    assert not model.holds(np.array([0, 1, 2]))
    assert model.holds(np.array([3, 5, 8]))


def test_t_is_not_ignored() -> None:
    """A peer's closeness check gave the same answer for every t."""
    table = read({"s": ["a"] * 5 + ["b"] * 5})
    rows = np.array([0, 1, 2, 5])
    held = [Closeness(t, "s").bound(table).holds(rows) for t in (0.0, 0.1, 0.24, 0.25, 1.0)]
    assert held == [False, False, False, True, True]


def test_closeness_can_be_measured_against_the_rows_that_are_left() -> None:
    table = read({"s": ["a", "b", "a", "b", "b", "b"]})
    model = Closeness(0.1, "s").bound(table)
    assert not model.holds(np.array([0, 1]))
    left = model.among(np.arange(4))
    assert left.holds(np.array([0, 1]))
    assert left.distance_of(np.array([0, 1, 2, 3])) == 0
    assert model.among(np.array([0, 2])).distance_of(np.array([1])) == 1


def test_equal_shares_are_diverse_in_spite_of_round_off() -> None:
    for n in range(2, 40):
        table = read({"s": [f"v{i}" for i in range(n)]})
        assert EntropyDiversity(n, "s").bound(table).holds(np.arange(n))
        assert not EntropyDiversity(n + 0.01, "s").bound(table).holds(np.arange(n))


def test_recursive_diversity_of_the_paper() -> None:
    """Machanavajjhala et al. 2007, §4.2: r1 < c (r_l + ... + r_m), strictly."""
    table = read({"s": ["a"] * 4 + ["b"] * 2 + ["c"] * 2})
    everybody = np.arange(8)
    assert not RecursiveDiversity(2, 3, "s").bound(table).holds(everybody)
    assert RecursiveDiversity(2.01, 3, "s").bound(table).holds(everybody)
    assert RecursiveDiversity(1.01, 2, "s").bound(table).holds(everybody)
    assert not RecursiveDiversity(100, 4, "s").bound(table).holds(everybody)


def test_several_rows_of_one_person_count_once() -> None:
    who = np.array(["ann"] * 50 + ["ben"] * 50 + ["cat"], dtype=object)
    table = read({"x": list(range(101))})
    model = KAnonymity(3, entity="id").bound(table, {"id": who})
    assert model.holds(np.arange(101))
    assert not model.holds(np.arange(100))
    assert KAnonymity(3).holds(np.arange(100))
    assert KAnonymity(2, "id").bound(table, {"id": who}).holds(np.array([0, 99]))


def test_rows_of_nobody_are_one_persons() -> None:
    who = np.array([None, None, None, "ann"], dtype=object)
    model = KAnonymity(3, entity="id").bound(None, {"id": who})
    assert not model.holds(np.arange(4))
    assert KAnonymity(2, "id").bound(None, {"id": who}).holds(np.arange(4))


@given(st.lists(st.integers(0, 30), min_size=1, max_size=400), st.integers(2, 25))
def test_people_are_counted_as_a_set_counts_them(who: list[int], k: int) -> None:
    model = KAnonymity(k, entity="id").bound(None, {"id": np.array(who)})
    assert model.holds(np.arange(len(who))) == (len(set(who)) >= k)


def test_an_encoded_column_can_name_the_people() -> None:
    table = read({"id": ["x", "x", "y"]})
    assert not KAnonymity(2, "id").bound(table).holds(np.array([0, 1]))
    assert KAnonymity(2, "id").bound(table).holds(np.array([1, 2]))


def test_models_say_what_they_are() -> None:
    table = table_of(["low", "high", None, "low"])
    model = AllOf(
        KAnonymity(np.int64(5), entity="id"),  # type: ignore[arg-type]
        AllOf(DistinctDiversity(3, "s"), EntropyDiversity(2, "s")),
        RecursiveDiversity(2, 3, "s"),
        Closeness(0.2, "s", "ordered"),
    )
    assert len(model.parts) == 5
    assert model.needs == ("id", "s")
    assert model.least_rows == 5
    bound = model.bound(table, {"id": np.arange(4)})
    terms = [msgspec.to_builtins(part.terms) for part in bound.parts]
    assert [term["model"] for term in terms] == [
        "k-anonymity",
        "distinct l-diversity",
        "entropy l-diversity",
        "recursive l-diversity",
        "t-closeness",
    ]
    assert terms[-1]["order"] == tuple(LEVELS)
    words = "; ".join(part.terms.words for part in bound.parts)
    assert "at least 5 people (different 'id')" in words
    assert "3rd most common" in words
    assert model == AllOf(*model.parts)
    assert "_values" not in repr(bound)


def test_the_number_of_rows_decides_alone_only_without_values() -> None:
    assert KAnonymity(7).plain_k == 7
    assert KAnonymity(7, "id").plain_k is None
    assert AllOf(KAnonymity(7), KAnonymity(9)).plain_k == 9
    assert AllOf(KAnonymity(7), Closeness(0.2, "s")).plain_k is None


def test_numbers_in_bins_are_compared_in_bins() -> None:
    rng = np.random.default_rng(0)
    table = read({"s": rng.normal(size=500)}, max_codes=8)
    terms = Closeness(0.2, "s", "ordered").bound(table).terms
    assert terms.bins is not None
    assert len(terms.bins) == 8
    assert all(low < high for low, high in pairwise(terms.bins))
    assert "in 8 bins" in terms.words


def test_the_impossible_is_refused_at_once() -> None:
    table = read({"s": ["a", "a", "b"]})
    with pytest.raises(DataError, match="The 3 rows together must satisfy"):
        KAnonymity(4).attainable(3)
    with pytest.raises(DataError, match="at least 3 different values of 's'"):
        AllOf(KAnonymity(2), DistinctDiversity(3, "s")).bound(table).attainable(3)
    with pytest.raises(DataError, match="The 0 rows"):
        KAnonymity(2).attainable(0)
    AllOf(KAnonymity(3), Closeness(0, "s")).bound(table).attainable(3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: KAnonymity(1), "'k' parameter of KAnonymity must be an int >= 2. Got 1"),
        (lambda: KAnonymity(2.5), "'k' parameter of KAnonymity"),
        (lambda: KAnonymity(True), "'k' parameter of KAnonymity"),
        (lambda: DistinctDiversity(1, "s"), "'l' parameter of DistinctDiversity"),
        (lambda: EntropyDiversity(1, "s"), "'l' parameter of EntropyDiversity must be a number >"),
        (lambda: EntropyDiversity(math.nan, "s"), "'l' parameter of EntropyDiversity"),
        (lambda: EntropyDiversity("2", "s"), "'l' parameter of EntropyDiversity"),
        (lambda: RecursiveDiversity(0, 2, "s"), "'c' parameter of RecursiveDiversity"),
        (lambda: RecursiveDiversity(2, 0, "s"), "'l' parameter of RecursiveDiversity"),
        (lambda: Closeness(1.1, "s"), "'t' parameter of Closeness must be a float in"),
        (lambda: Closeness(0.1, "s", "far"), "'distance' parameter of Closeness"),
        (AllOf, "at least one privacy model"),
    ],
)
def test_bad_parameters_are_named(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def test_a_model_must_see_its_column() -> None:
    rows = np.arange(3)
    for model in (DistinctDiversity(2, "s"), Closeness(0.1, "s"), RecursiveDiversity(2, 2, "s")):
        with pytest.raises(ParameterError, match=r"bound\(table\)"):
            model.holds(rows)
    with pytest.raises(ParameterError, match=r"bound\(table\)"):
        KAnonymity(2, "id").holds(rows)
    table = read({"illness": ["flu", "cold", "flu"]})
    with pytest.raises(RoleError, match="Did you mean 'illness'"):
        DistinctDiversity(2, "ilness").bound(table)
    with pytest.raises(RoleError, match="'person' is not a column of people"):
        KAnonymity(2, "person").bound(table)
    with pytest.raises(ParameterError, match="'illness' has none"):
        Closeness(0.1, "illness", "ordered").bound(table)
