from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sparsam._errors import DataError, ParameterError, SparsamWarning
from sparsam.data import Roles
from sparsam.minimise import Constraints, ModelTree


def test_a_bound_of_zero_is_a_bound(fit_quietly):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"balance": rng.normal(0, 5, 400).round(1)})

    def model(rows):
        return (rows["balance"] >= 0.0).to_numpy()

    tree = fit_quietly(ModelTree(model, keep_accuracy=1.0), frame)
    assert tree.generalization_["balance"].cuts == (0.0,)
    new = pd.DataFrame({"balance": [-0.1, 0.0, 0.1]})
    assert model(tree.recoding_.apply(new)).tolist() == [False, True, True]


@pytest.mark.parametrize("search", ["responses", "paper"])
@pytest.mark.parametrize("keep", [0.5, 1.0])
def test_only_the_features_named_are_touched(
    fit_quietly, plain_columns, mixed_model, mixed_people, search, keep
):
    frame = mixed_people(np.random.default_rng(0), 300, True)
    model = mixed_model(21)
    tree = fit_quietly(
        ModelTree(model, features=["age", "pay"], search=search, keep_accuracy=keep), frame
    )
    fed = tree.recoding_.apply(frame)
    for name in ("work", "zone", "member", "grade"):
        assert plain_columns(fed)[name] == plain_columns(frame)[name]
    kept = fit_quietly(
        ModelTree(
            model,
            constraints=Constraints(must_keep=["work", "zone", "member", "grade"]),
            search=search,
            keep_accuracy=keep,
        ),
        frame,
    )
    assert kept.recoding_.nodes == tree.recoding_.nodes


TREE = {"farm": ["land"], "office": ["town", "land"], "shop": ["town", "land"], "sea": []}


@pytest.mark.parametrize("search", ["responses", "paper"])
@pytest.mark.parametrize("keep", [0.3, 0.8, 1.0])
def test_demands_hold(fit_quietly, plain_columns, mixed_model, mixed_people, search, keep):
    frame = mixed_people(np.random.default_rng(4), 300, True)
    rules = Constraints(
        must_keep=["zone"], must_drop=["member"], max_buckets={"age": 3}, hierarchies={"work": TREE}
    )
    tree = ModelTree(
        mixed_model(30),
        Roles(categorical=["zone"]),
        constraints=rules,
        search=search,
        keep_accuracy=keep,
    )
    fit_quietly(tree, frame)
    g = tree.generalization_
    assert g["zone"].n_buckets == frame["zone"].nunique()
    assert plain_columns(tree.recoding_.apply(frame))["zone"] == plain_columns(frame)["zone"]
    assert not g["member"].collected
    assert g["age"].n_buckets <= 3
    allowed = [{"office", "shop"}, {"farm", "office", "shop"}, {*TREE}]
    allowed += [{name} for name in TREE]
    assert all(set(group) in allowed for group in g["work"].groups if group)


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_each_cell_is_bounded_where_that_is_asked_for(fit_quietly, search):
    # few are rich, and for them alone the zone decides: over all people it hardly matters
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"rich": rng.random(3_000) < 0.12, "zone": rng.integers(0, 9, 3_000)})

    def model(rows):
        return np.where(rows["rich"], np.where(rows["zone"] > 3, "a", "b"), "c")

    def worst(tree):
        held_out = frame.iloc[tree.held_out_rows_]
        kept = model(held_out) == model(tree.recoding_.apply(held_out))
        return kept.mean(), kept[held_out["rich"].to_numpy()].mean()

    over_all = fit_quietly(ModelTree(model, keep_accuracy=0.9, search=search), frame)
    each = fit_quietly(
        ModelTree(model, keep_accuracy=0.9, search=search, kept_in="each cell"), frame
    )
    assert worst(over_all)[0] >= 0.9
    if search == "responses":
        assert worst(over_all)[1] < 0.9
        assert over_all.generalization_.collected != each.generalization_.collected
    assert worst(each)[1] >= 0.9
    assert each.held_out_.score <= worst(each)[0]


def test_cells_that_are_too_small_to_measure_are_told(mixed_model, mixed_people):
    frame = mixed_people(np.random.default_rng(0), 200, False)
    tree = ModelTree(mixed_model(3), keep_accuracy=0.0, kept_in="each cell")
    with pytest.warns(SparsamWarning, match=r"None of \d+ cells has the 50 records"):
        tree.fit(frame)


def test_what_is_no_feature_may_still_be_dropped(
    fit_quietly, plain_columns, mixed_model, mixed_people
):
    frame = mixed_people(np.random.default_rng(0), 200, False)
    rules = Constraints(must_drop=["work"])
    tree = ModelTree(mixed_model(3), features=["age"], constraints=rules, keep_accuracy=0.2)
    fit_quietly(tree, frame)
    assert "work" not in tree.generalization_.collected
    assert plain_columns(tree.recoding_.apply(frame))["zone"] == plain_columns(frame)["zone"]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_given_up_is_fed_as_values_that_go_together(fit_quietly, seed):
    # most people are male, but most of the married are wives: alone each would be the usual value
    rng = np.random.default_rng(seed)
    sex = np.repeat(["male", "female"], [330, 270])
    role = np.where(sex == "male", "husband", "wife")
    role[:180] = np.array(["son", "father", "brother"])[np.arange(180) % 3]
    frame = pd.DataFrame({"sex": sex, "role": role, "age": rng.integers(0, 60, 600)})

    def model(rows):
        return (rows["age"] > 30).to_numpy()

    tree = fit_quietly(ModelTree(model, keep_accuracy=0.95, random_state=seed), frame)
    assert tree.generalization_.collected == ("age",)
    fed = tree.recoding_.apply(frame)
    known = set(zip(sex.tolist(), role.tolist(), strict=True))
    assert set(zip(fed["sex"], fed["role"], strict=True)) <= known


def test_weights_say_what_to_spare(fit_quietly):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 40, 600), "b": rng.integers(0, 40, 600)})

    def model(rows):
        return (rows["a"] + rows["b"] > 39).to_numpy()

    found = {}
    for heavy in ("a", "b"):
        tree = fit_quietly(ModelTree(model, keep_accuracy=0.85, weights={heavy: 9.0}), frame)
        g = tree.generalization_
        found[heavy] = (g["a"].n_buckets, g["b"].n_buckets)
    assert found["a"][0] < found["b"][0]
    assert found["b"][1] < found["a"][1]


def test_too_few_people_and_no_model_are_refused(fit_quietly, mixed_model, mixed_people):
    frame = mixed_people(np.random.default_rng(0), 29, False)
    with pytest.raises(DataError, match="at least 30 records"):
        ModelTree(mixed_model(0)).fit(frame)
    with pytest.raises(ParameterError, match="model that already runs"):
        ModelTree().fit(frame)
    small = mixed_people(np.random.default_rng(0), 30, True)
    assert fit_quietly(ModelTree(mixed_model(0)), small).held_out_.n_records == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep_accuracy": 1.5}, "keep_accuracy"),
        ({"keep_accuracy": "much"}, "keep_accuracy"),
        ({"search": "greedy"}, "search"),
        ({"ilag": "old"}, "ilag"),
        ({"kept_in": "cells"}, "kept_in"),
        ({"representative": "nearest"}, "representative"),
        ({"representative": "response", "search": "paper"}, "representative"),
        ({"features": ["aeg"]}, "'aeg'"),
        ({"features": "age"}, "features"),
        ({"weights": {"aeg": 1.0}}, "'aeg'"),
        ({"weights": {"age": -1.0}}, "at least 0"),
        ({"fractions": (0.5, 0.5)}, "fractions"),
        ({"fractions": (0.5, 0.5, 0.0)}, "fractions"),
        ({"fractions": "abc"}, "fractions"),
        ({"caution": -1.0}, "caution"),
        ({"caution": float("nan")}, "caution"),
        ({"unseen": "raw"}, "unseen"),
        ({"constraints": Constraints(must_drop=["aeg"])}, "'aeg'"),
        ({"slices": {"x": []}}, "slices"),
    ],
)
def test_bad_parameters_are_named(mixed_model, mixed_people, options, message):
    frame = mixed_people(np.random.default_rng(0), 60, False)
    with pytest.raises(ParameterError, match=message):
        ModelTree(mixed_model(0), **options).fit(frame)
