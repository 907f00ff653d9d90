"""One answer: estimates, how far off they may be, and what they cost."""

from __future__ import annotations

import json

import pytest

from sparsam.explore import Answer
from sparsam.explore._answer import quantile_label
from sparsam.explore._estimate import Estimate


def test_estimates_carry_their_intervals() -> None:
    mean = Answer.of("mean", ("age",), Estimate(41.5, 41.0, 42.0), noise="laplace")
    assert mean.value == mean.values["value"] == 41.5
    assert mean.intervals == {"value": (41.0, 42.0)}
    assert str(mean) == "mean of age: 41.5 (41 to 42)"
    counts = {"f": Estimate(1_200, 1_100, 1_300), "m": Estimate(0, 0, 90)}
    answer = Answer.of("value_counts", ("sex",), counts, noise="laplace", noise_sd=50.0)
    assert list(answer.values) == list(answer.intervals) == ["f", "m"]
    assert str(answer).splitlines() == [
        "value counts of sex:",
        "  f  1,200  (1,100 to 1,300)",
        "  m      0  (0 to 90)",
    ]
    assert json.loads(json.dumps(answer.to_dict()))["intervals"]["m"] == [0, 90]


@pytest.mark.parametrize(("level", "label"), [(0.5, "Q2"), (0.01, "P1"), (0.999, "P99.9")])
def test_quantiles_have_short_names(level: float, label: str) -> None:
    assert quantile_label(level) == label
