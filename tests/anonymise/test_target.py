"""The target of a release: a threshold is published, and not the number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sparsam._errors import DataError, RoleError
from sparsam.anonymise._target import labels_from, target_labels, training_labels, with_target
from sparsam.data import Roles

PEOPLE = {"income": np.array([10, 60, 30, 80]), "sex": np.array(["f", "m", "m", "f"])}


@pytest.mark.parametrize("library", [dict, pd.DataFrame])
def test_a_threshold_becomes_a_column_of_yes_and_no(library: Any) -> None:
    frame, roles, name = with_target(library(PEOPLE), Roles(target="income > 50"))
    assert (name, roles.target) == ("income>50", "income>50")
    assert list(frame["income>50"]) == ["no", "yes", "no", "yes"]
    labels = labels_from(frame, roles)
    assert labels is not None
    assert training_labels(labels).tolist() == ["= no", "= yes", "= no", "= yes"]


def test_other_targets_stay_as_they_are() -> None:
    plain = Roles(target="sex")
    assert with_target(PEOPLE, plain) == (PEOPLE, plain, "sex")
    assert with_target(PEOPLE, Roles()) == (PEOPLE, Roles(), None)
    known = Roles(target="income<=30", quasi_identifiers=["income"])
    assert with_target(PEOPLE, known) == (PEOPLE, known, None)
    labels = labels_from(PEOPLE, known)
    assert labels is not None
    assert labels.tolist() == [True, False, True, False]
    assert labels_from(PEOPLE, Roles()) is None


def test_bins_have_names_and_missing_stays_missing() -> None:
    people = {"income": np.array([10, None, 30, 80], dtype=object)}
    frame, _, name = with_target(people, Roles(target="income in bins(20, 50)"))
    assert name == "income in bins(20, 50)"
    assert frame[name][1] is None
    assert len(set(frame[name])) == 4


def test_numbers_with_many_values_are_numbers() -> None:
    many = np.arange(30).astype(object)
    assert target_labels(many).dtype == np.float64
    few = np.array([1, 2, None] * 10, dtype=object)
    assert target_labels(few) is few
    assert training_labels(few).tolist()[:3] == ["= 1", "= 2", "missing"]
    with pytest.raises(DataError, match="1 of 2 are missing"):
        training_labels(np.array([1.0, np.nan]))


def test_impossible_targets_say_so() -> None:
    with pytest.raises(RoleError, match="'sex' to be numeric"):
        with_target(PEOPLE, Roles(target="sex>1"))
    with pytest.raises(RoleError, match="has a column 'income>50' already"):
        with_target({**PEOPLE, "income>50": PEOPLE["sex"]}, Roles(target="income>50.0"))
