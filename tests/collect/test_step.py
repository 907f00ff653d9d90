"""The door of a model: raw records are generalized at it, nothing finer passes it."""

from __future__ import annotations

import io
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sparsam import GeneralizationStep
from sparsam._errors import DataError, DocumentError, ParameterError, RoleError
from sparsam.data import CategoricalDomain, NumericDomain, Roles, read
from sparsam.generalization import Generalization, categorical_partition, numeric_partition
from sparsam.minimise import Uniform

AGE = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62])
SEX = categorical_partition("sex", CategoricalDomain(("f", "m")), [["f"], ["m"]])
TOWN = categorical_partition("town", CategoricalDomain(("a", "b", "c")), [["a"], ["b", "c"]])
RACE = categorical_partition("race", CategoricalDomain(("x", "y")), [["x", "y"]])
ARTIFACT = Generalization([AGE, SEX, TOWN, RACE])
RAW = [
    {"age": 40, "sex": "f", "town": "a", "race": "x"},
    {"age": 70, "sex": "m", "town": "c", "race": "y"},
    {"age": 5, "sex": "m", "town": "b", "race": "x"},
]
CODES = [[1, 0, 0], [2, 1, 1], [0, 1, 1]]


@pytest.fixture(scope="module")
def people(make_people):
    return make_people(200)


@pytest.fixture(scope="module")
def learned(people):
    return Uniform(Roles("works"), buckets=2).fit(people).generalization_


@pytest.fixture(scope="module")
def model(people, learned):
    pipeline = make_pipeline(GeneralizationStep(learned), LogisticRegression())
    return pipeline.fit(people.drop(columns="works"), people["works"])


FORMS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "pyarrow": pa.Table.from_pandas,
    "dict": lambda frame: {name: frame[name].tolist() for name in frame},
    "records": lambda frame: frame.to_dict("records"),
}


@pytest.mark.parametrize("form", FORMS)
def test_raw_and_generalized_records_get_the_same_answer(model, people, learned, form):
    raw = people.drop(columns="works")
    expected = model.predict(raw)
    assert len(set(expected)) == 2
    np.testing.assert_array_equal(model.predict(FORMS[form](raw)), expected)
    generalized = learned.apply(raw)
    np.testing.assert_array_equal(model.predict(FORMS[form](generalized)), expected)


@pytest.mark.parametrize("form", ["polars", "pyarrow"])
def test_what_apply_gives_is_accepted(model, people, learned, form):
    raw = people.drop(columns="works")
    given = learned.apply(FORMS[form](raw))
    np.testing.assert_array_equal(model.predict(given), model.predict(raw))


def test_a_model_trained_on_raw_answers_one_generalized_record(model, learned, people):
    record = people.drop(columns="works").to_dict("records")[0]
    assert model.predict([learned.apply_record(record)]) == model.predict([record])


def test_raw_and_generalized_values_in_one_record():
    door = GeneralizationStep(ARTIFACT, encoding="codes").fit()
    mixed = [{"age": "17–61", "sex": "f", "town": "c"}, {"age": 80, "sex": "m", "town": "b, c"}]
    assert door.transform(mixed).tolist() == [[1, 0, 1], [2, 1, 1]]


@pytest.mark.parametrize(
    ("encoding", "expected", "names"),
    [
        ("codes", CODES, ["age", "sex", "town"]),
        (
            "labels",
            [["17–61", "f", "a"], ["62 and over", "m", "b, c"], ["under 17", "m", "b, c"]],
            ["age", "sex", "town"],
        ),
        (
            "onehot",
            [[0, 1, 0, 1, 0, 1, 0], [0, 0, 1, 0, 1, 0, 1], [1, 0, 0, 0, 1, 0, 1]],
            [
                "age=under 17",
                "age=17–61",
                "age=62 and over",
                "sex=f",
                "sex=m",
                "town=a",
                "town=b, c",
            ],
        ),
    ],
)
def test_encodings(encoding, expected, names):
    door = GeneralizationStep(ARTIFACT, encoding=encoding).fit()
    assert door.transform(RAW).tolist() == expected
    assert door.get_feature_names_out().tolist() == names
    assert door.feature_names_in_.tolist() == ["age", "sex", "town"]
    assert door.n_features_in_ == 3


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("encoding", ["codes", "labels", "onehot"])
def test_set_output(library, encoding):
    door = GeneralizationStep(ARTIFACT, encoding=encoding).set_output(transform=library).fit()
    made = door.transform(pd.DataFrame(RAW))
    assert list(made.columns) == door.get_feature_names_out().tolist()
    plain = GeneralizationStep(ARTIFACT, encoding=encoding).fit().transform(RAW)
    assert made.to_numpy().tolist() == plain.tolist()


def test_full_resolution_is_refused_and_not_shown():
    door = GeneralizationStep(ARTIFACT, accept="generalized").fit()
    record = {"age": 43, "sex": "f", "town": "a"}
    with pytest.raises(DataError, match=r"'age' must hold labels.*1 of 1") as caught:
        door.transform([record])
    assert "43" not in str(caught.value)
    with pytest.raises(DataError, match="'town' must hold labels") as caught:
        door.transform([{"age": "17–61", "sex": "f", "town": "c"}])
    assert "c'" not in str(caught.value)
    # a bucket with one category is that category: nothing is finer
    assert door.transform([{"age": "17–61", "sex": "f", "town": "a"}]).shape == (1, 7)


def test_refused_values_are_counted():
    door = GeneralizationStep(ARTIFACT, accept="generalized").fit()
    with pytest.raises(DataError, match="2 of 3 values"):
        door.transform({"age": ["17–61", "18", 19], "sex": ["f"] * 3, "town": ["a"] * 3})


@pytest.mark.parametrize("form", FORMS)
def test_attributes_not_to_be_collected_are_refused(form):
    door = GeneralizationStep(ARTIFACT, accept="generalized").fit()
    frame = pd.DataFrame([{**ARTIFACT.apply_record(record), "race": "x"} for record in RAW])
    with pytest.raises(DataError, match="not to be collected, but were sent: race"):
        door.transform(FORMS[form](frame))
    assert door.transform(FORMS[form](frame.drop(columns="race"))).shape == (3, 7)


def test_other_columns_do_not_matter():
    door = GeneralizationStep(ARTIFACT, accept="generalized").fit()
    assert door.transform([{**ARTIFACT.apply_record(RAW[0]), "note": 1}]).shape == (1, 7)


def test_labels_are_no_raw_values():
    door = GeneralizationStep(ARTIFACT, accept="raw").fit()
    assert door.transform(RAW).shape == (3, 7)
    with pytest.raises(DataError, match="'age'"):
        door.transform([{"age": "17–61", "sex": "f", "town": "a"}])
    with pytest.raises(DataError, match="'town'"):
        door.transform([{"age": 3, "sex": "f", "town": "b, c"}])


MISSING = [None, float("nan"), np.nan, pd.NA, pd.NaT]


@pytest.mark.parametrize("accept", ["either", "raw", "generalized"])
@pytest.mark.parametrize("value", MISSING, ids=str)
def test_missing_values_have_their_bucket(accept, value):
    age = numeric_partition("age", NumericDomain(0, 99, integer=True), [17], missing=2)
    sex = categorical_partition("sex", SEX.domain, [["f"], ["m"]], missing=1)
    door = GeneralizationStep(Generalization([age, sex]), accept=accept, encoding="codes").fit()
    assert door.transform([{"age": value, "sex": value}]).tolist() == [[2, 1]]


@pytest.mark.parametrize("accept", ["either", "raw", "generalized"])
def test_missing_values_without_a_bucket_are_refused(accept):
    door = GeneralizationStep(ARTIFACT, accept=accept).fit()
    with pytest.raises(DataError, match="'sex' is missing"):
        door.transform(
            [{"age": "17–61" if accept == "generalized" else 40, "sex": None, "town": "a"}]
        )


@pytest.mark.parametrize("dtype", ["string", "category", "object"])
def test_missing_labels_in_pandas(dtype):
    sex = categorical_partition("sex", SEX.domain, [["f"], ["m"]], missing=2)
    door = GeneralizationStep(Generalization([sex]), accept="generalized", encoding="codes").fit()
    column = pd.Series(["f", None, "m"], dtype=dtype)
    assert door.transform(pd.DataFrame({"sex": column})).tolist() == [[0], [2], [1]]


def test_a_label_that_is_a_category_of_another_bucket():
    domain = CategoricalDomain(("a", "b", "c"))
    swapped = categorical_partition("x", domain, [["a"], ["b", "c"]], labels=["b", "a"])
    artifact = Generalization([swapped])
    with pytest.raises(ParameterError, match=r"'x' is also a category of another bucket"):
        GeneralizationStep(artifact).fit()
    raw = GeneralizationStep(artifact, accept="raw", encoding="codes").fit()
    assert raw.transform([{"x": "a"}]).tolist() == [[0]]
    worded = GeneralizationStep(artifact, accept="generalized", encoding="codes").fit()
    assert worded.transform([{"x": "a"}]).tolist() == [[1]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("encoding", ["codes", "labels", "onehot"])
def test_nothing_collected_keeps_the_rows(people, form, encoding):
    nothing = Generalization.nothing(read(people))
    door = GeneralizationStep(nothing, encoding=encoding).fit()
    assert door.transform(FORMS[form](people)).shape == (200, 0)
    assert door.get_feature_names_out().shape == (0,)


def test_nothing_collected_and_nothing_sent(people):
    door = GeneralizationStep(Generalization.nothing(read(people)), accept="generalized").fit()
    assert door.transform([{}, {}]).shape == (2, 0)
    assert door.transform(people[[]]).shape == (200, 0)
    assert door.set_output(transform="pandas").transform(people[[]]).shape == (200, 0)


def test_no_records():
    assert GeneralizationStep(ARTIFACT).fit().transform([]).shape == (0, 7)


def test_from_a_path(tmp_path):
    ARTIFACT.save(tmp_path / "g.json")
    for path in (tmp_path / "g.json", str(tmp_path / "g.json")):
        door = GeneralizationStep(path, encoding="codes").fit()
        assert door.transform(RAW).tolist() == CODES
        assert door.generalization_ == ARTIFACT
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(DocumentError):
        GeneralizationStep(tmp_path / "bad.json").fit()
    with pytest.raises(FileNotFoundError):
        GeneralizationStep(tmp_path / "none.json").fit()


def test_clone_pickle_and_joblib(model, people):
    raw = people.drop(columns="works")
    expected = model.predict_proba(raw)
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    copies = [
        clone(model).fit(raw, people["works"]),
        pickle.loads(pickle.dumps(model)),  # noqa: S301 - our own bytes
        joblib.load(file),
    ]
    for copy in copies:
        np.testing.assert_array_equal(copy.predict_proba(raw), expected)
    assert clone(model[0]).get_params() == model[0].get_params()


def test_the_pipeline_names_its_features(model):
    names = model[:-1].get_feature_names_out()
    assert len(names) == model[-1].n_features_in_
    assert names[0].startswith("age=")


def test_its_repr_shows_no_labels():
    assert "17–61" not in repr(GeneralizationStep(ARTIFACT))


@pytest.mark.parametrize("name", ["accept", "encoding"])
def test_wrong_parameters(name):
    with pytest.raises(ParameterError, match=f"'{name}' parameter.*Got 'no' instead"):
        GeneralizationStep(ARTIFACT, **{name: "no"}).fit()


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ([{"age": 4, "sex": "f"}], DataError, "'town'.*1 of 1 lack it"),
        (pd.DataFrame({"age": [4], "sexx": ["f"], "town": ["a"]}), RoleError, "'sex' is not"),
        ([1, 2], DataError, "2 of 2 are something else"),
        ({"age": [1, 2], "sex": ["f"], "town": ["a", "b"]}, DataError, "'sex' must have a value"),
        ({"age": 40, "sex": "f", "town": "a"}, DataError, "list of values"),
        (np.array([[40, 0, 0]]), RoleError, "'age' is not a column"),
    ],
)
def test_records_of_another_shape(given, error, said):
    with pytest.raises(error, match=said):
        GeneralizationStep(ARTIFACT).fit().transform(given)


def test_transform_before_fit():
    with pytest.raises(Exception, match="not fitted"):
        GeneralizationStep(ARTIFACT).transform(RAW)


def test_an_attribute_of_many_buckets_needs_no_square_matrix():
    names = [f"c{i}" for i in range(60_000)]
    many = categorical_partition("x", CategoricalDomain(tuple(names)), [[name] for name in names])
    step = GeneralizationStep(Generalization([many])).fit()
    made = step.transform({"x": ["c7", "c59999"]})
    assert made.shape == (2, 60_000)
    assert made[0, 7] == made[1, 59_999] == made.sum() / 2 == 1
