"""Models in files run no code that was not trusted."""

from __future__ import annotations

import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sparsam._errors import DataError, MissingExtraError, ParameterError
from sparsam.data.model._black_box import load_model

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
