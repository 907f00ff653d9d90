"""Bulk load beside a few plain lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from sparsam._errors import DataError, ParameterError, SparsamWarning
from sparsam.anonymise import Anonymiser
from sparsam.anonymise._classes import Classes, Division
from sparsam.anonymise._privacy_models import (
    AllOf,
    Closeness,
    DistinctDiversity,
    KAnonymity,
)
from sparsam.anonymise._tight_loss import tight_loss
from sparsam.anonymise.methods._bulk_load import BulkLoad
from sparsam.data import read


def slow_side(column: Any, attribute: Any) -> float:
    whole = Classes(np.zeros(len(column), np.int64), 1)
    return tight_loss(whole, column[:, None], [attribute]).overall


def slow_cut(column: Any, attribute: Any, k: int, slabs: int) -> tuple[int, int, int] | None:
    """The last code that goes left, and the slabs on both sides."""
    n = len(column)
    if attribute.ordered and attribute.missing:
        gone = int((column == attribute.n_values).sum())
        if min(gone, n - gone) >= k:
            return attribute.n_values - 1, slabs, 1
    left = slabs // 2
    wanted = k * max(1, (n * left // slabs + k // 2) // k)
    sent = {t: int((column <= t).sum()) for t in range(attribute.size - 1)}
    able = {t: abs(s - wanted) for t, s in sent.items() if k <= s <= n - k and (column == t).any()}
    return (min(able, key=lambda t: (able[t], t)), left, slabs - left) if able else None


def slow_load(codes: Any, attributes: Any, k: int, slabs_at_most: int) -> list[list[int]]:
    def cut(rows: Any, a: int, slabs: int) -> Any:
        return slow_cut(codes[rows, a], attributes[a], k, slabs) if slabs > 1 else None

    def saved(rows: Any, a: int, at: int) -> float:
        goes = codes[rows, a] <= at
        parts = [rows, rows[goes], rows[~goes]]
        lost = [len(part) * slow_side(codes[part, a], attributes[a]) for part in parts]
        return lost[0] - lost[1] - lost[2]

    def parted(rows: Any, a: int, slabs: int) -> list[list[int]]:
        n_leaves = len(rows) // k
        found = cut(rows, a, min(slabs, n_leaves))
        if found is None:
            cuts = {b: cut(rows, b, min(slabs_at_most, n_leaves)) for b in range(len(attributes))}
            most = -1.0
            for b, c in cuts.items():
                if c is not None and saved(rows, b, c[0]) > most + 1e-9:
                    a, found, most = b, c, saved(rows, b, c[0])
            if found is None:
                return [rows.tolist()]
        at, left, right = found
        goes = codes[rows, a] <= at
        return parted(rows[goes], a, left) + parted(rows[~goes], a, right)

    return parted(np.arange(len(codes)), 0, 1)


@settings(max_examples=100)
@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(2, 80),
    k=st.integers(2, 7),
    slabs=st.integers(2, 5),
)
def test_agrees_with_plain_lines(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int, slabs: int
) -> None:
    codes, attributes = random_codes(seed, max(n_rows, k))
    tree = BulkLoad(slabs=slabs).part(Division(codes, attributes, KAnonymity(k)))
    slow = slow_load(codes, attributes, k, slabs)
    assert [rows.tolist() for rows in tree.classes.rows()] == slow


@settings(max_examples=80)
@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(1, 90),
    k=st.integers(2, 9),
    slabs=st.integers(2, 4),
)
def test_every_class_keeps_the_demand(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int, slabs: int
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    rng = np.random.default_rng(seed)
    table = read({"s": [f"v{v}" for v in rng.integers(0, 4, n_rows)]})
    people = {"p": rng.integers(0, max(2, n_rows // 2), n_rows)}
    for demand in (
        KAnonymity(k),
        KAnonymity(k, entity="p").bound(None, people),
        AllOf(KAnonymity(k), DistinctDiversity(2, "s")).bound(table),
        AllOf(KAnonymity(k), Closeness(0.3, "s")).bound(table),
    ):
        if not demand.holds(np.arange(n_rows)):
            with pytest.raises(DataError, match="rows together"):
                BulkLoad(slabs=slabs).part(Division(codes, attributes, demand))
            continue
        tree = BulkLoad(slabs=slabs).part(Division(codes, attributes, demand))
        assert all(demand.holds(rows) for rows in tree.classes.rows())
        assert tree.route(codes).tolist() == tree.classes.of_row.tolist()


class Counting:
    """k rows, without saying so."""

    def __init__(self, k: int) -> None:
        self.least_rows = k

    def holds(self, rows: Any) -> bool:
        return len(rows) >= self.least_rows


@settings(max_examples=50)
@given(seed=st.integers(0, 100_000), slabs=st.integers(2, 4))
def test_asking_the_demand_gives_the_same_leaves_as_counting(
    random_codes: Callable[..., Any], seed: int, slabs: int
) -> None:
    codes, attributes = random_codes(seed, 70)
    asked = BulkLoad(slabs=slabs).part(Division(codes, attributes, Counting(4)))
    counted = BulkLoad(slabs=slabs).part(Division(codes, attributes, KAnonymity(4)))
    assert asked.classes.of_row.tolist() == counted.classes.of_row.tolist()


def test_leaves_are_filled_one_by_one() -> None:
    table = read({"age": list(range(11))})
    tree = BulkLoad().part(Division(table.codes, table.attributes, KAnonymity(2)))
    assert tree.classes.sizes().tolist() == [2, 2, 2, 2, 3]
    tree = BulkLoad(slabs=5).part(Division(table.codes, table.attributes, KAnonymity(2)))
    assert sorted(tree.classes.sizes().tolist()) == [2, 2, 2, 2, 3]


def test_a_cut_that_breaks_the_demand_is_turned_down() -> None:
    people = {"age": [1, 2, 3, 4], "sex": ["f", "m", "f", "m"]}
    table = read(people)
    ill = read({"ill": ["yes", "yes", "no", "no"]})
    demand = AllOf(KAnonymity(2), DistinctDiversity(2, "ill")).bound(ill)
    tree = BulkLoad().part(Division(table.codes, table.attributes, demand))
    assert tree.classes.of_row.tolist() == [0, 1, 0, 1]


def test_as_an_estimator_it_proves_what_it_publishes() -> None:
    rng = np.random.default_rng(3)
    people = {"age": rng.integers(18, 90, 200), "job": rng.choice(["a", "b", "c"], 200)}
    load = Anonymiser(BulkLoad(slabs=3), k=5)
    released = load.fit_transform(people)
    assert len(released["age"]) == 200
    assert load.certificate_.smallest >= 5
    assert load.get_params()["method__slabs"] == 3
    again = Anonymiser(BulkLoad(slabs=3), k=5).fit_transform(people)
    assert all((again[name] == released[name]).all() for name in released)


@pytest.mark.parametrize("slabs", [1, 2.0, True, "2"])
def test_slabs_must_be_at_least_two(slabs: Any) -> None:
    with pytest.raises(ParameterError, match="'slabs' parameter of BulkLoad"):
        Anonymiser(BulkLoad(slabs=slabs), k=2).fit({"age": np.arange(9)})


def test_new_people_are_published_in_classes_that_keep_the_promise() -> None:
    rng = np.random.default_rng(5)
    ages, jobs = rng.integers(18, 90, 300), rng.choice(["a", "b", "c"], 300)
    old, new = ({"age": ages[part], "job": jobs[part]} for part in (slice(200), slice(200, 300)))
    method = clone(Anonymiser(BulkLoad(), k=5)).fit(old)
    with pytest.warns(SparsamWarning, match="of 100 new rows joined another class"):
        released = method.transform(new)
    assert len(released["age"]) == 100
    assert method.certificate_.smallest >= 5
