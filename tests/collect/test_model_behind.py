"""A model behind a generalization: what it is asked, and what its answers must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from sparsam._errors import DataError, ParameterError
from sparsam.collect._model_behind import ModelBehind
from sparsam.collect._step import GeneralizationStep
from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, numeric_partition

DOMAIN = NumericDomain(0, 99, integer=True)
G = Generalization(
    [
        numeric_partition("idle", DOMAIN, []),
        numeric_partition("age", DOMAIN, [17, 62]),
        numeric_partition("hours", DOMAIN, [35]),
    ]
)
CODES = np.array([[0, 1], [2, 0]])


def test_codes_and_labels() -> None:
    seen: list[dict[str, list[Any]]] = []

    def model(people: Any) -> Any:
        seen.append({name: values.tolist() for name, values in people.items()})
        return ["a", "b"]

    for takes in ("codes", "labels"):
        assert ModelBehind(model, G, takes).answers(CODES).tolist() == ["a", "b"]  # type: ignore[arg-type]
    assert seen == [
        {"age": [0, 2], "hours": [1, 0]},
        {"age": ["under 17", "62 and over"], "hours": ["35 and over", "under 35"]},
    ]
    assert ModelBehind(model, G, "codes").columns == ("age", "hours")


def test_where_nothing_is_collected_there_is_nothing_to_answer() -> None:
    nothing = Generalization([numeric_partition("age", DOMAIN, [])])
    with pytest.raises(ParameterError, match="collects none"):
        ModelBehind(lambda people: [0], nothing, "codes")


def test_one_answer_each() -> None:
    model = ModelBehind(lambda people: np.zeros((2, 3), int), G, "codes")
    with pytest.raises(DataError, match="Got 3 instead"):
        model.answers(CODES)


@pytest.mark.parametrize("pandas", [True, False], ids=["as it is", "no pandas"])
def test_a_pipeline_with_a_door_is_asked_by_names(
    monkeypatch: pytest.MonkeyPatch, pandas: bool
) -> None:
    if not pandas:
        monkeypatch.setattr("sparsam.data.model._records.find_spec", lambda name: None)
    door = GeneralizationStep(G, accept="generalized", encoding="codes")
    labels = {"age": ["under 17", "62 and over"], "hours": ["35 and over", "under 35"]}
    inner = make_pipeline(door, DecisionTreeClassifier())
    for model in (inner, make_pipeline(inner)):
        model.fit(labels, ["a", "b"])
        assert ModelBehind(model, G).answers(CODES).tolist() == ["a", "b"]


def _onnx(path: Path, kind: str) -> Path:
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    helper, proto = onnx.helper, onnx.TensorProto
    if kind == "matrix":
        inputs = [helper.make_tensor_value_info("x", proto.FLOAT, [None, 2])]
        weights = helper.make_tensor("w", proto.FLOAT, [2, 1], [1.0, 10.0])
        nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
        outputs = [helper.make_tensor_value_info("y", proto.FLOAT, [None, 1])]
        graph = helper.make_graph(nodes, "g", inputs, outputs, [weights])
    else:
        inputs = [
            helper.make_tensor_value_info(name, proto.STRING, [None]) for name in ("hours", "age")
        ]
        nodes = [helper.make_node("Identity", ["age"], ["y"])]
        outputs = [helper.make_tensor_value_info("y", proto.STRING, [None])]
        graph = helper.make_graph(nodes, "g", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(path))
    return path


def test_onnx_of_codes(tmp_path: Path) -> None:
    path = _onnx(tmp_path / "m.onnx", "matrix")
    assert ModelBehind(path, G, "codes").answers(CODES).tolist() == [10.0, 2.0]


def test_onnx_of_labels(tmp_path: Path) -> None:
    path = _onnx(tmp_path / "m.onnx", "texts")
    answers = ModelBehind(path, G, "labels").answers(CODES)
    assert answers.tolist() == ["under 17", "62 and over"]
    with pytest.raises(ParameterError, match="must be said"):
        ModelBehind(path, G)
