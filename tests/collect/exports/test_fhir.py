"""The FHIR Questionnaire: its structure by fhir.resources, its values by tables of our own."""

from __future__ import annotations

import importlib
import json
import re
from typing import Any

import pytest
from tests.collect.exports.asked import ODD_NAMES, PEOPLE, SPARED, odd

from sparsam._errors import ParameterError
from sparsam.collect._target import Target
from sparsam.generalization import Generalization

VERSIONS = ("R5", "R4")
MODULES = {"R5": "fhir.resources.questionnaire", "R4": "fhir.resources.R4B.questionnaire"}
# fhir.resources takes any text for a code, so these are the value sets of the specification
BOTH_TYPES = {
    *("group", "display", "boolean", "decimal", "integer", "date", "dateTime", "time", "string"),
    *("text", "url", "attachment", "reference", "quantity"),
}
TYPES = {
    "R5": BOTH_TYPES | {"question", "coding"},
    "R4": BOTH_TYPES | {"choice", "open-choice"},
}
STATUS = {"draft", "active", "retired", "unknown"}
CONSTRAINTS = {"optionsOnly", "optionsOrType", "optionsOrString"}
WITH_OPTIONS = {"coding", "choice", "open-choice", "decimal", "integer", "date", "dateTime", "time"}


def wrong_in(questionnaire: dict[str, Any], version: str) -> list[str]:
    """What breaks a rule of the specification that is about values, not about structure."""
    wrong = []
    if questionnaire["status"] not in STATUS:
        wrong.append("status")
    if not re.fullmatch(r"[A-Z][A-Za-z0-9_]{1,254}", questionnaire["name"]):
        wrong.append("name")
    links = [item["linkId"] for item in questionnaire["item"]]
    if len(set(links)) != len(links):
        wrong.append("que-2: linkIds are unique")
    for item in questionnaire["item"]:
        if not re.fullmatch(r"\S.{0,253}\S|\S", item["linkId"]):
            wrong.append("linkId")
        if item["type"] not in TYPES[version]:
            wrong.append("type")
        if version == "R5" and item["answerConstraint"] not in CONSTRAINTS:
            wrong.append("answerConstraint")
        if version == "R4" and "answerConstraint" in item:
            wrong.append("answerConstraint is of R5")
        if "answerOption" in item and item["type"] not in WITH_OPTIONS | {"string", "text"}:
            wrong.append("que-5: options for such a type")
        options = item["answerOption"]
        if any([*option] != ["valueCoding"] for option in options):
            wrong.append("one value for each option")
        codes = [option["valueCoding"]["code"] for option in options]
        if codes != [str(bucket) for bucket in range(len(options))]:
            wrong.append("codes are buckets")
        if not all(option["valueCoding"]["display"].strip() for option in options):
            wrong.append("display")
    return wrong


def read_by(version: str, questionnaire: dict[str, Any]) -> dict[str, Any]:
    """What fhir.resources makes of a questionnaire."""
    module = pytest.importorskip(MODULES[version], reason="fhir.resources is not here")
    assert module is importlib.import_module(MODULES[version])
    read = module.Questionnaire.model_validate(questionnaire)
    found: dict[str, Any] = json.loads(read.model_dump_json())
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_it_asks_for_buckets(version: Any) -> None:
    asked = PEOPLE.to_fhir(version=version, target=Target("works", ("no", "yes")), title="Survey")
    assert wrong_in(asked, version) == []
    back = read_by(version, asked)
    assert (back["title"], back["language"]) == ("Survey", "en")
    assert [item["linkId"] for item in back["item"]] == ["age", "way_to_work", "works"]
    age = back["item"][0]
    assert age["required"] is True
    assert age["type"] == ("coding" if version == "R5" else "choice")
    displays = [option["valueCoding"]["display"] for option in age["answerOption"]]
    assert displays == ["under 17", "17–61", "62 and over", "no answer"]
    assert all("system" not in option["valueCoding"] for option in age["answerOption"])


@pytest.mark.parametrize("version", VERSIONS)
def test_odd_names_and_labels(version: Any) -> None:
    asked = odd().to_fhir(version=version, url="https://example.org/Questionnaire/people")
    assert wrong_in(asked, version) == []
    read_by(version, asked)
    names = [
        item.get("code", [{"display": item["linkId"]}])[0]["display"] for item in asked["item"]
    ]
    assert names == list(ODD_NAMES)
    systems = {
        option["valueCoding"]["system"] for item in asked["item"] for option in item["answerOption"]
    }
    assert len(systems) == len(ODD_NAMES)
    assert all(re.fullmatch(r"https://example\.org/Questionnaire/people/\w+", s) for s in systems)
    assert json.loads(json.dumps(asked)) == asked


def test_our_checks_can_fail() -> None:
    asked = PEOPLE.to_fhir()
    asked["status"], asked["item"][0]["type"] = "nonsense", "choice"
    asked["item"][1]["linkId"] = "age"
    assert wrong_in(asked, "R5") == ["status", "que-2: linkIds are unique", "type"]


@pytest.mark.parametrize("url", ["people", "https://x#y", "https://a b", "", 7])
def test_addresses_that_are_none(url: Any) -> None:
    with pytest.raises(ParameterError, match="'url' parameter of to_fhir"):
        PEOPLE.to_fhir(url=url)


def test_other_versions_and_nothing_to_ask() -> None:
    with pytest.raises(ParameterError, match="'version' parameter of to_fhir"):
        PEOPLE.to_fhir(version="R3")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="nothing to ask for"):
        Generalization([SPARED]).to_fhir()
