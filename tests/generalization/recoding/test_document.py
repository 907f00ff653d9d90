"""The saved form of a recoding: it comes back the same, and points at its own faults."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from sparsam._errors import DocumentError, ParameterError
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import Generalization, categorical_partition, numeric_partition
from sparsam.generalization.recoding._recoding import Recoding
from sparsam.generalization.recoding._tree import Branch, Leaf, Node

PUBLISHED = Path(__file__).resolve().parents[3] / "docs" / "recoding.schema.json"


def parts() -> tuple[Generalization, dict[str, Any], list[Node]]:
    towns = CategoricalDomain(("Bern", "Chur", 3, True))
    g = Generalization(
        [
            numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62], missing=3),
            numeric_partition("height", NumericDomain(0.5, 2.5), [1.5], beyond="error"),
            categorical_partition("town", towns, [["Bern", 3], ["Chur", True]], unseen=2),
            categorical_partition("flag", CategoricalDomain((True, False)), [[True, False]]),
        ],
        {"minimiser": "by hand"},
    )
    means: dict[str, Any] = {
        "age": [np.int64(9), 40.0, 70, None],
        "height": [1, np.float32(1.75)],
        "town": [3.0, True, "Bern"],
        "flag": [False],
    }
    nodes: list[Node] = [
        Branch("age", (3, 0), 1, 2),
        Leaf((), {"flag": True, "town": 3, "age": 9, "height": 1.25}, np.int64(1)),  # type: ignore[arg-type]
        Branch("age", (0, 1), 4, 3),
        Leaf(("town", "height"), {"age": 70, "flag": False}),
        Leaf((), {"age": 40, "height": 2, "town": "Davos", "flag": False}, 0.0),
    ]
    return g, means, nodes


def test_it_comes_back_the_same(tmp_path: Path) -> None:
    recoding = Recoding(*parts())
    again = Recoding.from_json(recoding.to_json())
    assert again == recoding
    assert again.to_json() == recoding.to_json()
    assert again.generalization == recoding.generalization
    assert again.nodes == recoding.nodes
    assert again.representatives == recoding.representatives
    recoding.save(tmp_path / "r.json")
    assert Recoding.load(tmp_path / "r.json") == recoding
    record = {"age": 66, "height": 2.0, "town": "Zug"}
    fed = again.apply_record(record)
    assert fed == {"age": 70, "height": 1.75, "town": "Bern", "flag": False}
    assert [type(value) for value in fed.values()] == [int, float, str, bool]
    kinds = [type(value) for value in again.representatives["height"]]
    assert kinds == [float, float]  # 1 is written without a point and comes back as 1.0


def test_the_order_of_what_is_given_does_not_matter() -> None:
    g, means, nodes = parts()
    other = [
        Leaf(n.asks[::-1], dict(reversed(n.record.items())), n.prediction)
        if isinstance(n, Leaf)
        else Branch(n.attribute, n.left[::-1], n.then, n.otherwise)
        for n in nodes
    ]
    assert Recoding(g, dict(reversed(means.items())), other) == Recoding(g, means, nodes)


def at(document: Any, path: tuple[Any, ...], value: Any) -> None:
    for step in path[:-1]:
        document = document[step]
    document[path[-1]] = value


DAMAGE: list[tuple[tuple[Any, ...], Any, str]] = [
    (("format",), "sparsam/generalization", "$.format"),
    (("version",), 2, "$.version"),
    (("surprise",), 1, "$"),
    (("attributes", 1, "name"), "age", "$.attributes[1].name"),
    (("attributes", 0, "cuts"), [62, 17], "$.attributes[0].cuts"),
    (("representatives", "age"), [9, 40, 70], "$.representatives.age"),
    (("representatives", "age"), "abcd", "$.representatives.age"),
    (("representatives", "age", 0), 17, "$.representatives.age[0]"),
    (("representatives", "age", 0), "9", "$.representatives.age[0]"),
    (("representatives", "age", 0), True, "$.representatives.age[0]"),
    (("representatives", "age", 0), 9.5, "$.representatives.age[0]"),
    (("representatives", "age", 0), None, "$.representatives.age[0]"),
    (("representatives", "age", 3), 9, "$.representatives.age[3]"),
    (("representatives", "height", 0), None, "$.representatives.height[0]"),
    (("representatives", "height", 1), 3, "$.representatives.height[1]"),
    (("representatives", "town", 0), "Zug", "$.representatives.town[0]"),
    (("representatives", "town", 1), 1, "$.representatives.town[1]"),
    (("representatives", "town", 0), [3], "$.representatives.town[0]"),
    (("representatives", "hat"), [1], "$.representatives"),
    (("representatives",), {}, "$.representatives"),
    (("nodes",), [], "$.nodes"),
    (("nodes", 0), 7, "$.nodes[0]"),
    (("nodes", 0), {}, "$.nodes[0]"),
    (("nodes", 0, "attribute"), "hat", "$.nodes[0].attribute"),
    (("nodes", 0, "attribute"), 1, "$.nodes[0].attribute"),
    (("nodes", 0, "surprise"), 1, "$.nodes[0]"),
    (("nodes", 0, "left"), [], "$.nodes[0].left"),
    (("nodes", 0, "left"), [0, 4], "$.nodes[0].left"),
    (("nodes", 0, "left"), [0, 0], "$.nodes[0].left"),
    (("nodes", 0, "left"), [0, -1], "$.nodes[0].left[1]"),
    (("nodes", 0, "left"), [0, 1, 2, 3], "$.nodes[0].left"),
    (("nodes", 2, "left"), [0, 3], "$.nodes[2].left"),
    (("nodes", 2, "left"), [1, 2], "$.nodes[2].left"),
    (("nodes", 0, "then"), 0, "$.nodes[0].then"),
    (("nodes", 0, "then"), 5, "$.nodes[0].then"),
    (("nodes", 0, "then"), 2, "$.nodes[0].otherwise"),
    (("nodes", 0, "then"), 3, "$.nodes[1]"),
    (("nodes", 2, "then"), 1, "$.nodes[2].then"),
    (("nodes", 2, "otherwise"), 2, "$.nodes[2].otherwise"),
    (("nodes", 2, "otherwise"), 4, "$.nodes[2].otherwise"),
    (("nodes", 3, "asks"), ["town", "hat"], "$.nodes[3].asks"),
    (("nodes", 3, "asks"), ["town"], "$.nodes[3].record"),
    (("nodes", 3, "asks"), ["town", "town", "height"], "$.nodes[3].asks"),
    (("nodes", 3, "asks"), ["town", "height", "flag"], "$.nodes[3].asks"),
    (("nodes", 3, "asks"), ["town", "height", "age"], "$.nodes[3].record.age"),
    (("nodes", 3, "prediction"), "no", "$.nodes[3].asks"),
    (("nodes", 3, "record", "hat"), 1, "$.nodes[3].record"),
    (("nodes", 3, "record", "age"), "seventy", "$.nodes[3].record.age"),
    (("nodes", 3, "record", "flag"), [], "$.nodes[3].record.flag"),
    (("nodes", 1, "record", "height"), None, "$.nodes[1].record.height"),
    (("nodes", 1, "record", "height"), 9, "$.nodes[1].record.height"),
    (("nodes", 1, "prediction"), {}, "$.nodes[1].prediction"),
    (("about",), [], "$.about"),
]


@pytest.mark.parametrize(("path", "value", "field"), DAMAGE)
def test_a_damaged_document_points_at_the_field(
    path: tuple[Any, ...], value: Any, field: str
) -> None:
    document = json.loads(Recoding(*parts()).to_json())
    at(document, path, value)
    with pytest.raises(DocumentError) as caught:
        Recoding.from_json(json.dumps(document))
    assert caught.value.path == field


def test_what_is_no_document_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DocumentError, match="not a saved recoding") as caught:
        Recoding.load(tmp_path / "broken.json")
    assert "broken.json" in caught.value.__notes__[0]


def test_the_constructor_refuses_the_same() -> None:
    g, means, nodes = parts()
    for value in (math.inf, -math.inf, object()):
        with pytest.raises(ParameterError, match="'height'"):
            Recoding(g, {**means, "height": [value, 2]}, nodes)
    with pytest.raises(ParameterError, match="finite number"):
        Recoding(g, means, [Leaf((), {**nodes[1].record}, math.inf)])
    with pytest.raises(ParameterError, match="A node must be"):
        Recoding(g, means, [{"asks": []}])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="at least one node"):
        Recoding(g, means, [])
    with pytest.raises(ParameterError, match="plain JSON"):
        Recoding(g, means, nodes, {"model": object()})


def test_a_long_chain_is_no_matter() -> None:
    n = 1_100
    domain = NumericDomain(0, n, integer=True)
    g = Generalization([numeric_partition("x", domain, list(range(1, n)))])
    nodes: list[Node] = []
    for i in range(n - 1):
        nodes += [Branch("x", (i,), 2 * i + 1, 2 * i + 2), Leaf((), {"x": i}, i % 2)]
    nodes.append(Leaf((), {"x": n}, 0))
    recoding = Recoding(g, {"x": list(range(n))}, nodes)
    assert Recoding.from_json(recoding.to_json()) == recoding
    assert recoding.apply_record({"x": n - 2}) == {"x": n - 2}
    assert str(recoding).count("\n") == 2 * n - 3


def test_the_published_schema_is_current() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == Recoding.schema(), (
        "docs/recoding.schema.json is out of date; write Recoding.schema() to it"
    )


def test_the_schema_takes_documents_and_refuses_bad_ones() -> None:
    schema = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    good = json.loads(Recoding(*parts()).to_json())
    validator.validate(good)
    for path, value in [
        (("nodes",), []),
        (("nodes", 0, "then"), "1"),
        (("nodes", 3, "asks"), "age"),
        (("representatives", "age"), 3),
    ]:
        bad = json.loads(json.dumps(good))
        at(bad, path, value)
        assert not validator.is_valid(bad)
