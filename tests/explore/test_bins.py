"""The cells of an attribute are a partition of everything that a row can hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.explore import declared
from sparsam.explore._bins import Bins, coarse_bins, edge_bins, equal_bins, full_bins
from sparsam.generalization import Generalization, categorical_partition, numeric_partition


def test_few_whole_numbers_have_a_cell_each() -> None:
    bins = full_bins(declared({"age": (17, 90, "integer")}), "age")
    assert bins.n_cells == 74
    assert bins.middles.tolist() == list(range(17, 91))
    assert bins.labels[0] == "17"
    assert bins.labels[-1] == "(missing)"
    assert bins.missing == bins.size - 1 == 74


def test_many_whole_numbers_share_cells_of_whole_numbers() -> None:
    bins = full_bins(declared({"gain": (0, 99_999, "integer")}), "gain", 1000)
    assert bins.n_cells == 1000
    assert bins.edges[-1] == 100_000
    assert all(edge == int(edge) for edge in bins.edges)
    assert bins.middles[0] == 49.5


@settings(deadline=None)
@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300), st.integers(1, 500), st.booleans())
def test_a_grid_ascends_from_the_low_to_the_high(
    a: float, b: float, most: int, integer: bool
) -> None:
    low, high = sorted((a, b))
    if integer:
        low, high = float(round(low % 1000)), float(round(low % 1000 + abs(high) % 5000))
    domain = NumericDomain(low, high, integer=integer)
    bins = full_bins(declared({"x": domain}), "x", most)
    assert bins.edges[0] == low
    assert bins.edges[-1] == (high + 1 if integer else high)
    assert 1 <= bins.n_cells <= most
    assert len(set(bins.labels)) == bins.size


def test_one_number_is_one_cell() -> None:
    bins = full_bins(declared({"x": (3, 3)}), "x")
    assert bins.n_cells == 1
    assert bins.middles.tolist() == [3]


def test_categories_other_and_missing() -> None:
    domain = CategoricalDomain(("low", "high", "(missing)"), ordered=True)
    bins = full_bins(declared({"grade": domain}), "grade")
    assert bins.kind == "ordered"
    assert (bins.size, bins.other, bins.missing) == (5, 3, 4)
    assert len(set(bins.labels)) == 5


def test_equal_cells_and_cells_between_edges() -> None:
    domains = declared({"x": (0, 10), "n": (0, 9, "integer"), "c": ["a"]})
    assert equal_bins(domains, "x", 4).edges == (0, 2.5, 5, 7.5, 10)
    assert equal_bins(domains, "n", 50).n_cells == 10
    assert equal_bins(domains, "c", 4).categories == ("a",)
    assert edge_bins(domains, "x", [4, 2, 4, -1, 10, 99]).edges == (0, 2, 4, 10)
    assert edge_bins(domains, "n", [2.5]).edges == (0, 3, 10)
    assert coarse_bins(full_bins(domains, "n"), [4.2]).edges == (0, 4, 10)
    with pytest.raises(ParameterError, match="numeric"):
        edge_bins(domains, "c", [1])
    with pytest.raises(ParameterError, match="finite"):
        edge_bins(domains, "x", [np.nan])


def test_the_buckets_of_a_generalization_are_the_cells() -> None:
    ages = NumericDomain(0, 99, integer=True)
    ways = CategoricalDomain(("car", "bus", "train"))
    domains = declared(
        Generalization(
            [
                numeric_partition("age", ages, [18, 65], missing=1),
                categorical_partition("way", ways, [["car"], ["bus", "train"]], unseen=0),
            ]
        )
    )
    age, way = full_bins(domains, "age"), full_bins(domains, "way")
    assert age.edges == (0, 18, 65, 100)
    assert age.missing == 1  # as the generalization puts it
    assert way.groups == (("car",), ("bus", "train"))
    assert (way.other, way.missing) == (0, 3)
    assert equal_bins(domains, "age", 2).edges == (0, 65, 100)
    assert equal_bins(domains, "age", 2).missing == 0
    assert edge_bins(domains, "age", [30]).edges == (0, 18, 100)  # cut nowhere else


@pytest.mark.parametrize(
    "edges", [(), (1.0,), (2.0, 1.0), (0.0, 1.0, 1.0), (0.0, np.inf), (np.nan, 1.0)]
)
def test_bad_edges_are_refused(edges: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match="edges of 'x'"):
        Bins("x", "numeric", edges)


def test_no_cells_and_too_many_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least one category"):
        Bins("x", "categorical")
    with pytest.raises(ParameterError, match="at most 65,000 cells"):
        Bins("x", "numeric", tuple(range(70_000)))
    with pytest.raises(ParameterError, match="at least 1"):
        full_bins(declared({"x": (0, 1)}), "x", 0)
