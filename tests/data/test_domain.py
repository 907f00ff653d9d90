from __future__ import annotations

import msgspec
import numpy as np
import pytest

from sparsam._errors import DataError
from sparsam.data import CategoricalDomain, Domain, NumericDomain


@pytest.mark.parametrize(
    "domain",
    [
        NumericDomain(0, 99, integer=True),
        NumericDomain(-1.5, 2.5),
        CategoricalDomain(("a", "b")),
        CategoricalDomain((1, 2.5), ordered=True),
        CategoricalDomain((False, True)),
    ],
)
def test_survives_json(domain: Domain):
    back = msgspec.json.decode(msgspec.json.encode(domain), type=Domain)
    assert back == domain
    assert hash(back) == hash(domain)


def test_whole_floats_and_numpy_scalars_become_plain_categories():
    domain = CategoricalDomain((1.0, np.int64(2), 2.5))
    assert domain.categories == (1, 2, 2.5)
    assert [type(c) for c in domain.categories] == [int, int, float]


@pytest.mark.parametrize(
    ("low", "high"), [(1, 0), (float("nan"), 1), (0, float("inf")), (float("-inf"), 0)]
)
def test_refuses_a_range_that_is_none(low: float, high: float):
    with pytest.raises(DataError, match="low <= high"):
        NumericDomain(low, high)


@pytest.mark.parametrize("categories", [("a", "a"), (1, 1.0), (float("nan"),)])
def test_refuses_lists_that_are_no_domain(categories: tuple[object, ...]):
    with pytest.raises(DataError):
        CategoricalDomain(categories)  # type: ignore[arg-type]


def test_refuses_a_category_of_another_type():
    with pytest.raises(DataError, match="list"):
        CategoricalDomain(([1],))  # type: ignore[arg-type]
