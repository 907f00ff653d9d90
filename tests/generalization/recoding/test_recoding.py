"""A recoding: what is fed in which leaf, by every way to apply it, and what it may not be."""

from __future__ import annotations

import copy
import datetime
import json
import math
import random
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsam
from sparsam._errors import DocumentError, ParameterError
from sparsam.collect import Questionnaire
from sparsam.data import CategoricalDomain, NumericDomain, read
from sparsam.generalization import Generalization, categorical_partition, numeric_partition
from sparsam.generalization.recoding._recoding import Recoding
from sparsam.generalization.recoding._tree import Branch, Leaf, Node, union_label

from .example import AGES, MAKERS, TOWNS, example, plain


def random_recoding(seed: int) -> Recoding:
    """Grow a random tree over random partitions, with leaves of every kind."""
    rng = random.Random(seed)
    parts: list[Any] = []
    means: dict[str, list[Any]] = {}
    for i in range(rng.randint(1, 4)):
        name = f"a{i}"
        n = rng.randint(1, 4)
        own = n if rng.random() < 0.3 else None
        if rng.random() < 0.5:
            integer = rng.random() < 0.5
            cuts = [10.0 * (j + 1) for j in range(n - 1)]
            part = numeric_partition(name, NumericDomain(0, 50, integer=integer), cuts, own)
            values: list[Any] = [10 * j + rng.randint(1, 9) for j in range(n)]
        else:
            groups = [[f"c{j}", f"d{j}"] for j in range(n)]
            domain = CategoricalDomain(tuple(c for group in groups for c in group))
            part = categorical_partition(name, domain, groups, own)
            values = [rng.choice(group) for group in groups]
        parts.append(part)
        means[name] = values + [None] * (part.n_buckets - n)
    g = Generalization(parts)
    return Recoding(g, means, random_nodes(rng, g, means))


def random_nodes(
    rng: random.Random, g: Generalization, means: dict[str, list[Any]], most: int = 12
) -> list[Node]:
    nodes: list[Node | None] = [None]
    waiting: list[tuple[int, dict[str, set[int]]]] = [
        (0, {part.name: set(range(part.n_buckets)) for part in g})
    ]
    while waiting:
        place, still = waiting.pop(rng.randrange(len(waiting)))
        open_to = [name for name, buckets in still.items() if len(buckets) > 1]
        if not open_to or len(nodes) > most or rng.random() < 0.15:
            nodes[place] = random_leaf(rng, g, means)
            continue
        name = rng.choice(open_to)
        left = set(rng.sample(sorted(still[name]), rng.randint(1, len(still[name]) - 1)))
        outside = set(range(g[name].n_buckets)) - still[name]
        stray = {bucket for bucket in outside if rng.random() < 0.3}
        nodes[place] = Branch(name, tuple(left | stray), len(nodes), len(nodes) + 1)
        for side in (left, still[name] - left):
            waiting.append((len(nodes), {**still, name: side}))
            nodes.append(None)
    return [node for node in nodes if node is not None]


def random_leaf(rng: random.Random, g: Generalization, means: dict[str, list[Any]]) -> Leaf:
    def fixed(names: list[str]) -> dict[str, Any]:
        return {name: rng.choice(means[name]) for name in names}

    if rng.random() < 0.6:
        return Leaf((), fixed(list(g.names)), rng.choice(["no", "yes"]))
    asks = tuple(name for name in g.collected if rng.random() < 0.5)
    return Leaf(asks, fixed([name for name in g.names if name not in asks]))


def random_buckets(recoding: Recoding, seed: int, n: int = 40) -> Any:
    rng = np.random.default_rng(seed)
    sizes = [part.n_buckets for part in recoding.generalization]
    return np.column_stack([rng.integers(0, size, n) for size in sizes]).astype(np.uint16)


def slow_feed(recoding: Recoding, buckets: dict[str, int]) -> tuple[int, dict[str, Any]]:
    """Walk the tree and fill the record as the document says, one person at a time."""
    number = 0
    while isinstance(node := recoding.nodes[number], Branch):
        number = node.then if buckets[node.attribute] in node.left else node.otherwise
    fed = {
        name: recoding.representatives[name][buckets[name]]
        if name in node.asks
        else node.record[name]
        for name in recoding.generalization.names
    }
    return number, fed


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_the_fast_ways_agree_with_the_slow_one(seed: int) -> None:
    recoding = random_recoding(seed)
    codes = random_buckets(recoding, seed)
    names = recoding.generalization.names
    leaves, fed = recoding.leaf_of(codes), recoding.represent(codes)
    for i, row in enumerate(codes.tolist()):
        buckets = dict(zip(names, row, strict=True))
        number, expected = slow_feed(recoding, buckets)
        assert number == leaves[i]
        assert {name: plain(fed[name])[i] for name in names} == expected
        assert recoding.represent_record(buckets, input="codes") == expected
    assert Recoding.from_json(recoding.to_json()) == recoding


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(sorted(MAKERS)))
def test_raw_is_generalized_then_represented(seed: int, library: str) -> None:
    recoding = random_recoding(seed)
    codes = random_buckets(recoding, seed)
    rows = {
        name: [recoding.representatives[name][bucket] for bucket in codes[:, i]]
        for i, name in enumerate(recoding.generalization.names)
    }
    if any(all(value is None for value in values) for values in rows.values()):
        return
    frame = MAKERS[library](rows)
    fed = recoding.apply(frame)
    again = recoding.represent(recoding.generalization.apply(frame), input="labels")
    by_code = recoding.represent(codes)
    if not recoding.generalization.collected:
        return  # a frame without columns has forgotten how many rows it had
    for name in recoding.generalization.names:
        assert plain(fed[name]) == plain(by_code[name]) == plain(again[name])


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_recoding_loses_at_least_what_generalizing_does(seed: int) -> None:
    recoding = random_recoding(seed)
    codes = random_buckets(recoding, seed)
    rows = {
        name: [recoding.representatives[name][bucket] for bucket in codes[:, i]]
        for i, name in enumerate(recoding.generalization.names)
    }
    if any(all(value is None for value in values) for values in rows.values()):
        return
    table = read(rows)
    local, coarse = recoding.information_loss(table), recoding.generalization.ncp(table)
    assert coarse - 1e-12 <= local.overall <= 1
    for name, loss in recoding.generalization.information_loss(table).per_attribute.items():
        assert loss - 1e-12 <= local.per_attribute[name] <= 1


def test_the_loss_of_the_example_by_hand() -> None:
    table = read({"age": [10, 20, 70], "height": [1.0, 1.5, 2.0], "town": ["Bern", "Chur", "Bern"]})
    loss = example().information_loss(table).per_attribute
    # under 17: 16 years of 99; then own buckets: 44 years (17-61), 37 years (62-99)
    assert loss["age"] == pytest.approx((16 + 44 + 37) / 99 / 3)
    assert loss["height"] == 1.0
    # the first is told apart by age only; Chur is fed as the group of one known town; Bern own
    assert loss["town"] == pytest.approx((1 + 0 + 0) / 3)


def test_the_hull_of_a_union_and_the_count_of_one() -> None:
    g = Generalization(
        [
            numeric_partition("age", AGES, [10, 20, 30], missing=4),
            categorical_partition("town", TOWNS, [["Bern"], ["Chur"], ["Genf"]]),
        ]
    )
    means = {"age": [5, 15, 25, 60, None], "town": ["Bern", "Chur", "Genf"]}
    nodes = [
        Branch("age", (0, 2, 4), 1, 2),
        Leaf((), {"age": 5, "town": "Bern"}, 0),
        Branch("town", (1,), 3, 4),
        Leaf((), {"age": 60, "town": "Chur"}, 1),
        Leaf((), {"age": 60, "town": "Genf"}, 0),
    ]
    table = read({"age": [5, None, 12, 40], "town": ["Bern", "Genf", "Chur", "Genf"]})
    loss = Recoding(g, means, nodes).information_loss(table, {"town": 0}).per_attribute
    assert loss["age"] == pytest.approx((29 + 29 + 89 + 89) / 99 / 4)
    assert loss["town"] == pytest.approx((1 + 1 + 0 + 2 / 3) / 4)


def test_the_tree_in_words_shows_no_record() -> None:
    assert str(example()) == (
        "age under 17 -> no\n"
        "age 17 and over\n"
        "  town Bern or missing -> asks age, town\n"
        "  town Chur, Genf -> asks age"
    )
    assert repr(example()) == "<Recoding: 3 attributes, 3 leaves, 1 of them settled>"
    root = Recoding(
        example().generalization,
        example().representatives,
        [Leaf((), {"age": 1, "height": 1, "town": None})],
    )
    assert str(root) == "everyone -> one record for all"


def test_it_is_immutable_equal_by_document_and_can_be_sent() -> None:
    recoding = example()
    with pytest.raises(AttributeError, match="immutable"):
        recoding.about = {}  # type: ignore[misc]
    assert recoding == example()
    assert hash(recoding) == hash(example())
    assert recoding != recoding.with_about({"seed": 4})
    assert recoding != "recoding"
    assert recoding.about == recoding.generalization.about == {"seed": 3}
    assert copy.deepcopy(recoding) == recoding
    recoding.representatives.clear()
    assert recoding == example()
    assert set(recoding.leaves) == {1, 3, 4}
    assert recoding.possible(3) == {"age": {1, 2}, "town": {0, 2}}


def test_several_buckets_in_words() -> None:
    age = numeric_partition("age", AGES, [17, 30, 62], missing=4)
    assert union_label(age, range(4)) == "all values"
    assert union_label(age, [0, 1, 4]) == "under 30 or missing"
    assert union_label(age, [0, 2, 3]) == "under 17 or 30 and over"
    named = numeric_partition("age", AGES, [17, 62], labels=["child", "adult", "62 and over"])
    assert union_label(named, [0, 1]) == "child or adult"
    assert union_label(named, [1, 2]) == "adult or 62 and over"
    heights = numeric_partition("height", NumericDomain(-1.5, 2.5), [-0.5, 0.5, 1.5])
    assert union_label(heights, [1, 2]) == "-0.5 to under 1.5"
    asked = numeric_partition("age", AGES, [17, 30, 62], missing=1)
    assert union_label(asked, [0, 1]) == "under 30, or missing"
    assert union_label(asked, [1, 3]) == "17–29 or 62 and over, or missing"
    assert union_label(asked, [2, 3]) == "30 and over"
    letters = CategoricalDomain(tuple("abcdefghijkl"))
    pair = categorical_partition("letter", letters, [["a"], ["b"], list("cdefghijkl")], missing=0)
    assert union_label(pair, [0, 1]) == "a or b, or missing"
    groups = [["a"], ["b"], list("cdefghijkl")]
    told = categorical_partition("letter", letters, groups, missing=0, unseen=0)
    assert told.labels[0] == "a, or other, or missing"
    assert union_label(told, [0, 1]) == "a or b, or other, or missing"
    many = categorical_partition("letter", letters, [[letter] for letter in "abcdefghijkl"])
    assert union_label(many, range(10)) == "a or b or c or d or e or f or g or 3 others"


def test_the_bundled_people() -> None:
    people = sparsam.load_example()
    tree = sparsam.PrivacyTree(sparsam.Roles("employed"), max_leaves=6, privacy=0.3).fit(people)
    g = tree.generalization_
    means: dict[str, list[Any]] = {}
    for part in g:
        buckets = part.lookup(people.attribute(part.name)).tolist()
        values = people.attribute(part.name).decode(np.arange(len(buckets))).tolist()
        means[part.name] = [values[buckets.index(b)] for b in range(part.n_buckets)]
    recoding = Recoding(g, means, random_nodes(random.Random(1), g, means))
    fed = recoding.apply(people)
    codes = g.apply_codes(people)
    again = recoding.represent(codes)
    assert all(plain(fed[name]) == plain(again[name]) for name in g.names)
    assert Recoding.from_json(recoding.to_json()) == recoding
    assert g.ncp(people) - 1e-12 <= recoding.information_loss(people).overall <= 1


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


def test_dates_are_fed_as_texts() -> None:
    born = NumericDomain("1930-01-01", "2009-12-31", unit="date")  # type: ignore[arg-type]
    cuts: Any = ["1960-01-01", "1970-01-01", "1990-01-01"]
    g = Generalization([numeric_partition("birth", born, cuts), numeric_partition("x", born, [])])
    settled = Leaf((), {"birth": "1950-01-01", "x": "1950-01-01"}, "no")
    nodes = [Branch("birth", (0,), 1, 2), settled, Leaf(("birth",), {"x": "1950-01-01"})]
    birth = ["1945-07-01", "1965-07-01", datetime.date(1980, 1, 1), "2000-01-01"]
    recoding = Recoding(g, {"birth": birth, "x": ["1950-01-01"]}, nodes)  # type: ignore[list-item]
    fed = {"birth": "1980-01-01", "x": "1950-01-01"}
    assert recoding.apply_record({"birth": datetime.date(1975, 2, 3)}) == fed
    assert "birth 1960 and after -> asks birth" in str(recoding)
    assert Recoding.from_json(recoding.to_json()) == recoding
    questionnaire = Questionnaire(recoding)
    assert Questionnaire.from_json(questionnaire.to_json()).to_json() == questionnaire.to_json()
    with pytest.raises(ParameterError, match="must be such as '1960-01-31'"):
        Recoding(g, {"birth": [1, 2, 3, 4], "x": ["1950-01-01"]}, nodes)
