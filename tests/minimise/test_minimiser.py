"""Minimisers are scikit-learn transformers, whatever the table comes as."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from sparsam._errors import DataError, ParameterError
from sparsam.data import Roles, read, resolve
from sparsam.minimise import (
    Constraints,
    FeatureSelection,
    Iterative,
    Minimiser,
    PrivacyTree,
    Uniform,
)

People = dict[str, np.ndarray]
ROLES = Roles("hired", ordered={"grade": ("low", "middle", "high")})
MINIMISERS = [
    PrivacyTree(ROLES, max_leaves=5, privacy=0.1, min_leaf=2),
    Uniform(ROLES, buckets=2),
    FeatureSelection(ROLES, keep=2, criterion="mutual_information"),
    Iterative(ROLES, max_utility_loss=0.05),
]
EACH = pytest.mark.parametrize("minimiser", MINIMISERS, ids=lambda m: type(m).__name__)


def _objects(people: People) -> np.ndarray:
    return np.column_stack([np.asarray(column, dtype=object) for column in people.values()])


def _without_target(people: People) -> People:
    return {name: column for name, column in people.items() if name != "hired"}


FRAMES: dict[str, Callable[[People], Any]] = {
    "dict": dict,
    "lists": lambda people: {name: column.tolist() for name, column in people.items()},
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": lambda people: pl.DataFrame(people).lazy(),
    "pyarrow": lambda people: pa.table({name: c.tolist() for name, c in people.items()}),
}


@EACH
@pytest.mark.parametrize("frame", [*FRAMES, "csv", "table"])
def test_any_frame_gives_the_same_generalization(
    minimiser: Minimiser, frame: str, people: People, tmp_path: Path
) -> None:
    expected = clone(minimiser).fit_task(resolve(people, ROLES))
    if frame == "csv":
        source: Any = tmp_path / "people.csv"
        pd.DataFrame(people).to_csv(source, index=False)
    else:
        source = read(people) if frame == "table" else FRAMES[frame](people)
    fitted = clone(minimiser).fit(source)
    assert fitted.generalization_ == expected.generalization_
    assert fitted.feature_names_in_.tolist() == ["age", "work", "grade", "income"]
    assert fitted.n_features_in_ == 4
    np.testing.assert_array_equal(fitted.transform(source), expected.transform(people))


@EACH
def test_arrays_and_lists_of_rows(minimiser: Minimiser, people: People) -> None:
    expected = clone(minimiser).fit(people).transform(people)
    roles = Roles(ordered={"x2": ("low", "middle", "high")})
    X, y = _objects(_without_target(people)), people["hired"]
    for rows in (X, X.tolist()):
        fitted = clone(minimiser).set_params(roles=roles).fit(rows, y)
        np.testing.assert_array_equal(fitted.transform(rows), expected)
        assert not hasattr(fitted, "feature_names_in_")
        assert set(fitted.get_feature_names_out()) <= {"x0", "x1", "x2", "x3"}


def test_array_that_holds_the_target_itself(people: People) -> None:
    roles = Roles("x4", ordered={"x2": ("low", "middle", "high")})
    tree = PrivacyTree(roles, max_leaves=5, privacy=0.1, min_leaf=2).fit(_objects(people))
    expected = MINIMISERS[0].fit(people).transform(people)
    np.testing.assert_array_equal(tree.transform(_objects(people)), expected)


def test_empty_columns_do_not_shift_the_others() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 9, 80), np.full(80, np.nan), rng.integers(0, 9, 80)])
    y = X[:, 2] > 4
    for rows in (X, pd.DataFrame(X, columns=["a", "b", "c"])):
        tree = PrivacyTree(max_leaves=2, privacy=0.0, min_leaf=1).fit(rows, y)
        assert tree.n_features_in_ == 3
        np.testing.assert_array_equal(tree.transform(rows)[:, 0], y)


@EACH
def test_transform_gives_the_buckets_of_the_artifact(minimiser: Minimiser, people: People) -> None:
    fitted = clone(minimiser).fit(people)
    codes = fitted.transform(people)
    names = fitted.get_feature_names_out().tolist()
    assert codes.shape == (60, len(names))
    assert codes.dtype == np.int64
    for row in range(0, 60, 7):
        record = {name: column[row] for name, column in people.items()}
        found = fitted.generalization_.apply_record(record, output="codes")
        assert found == dict(zip(names, codes[row].tolist(), strict=True))
    np.testing.assert_array_equal(clone(minimiser).fit_transform(people), codes)


def test_records_and_single_records_can_be_transformed(people: People) -> None:
    tree = clone(MINIMISERS[0]).fit(people)
    records = [dict(zip(people, values, strict=True)) for values in zip(*people.values())]  # noqa: B905
    np.testing.assert_array_equal(tree.transform(records), tree.transform(people))
    assert tree.transform(records[:1]).shape[0] == 1


def test_only_the_collected_columns_are_needed(people: People) -> None:
    tree = clone(MINIMISERS[0]).fit(people)
    collected = {name: people[name] for name in tree.generalization_.collected}
    assert len(collected) < 4
    np.testing.assert_array_equal(tree.transform(pd.DataFrame(collected)), tree.transform(people))


@EACH
def test_nothing_collected_is_a_table_without_columns(minimiser: Minimiser, people: People) -> None:
    demands = Constraints(must_drop=["age", "work", "grade", "income"])
    fitted = clone(minimiser).set_params(constraints=demands).fit(people)
    assert fitted.transform(people).shape == (60, 0)
    assert fitted.get_feature_names_out().tolist() == []


@EACH
@pytest.mark.parametrize(("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output(minimiser: Minimiser, library: str, frame: Any, people: People) -> None:
    fitted = clone(minimiser).set_output(transform=library).fit(people)
    buckets = fitted.transform(pd.DataFrame(people, index=np.arange(60) + 100))
    assert isinstance(buckets, frame)
    assert list(buckets.columns) == fitted.get_feature_names_out().tolist()
    if library == "pandas":
        assert buckets.index.tolist() == list(range(100, 160))


@EACH
def test_clone_and_pickle(minimiser: Minimiser, people: People) -> None:
    demands = Constraints(max_buckets={"age": 2})
    unfitted = clone(minimiser).set_params(constraints=demands)
    copy = clone(unfitted)
    assert copy.get_params()["constraints"] == demands
    assert copy.get_params()["roles"] == ROLES
    with pytest.raises(NotFittedError):
        copy.transform(people)
    with pytest.raises(NotFittedError):
        copy.get_feature_names_out()
    fitted = copy.fit(people)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - our own bytes
    assert again.generalization_ == fitted.generalization_
    np.testing.assert_array_equal(again.transform(people), fitted.transform(people))


@EACH
def test_fitting_again_forgets_the_first_fit(minimiser: Minimiser, people: People) -> None:
    fresh = clone(minimiser).set_params(roles=None)
    X, y = _objects(_without_target(people)), people["hired"]
    frame = pd.DataFrame(_without_target(people))
    once = clone(fresh).fit(X, y).generalization_
    twice = clone(fresh).fit(frame, y).fit(X, y)
    assert twice.generalization_ == once
    assert not hasattr(twice, "feature_names_in_")
    assert twice.fit(frame, y).feature_names_in_.tolist() == list(frame.columns)


def test_pipeline_and_cross_validation(people: People) -> None:
    frame = pd.DataFrame(_without_target(people))
    model = make_pipeline(
        PrivacyTree(max_leaves=6, privacy=0.0, min_leaf=2, unseen="common"),
        OneHotEncoder(handle_unknown="ignore"),
        DecisionTreeClassifier(random_state=0),
    )
    assert cross_val_score(model, frame, people["hired"], cv=3).mean() > 0.8
    names = model.fit(frame, people["hired"])[:-1].get_feature_names_out()
    assert any(name.startswith("age_") for name in names)


def test_column_transformer_passes_names_through(people: People) -> None:
    frame = pd.DataFrame(_without_target(people))
    chosen = ColumnTransformer([("less", Uniform(buckets=2), ["age", "work"])], remainder="drop")
    chosen.set_output(transform="pandas")
    assert list(chosen.fit_transform(frame, people["hired"]).columns) == ["less__age", "less__work"]


def test_names_of_an_array_may_be_given_later(people: People) -> None:
    X, y = _objects(_without_target(people)), people["hired"]
    tree = PrivacyTree(max_leaves=4, privacy=0.1, min_leaf=2).fit(X, y)
    names = np.array(["age", "work", "grade", "income"])
    places = [int(name[1:]) for name in tree.get_feature_names_out()]
    assert tree.get_feature_names_out(names).tolist() == names[places].tolist()
    with pytest.raises(ValueError, match="input_features should have length equal"):
        tree.get_feature_names_out(["age"])
    named = PrivacyTree().fit(pd.DataFrame(_without_target(people)), y)
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        named.get_feature_names_out(["a", "b", "c", "d"])


def test_frames_with_numbered_columns(people: People) -> None:
    frame, y = pd.DataFrame(_objects(_without_target(people))).infer_objects(), people["hired"]
    tree = PrivacyTree(max_leaves=4, privacy=0.1, min_leaf=2).fit(frame, y)
    assert not hasattr(tree, "feature_names_in_")
    np.testing.assert_array_equal(tree.transform(frame), tree.transform(frame.to_numpy()))


def test_frame_for_a_minimiser_that_learned_from_an_array(people: People) -> None:
    X, y = _objects(_without_target(people)), people["hired"]
    tree = PrivacyTree(max_leaves=4, privacy=0.1, min_leaf=2).fit(X, y)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        buckets = tree.transform(pd.DataFrame(_without_target(people)))
    np.testing.assert_array_equal(buckets, tree.transform(X))


def test_other_columns_than_learned_are_refused(people: People) -> None:
    frame, y = pd.DataFrame(_without_target(people)), people["hired"]
    tree = PrivacyTree(min_leaf=2, privacy=0.1).fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        tree.transform(frame.rename(columns={"age": "years"}))
    with pytest.raises(ValueError, match="is expecting 4 features"):
        PrivacyTree().fit(_objects(_without_target(people)), y).transform(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="age"):
        clone(MINIMISERS[0]).fit(people).transform({"work": people["work"]})


def test_unseen_and_missing_values(people: People) -> None:
    tree = clone(MINIMISERS[0]).fit(people)
    assert "work" in tree.generalization_.collected
    foreign = {**people, "work": np.array(["secret"] * 60, dtype=object)}
    with pytest.raises(DataError, match="'work'") as caught:
        tree.transform(foreign)
    assert "secret" not in str(caught.value)
    lenient = clone(MINIMISERS[0]).set_params(unseen="common").fit(people)
    assert len(np.unique(lenient.transform(foreign)[:, 1])) == 1
    with pytest.raises(DataError, match="'age'"):
        tree.transform({**people, "age": np.full(60, np.nan)})


def test_target_that_is_absent_or_a_quantity(people: People) -> None:
    frame = _without_target(people)
    for X in (frame, pd.DataFrame(frame), _objects(frame)):
        with pytest.raises(ValueError, match=r"A target must be declared|requires y to be passed"):
            PrivacyTree().fit(X)
        quantity = PrivacyTree(min_leaf=5, privacy=0.0).fit(X, people["income"])
        assert quantity.generalization_.collected
    named = PrivacyTree(Roles("income"), min_leaf=5, privacy=0.0).fit(people)
    assert named.generalization_.about["target"] == "income"
    above = PrivacyTree(Roles("income>30000"), min_leaf=2, privacy=0.0).fit(people)
    assert above.generalization_.about["target"] == "income>30000"


def test_one_dimension_is_refused_without_showing_a_value() -> None:
    tree = PrivacyTree()
    for X in (np.array([123_456, 2]), [123_456, 2], [[123_456, 2], [3]]):
        with pytest.raises(DataError, match="Reshape your data") as caught:
            tree.fit(X, [0, 1])
        assert "123" not in str(caught.value)


def test_no_records_are_no_error(people: People) -> None:
    X, y = _objects(_without_target(people)), people["hired"]
    tree = PrivacyTree(min_leaf=2, privacy=0.1).fit(X, y)
    assert tree.transform(X[:0]).shape == (0, len(tree.generalization_.collected))


def test_constraints_of_another_table_are_refused(people: People) -> None:
    with pytest.raises(ParameterError, match="Did you mean 'age'"):
        Uniform(ROLES, constraints=Constraints(must_drop=["agee"])).fit(people)


@EACH
def test_a_path_has_a_generalization_for_each_step(minimiser: Minimiser, people: People) -> None:
    task = resolve(people, ROLES)
    fresh = clone(minimiser)
    steps = fresh.steps[:3]
    path = fresh.path(task, steps)
    assert len(path) == len(steps)
    for generalization in path:
        setting = {fresh.swept: generalization.about["parameters"][fresh.swept]}
        alone = clone(minimiser).set_params(**setting).fit_task(task)
        assert alone.generalization_ == generalization
    assert not hasattr(fresh, "generalization_")


def test_what_means_missing_does_so_in_new_records_too():
    rng = np.random.default_rng(0)
    marked = pd.DataFrame(
        {
            "work": rng.choice(["farm", "office", "?"], 300),
            "age": np.where(rng.random(300) < 0.1, -9, rng.integers(20, 60, 300)),
            "y": rng.choice(["no", "yes"], 300),
        }
    )
    plain = marked.astype({"age": float}).replace({"work": {"?": None}, "age": {-9: np.nan}})
    roles = Roles("y", missing_values=["?"], missing_in={"age": ["-9"]})
    learned = Uniform(roles, buckets=2).fit(marked)
    np.testing.assert_array_equal(learned.transform(marked), learned.transform(plain))
    assert learned.generalization_["age"].domain.low >= 15
