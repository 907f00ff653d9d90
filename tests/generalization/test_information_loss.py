"""NCP and GCP: worked numbers of the papers, bounds, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsam._errors import DataError, ParameterError
from sparsam.data import CategoricalDomain, NumericDomain, Table, read
from sparsam.generalization import (
    Generalization,
    categorical_partition,
    information_loss,
    numeric_partition,
)


def test_the_two_generalizations_of_staab_section_2_2_both_score_a_half() -> None:
    table = read({"a": ["a1", "a2", "a3", "a4"]})
    domain = CategoricalDomain(("a1", "a2", "a3", "a4"))
    for groups in ([["a1", "a2"], ["a3", "a4"]], [["a1", "a4"], ["a2", "a3"]]):
        g = Generalization([categorical_partition("a", domain, groups)])
        loss = information_loss(g, table, variant="staab")
        assert loss.overall == 0.5
        assert "GCP" in loss.definition


def test_equations_1_and_2_by_hand() -> None:
    table = read({"age": [0, 10, 20, 100], "colour": ["r", "g", "b", "b"]})
    g = Generalization(
        [
            numeric_partition("age", NumericDomain(0, 100), [25]),
            categorical_partition(
                "colour", CategoricalDomain(("b", "g", "r")), [["b"], ["g", "r"]]
            ),
        ]
    )
    loss = information_loss(g, table)
    assert loss.per_attribute["age"] == pytest.approx((3 * 25 + 75) / 4 / 100)
    assert loss.per_attribute["colour"] == pytest.approx((2 / 3 + 2 / 3) / 4)
    assert loss.overall == pytest.approx(sum(loss.per_attribute.values()) / 2)
    assert loss.variant == "goldsteen"
    weighted = g.information_loss(table, weights={"age": 3})
    ages, colours = loss.per_attribute["age"], loss.per_attribute["colour"]
    assert weighted.overall == pytest.approx((3 * ages + colours) / 4)
    assert g.ncp(table, {"colour": 0}) == pytest.approx(ages)


def test_a_whole_number_alone_in_its_bucket_loses_nothing() -> None:
    table = read({"n": [1, 2, 3, 4] * 5})
    everything = Generalization.identity(table)
    assert everything.ncp(table) == 0
    domain = NumericDomain(1, 4, integer=True)
    pairs = Generalization([numeric_partition("n", domain, [3])])
    assert pairs.ncp(table) == pytest.approx(1 / 3)


def test_missing_values_count_as_a_value() -> None:
    table = read({"c": ["a", "b", None, None], "n": [0.0, 1.0, None, None]})
    domains = CategoricalDomain(("a", "b")), NumericDomain(0, 1)
    apart = Generalization(
        [
            categorical_partition("c", domains[0], [["a"], ["b"]], missing=2),
            numeric_partition("n", domains[1], [0.5], missing=2),
        ]
    )
    joined = Generalization(
        [
            categorical_partition("c", domains[0], [["a"], ["b"]], missing=0),
            numeric_partition("n", domains[1], [0.5], missing=0),
        ]
    )
    assert information_loss(apart, table).per_attribute == {"c": 0, "n": 0.25}
    assert information_loss(joined, table).per_attribute == {"c": 0.5, "n": 0.5}


@pytest.mark.parametrize("variant", ["goldsteen", "staab"])
def test_what_is_not_collected_is_lost_whole_a_constant_too(variant: Any) -> None:
    table = read({"age": [1, 2, 3], "sex": ["f", "m", "m"]})
    constant = read({"age": [1, 1, 1], "sex": ["f", "f", "f"]})
    for one in (table, constant):
        assert Generalization.nothing(one).information_loss(one, variant=variant).overall == 1
    assert Generalization.nothing(table).ncp(table.select(["sex"])) == 1


def test_huge_ranges_stay_between_0_and_1() -> None:
    domain = NumericDomain(-1e308, 1e308)
    values = np.array([-1e308, 0.0, 1e308])
    table = read({"x": values})
    g = Generalization([numeric_partition("x", domain, [0.0])])
    assert g.ncp(table) == pytest.approx(0.5)


def test_bad_arguments_are_refused() -> None:
    table = read({"sex": ["f", "m", "m"]})
    g = Generalization.nothing(table)
    with pytest.raises(ParameterError, match="'age' is none"):
        g.ncp(table, {"age": 1})
    for weight in (-1, 0, float("nan")):
        with pytest.raises(ParameterError, match="weights"):
            g.ncp(table, {"sex": weight})
    with pytest.raises(ParameterError, match="'variant'"):
        g.information_loss(table, variant="ncp")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="none"):
        g.ncp(Table(table.attributes, table.codes[:0]))
