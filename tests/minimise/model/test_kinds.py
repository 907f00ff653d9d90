from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from sparsam import load_example
from sparsam._errors import ParameterError, SparsamWarning
from sparsam.data import Roles, resolve
from sparsam.minimise import ModelTree


def test_a_constant_model_needs_nothing(mixed_people):
    frame = mixed_people(np.random.default_rng(2), 60, True)
    for search in ("responses", "paper"):
        tree = ModelTree(lambda rows: np.full(len(rows), "no"), search=search, keep_accuracy=1.0)
        assert tree.fit(frame).generalization_.collected == ()
        assert tree.held_out_.score == 1.0


def test_whole_numbers_that_are_categories_are_met():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"zone": rng.integers(1, 9, 300), "age": rng.integers(0, 9, 300)})

    def model(rows):
        return rows["zone"].isin([2, 7]).to_numpy()

    tree = ModelTree(model, Roles(categorical=["zone"]), keep_accuracy=1.0).fit(frame)
    assert tree.generalization_.collected == ("zone",)
    assert tree.generalization_["zone"].n_buckets == 2
    fed = tree.recoding_.apply(frame)
    assert fed["zone"].dtype == frame["zone"].dtype
    assert (model(fed) == model(frame)).all()


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_numbers_as_answers(fit_quietly, mixed_model, mixed_people, search):
    frame = mixed_people(np.random.default_rng(6), 500, True)
    model = mixed_model(9, regression=True)
    tree = fit_quietly(ModelTree(model, regression=True, keep_accuracy=0.7, search=search), frame)
    held_out = frame.iloc[tree.held_out_rows_]
    before, after = model(held_out), model(tree.recoding_.apply(held_out))
    r2 = 1 - ((before - after) ** 2).sum() / ((before - before.mean()) ** 2).sum()
    assert tree.held_out_.score == pytest.approx(r2)
    assert tree.chosen_on_.score >= 0.7


def test_a_regressor_says_so_itself_and_may_have_several_outputs():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 20, 300), "b": rng.integers(0, 20, 300)})
    y = np.column_stack([frame["a"] * 2.0, frame["a"] - 3.0])
    tree = ModelTree(LinearRegression().fit(frame, y), keep_accuracy=0.8).fit(frame)
    assert tree.generalization_.collected == ("a",)
    assert tree.held_out_.score >= 0.8
    assert tree.generalization_["a"].n_buckets < 20


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_several_classes_at_once_are_kept_together(fit_quietly, mixed_people, search):
    frame = mixed_people(np.random.default_rng(0), 300, False)

    def model(rows):
        old = np.where(rows["age"] > 15, "old", "young")
        return np.column_stack([old, np.where(rows["member"], "in", "out")])

    tree = fit_quietly(ModelTree(model, keep_accuracy=1.0, search=search), frame)
    assert set(tree.generalization_.collected) == {"age", "member"}
    fed = tree.recoding_.apply(frame)
    assert (model(fed) == model(frame)).all()


def test_any_library_is_taken(fit_quietly):
    rng = np.random.default_rng(0)
    columns = {
        "age": rng.integers(0, 60, 300),
        "work": rng.choice(["farm", "office", "shop"], 300),
    }

    def of_mapping(rows):
        return (np.asarray(rows["age"]) > 30) & (np.asarray(rows["work"]) != "farm")

    found = []
    for X in (columns, pd.DataFrame(columns), pl.DataFrame(columns)):
        tree = ModelTree(of_mapping, keep_accuracy=1.0, random_state=1)
        fit_quietly(tree, X)
        found.append(tree.recoding_)
        fed = tree.feed(X)
        assert type(fed) is type(X)
        assert (of_mapping(fed) == of_mapping(tree.recoding_.apply(X))).all()
    assert len({one.to_json() for one in found}) == 1


def test_arrays_are_taken(fit_quietly):
    X = np.random.default_rng(0).integers(0, 60, (300, 3)).astype(np.float32)
    tree = fit_quietly(ModelTree(lambda rows: rows[:, 1] > 30, keep_accuracy=1.0), X)
    assert tree.generalization_.collected == ("x1",)
    assert tree.transform(X).shape == (300, 1)
    named = pd.DataFrame(X, columns=["a", "b", "c"])
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(named, X[:, 1] > 30)
    tree = fit_quietly(ModelTree(model, keep_accuracy=1.0), X)  # fitted with names, asked without
    assert tree.generalization_.collected == ("x1",)


def test_an_encoder_of_the_users_own(mixed_people):
    frame = mixed_people(np.random.default_rng(0), 200, False)
    encoder = OneHotEncoder(handle_unknown="ignore").fit(frame[["work", "grade"]])
    y = (frame["work"] == "farm") & (frame["grade"] != "low")
    model = RandomForestClassifier(9, random_state=0).fit(
        encoder.transform(frame[["work", "grade"]]), y
    )
    tree = ModelTree(
        model, encoder=lambda rows: encoder.transform(rows[["work", "grade"]]), keep_accuracy=1.0
    ).fit(frame)
    assert set(tree.generalization_.collected) == {"work", "grade"}
    assert tree.generalization_["work"].n_buckets == 2


def test_a_scorer_of_the_users_own(mixed_people):
    frame = mixed_people(np.random.default_rng(0), 300, False)
    heard = []

    def never_miss_an_old_one(before, after):
        heard.append({*before.tolist(), *after.tolist()})
        old = before == "old"
        return float((after[old] == "old").mean()) if old.any() else 1.0

    def model(rows):
        return np.where(rows["age"] > 15, "old", "young")

    tree = ModelTree(model, scorer=never_miss_an_old_one, keep_accuracy=1.0, caution=0.0).fit(frame)
    assert set.union(*heard) <= {"old", "young"}
    assert tree.generalization_.collected == ()  # to call everyone old misses nobody
    assert set(model(tree.recoding_.apply(frame))) == {"old"}


def test_the_users_numbers_are_asked_with_even_where_they_were_binned(fit_quietly, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr("sparsam.data.model._own_encode.MAX_CATEGORIES", 50)
    frame = pd.DataFrame({"id": rng.permutation(3_000) * 2, "age": rng.integers(0, 9, 3_000)})
    asked = set()

    def model(rows):
        asked.update(rows["id"].tolist())
        return (rows["id"] > 1_001).to_numpy()

    tree = fit_quietly(ModelTree(model, keep_accuracy=0.9), frame)
    table = tree.recoding_.apply(frame)
    fed = set(table["id"].tolist())
    assert table["id"].dtype == frame["id"].dtype
    assert fed <= asked
    held_out = frame.iloc[tree.held_out_rows_]
    kept = (model(held_out) == model(tree.recoding_.apply(held_out))).mean()
    # what was measured are the bins of the numbers, so that people at a border may differ
    assert tree.held_out_.score == pytest.approx(kept, abs=0.03)


def test_a_classifier_of_our_own_where_there_is_no_model():
    people = load_example().take(range(1_500))
    domains = {one.name: one.domain for one in people.attributes if one.name != "employed"}
    task = resolve(people, Roles("employed", domains=domains))
    tree = ModelTree(keep_accuracy=0.9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparsamWarning)
        tree.fit_task(task)
    assert 0 < len(tree.generalization_.collected) < len(task.names)
    path = tree.path(task)
    losses = [one.information_loss(task.table).overall for one in path]
    assert losses[0] < 0.01
    assert losses[-1] == 1.0
    with pytest.raises(ParameterError, match="trained its own"):
        tree.feed(people.to_frame("pandas"))
