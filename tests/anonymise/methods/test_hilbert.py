"""Stretches of the Hilbert curve: every class keeps the demand, and none could lose less."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from sparsam._errors import DataError, SparsamWarning
from sparsam.anonymise import Anonymiser
from sparsam.anonymise._classes import Classes, Division
from sparsam.anonymise._privacy_models import (
    AllOf,
    Closeness,
    DistinctDiversity,
    KAnonymity,
)
from sparsam.anonymise._tight_loss import tight_loss
from sparsam.anonymise.methods._hilbert import Curve, Hilbert, curve_order
from sparsam.data import Attribute, NumericDomain, read


def demands(rng: np.random.Generator, n_rows: int, k: int) -> list[Any]:
    table = read({"s": [f"v{v}" for v in rng.integers(0, 4, n_rows)]})
    people = {"p": rng.integers(0, max(2, n_rows // 2), n_rows)}
    return [
        KAnonymity(k),
        KAnonymity(k, entity="p").bound(None, people),
        AllOf(KAnonymity(k), DistinctDiversity(2, "s")).bound(table),
        AllOf(KAnonymity(k), Closeness(0.3, "s")).bound(table),
    ]


@settings(max_examples=100)
@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(1, 90),
    k=st.integers(2, 9),
    strict=st.booleans(),
)
def test_every_class_keeps_the_demand(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int, strict: bool
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    for demand in demands(np.random.default_rng(seed), n_rows, k):
        if not demand.holds(np.arange(n_rows)):
            with pytest.raises(DataError, match="rows together"):
                Hilbert(strict=strict).part(Division(codes, attributes, demand))
            continue
        partition = Hilbert(strict=strict).part(Division(codes, attributes, demand))
        assert all(demand.holds(rows) for rows in partition.classes.rows())
        assert partition.classes.n_suppressed == 0
        if strict:
            assert partition.route(codes).tolist() == partition.classes.of_row.tolist()


@settings(max_examples=40)
@given(seed=st.integers(0, 100_000), n_rows=st.integers(4, 30), k=st.integers(2, 5))
def test_no_other_stretches_lose_less(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int
) -> None:
    codes, attributes = random_codes(seed, max(n_rows, k))
    n_rows = len(codes)
    partition = Hilbert(strict=False).part(Division(codes, attributes, KAnonymity(k)))
    order = curve_order(Curve.through(attributes).places(codes))
    best = [0.0] + [np.inf] * n_rows
    for stop in range(k, n_rows + 1):
        for start in range(stop - k + 1):
            inside = codes[order[start:stop]]
            whole = Classes(np.zeros(len(inside), np.int64), 1)
            lost = tight_loss(whole, inside, attributes).overall * len(inside)
            best[stop] = min(best[stop], best[start] + lost)
    loss = tight_loss(partition.classes, codes, attributes).overall
    assert loss * n_rows == pytest.approx(best[n_rows])
    strict = Hilbert().part(Division(codes, attributes, KAnonymity(k)))
    assert loss <= tight_loss(strict.classes, codes, attributes).overall + 1e-12


@settings(max_examples=60)
@given(seed=st.integers(0, 100_000))
def test_records_at_the_same_place_are_the_same(
    random_codes: Callable[..., Any], seed: int
) -> None:
    codes, attributes = random_codes(seed, 60, 4)
    curve = Curve.through(attributes)
    for cells, attribute in zip(curve.cells, attributes, strict=True):
        assert len(cells) == attribute.size
        assert (np.diff(cells) > 0).all()
        assert cells[0] >= 0
        assert cells[-1] < 2**curve.n_bits
    keys = [tuple(key) for key in curve.places(codes).tolist()]
    assert len(set(keys)) == len({tuple(row) for row in codes.tolist()})
    order = curve_order(curve.places(codes)).tolist()
    assert order == sorted(range(len(codes)), key=lambda i: (keys[i], i))


def test_order_of_places_of_several_words() -> None:
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 3, (300, 3)).astype(np.uint64)
    expected = sorted(range(300), key=lambda i: (*keys[i].tolist(), i))
    assert curve_order(keys).tolist() == expected


def test_numbers_are_laid_out_by_value_and_missing_ones_apart() -> None:
    values = [0.0, 1.0, 2.0, 1000.0]
    income = Attribute("income", NumericDomain(0, 1000), values, values, missing=True)
    curve = Curve.through([income])
    assert curve.n_bits == 4
    assert curve.cells[0].tolist() == [0, 1, 2, 7, 15]
    table = read({"age": [20.0, 21.0, 90.0, 91.0, None, None]})
    partition = Hilbert().part(Division(table.codes, table.attributes, KAnonymity(2)))
    assert partition.classes.of_row.tolist() == [0, 0, 1, 1, 2, 2]


def test_people_who_are_alike_stay_together_unless_asked_otherwise() -> None:
    table = read({"age": [30] * 7 + [40] * 3, "sex": ["f"] * 10})
    assert (
        Hilbert().part(Division(table.codes, table.attributes, KAnonymity(4))).classes.n_classes
        == 1
    )
    partition = Hilbert(strict=False).part(Division(table.codes, table.attributes, KAnonymity(3)))
    assert partition.classes.sizes().min() >= 3
    assert tight_loss(partition.classes, table.codes, table.attributes).overall == 0
    assert partition.route(table.codes)[:7].tolist() == [partition.classes.n_classes - 2] * 7


def test_a_rest_that_holds_nothing_joins_the_last_group() -> None:
    table = read({"age": list(range(10))})
    whose = {"p": np.array([1, 2, 3, 1, 2, 3, 1, 1, 1, 1])}
    demand = KAnonymity(3, entity="p").bound(None, whose)
    partition = Hilbert().part(Division(table.codes, table.attributes, demand))
    assert partition.classes.of_row.tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 1, 1]


def test_one_value_and_many_attributes() -> None:
    table = read({f"x{j}": [1, 1, 1, 1] for j in range(30)})
    partition = Hilbert().part(Division(table.codes, table.attributes, KAnonymity(2)))
    assert partition.classes.of_row.tolist() == [0, 0, 0, 0]
    rng = np.random.default_rng(0)
    table = read({f"x{j}": [str(v) for v in rng.integers(0, 400, 300)] for j in range(14)})
    partition = Hilbert().part(Division(table.codes, table.attributes, KAnonymity(20)))
    assert partition.classes.sizes().min() >= 20
    assert partition.route(table.codes).tolist() == partition.classes.of_row.tolist()


def test_as_an_estimator_it_proves_what_it_publishes() -> None:
    rng = np.random.default_rng(3)
    people = {"age": rng.integers(18, 90, 200), "job": rng.choice(["a", "b", "c"], 200)}
    hilbert = Anonymiser(Hilbert(), k=5, publish="ranges")
    released = hilbert.fit_transform(people)
    assert len(released["age"]) == 200
    assert hilbert.certificate_.smallest >= 5
    assert hilbert.get_params()["method__strict"] is True
    again = Anonymiser(Hilbert(), k=5, publish="ranges").fit_transform(people)
    assert all((again[name] == released[name]).all() for name in released)


def test_impossible_requests_say_so() -> None:
    table = read({"age": [20, 21, 40]})
    with pytest.raises(DataError, match="All 3 rows together"):
        Hilbert().part(Division(table.codes, table.attributes, KAnonymity(4)))
    with pytest.raises(DataError, match="has none"):
        Hilbert().part(Division(table.codes[:0], table.attributes, KAnonymity(2)))
    with pytest.raises(DataError, match="one column per quasi-identifier"):
        Hilbert().part(Division(table.codes[:, :0], (), KAnonymity(2)))


def test_new_people_are_published_in_classes_that_keep_the_promise() -> None:
    rng = np.random.default_rng(5)
    ages, jobs = rng.integers(18, 90, 300), rng.choice(["a", "b", "c"], 300)
    old, new = ({"age": ages[part], "job": jobs[part]} for part in (slice(200), slice(200, 300)))
    method = clone(Anonymiser(Hilbert(), k=5)).fit(old)
    with pytest.warns(SparsamWarning, match="of 100 new rows joined another class"):
        released = method.transform(new)
    assert len(released["age"]) == 100
    assert method.certificate_.smallest >= 5
