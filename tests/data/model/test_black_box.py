"""Models of every kind, seen through their answers only."""

from __future__ import annotations

import subprocess
import sys
import traceback

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sparsam._errors import DataError, ParameterError
from sparsam.data.model._black_box import BlackBox, black_box
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


# --- files -----------------------------------------------------------------------------------


def test_importing_is_light():
    code = (
        "import sys, sparsam.data.model._black_box, sparsam.data.model._own_records\n"
        "print([m for m in ('sklearn', 'torch', 'onnxruntime', 'pandas', 'joblib') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
