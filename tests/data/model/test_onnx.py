"""ONNX models answer as black boxes, or say what does not fit."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from onnx import TensorProto, helper

from sparsam._errors import DataError, ParameterError
from sparsam.data.model._black_box import black_box, load_model

AGE = np.array([12, 40, 17, 66, 30, 5])


PEOPLE = pd.DataFrame(
    {"age": AGE, "sex": ["f", "m", "m", "f", "m", "f"], "member": AGE % 2 == 0}, index=AGE + 100
)


ADULT = np.where(AGE < 18, "child", "adult")


NUMBERS = PEOPLE.assign(sex=(PEOPLE["sex"] == "f").astype(float))


LIBRARIES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "mapping": lambda frame: {name: frame[name].to_numpy() for name in frame},
}


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
