"""The file for the CNIL's tool: its shape, its golden copy, and what it may not say."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.report.regulator.described import BY_HAND, DESCRIBED, report

from sparsam._errors import ParameterError
from sparsam.data import NumericDomain, Roles
from sparsam.generalization import Generalization, numeric_partition

GOLDEN = Path(__file__).parent / "pia.json"
MOMENT = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"}
DATED = {"created_at": MOMENT, "updated_at": MOMENT}
TEXT = {"type": "string", "minLength": 1}


def thing(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# What PIA 4.1.0 reads. A file without one of the five parts is imported by half.
SHAPE = thing(
    {
        "pia": thing(
            {
                "name": TEXT,
                "category": {"type": "string"},
                "author_name": {"type": "string"},
                "evaluator_name": {"type": "string"},
                "validator_name": {"type": "string"},
                "status": {"const": 0},
                **DATED,
            }
        ),
        "answers": {
            "type": "array",
            "items": thing(
                {
                    "reference_to": {"enum": [121, 122, 213, 214, 215]},
                    "data": thing({"text": TEXT, "gauge": {"type": "null"}, "list": {"const": []}}),
                    **DATED,
                }
            ),
            "minItems": 5,
            "maxItems": 5,
        },
        "measures": {
            "type": "array",
            "items": thing(
                {
                    "id": {"type": "integer", "minimum": 1},
                    "title": TEXT,
                    "content": TEXT,
                    "placeholder": {"const": ""},
                    **DATED,
                }
            ),
        },
        "evaluations": {"const": []},
        "comments": {"const": []},
    }
)


class Elements(HTMLParser):
    """The elements and attributes of a piece of HTML, and whether it is well formed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[Any] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[Any]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def texts(document: dict[str, Any]) -> dict[int, str]:
    return {answer["reference_to"]: answer["data"]["text"] for answer in document["answers"]}


def described(**facts: Any) -> dict[str, Any]:
    return DESCRIBED.to_pia(date="2026-11-16", **facts)


def test_the_golden_file() -> None:
    document = described(
        title="Jobs", purpose="Find work", author="A. Turing", keep_days=90, reports=[report()]
    )
    jsonschema.validate(document, SHAPE)
    assert document == json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize("facts", [{}, {"keep_days": 1}, {"keep_days": 30, "mode": "rows"}])
@pytest.mark.parametrize("generalization", [DESCRIBED, BY_HAND])
def test_the_shape_is_that_of_the_tool(generalization: Any, facts: dict[str, Any]) -> None:
    document = generalization.to_pia(**facts)
    jsonschema.validate(json.loads(json.dumps(document)), SHAPE)
    parts = [*texts(document).values(), *(m["content"] for m in document["measures"])]
    for part in parts:
        assert Elements(part).tags <= {"p", "ul", "li", "strong"}


def test_a_file_without_a_part_does_not_have_the_shape() -> None:
    for part in ("pia", "answers", "measures", "evaluations", "comments"):
        document = described()
        del document[part]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document, SHAPE)


def test_special_categories_are_named() -> None:
    data = texts(described())[121]
    assert "<strong>disability</strong> (health): collected in 2 buckets" in data
    assert "<strong>employed</strong> (trade union membership): the outcome" in data
    assert "Art. 9(2)" in data
    # a name is a question to a person, and no declaration
    assert re.search(r"nobody has declared them to be: religion \(religious", data)
    declared = texts(described(roles=Roles(special={"religion": "religion"})))[121]
    assert "nobody has declared" not in declared
    assert "<strong>religion</strong> (religious or philosophical beliefs): not collected" in (
        declared
    )
    assert "is wrong for 41.0\u202f% (40.0–42.5\u202f%) of people" in declared


def test_minimisation_is_told_with_its_evidence() -> None:
    answer = texts(described(reports=[report()]))[213]
    assert "3 of 5 attributes are collected" in answer
    assert "accuracy within 2 points of everything collected, with 95 % confidence" in answer
    assert "Accuracy with what is collected: 81.3\u202f%" in answer
    assert "23.5\u202f% (23.1–23.9\u202f%) of people" in answer
    assert "28.6\u202f%" in answer
    assert "A3 knowledge" in answer
    assert "control" not in answer
    assert "race: &lt;Asian&gt;</strong>: 4.5 points (1.5 to 10.5), shown to be more" in answer
    assert answer.index("Asian") < answer.index("sex: f")
    assert "few" not in answer


def test_without_a_collector_nothing_is_said_of_one() -> None:
    document = described()
    assert [measure["title"] for measure in document["measures"]] == ["Minimisation at collection"]
    said = json.dumps(document)
    assert "receipt" not in said
    assert "To be filled in by a person: </strong>how long records are kept" in said
    titles = [measure["title"] for measure in described(keep_days=90)["measures"]]
    assert titles == [
        "Minimisation at collection",
        "Refusal at the door",
        "Storage without persons",
        "No logs of people",
    ]
    assert "90 days after the day" in texts(described(keep_days=90))[215]


def test_shares_without_a_value() -> None:
    assert "<li>age: 5\u202f%</li>" in texts(described())[214]
    assert "without a value" not in texts(BY_HAND.to_pia())[214]


def test_nothing_that_was_given_becomes_markup() -> None:
    odd = '<img src=x onerror="alert(1)">&amp;'
    named = numeric_partition(odd, NumericDomain(0, 9), [5], labels=["<script>", "</ul>"])
    hostile = Generalization([named], {"target": odd})
    document = hostile.to_pia(title=odd, purpose=odd, author=odd, keep_days=3)
    jsonschema.validate(document, SHAPE)
    for text in texts(document).values():
        elements = Elements(text)
        assert elements.tags <= {"p", "ul", "li", "strong"}
        assert elements.attributes == []


@pytest.mark.parametrize("facts", [{"keep_days": 0}, {"keep_days": 1.5}, {"mode": "people"}])
def test_bad_facts(facts: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="parameter of to_pia and to_article30"):
        DESCRIBED.to_pia(**facts)
