"""Records come in the shape that a model takes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import sparsam.data.model._records
from sparsam._errors import ParameterError
from sparsam.data.model._black_box import black_box

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


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_column_that_is_not_there_is_named(library):
    with pytest.raises(ParameterError, match=r"They lack 'sex'. Did you mean 'sexx'"):
        black_box(pipeline()).predict(LIBRARIES[library](PEOPLE.rename(columns={"sex": "sexx"})))
