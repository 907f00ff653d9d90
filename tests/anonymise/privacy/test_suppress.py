"""Those who cannot be published are left out, and counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.anonymise._classes import Classes
from sparsam.anonymise.privacy._privacy_models import (
    AllOf,
    Closeness,
    DistinctDiversity,
    KAnonymity,
    PrivacyModel,
)
from sparsam.anonymise.privacy._suppress import suppress
from sparsam.anonymise.proof._verify import certify
from sparsam.data import read

ROWS = st.lists(
    st.tuples(st.integers(-1, 4), st.sampled_from(["a", "b", "c"])), min_size=1, max_size=40
)
MODELS: list[PrivacyModel] = [
    KAnonymity(4),
    AllOf(KAnonymity(2), DistinctDiversity(2, "s")),
    Closeness(0.25, "s"),
    AllOf(KAnonymity(3), Closeness(0.2, "s")),
]


@pytest.mark.parametrize("model", MODELS, ids=["k", "k and l", "t", "k and t"])
@given(ROWS)
def test_what_is_left_may_be_published(model: PrivacyModel, rows: Any) -> None:
    values = np.array([row[1] for row in rows])
    classes = Classes(np.array([row[0] for row in rows]), 5)
    bound = model.bound(read({"s": values}))
    found = suppress(classes, bound)
    kept = found.of_row >= 0
    assert (found.of_row[kept] == classes.of_row[kept]).all()
    assert found.n_suppressed >= classes.n_suppressed
    if kept.any():
        release = {"q": found.of_row[kept], "s": values[kept]}
        certify(release, ["q"], [part.terms for part in bound.parts], suppressed=0)
    assert suppress(found, bound).of_row.tolist() == found.of_row.tolist()


def test_rows_that_others_trees_put_together_are_suppressed_and_counted() -> None:
    """The paper's protocol leaves 8 % of the released rows in classes below k."""
    classes = Classes(np.array([0] * 10 + [1] * 3 + [2] * 12), 3)
    found = suppress(classes, KAnonymity(10))
    assert found.n_suppressed == 3
    assert found.sizes().tolist() == [10, 0, 12]
    assert suppress(classes, KAnonymity(10), budget=0.12).n_suppressed == 3
    with pytest.raises(DataError, match=r"At most 10.0% of the 25 rows .* It would take 3"):
        suppress(classes, KAnonymity(10), budget=0.1)


@pytest.mark.parametrize("budget", [-0.1, 1.5, float("nan")])
def test_a_budget_is_a_share(budget: float) -> None:
    with pytest.raises(ParameterError, match="'budget' parameter"):
        suppress(Classes(np.array([0, 0]), 1), KAnonymity(2), budget)
