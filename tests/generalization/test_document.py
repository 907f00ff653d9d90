"""A saved generalization comes back as it was; a damaged one says where it is damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DocumentError, ParameterError
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import (
    Generalization,
    categorical_partition,
    numeric_partition,
)

PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "generalization.schema.json"


def example() -> Generalization:
    town = CategoricalDomain(("Bern", "Genève", "O'Brien", 3, 2.5, "3"))
    return Generalization(
        [
            numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62], missing=3),
            numeric_partition("height", NumericDomain(0.5, 2.5), [1.625], beyond="error"),
            categorical_partition("town", town, [["Bern", 3], ["Genève", "O'Brien", 2.5, "3"]]),
            categorical_partition("flag", CategoricalDomain((True, False)), [[True, False]]),
        ],
        {"minimiser": "by hand", "seed": 7, "parameters": {"leaves": [2, 4]}, "share": 0.25},
    )


def test_a_saved_generalization_comes_back_equal(tmp_path: Path) -> None:
    g = example()
    g.save(tmp_path / "g.json")
    loaded = Generalization.load(tmp_path / "g.json")
    assert loaded == g
    assert hash(loaded) == hash(g)
    assert loaded.about == g.about
    assert loaded["flag"].bucket(True) == 0
    assert Generalization.from_json(g.to_json().encode()) == g


def test_the_document_is_readable() -> None:
    text = example().to_json()
    assert '"cuts": [17, 62]' in text
    assert "Genève" in text
    assert '"labels": ["under 17", "17–61", "62 and over", "missing"]' in text


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
numbers = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e15, 1e15)


@st.composite
def numeric(draw: st.DrawFn) -> Any:
    ends = draw(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=8, unique=True))
    low, *cuts, high = sorted(ends)
    missing = draw(st.none() | st.integers(0, len(cuts) + 1))
    beyond = draw(st.sampled_from(["clamp", "error"]))
    return numeric_partition(
        draw(texts.filter(bool)), NumericDomain(low, high), cuts, missing, beyond
    )


@st.composite
def categorical(draw: st.DrawFn) -> Any:
    values = draw(
        st.lists(texts, min_size=1, max_size=6, unique=True)
        | st.lists(numbers, min_size=1, max_size=6, unique=True)
        | st.just([True, False])
    )
    marks = draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    groups = [[v for v, m in zip(values, marks, strict=True) if m == k] for k in sorted(set(marks))]
    missing = draw(st.none() | st.integers(0, len(groups)))
    unseen = draw(st.none() | st.integers(0, len(groups)))
    domain = CategoricalDomain(tuple(values), draw(st.booleans()))
    return categorical_partition(draw(texts.filter(bool)), domain, groups, missing, unseen)


@settings(deadline=None)
@given(st.lists(numeric() | categorical(), min_size=1, max_size=4, unique_by=lambda p: p.name))
def test_load_undoes_save(partitions: list[Any]) -> None:
    g = Generalization(partitions, {"n": len(partitions)})
    again = Generalization.from_json(g.to_json())
    assert again == g
    assert again.partitions == g.partitions
    assert again.to_json() == g.to_json()
    assert all(len(set(p.labels)) == p.n_buckets for p in g)
    jsonschema.validate(json.loads(g.to_json()), Generalization.schema())


def at(*path: Any) -> Callable[[Any, Any], None]:
    def change(document: Any, value: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


DAMAGE: list[tuple[tuple[Any, ...], Any, str]] = [
    (("format",), "other/thing", "$.format"),
    (("version",), 2, "$.version"),
    (("version",), True, "$.version"),
    (("attributes",), [], "$.attributes"),
    (("attributes",), None, "$.attributes"),
    (("attributes", 0, "cuts"), [62, 17], "$.attributes[0].cuts"),
    (("attributes", 0, "cuts"), [17, 17], "$.attributes[0].cuts"),
    (("attributes", 0, "cuts"), [17.5, 62], "$.attributes[0].cuts"),
    (("attributes", 0, "cuts"), [0, 62], "$.attributes[0].cuts"),
    (("attributes", 0, "cuts"), [17, 100], "$.attributes[0].cuts"),
    (("attributes", 0, "cuts", 1), "62", "$.attributes[0].cuts[1]"),
    (("attributes", 0, "cuts", 1), None, "$.attributes[0].cuts[1]"),
    (("attributes", 0, "labels"), ["a", "b"], "$.attributes[0].labels"),
    (("attributes", 0, "labels"), ["a", "b", "b", "c"], "$.attributes[0].labels"),
    (("attributes", 0, "missing"), 4, "$.attributes[0].missing"),
    (("attributes", 0, "missing"), -1, "$.attributes[0].missing"),
    (("attributes", 0, "missing"), True, "$.attributes[0].missing"),
    (("attributes", 0, "name"), "", "$.attributes[0].name"),
    (("attributes", 0, "type"), "other", "$.attributes[0].type"),
    (("attributes", 0, "surprise"), 1, "$.attributes[0]"),
    (("attributes", 0, "domain", "low"), 100, "$.attributes[0].domain"),
    (("attributes", 1, "beyond"), "wrap", "$.attributes[1].beyond"),
    (("attributes", 1, "name"), "age", "$.attributes[1].name"),
    (("attributes", 2, "groups", 0), ["Bern"], "$.attributes[2].groups"),
    (("attributes", 2, "groups", 0), ["Bern", 3, 4], "$.attributes[2].groups"),
    (("attributes", 2, "groups", 0), ["Bern", 3, "3"], "$.attributes[2].groups"),
    (("attributes", 2, "groups", 0), [], "$.attributes[2].groups[0]"),
    (("attributes", 2, "unseen"), 3, "$.attributes[2].unseen"),
    (("attributes", 2, "domain", "categories", 0), "Genève", "$.attributes[2].domain"),
    (("attributes", 2, "domain", "categories", 3), 2**60, "$.attributes[2].domain.categories"),
    (("about",), [], "$.about"),
]


@pytest.mark.parametrize(("path", "value", "field"), DAMAGE)
def test_a_damaged_document_points_at_the_field(
    path: tuple[Any, ...], value: Any, field: str
) -> None:
    document = json.loads(example().to_json())
    at(*path)(document, value)
    with pytest.raises(DocumentError) as caught:
        Generalization.from_json(json.dumps(document))
    assert caught.value.path == field
    assert f"`{field}`" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "line 1, column 1"),
        ("{", "line 1"),
        ("[1]", "An object"),
        ("null", "An object"),
        (b"\xff\xfe\x00\xd8", "UTF-8|JSON"),
        ('{"format": "sparsam/generalization", "version": NaN}', "finite"),
        ('{"format": "a", "format": "b"}', "'format' must occur once"),
        ("[" * 100_000, "JSON|deep"),
    ],
)
def test_what_is_no_document_at_all_is_refused(text: Any, match: str) -> None:
    with pytest.raises(DocumentError, match=match):
        Generalization.from_json(text)


def test_a_key_that_occurs_twice_is_found_deep_inside() -> None:
    text = example().to_json().replace('"cuts": [17, 62],', '"cuts": [17, 62], "cuts": [1],')
    with pytest.raises(DocumentError) as caught:
        Generalization.from_json(text)
    assert caught.value.path == "$.attributes[0]"


def test_the_file_is_named_in_a_note(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        Generalization.load(tmp_path / "broken.json")
    assert "broken.json" in caught.value.__notes__[0]


def test_about_must_be_plain() -> None:
    with pytest.raises(ParameterError, match="plain JSON"):
        Generalization(example().partitions, {"model": object()})


def test_the_published_schema_is_current() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == Generalization.schema(), (
        "docs/generalization.schema.json is out of date; write Generalization.schema() to it"
    )


def test_the_schema_takes_documents_and_refuses_bad_ones() -> None:
    schema = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(json.loads(example().to_json()))
    refused = 0
    for path, value, _ in DAMAGE:
        document = json.loads(example().to_json())
        at(*path)(document, value)
        refused += not validator.is_valid(document)
    for path in (("format",), ("attributes", 0, "cuts"), ("attributes", 2, "groups")):
        document = json.loads(example().to_json())
        at(*path)(document, {"not": "this"})
        assert not validator.is_valid(document)
    assert refused >= len(DAMAGE) / 2


def test_whole_numbers_over_all_floats_are_described() -> None:
    part = numeric_partition("x", NumericDomain(-1e308, 1.7e308, integer=True), [0])
    assert part.before() == "numbers -1e+308 to 1.7e+308"
    assert Generalization.from_json(Generalization([part]).to_json())["x"] == part


@pytest.mark.parametrize("about", [{"a": 2**70}, {"a": "\ud800"}, {"a": object()}])
def test_about_that_cannot_be_saved_is_refused(about: Any) -> None:
    with pytest.raises(ParameterError, match="plain JSON"):
        Generalization(example().partitions, about)


def test_about_must_not_be_deep() -> None:
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(ParameterError, match="deep"):
        Generalization(example().partitions, {"a": deep})


def test_one_long_name_does_not_widen_every_line() -> None:
    parts = [numeric_partition(name, NumericDomain(0, 9), [5]) for name in ("x" * 10**5, "y")]
    lines = str(Generalization(parts)).split("\n")
    assert len(lines[1]) > 10**5
    assert len(lines[2]) < 1_000
