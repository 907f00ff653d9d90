"""A model that learned from a release, tested on raw rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from sparsam._errors import ParameterError
from sparsam.anonymise import Retrained


def test_the_columns_are_matched_by_name_and_the_model_is_copied() -> None:
    model = DecisionTreeClassifier(random_state=0)
    test = pd.DataFrame({"name": ["x", "y"], "noise": [7, 7], "age": [20, 60]})
    score = Retrained(model, test, ["no", "yes"])
    release = pd.DataFrame({"age": [30, 50], "noise": [1, 1]})
    assert score(release, ["no", "yes"]) == 1.0
    assert score(release, ["yes", "no"]) == 0.0
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


@pytest.mark.parametrize("kind", ["mapping", "array"])
def test_other_kinds_of_tables(kind: str) -> None:
    make: Any = dict if kind == "mapping" else lambda columns: np.column_stack([*columns.values()])
    score = Retrained(
        DecisionTreeClassifier(random_state=0), make({"age": np.array([20, 60])}), ["no", "yes"]
    )
    assert score(make({"age": np.array([30, 50])}), ["no", "yes"]) == 1.0


def test_bad_requests_are_refused() -> None:
    score = Retrained(DecisionTreeClassifier(), pd.DataFrame({"old": [1, 2]}), [0, 1])
    with pytest.raises(ParameterError, match="no `y`"):
        score(pd.DataFrame({"age": [1, 2]}), None)
    with pytest.raises(ParameterError, match="lack 'age'"):
        score(pd.DataFrame({"age": [1, 2]}), [0, 1])
