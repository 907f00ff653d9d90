"""The pydantic model, executed."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from tests.collect.exports.asked import ODD_LABELS, ODD_NAMES, PEOPLE, SPARED, odd

from sparsam._errors import ParameterError
from sparsam.collect._target import Target
from sparsam.generalization import Generalization

pydantic = pytest.importorskip("pydantic", reason="pydantic is not here")
WORKS = Target("works", ("no", "yes"))


def model_in(module: str) -> Any:
    """The class that the text of a module defines."""
    space: dict[str, Any] = {"__name__": "record"}
    exec(compile(module, "record.py", "exec", dont_inherit=True), space)
    return space["Record"]


def test_a_record_of_buckets() -> None:
    record = model_in(PEOPLE.to_pydantic(target=WORKS))
    sent = {**PEOPLE.apply_record({"age": 40, "way_to_work": "tram"}, "codes"), "works": 1}
    assert record.model_validate_json(json.dumps(sent)).model_dump() == sent
    assert record(**sent).age == 1
    schema = record.model_json_schema()["properties"]["age"]
    assert (schema["minimum"], schema["maximum"]) == (0, 3)
    assert schema["description"] == "0: under 17; 1: 17–61; 2: 62 and over; 3: missing"


@pytest.mark.parametrize("finer", [40, 4, -1, True, 1.0, "1", None, [1], "17–61"])
def test_anything_finer_is_refused(finer: Any) -> None:
    record = model_in(PEOPLE.to_pydantic())
    assert record(age=1, way_to_work=0)
    with pytest.raises(pydantic.ValidationError) as refused:
        record(age=finer, way_to_work=0)
    assert "input" not in refused.value.errors(include_input=False, include_url=False)[0]
    with pytest.raises(pydantic.ValidationError):
        record.model_validate_json(json.dumps({"age": finer, "way_to_work": 0}))


def test_errors_do_not_repeat_what_was_sent() -> None:
    record = model_in(PEOPLE.to_pydantic())
    for sent in ({"age": "Canary", "way_to_work": 0}, {"age": 1, "way_to_work": 0, "x": "Canary"}):
        with pytest.raises(pydantic.ValidationError) as refused:
            record(**sent)
        assert "Canary" not in str(refused.value)
        assert "Canary" not in str(refused.value.errors(include_input=False))


def test_attributes_that_are_absent_or_unknown() -> None:
    record = model_in(PEOPLE.to_pydantic())
    for sent in ({"age": 1}, {"age": 1, "way_to_work": 0, "income": 0}):
        with pytest.raises(pydantic.ValidationError):
            record(**sent)


def test_labels() -> None:
    record = model_in(PEOPLE.to_pydantic(target=WORKS, output="labels"))
    sent = {**PEOPLE.apply_record({"age": 40, "way_to_work": "tram"}), "works": "yes"}
    assert record(**sent).model_dump() == sent
    with pytest.raises(pydantic.ValidationError):
        record(**{**sent, "age": 1})


@pytest.mark.parametrize("output", ["codes", "labels"])
def test_odd_names_and_labels(output: Any) -> None:
    module = odd().to_pydantic(output=output)
    module.encode("utf-8")
    assert "\u202e" not in module
    record = model_in(module)
    values = range(len(ODD_LABELS)) if output == "codes" else ODD_LABELS
    for value in values:
        sent = dict.fromkeys(ODD_NAMES, value)
        assert record.model_validate(sent).model_dump(by_alias=True) == sent
    calls = [node for node in ast.walk(ast.parse(module)) if isinstance(node, ast.Call)]
    assert {ast.unparse(call.func) for call in calls} == {"ConfigDict", "Field"}


def test_bad_parameters() -> None:
    with pytest.raises(ParameterError, match="'output' parameter of to_pydantic"):
        PEOPLE.to_pydantic(output="words")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="nothing to ask for"):
        Generalization([SPARED]).to_pydantic()
