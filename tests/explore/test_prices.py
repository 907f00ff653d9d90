from __future__ import annotations

import pytest

from sparsam._errors import ParameterError
from sparsam.explore import plan
from sparsam.explore._prices import compare_plans
from sparsam.generalization import Generalization


def test_exploring_generalized_data_is_cheaper(coarse: Generalization) -> None:
    before = plan({"age": (0, 99, "integer"), "work": list("abcdefgh")}, epsilon=1, delta=1e-6)
    after = plan(coarse, epsilon=1, delta=1e-6)
    assert {item.kind for item in after.items} <= {"values", "categories", "number pair"}
    found = compare_plans(before, after, 10_000)
    assert found["cells"]["after"] < found["cells"]["before"]
    assert found["value_counts"]["ratio"] > 1
    assert found["value_counts"]["budget"] == pytest.approx(found["value_counts"]["ratio"] ** -2)
    with pytest.raises(ParameterError, match="same budget"):
        compare_plans(before, plan(coarse, epsilon=2, delta=1e-6), 10_000)


@pytest.fixture
def coarse() -> Generalization:
    from sparsam.data import CategoricalDomain, NumericDomain
    from sparsam.generalization import categorical_partition, numeric_partition

    return Generalization(
        [
            numeric_partition("age", NumericDomain(0, 99, integer=True), [30, 60]),
            categorical_partition("work", CategoricalDomain(tuple("abcdefgh")), ["abcd", "efgh"]),
        ]
    )
