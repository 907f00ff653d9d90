"""A6: several generalizations of the same people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.attack import GeneralizedRecords, MultiBreach, Reconstruction
from sparsam.attack._multi_breach import intersected
from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Split
from sparsam.generalization import (
    CategoricalPartition,
    Generalization,
    NumericPartition,
    categorical_partition,
    numeric_partition,
)

Make = Callable[..., Any]

N_VALUES = 8


def _renumbered(buckets: Any) -> list[int]:
    """Numbers in the order of first occurrence."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(int(bucket), len(numbers)) for bucket in buckets]


@st.composite
def numeric_partitions(draw: st.DrawFn) -> NumericPartition:
    cuts = sorted(draw(st.sets(st.integers(1, N_VALUES - 1), max_size=4)))
    missing = draw(st.integers(0, len(cuts) + 1))
    return numeric_partition("n", NumericDomain(0, N_VALUES - 1, True), cuts, missing=missing)


@st.composite
def categorical_partitions(draw: st.DrawFn) -> CategoricalPartition:
    marks = draw(st.lists(st.integers(0, 3), min_size=N_VALUES, max_size=N_VALUES))
    groups = [[c for c in range(N_VALUES) if marks[c] == mark] for mark in sorted(set(marks))]
    missing = draw(st.integers(0, len(groups)))
    domain = CategoricalDomain(tuple(range(N_VALUES)))
    return categorical_partition("c", domain, groups, missing=missing)


def _attributes() -> tuple[Attribute, Attribute]:
    values = np.arange(N_VALUES, dtype=float)
    return (
        Attribute("n", NumericDomain(0, N_VALUES - 1, True), values, values, missing=True),
        Attribute("c", CategoricalDomain(tuple(range(N_VALUES))), missing=True),
    )


@given(st.lists(st.tuples(numeric_partitions(), categorical_partitions()), min_size=2, max_size=4))
def test_intersected_is_the_intersection(
    partitions: list[tuple[NumericPartition, CategoricalPartition]],
) -> None:
    generalizations = [Generalization(pair) for pair in partitions]
    together = generalizations[0]
    for other in generalizations[1:]:
        together = together.intersect(other)
    for attribute in _attributes():
        name = attribute.name
        found = intersected([g[name].lookup(attribute) for g in generalizations])
        expected = together[name].lookup(attribute)
        assert _renumbered(found) == _renumbered(expected)
        assert sorted(set(found.tolist())) == list(range(int(found.max()) + 1))


@pytest.fixture(scope="module")
def people(make_split: Make) -> Split:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, 6000)
    a = (x + rng.integers(0, 3, 6000)) % 8
    data: Split = make_split({"x": x, "a": a, "b": x // 2 ^ (rng.random(6000) < 0.1)}, ["a", "b"])
    return data


@pytest.fixture(scope="module")
def breaches(people: Split, make_generalization: Make) -> list[Generalization]:
    return [
        make_generalization(people, x=[0, 0, 0, 0, 1, 1, 1, 1], a=[0, 0, 1, 1, 2, 2, 3, 3]),
        make_generalization(people, x=[0, 0, 1, 1, 0, 0, 1, 1], b=[0, 0, 1, 1]),
        make_generalization(people, x=[0, 1, 0, 1, 0, 1, 0, 1], a=[0, 1, 1, 1, 1, 1, 1, 1]),
    ]


def test_attacks_what_the_breaches_reveal_together(
    people: Split, breaches: list[Generalization]
) -> None:
    first, second, _ = breaches
    alone = Reconstruction().attack(first.intersect(second), people)
    together = MultiBreach([second]).attack(first, people)
    assert together.adversary == "A6 multi-breach"
    for one, other in zip(together.parts, alone.parts, strict=True):
        assert one.attribute == other.attribute
        assert one.value == pytest.approx(other.value, abs=0.01)


@pytest.mark.parametrize("n_breaches", [2, 3])
def test_weaker_than_no_single_breach(
    n_breaches: int, people: Split, breaches: list[Generalization]
) -> None:
    first, *others = breaches[:n_breaches]
    single = [Reconstruction().attack(g, people, "validation") for g in (first, *others)]
    together = MultiBreach(others).attack(first, people, "validation")
    for number, part in enumerate(together.parts):
        assert part.value <= min(risk.parts[number].value for risk in single)
    assert together.details["single_breaches"] == [risk.value for risk in single]
    test = MultiBreach(others).attack(first, people)
    assert test.value < min(test.details["single_breaches"])


def test_a_third_breach_completes_the_picture(
    people: Split, breaches: list[Generalization]
) -> None:
    first, second, third = breaches
    two = MultiBreach([second]).attack(first, people)
    three = MultiBreach([second, third]).attack(first, people)
    assert three.value < two.value - 0.02
    assert len(three.details["single_breaches"]) == 3


def test_identical_breaches_add_nothing(people: Split, breaches: list[Generalization]) -> None:
    first = breaches[0]
    alone = Reconstruction().attack(first, people)
    twice = MultiBreach([first, first]).attack(first, people)
    assert [part.value for part in twice.parts] == [part.value for part in alone.parts]
    assert twice.details["single_breaches"] == [alone.value] * 3


def test_a_coarser_breach_adds_nothing(people: Split, breaches: list[Generalization]) -> None:
    nothing = Generalization.nothing(people.train.table)
    alone = Reconstruction().attack(breaches[0], people)
    assert MultiBreach([nothing]).attack(breaches[0], people).value == alone.value
    assert MultiBreach([breaches[0]]).attack(nothing, people).value == alone.value
    naive = MultiBreach([nothing]).attack(nothing, people)
    assert (naive.value, naive.advantage) == (naive.baseline, 0.0)


def test_no_other_breach(people: Split, breaches: list[Generalization]) -> None:
    with pytest.raises(ParameterError, match="at least one other generalization"):
        MultiBreach([]).attack(breaches[0], people)


def test_unknown_attributes_are_named(people: Split, breaches: list[Generalization]) -> None:
    partial = Generalization([p for p in breaches[0] if p.name != "a"])
    with pytest.raises(DataError, match=r"does not know \['a'\]"):
        MultiBreach([partial]).attack(breaches[0], people)
    with pytest.raises(DataError, match=r"does not know \['a'\]"):
        GeneralizedRecords.of(partial, people)
