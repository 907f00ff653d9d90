from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsam.explore import declared
from sparsam.explore._private_table import PrivateTable
from sparsam.explore.queries._query import Payment
from sparsam.explore.queries._ranks import outliers_query

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")


DOMAINS = declared(
    {
        "age": (0, 99, "integer"),
        "height": (0, 250),
        "sex": ["f", "m"],
        "work": ["private", "state", "none"],
    }
)


def people(n: int = 2000) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    age = rng.integers(18, 80, n)
    height = 150 + age / 3 + rng.normal(0, 8, n)
    height[: n // 50] = np.nan
    sex = rng.choice(["f", "m"], n)
    work = np.where(sex == "f", rng.choice(["private", "state"], n), rng.choice(["none", "x"], n))
    return {"age": age, "height": height, "sex": sex, "work": work.astype(object)}


def test_outliers_are_counted_beyond_the_fences_that_are_given() -> None:
    data = people()
    source = PrivateTable(data, DOMAINS)
    query = outliers_query(DOMAINS, "age", Payment.of({"epsilon": 2}))
    for _ in range(20):
        answer = query.answer(query.release(source), paid=True)
        low, high = answer.values["low fence"], answer.values["high fence"]
        truth = int(((data["age"] < low) | (data["age"] > high)).sum())
        assert abs(answer.values["value"] - truth) < 25  # Laplace noise of scale 1
