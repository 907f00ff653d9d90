"""The artifact as a whole: immutable, equal by value, codes, records, rendering."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, DocumentError, ParameterError
from sparsam.data import CategoricalDomain, NumericDomain, read
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

COLOURS = CategoricalDomain(("red", "green", "<b>blue</b>"))


def example() -> Generalization:
    return Generalization(
        [
            numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62], missing=3),
            categorical_partition("colour", COLOURS, [["red"], ["green", "<b>blue</b>"]]),
            numeric_partition("height", NumericDomain(0.5, 2.5), []),
        ],
        {"seed": 1},
    )


def test_it_knows_what_it_collects() -> None:
    g = example()
    assert g.names == ("age", "colour", "height")
    assert g.collected == ("age", "colour")
    assert g.n_buckets == 7
    assert len(g) == 3
    assert g["age"].n_buckets == 4
    assert "age" in g
    assert "weight" not in g
    assert [partition.name for partition in g] == list(g.names)


def test_it_is_immutable_and_equal_by_value() -> None:
    g = example()
    with pytest.raises(AttributeError, match="immutable"):
        g.partitions = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        g["age"].cuts = ()  # type: ignore[misc, union-attr]
    g.about["seed"] = 2
    assert g.about == {"seed": 1}
    assert g == example()
    assert len({g, example()}) == 1
    assert g != g.with_about({})
    assert g.partitions == g.with_about({}).partitions
    assert g != "g"
    assert pickle.loads(pickle.dumps(g)) == g  # noqa: S301


def test_facts_from_numpy_become_plain() -> None:
    about = {"seed": np.int64(3), "scores": np.array([0.5, 1.0])}
    assert example().with_about(about).about == {"seed": 3, "scores": [0.5, 1.0]}


def test_no_attribute_or_one_twice_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one"):
        Generalization([])
    with pytest.raises(ParameterError, match="'age'"):
        Generalization([example()["age"], example()["age"]])


def test_codes_of_a_table() -> None:
    table = read({"colour": ["red", "green", "red"], "age": [3, 40, None], "other": [1, 2, 3]})
    codes = example().apply_codes(table)
    assert codes.tolist() == [[0, 0, 0], [1, 1, 0], [3, 0, 0]]
    assert codes.dtype == np.uint16
    assert codes.flags.f_contiguous


def test_codes_need_every_collected_attribute() -> None:
    with pytest.raises(DataError, match=r"\['age'\] are absent"):
        example().apply_codes(read({"colour": ["red", "green"]}))


def test_the_two_ends() -> None:
    table = read({"age": [3, 40, None, 3], "sex": ["f", "m", "m", "f"], "one": ["x"] * 4})
    everything, nothing = Generalization.identity(table), Generalization.nothing(table)
    assert everything.n_buckets == sum(attribute.size for attribute in table.attributes)
    assert (everything.apply_codes(table) == table.codes).all()
    assert not nothing.apply_codes(table).any()
    assert nothing.collected == ()
    assert everything.refines(nothing)
    assert not nothing.refines(everything)
    assert everything["one"].labels == ("not collected",)


def test_everything_collected_from_bins_keeps_the_bins() -> None:
    table = read({"income": np.arange(1000) ** 1.5}, max_codes=16)
    everything = Generalization.identity(table)
    assert (everything.apply_codes(table) == table.codes).all()


def test_a_record_gives_the_collected_attributes_only() -> None:
    g = example()
    record = {"age": None, "colour": "green", "height": 1.8, "name": "nobody"}
    assert g.apply_record(record) == {"age": "missing", "colour": "green, <b>blue</b>"}
    assert g.apply_record(record, output="codes") == {"age": 3, "colour": 1}


def test_a_bad_record_is_refused_without_its_values() -> None:
    g = example()
    with pytest.raises(DataError, match=r"\['colour'\] are absent"):
        g.apply_record({"age": 1})
    with pytest.raises(DataError, match="'colour' is outside") as caught:
        g.apply_record({"age": 1, "colour": "secret"})
    assert "secret" not in str(caught.value)
    with pytest.raises(ParameterError, match="'output'"):
        g.apply_record({}, output="words")  # type: ignore[arg-type]


def test_it_prints_as_a_table() -> None:
    assert str(example()).splitlines() == [
        "attribute  before                     after                                     buckets",
        "age        whole numbers 0 to 99  ->  under 17 | 17–61 | 62 and over | missing  4",
        "colour     3 categories           ->  red | green, <b>blue</b>                  2",
        "height     numbers 0.5 to 2.5     ->  not collected                             1",
    ]
    assert repr(example()) == "<Generalization: 3 attributes, 2 collected, 7 buckets>"


def test_html_is_escaped() -> None:
    page = example()._repr_html_()
    assert "<b>" not in page
    assert "green, &lt;b&gt;blue&lt;/b&gt;" in page


def test_many_labels_are_cut_short() -> None:
    domain = NumericDomain(0, 999, integer=True)
    g = Generalization([numeric_partition("n", domain, list(range(1, 1000)))])
    assert max(map(len, str(g).splitlines())) < 140
    assert " … and 984 more buckets" in str(g)


def test_a_document_whose_labels_do_not_name_missing_values_still_loads() -> None:
    domain = NumericDomain(0, 99, integer=True)
    kept = ("under 10", "10 and over")
    before = Generalization([numeric_partition("age", domain, [10], missing=1, labels=kept)])
    again = Generalization.from_json(before.to_json())
    assert again["age"].labels == kept
    assert again.apply_record({"age": None}) == {"age": "10 and over"}
    now = numeric_partition("age", domain, [10], missing=1)
    assert Generalization([now]).apply_record({"age": None}) == {"age": "10 and over, or missing"}


def test_importing_it_loads_no_heavy_library() -> None:
    heavy = ["sklearn", "numba", "scipy", "pandas", "polars", "pyarrow"]
    code = (
        "import sys, sparsam.generalization as g; import sparsam.generalization._apply\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "generalization.schema.json"


def saved_example() -> Generalization:
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
    g = saved_example()
    g.save(tmp_path / "g.json")
    loaded = Generalization.load(tmp_path / "g.json")
    assert loaded == g
    assert hash(loaded) == hash(g)
    assert loaded.about == g.about
    assert loaded["flag"].bucket(True) == 0
    assert Generalization.from_json(g.to_json().encode()) == g


def test_the_document_is_readable() -> None:
    text = saved_example().to_json()
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
    document = json.loads(saved_example().to_json())
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
    text = saved_example().to_json().replace('"cuts": [17, 62],', '"cuts": [17, 62], "cuts": [1],')
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
        Generalization(saved_example().partitions, {"model": object()})


def test_the_published_schema_is_current() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == Generalization.schema(), (
        "docs/generalization.schema.json is out of date; write Generalization.schema() to it"
    )


def test_the_schema_takes_documents_and_refuses_bad_ones() -> None:
    schema = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(json.loads(saved_example().to_json()))
    refused = 0
    for path, value, _ in DAMAGE:
        document = json.loads(saved_example().to_json())
        at(*path)(document, value)
        refused += not validator.is_valid(document)
    for path in (("format",), ("attributes", 0, "cuts"), ("attributes", 2, "groups")):
        document = json.loads(saved_example().to_json())
        at(*path)(document, {"not": "this"})
        assert not validator.is_valid(document)
    assert refused >= len(DAMAGE) / 2


def test_whole_numbers_over_all_floats_are_described() -> None:
    part = numeric_partition("x", NumericDomain(-1e308, 1.7e308, integer=True), [0])
    assert part.before() == "whole numbers -1e+308 to 1.7e+308"
    assert Generalization.from_json(Generalization([part]).to_json())["x"] == part


@pytest.mark.parametrize("about", [{"a": 2**70}, {"a": "\ud800"}, {"a": object()}])
def test_about_that_cannot_be_saved_is_refused(about: Any) -> None:
    with pytest.raises(ParameterError, match="plain JSON"):
        Generalization(saved_example().partitions, about)


def test_about_must_not_be_deep() -> None:
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(ParameterError, match="deep"):
        Generalization(saved_example().partitions, {"a": deep})


def test_one_long_name_does_not_widen_every_line() -> None:
    parts = [numeric_partition(name, NumericDomain(0, 9), [5]) for name in ("x" * 10**5, "y")]
    lines = str(Generalization(parts)).split("\n")
    assert len(lines[1]) > 10**5
    assert len(lines[2]) < 1_000
