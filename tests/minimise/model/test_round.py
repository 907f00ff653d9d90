"""What a model is fed instead of people's own numbers is round, and treated alike."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from sparsam._errors import DataError, ParameterError
from sparsam.data import CategoricalDomain, Roles
from sparsam.minimise import ModelTree
from sparsam.minimise.model._round import candidates


def _people(n=1_200, seed=0):
    rng = np.random.default_rng(seed)
    pay = rng.lognormal(10.5, 0.5, n).round(2)
    town = rng.choice(["north", "south", "west"], n).astype(object)
    town[:4] = ["Zyxquartz", "Zyxquartz", "Qonzo", "Vexil"]
    return pd.DataFrame({"age": rng.integers(18, 90, n), "pay": pay, "town": town})


@pytest.fixture(scope="module")
def fitted():
    frame = _people()
    target = (frame["pay"] > 41_000) | (frame["age"] > 60)
    forest = RandomForestClassifier(20, max_depth=6, random_state=0)
    forest.fit(frame[["pay", "age"]].to_numpy(), target)

    def model(rows):
        return forest.predict(rows[["pay", "age"]].to_numpy())

    return model, frame


def _numbers(text):
    return {float(found) for found in re.findall(r"(?<![\w.])-?\d+\.\d+(?![\w.])", text)}


@pytest.mark.parametrize("search", ["responses", "paper"])
@pytest.mark.parametrize("how", ["auto", "random", "mean"])
def test_no_number_of_a_person_is_in_the_recoding(fitted, fit_quietly, search, how):
    model, frame = fitted
    tree = fit_quietly(
        ModelTree(model, keep_accuracy=0.9, search=search, representative=how), frame
    )
    saved = tree.recoding_.to_json()
    document = json.loads(saved)
    fed = {*document["representatives"]["pay"]}
    fed |= {node["record"]["pay"] for node in document["nodes"] if "pay" in node.get("record", ())}
    assert fed
    assert not fed & set(frame["pay"])
    assert not _numbers(saved) & set(frame["pay"])
    assert not any(name in saved for name in ("Zyxquartz", "Qonzo", "Vexil"))
    held_out = frame.iloc[tree.held_out_rows_]
    kept = (model(held_out) == model(tree.recoding_.apply(held_out))).mean()
    assert kept == tree.held_out_.score


def test_the_target_is_still_met(fitted, fit_quietly):
    model, frame = fitted
    tree = fit_quietly(ModelTree(model, keep_accuracy=0.95), frame)
    assert tree.chosen_on_.score >= 0.95
    assert tree.held_out_.score >= 0.93


def test_a_model_that_takes_only_numbers_that_it_has_seen_is_named(fit_quietly):
    frame = _people()[["age", "pay"]]
    forest = RandomForestClassifier(10, max_depth=8, random_state=0)
    model = make_pipeline(OrdinalEncoder(), forest).fit(frame, frame["pay"] > 41_000)
    with pytest.raises(ParameterError, match="round numbers in 'pay'") as caught:
        fit_quietly(ModelTree(model, keep_accuracy=0.98), frame)
    assert not _numbers(str(caught.value))
    shared = frame.assign(pay=frame["pay"].round(-3))  # now many people have the same
    shared_model = make_pipeline(OrdinalEncoder(), forest).fit(shared, shared["pay"] > 41_000)
    tree = fit_quietly(ModelTree(shared_model, keep_accuracy=0.8), shared)
    fed = tree.recoding_.apply(shared)
    counts = shared["pay"].value_counts()
    assert all(counts[number] >= 5 for number in set(fed["pay"]))


def test_a_near_identifier_that_a_model_needs_is_refused_unless_declared(fit_quietly):
    frame = _people(400).drop(columns="town")
    frame["phone"] = [f"+49-{i // 2:05d}" for i in range(400)]

    def model(rows):
        return rows["age"].to_numpy() > 40

    with pytest.raises(DataError, match="None of the categories of 'phone'") as caught:
        fit_quietly(ModelTree(model), frame)
    assert "+49" not in str(caught.value)
    phones = CategoricalDomain(tuple(sorted(set(frame["phone"]))))
    fit_quietly(ModelTree(model, Roles(domains={"phone": phones})), frame)
    fit_quietly(ModelTree(model, Roles(identifiers=["phone"])), frame)


@given(
    st.floats(-1e9, 1e9).map(lambda number: round(number, 2)),
    st.floats(0, 1e5),
    st.floats(1e-6, 1e5),
)
def test_candidates_lie_in_the_range(number, below, above):
    low, high = number - below, number + above
    found = list(candidates(number, low, high, False))
    assert 1 <= len(found) <= 6
    assert len(set(found)) == len(found)
    assert all(low <= one <= high for one in found)
    whole = round(number)
    found = list(candidates(whole, whole - int(below), whole + int(above), True))
    assert found
    assert all(isinstance(one, int) and whole - below <= one <= whole + above for one in found)
