"""Models of every kind, seen through their answers only."""

from __future__ import annotations

import subprocess
import sys
import traceback
from pathlib import Path

import joblib
import numpy as np
import onnx
import onnxruntime
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import skops.io
import torch
from onnx import TensorProto, helper
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import sparsam.data.model._records
from sparsam._errors import DataError, MissingExtraError, ParameterError
from sparsam.data.model._black_box import BlackBox, black_box, load_model
from sparsam.data.model._own_records import OwnRecords

AGE = np.array([12, 40, 17, 66, 30, 5])
PEOPLE = pd.DataFrame(
    {"age": AGE, "sex": ["f", "m", "m", "f", "m", "f"], "member": AGE % 2 == 0}, index=AGE + 100
)
ADULT = np.where(AGE < 18, "child", "adult")
NUMBERS = PEOPLE.assign(sex=(PEOPLE["sex"] == "f").astype(float))


def pipeline():
    """A model that does its own encoding, fitted on a frame with one more column order."""
    encode = make_column_transformer(
        (OneHotEncoder(), ["sex"]), (StandardScaler(), ["age"]), ("passthrough", ["member"])
    )
    model = make_pipeline(encode, DecisionTreeClassifier(random_state=0))
    return model.fit(PEOPLE[["sex", "age", "member"]], ADULT)


LIBRARIES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "mapping": lambda frame: {name: frame[name].to_numpy() for name in frame},
}


@pytest.mark.parametrize("library", ["pandas", "polars", "mapping"])
def test_a_pipeline_gets_its_own_columns_in_its_own_order(library):
    box = black_box(pipeline())
    assert isinstance(box, BlackBox)
    assert box.columns == ("sex", "age", "member")
    assert not box.regression
    records = LIBRARIES[library](PEOPLE.assign(other=1))
    assert box.predict(records).tolist() == ADULT.tolist()


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_plain_estimator_takes_any_library(library):
    model = DecisionTreeClassifier(random_state=0).fit(NUMBERS, ADULT)
    box = black_box(model)
    assert box.predict(LIBRARIES[library](NUMBERS[["sex", "member", "age"]])).tolist() == list(
        ADULT
    )


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_model_fitted_without_names_gets_a_bare_array(library):
    matrix = NUMBERS.to_numpy(dtype=float)
    box = black_box(DecisionTreeClassifier(random_state=0).fit(matrix, ADULT))
    assert box.columns is None
    assert box.predict(matrix).tolist() == ADULT.tolist()
    assert box.predict(LIBRARIES[library](NUMBERS)).tolist() == ADULT.tolist()
    numbered = NUMBERS.set_axis([0, 1, 2], axis=1)
    assert box.predict(numbered).tolist() == ADULT.tolist()


def test_a_bare_array_gets_the_names_that_the_model_wants():
    box = black_box(DecisionTreeClassifier(random_state=0).fit(NUMBERS, ADULT))
    assert box.predict(NUMBERS.to_numpy(dtype=float)).tolist() == ADULT.tolist()


def test_without_pandas_a_mapping_is_an_array_of_objects(monkeypatch):
    monkeypatch.setattr(sparsam.data.model._records, "find_spec", lambda _: None)
    matrix = NUMBERS.to_numpy(dtype=float)
    box = black_box(DecisionTreeClassifier(random_state=0).fit(matrix, ADULT))
    assert box.predict(LIBRARIES["mapping"](NUMBERS)).tolist() == ADULT.tolist()


def test_missing_values_of_a_mapping_are_those_of_pandas():
    frame = pd.DataFrame({"age": [30, np.nan, 41], "sex": ["f", np.nan, "m"]})
    encode = make_column_transformer((OneHotEncoder(), ["sex"]), ("passthrough", ["age"]))
    model = make_pipeline(encode, DecisionTreeClassifier(random_state=0)).fit(frame, list("abc"))
    mapping = {
        "age": np.array([30, None, 41], dtype=object),
        "sex": np.array(["f", None, "m"], dtype=object),
    }
    assert black_box(model).predict(mapping).tolist() == list("abc")


def test_the_category_type_reaches_the_model():
    sex = np.random.default_rng(0).choice(["f", "m"], 80)
    frame = pd.DataFrame({"age": np.arange(80) % 9, "sex": pd.Categorical(sex, ["m", "x", "f"])})
    model = HistGradientBoostingClassifier(
        categorical_features="from_dtype", max_iter=5, min_samples_leaf=1
    ).fit(frame, sex)
    own = OwnRecords.open(frame)
    flipped = own.table.codes.copy()
    flipped[:, 1] = 1 - flipped[:, 1]
    box = black_box(model)
    assert box.predict(own.frame(own.table.codes)).tolist() == sex.tolist()
    assert box.predict(own.frame(flipped)).tolist() == np.where(sex == "f", "m", "f").tolist()


def test_regression_is_asked_of_the_model():
    box = black_box(LinearRegression().fit(NUMBERS, AGE * 2.0))
    assert box.regression
    np.testing.assert_allclose(box.predict(NUMBERS), AGE * 2.0)
    assert black_box(
        make_pipeline(StandardScaler(), LinearRegression()).fit(NUMBERS, AGE)
    ).regression
    assert not black_box(pipeline(), regression=False).regression


def test_several_outputs_are_two_dimensional():
    box = black_box(LinearRegression().fit(NUMBERS, np.column_stack([AGE, -AGE])))
    np.testing.assert_allclose(box.predict(NUMBERS), np.column_stack([AGE, -AGE]))
    both = np.column_stack([ADULT, PEOPLE["sex"]])
    model = DecisionTreeClassifier(random_state=0).fit(NUMBERS, both)
    assert black_box(model).predict(NUMBERS).tolist() == both.tolist()


class Foreign:
    """A model of another library: nothing but predict."""

    def __init__(self, answers, kind=None):
        self.answers = answers
        self._estimator_type = kind

    def predict(self, records):
        return self.answers


def test_anything_with_predict():
    assert black_box(Foreign(list(ADULT))).predict(PEOPLE).tolist() == ADULT.tolist()
    assert black_box(Foreign(pd.Series(AGE), "regressor")).regression
    assert black_box(Foreign(AGE, "regressor"), regression=False).regression is False


class Late(ClassifierMixin, BaseEstimator):
    """An estimator that keeps what it learns under a name of its own."""

    def fit(self, X, y):
        self.table = dict(zip(X["age"], y, strict=True))
        return self

    def predict(self, X):
        return np.array([self.table[age] for age in X["age"]])


def test_an_estimator_with_its_own_signs_of_being_fitted():
    assert black_box(Late().fit(PEOPLE, ADULT)).predict(PEOPLE).tolist() == ADULT.tolist()


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        LogisticRegression,
    ],
)
def test_a_model_must_be_fitted(model):
    with pytest.raises(ParameterError, match="a model that already runs"):
        black_box(model)


def test_an_unfitted_part_is_told_when_it_is_asked():
    unfitted = LogisticRegression()
    box = black_box(Foreign(None))
    box._model.predict = unfitted.predict
    with pytest.raises(ParameterError, match="not fitted"):
        box.predict(NUMBERS)


def test_a_function_of_a_frame():
    box = black_box(lambda people: np.where(people["age"] < 18, "child", "adult"))
    assert (box.regression, box.columns) == (False, None)
    for library in ("pandas", "polars", "mapping"):
        assert box.predict(LIBRARIES[library](PEOPLE)).tolist() == ADULT.tolist()
    numbers = black_box(lambda people: people["age"] / 3, regression=True)
    assert numbers.predict(PEOPLE).tolist() == (AGE / 3).tolist()


def test_a_functions_matrix_is_scores_or_several_outputs():
    scores = np.column_stack([AGE < 18, AGE >= 18, np.zeros(6)])
    assert black_box(lambda _: scores).predict(PEOPLE).tolist() == scores.argmax(1).tolist()
    assert black_box(lambda _: scores[:, :2] > 0).predict(PEOPLE).shape == (6, 2)
    words = np.column_stack([ADULT, ADULT])
    assert black_box(lambda _: words).predict(PEOPLE).tolist() == words.tolist()
    both = black_box(lambda _: scores, regression=True)
    assert both.predict(PEOPLE).shape == (6, 3)


def test_an_encoder_stands_before_any_model():
    def numbers(people):
        return np.column_stack([np.asarray(people["age"]), np.asarray(people["sex"]) == "f"])

    tree = DecisionTreeClassifier(random_state=0).fit(numbers(PEOPLE), ADULT)
    box = black_box(tree, encoder=numbers)
    assert box.columns is None
    assert box.predict(PEOPLE).tolist() == ADULT.tolist()
    by_function = black_box(lambda matrix: matrix[:, 0] < 18, encoder=numbers)
    assert by_function.predict(PEOPLE).tolist() == (AGE < 18).tolist()
    named = make_pipeline(FunctionTransformer(), tree)
    assert black_box(named, encoder=numbers).predict(PEOPLE).tolist() == ADULT.tolist()


def test_a_black_box_passes_through():
    box = black_box(lambda people: people["sex"])
    assert black_box(box) is box
    assert black_box(box, regression=False) is box
    with pytest.raises(ParameterError, match="already"):
        black_box(box, regression=True)


@pytest.mark.parametrize(
    ("answers", "regression", "message"),
    [
        (AGE[:5], False, r"each of 6 records. Got an answer of the shape \(5,\)"),
        (AGE[0], False, r"the shape \(\)"),
        (np.zeros((6, 2, 2)), True, r"the shape \(6, 2, 2\)"),
        (np.where(AGE < 18, np.nan, AGE), True, "finite numbers. Got 3 that are not"),
        (np.where(AGE < 18, np.inf, AGE), True, "finite numbers. Got 3 that are not"),
        (np.where(AGE < 18, np.nan, 1), False, "a class each time. Got 3 missing"),
        (np.where(AGE < 18, None, "secret"), False, "a class each time. Got 3 missing"),
        (np.where(AGE < 18, "secret", "b"), True, "with numbers. Got answers of the type <U6"),
        (AGE / 100, False, "numbers with fractions"),
        (np.full((6, 2), np.nan), False, "finite numbers. Got 12"),
    ],
)
def test_answers_are_checked(answers, regression, message):
    with pytest.raises(DataError, match=message) as caught:
        black_box(lambda _: answers, regression=regression).predict(PEOPLE)
    assert "secret" not in str(caught.value)


def test_the_models_own_error_is_told_without_its_values():
    with pytest.raises(ParameterError, match="raised a ValueError on 6") as caught:
        black_box(pipeline()).predict(PEOPLE.assign(sex="sec" + "ret"))
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_column_that_is_not_there_is_named(library):
    with pytest.raises(ParameterError, match=r"They lack 'sex'. Did you mean 'sexx'"):
        black_box(pipeline()).predict(LIBRARIES[library](PEOPLE.rename(columns={"sex": "sexx"})))


def test_what_is_no_model():
    with pytest.raises(ParameterError, match="Got a dict instead"):
        black_box({})


# --- torch -----------------------------------------------------------------------------------


def linear(weights, bias):
    """A linear module with given weights, whose dropout only evaluation mode turns off."""
    layer = torch.nn.Linear(len(weights[0]), len(weights))
    with torch.no_grad():
        layer.weight[:] = torch.tensor(weights)
        layer.bias[:] = torch.tensor(bias)
    return torch.nn.Sequential(torch.nn.Dropout(0.5), layer)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_torch_module(library):
    records = LIBRARIES[library](NUMBERS)
    logit = linear([[-1.0, 0.0, 0.0]], [18.0])
    assert black_box(logit).predict(records).tolist() == (AGE < 18).tolist()
    scores = linear([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [18.0, 0.0])
    assert black_box(scores).predict(records).tolist() == (AGE >= 18).tolist()
    number = black_box(linear([[2.0, 0.0, 0.5]], [1.0]), regression=True)
    np.testing.assert_array_equal(number.predict(records), AGE * 2 + 1 + 0.5 * (AGE % 2 == 0))
    two = black_box(scores, regression=True).predict(records)
    np.testing.assert_array_equal(two, np.column_stack([18.0 - AGE, 0 * AGE]))


def test_torch_needs_numbers_or_an_encoder():
    logit = linear([[-1.0, 0.0]], [18.0])
    with pytest.raises(ParameterError, match="'sex' holds something else"):
        black_box(logit).predict(PEOPLE)
    box = black_box(logit, encoder=lambda people: people[["age", "member"]].to_numpy(float))
    assert box.predict(PEOPLE).tolist() == (AGE < 18).tolist()
    missing = {"age": np.array([10, None, 30], dtype=object), "m": pd.array([1, 0, 1], "Int64")}
    with pytest.raises(DataError, match="Got 1 that are not"):
        black_box(logit).predict(missing)


class Pair(torch.nn.Module):
    """Two tensors where one is expected, or the classes themselves."""

    def __init__(self, pair):
        super().__init__()
        self.pair = pair

    def forward(self, matrix):
        return (matrix, matrix) if self.pair else (matrix[:, 0] < 18).long()


def test_torch_answers_that_are_no_scores():
    assert black_box(Pair(False)).predict(NUMBERS).tolist() == (AGE < 18).tolist()
    with pytest.raises(DataError, match=r"one tensor. Got a tuple"):
        black_box(Pair(True)).predict(NUMBERS)


# --- ONNX ------------------------------------------------------------------------------------


def tensor(name, kind, *shape):
    return helper.make_tensor_value_info(name, kind, list(shape))


def session(nodes, inputs, outputs, constants=()):
    """Check a small graph and open it."""
    graph = helper.make_graph(nodes, "small", inputs, outputs, list(constants))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    onnx.checker.check_model(model)
    return model


def constant(name, values):
    values = np.asarray(values, dtype=np.float32)
    return helper.make_tensor(name, TensorProto.FLOAT, values.shape, values.ravel())


def scores_model(n_outputs=2, columns=3):
    """Scores: 18 - age for class 0, and nothing for the others."""
    weights = np.zeros((columns, n_outputs))
    weights[0, 0] = -1
    nodes = [helper.make_node("Gemm", ["X", "w", "b"], ["scores"])]
    return session(
        nodes,
        [tensor("X", TensorProto.FLOAT, None, columns)],
        [tensor("scores", TensorProto.FLOAT, None, n_outputs)],
        [constant("w", weights), constant("b", [18.0] + [0.0] * (n_outputs - 1))],
    )


def label_model():
    """One input per column, as skl2onnx writes it, a label and its score."""
    nodes = [
        helper.make_node("Cast", ["age"], ["years"], to=TensorProto.FLOAT),
        helper.make_node("Less", ["years", "limit"], ["young"]),
        helper.make_node(
            "LabelEncoder",
            ["sex"],
            ["female"],
            domain="ai.onnx.ml",
            keys_strings=["f", "m"],
            values_int64s=[1, 0],
        ),
        helper.make_node("Cast", ["young"], ["child"], to=TensorProto.INT64),
        helper.make_node("Add", ["child", "female"], ["both"]),
        helper.make_node("Cast", ["both"], ["score"], to=TensorProto.FLOAT),
        helper.make_node(
            "LabelEncoder",
            ["both"],
            ["label"],
            domain="ai.onnx.ml",
            keys_int64s=[0, 1, 2],
            values_strings=["neither", "one", "girl"],
        ),
    ]
    return session(
        nodes,
        [tensor("age", TensorProto.INT64, None, 1), tensor("sex", TensorProto.STRING, None, 1)],
        [tensor("score", TensorProto.FLOAT, None, 1), tensor("label", TensorProto.STRING, None, 1)],
        [constant("limit", [18.0])],
    )


BOTH = ["girl", "neither", "one", "one", "neither", "girl"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_onnx_with_one_matrix(tmp_path, library):
    records = LIBRARIES[library](NUMBERS)
    onnx.save(scores_model(), tmp_path / "scores.onnx")
    box = black_box(tmp_path / "scores.onnx")
    assert (box.regression, box.columns) == (False, None)
    assert box.predict(records).tolist() == (AGE >= 18).tolist()
    assert box.predict(NUMBERS.to_numpy(dtype=float)).tolist() == (AGE >= 18).tolist()
    onnx.save(scores_model(1), tmp_path / "number.onnx")
    number = load_model(str(tmp_path / "number.onnx"))
    assert number.regression
    assert number.predict(records).tolist() == (18 - AGE).tolist()
    logit = black_box(tmp_path / "number.onnx", regression=False)
    assert logit.predict(records).tolist() == (AGE < 18).tolist()


@pytest.mark.parametrize("library", LIBRARIES)
def test_onnx_with_one_input_per_column(library):
    opened = onnxruntime.InferenceSession(label_model().SerializeToString())
    box = black_box(opened)
    assert (box.regression, box.columns) == (False, ("age", "sex"))
    assert box.predict(LIBRARIES[library](PEOPLE)).tolist() == BOTH
    score = black_box(opened, regression=True)
    assert score.predict(LIBRARIES[library](PEOPLE)).tolist() == [2, 0, 1, 1, 0, 2]


def test_onnx_with_an_encoder(tmp_path):
    onnx.save(scores_model(columns=1), tmp_path / "age.onnx")
    box = black_box(tmp_path / "age.onnx", encoder=lambda people: people[["age"]])
    assert box.predict(PEOPLE).tolist() == (AGE >= 18).tolist()
    opened = onnxruntime.InferenceSession(label_model().SerializeToString())
    french = PEOPLE.rename(columns={"age": "âge", "sex": "sexe"})
    box = black_box(opened, encoder=lambda p: {"age": p["âge"], "sex": p["sexe"]})
    assert box.columns is None
    assert box.predict(french).tolist() == BOTH


def test_onnx_says_what_does_not_fit(tmp_path):
    opened = onnxruntime.InferenceSession(label_model().SerializeToString())
    box = black_box(opened)
    with pytest.raises(DataError, match=r"none of them missing. Got 2 rows"):
        box.predict(PEOPLE.head(3).assign(sex=[None, "m", None]))
    with pytest.raises(DataError, match=r"whole numbers in 'age'. Got 6 rows"):
        box.predict(PEOPLE.assign(age=0.5))
    with pytest.raises(ParameterError, match=r"takes numbers only. 'age'"):
        box.predict(PEOPLE.assign(age="secret"))
    with pytest.raises(ParameterError, match="They lack 'sex'"):
        box.predict(PEOPLE[["age"]])
    onnx.save(scores_model(), tmp_path / "scores.onnx")
    with pytest.raises(DataError, match=r"takes 3 columns. Got 2"):
        black_box(tmp_path / "scores.onnx").predict(NUMBERS[["age", "member"]])


def test_onnx_shapes_that_are_not_taken():
    nodes = [helper.make_node("Identity", ["X"], ["Y"])]

    def one(kind, shape, out):
        made = session(nodes, [tensor("X", kind, *shape)], [tensor("Y", kind, *out)])
        return onnxruntime.InferenceSession(made.SerializeToString())

    with pytest.raises(ParameterError, match="any number of records"):
        black_box(one(TensorProto.FLOAT, (1, 3), (1, 3)))
    with pytest.raises(ParameterError, match="has 3 dimensions"):
        black_box(one(TensorProto.FLOAT, (None, 3, 3), (None, 3, 3)))
    with pytest.raises(ParameterError, match="is a tensor\\(uint8\\)"):
        black_box(one(TensorProto.UINT8, (None, 3), (None, 3)))
    with pytest.raises(ParameterError, match="'regression' parameter must be given"):
        black_box(one(TensorProto.FLOAT, (None, None), (None, None)))
    with pytest.raises(ParameterError, match="must answer with numbers"):
        black_box(one(TensorProto.INT64, (None, 3), (None, 3)), regression=True)
    flat = black_box(one(TensorProto.FLOAT, (None,), (None,)))
    assert flat.columns == ("X",)
    assert flat.predict({"X": AGE}).tolist() == AGE.tolist()


# --- files -----------------------------------------------------------------------------------


def test_a_skops_file_is_checked(tmp_path):
    plain = make_pipeline(StandardScaler(), LogisticRegression(C=1e6)).fit(NUMBERS, ADULT)
    skops.io.dump(plain, tmp_path / "model.skops")
    assert load_model(tmp_path / "model.skops").predict(NUMBERS).tolist() == ADULT.tolist()
    own = make_pipeline(FunctionTransformer(np.asarray), DummyClassifier()).fit(NUMBERS, ADULT)
    skops.io.dump(own, tmp_path / "own.skops")
    unknown = skops.io.get_untrusted_types(file=tmp_path / "own.skops")
    assert unknown
    with pytest.raises(ParameterError, match="trust=True") as caught:
        load_model(tmp_path / "own.skops")
    assert all(kind in str(caught.value) for kind in unknown)
    trusted = load_model(tmp_path / "own.skops", trust=True)
    assert trusted.predict(NUMBERS).tolist() == ["adult"] * 6


@pytest.mark.parametrize("ending", [".joblib", ".pkl", ".pickle"])
def test_a_pickled_model_must_be_trusted(tmp_path, ending):
    joblib.dump(pipeline(), tmp_path / f"model{ending}")
    with pytest.raises(ParameterError, match="runs the code inside the file"):
        load_model(tmp_path / f"model{ending}")
    box = load_model(tmp_path / f"model{ending}", trust=True)
    assert box.predict(PEOPLE).tolist() == ADULT.tolist()


class Bomb:
    """What a harmful file holds: code that runs as it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_a_file_that_is_not_trusted_runs_nothing(tmp_path):
    joblib.dump(Bomb(tmp_path / "ran"), tmp_path / "model.joblib")
    with pytest.raises(ParameterError):
        load_model(tmp_path / "model.joblib")
    assert not (tmp_path / "ran").exists()


def test_files_that_are_no_model(tmp_path):
    with pytest.raises(ParameterError, match=r"must end in .onnx"):
        load_model(tmp_path / "model.pt")
    with pytest.raises(DataError, match="Found none"):
        load_model(tmp_path / "model.onnx")
    for ending in ("onnx", "skops", "joblib"):
        (tmp_path / f"model.{ending}").write_bytes(b"nonsense")
        with pytest.raises(DataError, match="cannot be read as one"):
            load_model(tmp_path / f"model.{ending}", trust=True)


@pytest.mark.parametrize(("ending", "library"), [("onnx", "onnxruntime"), ("skops", "skops.io")])
def test_a_missing_extra_is_named(tmp_path, monkeypatch, ending, library):
    (tmp_path / f"model.{ending}").write_bytes(b"")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sparsam\[models\]'"):
        load_model(tmp_path / f"model.{ending}")


def test_importing_is_light():
    code = (
        "import sys, sparsam.data.model._black_box, sparsam.data.model._own_records\n"
        "print([m for m in ('sklearn', 'torch', 'onnxruntime', 'pandas', 'joblib') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_onnx_without_an_input(tmp_path):
    constant = helper.make_node(
        "Constant", [], ["y"], value=helper.make_tensor("v", TensorProto.FLOAT, [2], [1.0, 2.0])
    )
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    graph = helper.make_graph([constant], "nothing", [], [out])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "nothing.onnx")
    with pytest.raises(ParameterError, match="no input"):
        black_box(tmp_path / "nothing.onnx")
