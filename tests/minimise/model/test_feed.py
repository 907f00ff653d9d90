from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from sparsam._errors import SparsamError, SparsamWarning
from sparsam.data import OwnRecords, Roles
from sparsam.data.model._replace import Replacement, replace_columns
from sparsam.data.model._slices import Slices
from sparsam.minimise import ModelTree

HOT = ["work_farm", "work_office", "work_shop"]


def _quiet(tree, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparsamWarning)
        return tree.fit(X)


def _columns(kind=np.int64, n_rows=300, none=False):
    rng = np.random.default_rng(0)
    work = rng.integers(0, 4 if none else 3, n_rows)
    hot = {name: (work == place).astype(kind) for place, name in enumerate(HOT)}
    return {"age": rng.integers(0, 60, n_rows), **hot, "pay": rng.normal(9, 2, n_rows).round(1)}


def _decide(age, farm, shop):
    return (np.asarray(age) > 30) & (np.asarray(farm) == 0) & (np.asarray(shop) == 0)


def _of_frame(rows):
    assert list(rows.columns if hasattr(rows, "columns") else rows) == ["age", *HOT, "pay"]
    return _decide(rows["age"], rows["work_farm"], rows["work_shop"])


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float64, bool])
@pytest.mark.parametrize("none", [False, True])
@pytest.mark.parametrize("library", ["pandas", "polars", "mapping"])
def test_slices_come_out_as_they_went_in(kind, none, library):
    columns = _columns(kind, none=none)
    X = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "mapping": dict}[library](columns)
    tree = _quiet(ModelTree(_of_frame, slices={"work": HOT}, keep_accuracy=1.0), X)
    assert set(tree.generalization_.collected) == {"age", "work"}
    fed = tree.feed(X)
    assert type(fed) is type(X)
    answers = _of_frame(fed)
    kept = answers == _of_frame(X)
    assert kept[tree.held_out_rows_].mean() == tree.held_out_.score
    for name, values in columns.items():
        assert np.asarray(fed[name]).dtype == values.dtype
    ones = sum(np.asarray(fed[name]).astype(int) for name in HOT)
    assert set(ones) <= {0, 1}
    assert none or set(ones) == {1}
    # a generalized record gets the same
    joined = {"age": columns["age"], "work": tree._feed.raw(X, ("work",))["work"]}
    global_way = tree.recoding_.represent(tree.generalization_.apply(joined))
    farm, shop = (np.asarray(global_way["work"]) == word for word in ("farm", "shop"))
    assert (_decide(global_way["age"], farm, shop) == answers).all()
    assert tree.transform(X).shape == (300, 2)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, object])
def test_arrays_come_out_with_their_type(dtype):
    X = np.column_stack(list(_columns().values())).round().astype(dtype)
    slices = {"work": ["x1", "x2", "x3"]}

    def model(rows):
        assert rows.shape[1] == 5
        return _decide(rows[:, 0], rows[:, 1], rows[:, 3])

    tree = _quiet(ModelTree(model, slices=slices, keep_accuracy=1.0), X)
    fed = tree.feed(X)
    assert fed.shape == X.shape
    assert fed.dtype == X.dtype
    assert (model(fed) == model(X))[tree.held_out_rows_].mean() == tree.held_out_.score
    assert (fed[:, 1:4].astype(int).sum(axis=1) == 1).all()
    assert len(np.unique(fed[:, 4])) == 1  # what the model does not look at
    assert tree.transform(X).shape == (300, 2)


def test_an_array_without_its_identifiers():
    X = np.column_stack([np.arange(200), np.random.default_rng(0).integers(0, 50, (200, 2))])

    def model(rows):
        assert rows.shape[1] == 2
        return rows[:, 1] > 20

    tree = _quiet(ModelTree(model, Roles(identifiers=["x0"]), keep_accuracy=1.0), X)
    assert tree.generalization_.collected == ("x2",)
    fed = tree.feed(X)
    assert fed.shape == (200, 2)
    assert (model(fed) == (X[:, 2] > 20)).all()


def test_the_order_is_the_models_own():
    frame = pd.DataFrame(_columns())
    wanted = ["pay", "age", *HOT]
    y = _decide(frame["age"], frame["work_farm"], frame["work_shop"])
    model = DecisionTreeClassifier(random_state=0).fit(frame[wanted], y)
    frame = frame.assign(name="somebody", y=y).set_index(pd.Index(range(1_000, 1_300)))
    tree = ModelTree(model, Roles("y", identifiers=["name"]), slices={"work": HOT})
    _quiet(tree, frame)
    fed = tree.feed(frame)
    assert list(fed.columns) == wanted
    assert fed.index.equals(frame.index)
    kept = model.predict(fed) == model.predict(frame[wanted])
    assert kept[tree.held_out_rows_].mean() == tree.held_out_.score


def test_what_is_not_collected_need_not_be_there():
    frame = pd.DataFrame(_columns()).assign(pay=lambda rows: rows["pay"])
    tree = _quiet(ModelTree(_of_frame, slices={"work": HOT}, keep_accuracy=1.0), frame)
    fed = tree.feed(frame.drop(columns="pay"))
    assert list(fed.columns) == list(frame.columns)
    assert (_of_frame(fed) == _of_frame(tree.feed(frame))).all()
    with pytest.raises(SparsamError, match="age"):
        tree.feed(frame.drop(columns="age"))


def test_a_column_without_any_value_stays_without():
    frame = pd.DataFrame(_columns()).assign(empty=np.nan)

    def model(rows):
        assert rows["empty"].isna().all()
        return _decide(rows["age"], rows["work_farm"], rows["work_shop"])

    tree = _quiet(ModelTree(model, slices={"work": HOT}, keep_accuracy=1.0), frame)
    new = frame.assign(empty=7.0)  # never passed through as it is
    assert tree.feed(new)["empty"].isna().all()
    assert (model(tree.feed(new)) == model(tree.feed(frame))).all()


@pytest.mark.parametrize("search", ["responses", "paper"])
def test_texts_that_mean_missing_come_back_as_such(search):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"work": rng.choice(["farm", "office", "?"], 400), "age": rng.integers(0, 9, 400)}
    )
    y = (frame["work"] == "?") | (frame["age"] > 5)
    model = make_pipeline(OrdinalEncoder(), DecisionTreeClassifier(random_state=0)).fit(frame, y)
    roles = Roles(missing_values=["?"])
    tree = _quiet(ModelTree(model, roles, keep_accuracy=1.0, search=search), frame)
    fed = tree.feed(frame)
    assert fed["work"].dtype == frame["work"].dtype
    assert set(fed["work"]) <= {"farm", "office", "?"}
    kept = model.predict(fed) == model.predict(frame)
    assert kept.all()
    assert tree.held_out_.score == 1.0


def test_a_number_that_means_missing_in_one_column_comes_back_as_such():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 400), "pay": rng.integers(0, 9, 400)})
    frame.loc[::4, "age"] = -9
    y = (frame["age"] == -9) | (frame["pay"] > 5)
    model = DecisionTreeClassifier(random_state=0).fit(frame, y)
    roles = Roles(missing_in={"age": ["-9"]})
    tree = _quiet(ModelTree(model, roles, keep_accuracy=1.0), frame)
    assert tree.recoding_.about["roles"]["attributes"] == {"age": {"missing": ["-9"]}}
    fed = tree.feed(frame)
    assert (fed["age"] == -9).any()
    assert (model.predict(fed) == model.predict(frame)).all()


@pytest.mark.parametrize("hole", [None, np.nan])
def test_missing_is_fed_as_the_model_knows_it(hole):
    rng = np.random.default_rng(0)
    values = np.array(["farm", "office", hole], dtype=object)[rng.integers(0, 3, 300)]
    frame = pd.DataFrame({"work": pd.Series(values, dtype=object), "age": rng.integers(0, 9, 300)})
    encoder = OneHotEncoder(handle_unknown="error").fit(frame)
    y = frame["work"].isna() & (frame["age"] > 2)
    model = make_pipeline(encoder, DecisionTreeClassifier(random_state=0)).fit(frame, y)
    tree = _quiet(ModelTree(model, keep_accuracy=1.0), frame)
    fed = tree.feed(frame)
    assert (model.predict(fed) == model.predict(frame)).all()
    assert fed["work"].isna().any()
    assert (model.predict(tree.recoding_.apply(frame)) == model.predict(frame)).all()


def test_feeding_needs_a_fit():
    with pytest.raises(NotFittedError):
        ModelTree(_of_frame).feed(pd.DataFrame(_columns()))


def test_slices_part_and_join():
    work = Slices("work", tuple(HOT))
    joined = Replacement(["shop", "none of them", "farm"], np.array([2, 0, 1, 0]))
    parted = {name: one.array() for name, one in work.expand(joined).items()}
    assert [values.tolist() for values in parted.values()] == [[1, 0, 0, 0], [0] * 4, [0, 1, 0, 1]]
    assert work.column(parted).values.tolist() == joined.array().tolist()
    flags = work.expand(joined, flags=True)["work_farm"].array()
    assert flags.dtype == bool


@pytest.mark.parametrize("hole", [None, np.nan, pd.NA])
def test_objects_keep_their_own_mark_for_missing(hole):
    values = np.array(["a", hole, "b"], dtype=object)
    new = {"x": Replacement(["b", None], np.array([0, 1, 0]))}
    made = [
        replace_columns({"x": values}, new)["x"][1],
        replace_columns(pd.DataFrame({"x": pd.Series(values, dtype=object)}), new)["x"].iloc[1],
    ]
    assert all(one is hole or (isinstance(one, float) and np.isnan(one)) for one in made)
    assert [type(one) for one in made] == [type(hole)] * 2
    assert replace_columns({"x": np.array(["a"] * 3, dtype=object)}, new)["x"][1] is None


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_records_know_their_columns_and_values(make):
    frame = make({"name": ["x", "y", "z"], "age": [3, 9, 3], "pay": [1.5, None, 2.5]})
    own = OwnRecords.open(frame, roles=Roles(identifiers=["name"]))
    assert own.columns == ("age", "pay")
    assert own.own_values("age") == [3, 9]
    *known, missing = own.own_values("pay")
    assert known == [1.5, 2.5]
    assert missing is None or missing != missing
    array = OwnRecords.open(np.array([[0, 4], [1, 7]]), roles=Roles(identifiers=["x0"]))
    assert array.columns == ("x1",)
    assert array.own_values("x1") == [4, 7]
