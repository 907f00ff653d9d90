"""Hierarchies in files: what is written is read again, and what cannot be right says so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.data import Attribute, CategoricalDomain, NumericDomain, read
from sparsam.generalization._hierarchy import Hierarchy

ARX = "Bonn;Germany;Europe;*\nUlm;Germany;Europe;*\nLima;Peru;America;*\n"


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "places.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_reads_what_arx_writes(tmp_path: Path) -> None:
    hierarchy = Hierarchy.load(written(tmp_path, ARX))
    assert hierarchy.rows[2] == ("Lima", "Peru", "America", "*")
    assert hierarchy.n_levels == 4
    place = read({"place": ["Ulm", "Lima", "Bonn"]}).attributes[0]
    assert hierarchy.levels(place) == [
        ["Bonn", "Lima", "Ulm"],
        ["Germany", "Peru", "Germany"],
        ["Europe", "America", "Europe"],
        ["*", "*", "*"],
    ]


@pytest.mark.parametrize(
    "text",
    [
        '"Bonn";"Germany"\r\n"Ulm";"Germany"\r\n',
        "Bonn,Germany\nUlm,Germany",
        "\ufeffBonn;Germany\n\nUlm;Germany\n\n",
        "Bonn\tGermany\nUlm\tGermany\n",
    ],
)
def test_quotes_delimiters_marks_and_empty_lines(tmp_path: Path, text: str) -> None:
    hierarchy = Hierarchy.load(written(tmp_path, text))
    assert hierarchy.rows == (("Bonn", "Germany"), ("Ulm", "Germany"))


def test_a_comma_inside_labels_is_no_delimiter(tmp_path: Path) -> None:
    hierarchy = Hierarchy.load(written(tmp_path, "1;[0, 5[;*\n7;[5, 10[;*\n"))
    assert hierarchy.rows == (("1", "[0, 5[", "*"), ("7", "[5, 10[", "*"))
    path = written(tmp_path, "a|b;c\n")
    assert Hierarchy.load(path, delimiter="|").rows == (("a", "b;c"),)
    with pytest.raises(ParameterError, match="one character"):
        Hierarchy.load(path, delimiter=";;")


def test_numbers_are_found_by_value_and_missing_ones_by_their_text(tmp_path: Path) -> None:
    hierarchy = Hierarchy.load(
        written(tmp_path, "20;young;*\n30.0;old;*\n40;old;*\nNULL;unknown;*\n")
    )
    age = read({"age": [20.0, 30.0, None]}).attributes[0]
    assert hierarchy.levels(age) == [["20", "30.0", None], ["young", "old", "unknown"], ["*"] * 3]
    twice = Hierarchy((("20", "young"), ("20.0", "old"), ("", "")))
    with pytest.raises(DataError, match=r"'20\.0' and '20' are the same number"):
        twice.levels(age)
    wider = Attribute("age", NumericDomain(0, 9), [0.0, 5.0], [4.0, 9.0])
    with pytest.raises(DataError, match="cut into 2 bins"):
        hierarchy.levels(wider)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one value"),
        ("a;x;*\nb;x\n", "Row 2 has 2"),
        ("a;*\nb;*\na;*\n", "'a' stands in the rows 1 and 3"),
        ("a;x;1\nb;x;2\n", "'x' on level 1 has '1' and '2'"),
        ('a;"x\n', "quotes that do not match"),
    ],
)
def test_files_that_cannot_be_right_say_so(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        Hierarchy.load(written(tmp_path, text))
    assert "'places.csv'" in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_other_encodings_say_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="UTF-8"):
        Hierarchy.load(written(tmp_path, "Köln;*\n", "latin-1"))


def test_values_that_are_not_covered_are_counted_not_shown(tmp_path: Path) -> None:
    hierarchy = Hierarchy.load(written(tmp_path, ARX))
    place = read({"place": ["Ulm", "Oslo", "Bonn"]}).attributes[0]
    with pytest.raises(DataError, match="none of 1 of them") as caught:
        hierarchy.levels(place)
    assert "Oslo" not in str(caught.value)
    assert hierarchy.uncovered(place) == ["Oslo"]
    with pytest.raises(DataError, match="Got no line for them"):
        hierarchy.levels(read({"place": ["Ulm", None]}).attributes[0])


def test_levels_of_different_lengths_are_refused() -> None:
    with pytest.raises(DataError, match=r"lengths \[1, 2\]"):
        Hierarchy.from_levels([["a", "b"], ["*"]])
    with pytest.raises(DataError, match="there must be a level"):
        Hierarchy.from_levels([])


TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_written_is_read_again(tmp_path: Path, data: Any) -> None:
    values = data.draw(st.lists(TEXT, min_size=1, max_size=6, unique=True))
    rows = [[value] for value in values]
    fine: list[Any] = list(range(len(values)))
    for _ in range(data.draw(st.integers(0, 3))):
        coarse = {part: data.draw(TEXT) for part in sorted(set(fine))}
        fine = [coarse[part] for part in fine]
        for row, label in zip(rows, fine, strict=True):
            row.append(label)
    hierarchy = Hierarchy(tuple(tuple(row) for row in rows))
    path = tmp_path / "h.csv"
    hierarchy.save(path)
    assert Hierarchy.load(path) == hierarchy
    assert Hierarchy.from_levels(list(zip(*rows, strict=True))) == hierarchy


def test_a_file_that_is_too_large_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, "a;" * 1_100_000)
    with pytest.raises(DataError, match="at most 1,000,000 values"):
        Hierarchy.load(path)
    with path.open("wb") as stream:
        stream.truncate(2**40)
    with pytest.raises(DataError, match="64 MiB"):
        Hierarchy.load(path)


def test_a_long_label_is_refused_and_not_shown(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="too long") as caught:
        Hierarchy.load(written(tmp_path, "a;" + "x" * 200_000))
    assert len(str(caught.value)) < 300


PLACES = {
    "Bern": ("Alps", "land"),
    "Graz": ("Alps", "land"),
    "Kiel": ("coast", "land"),
    "Riga": ("coast", "land"),
    "Malta": ("island",),
}


def _attribute(categories: Sequence[str], *, missing: bool = False) -> Attribute:
    return Attribute("place", CategoricalDomain(tuple(categories)), missing=missing)


def _nodes(attribute: Attribute, ancestors: dict[str, Sequence[str]]) -> set[frozenset[int]]:
    assert isinstance(attribute.domain, CategoricalDomain)
    nodes = {frozenset(range(attribute.size)), *(frozenset([c]) for c in range(attribute.size))}
    for group in {name for line in ancestors.values() for name in line}:
        members = [c for c, v in enumerate(attribute.domain.categories) if group in ancestors[v]]
        nodes.add(frozenset(members))
    return nodes


def _groups(buckets: np.ndarray) -> list[frozenset[int]]:
    numbers = range(int(buckets.max()) + 1)
    return [frozenset(np.flatnonzero(buckets == b).tolist()) for b in numbers]


def test_coarsest_stops_at_the_first_node_that_is_one_bucket() -> None:
    tree = Hierarchy.from_ancestors(PLACES).tree(_attribute(list(PLACES), missing=True))
    apart = {0, 1}
    buckets = tree.coarsest(lambda codes: not apart <= set(codes), 6)
    assert _groups(buckets) == [{0}, {1}, {2, 3}, {4}, {5}]
    assert tree.coarsest(lambda codes: True, 6).tolist() == [0] * 6


def test_order_keeps_every_group_together() -> None:
    tree = Hierarchy.from_ancestors(PLACES).tree(_attribute(list(PLACES)))
    score = {0: 0.9, 1: 0.1, 2: 0.4, 3: 0.6, 4: 0.2}
    order = tree.order(lambda codes: float(np.mean([score[code] for code in codes])))
    assert order == [4, 1, 0, 2, 3]


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (1, [{0, 1, 2, 3, 4}]),
        (2, [{0, 1, 2, 3}, {4}]),
        (3, [{0, 1}, {2, 3}, {4}]),
        (4, [{0}, {1}, {2, 3}, {4}]),
        (99, [{0}, {1}, {2}, {3}, {4}]),
    ],
)
def test_at_most_opens_the_largest_groups(most: int, expected: list[set[int]]) -> None:
    tree = Hierarchy.from_ancestors(PLACES).tree(_attribute(list(PLACES)))
    assert _groups(tree.at_most(most, 5)) == expected


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_buckets_are_always_nodes_and_missing_comes_last(data: st.DataObject) -> None:
    groups = {"g0": ("h0",), "g1": ("h0",), "g2": ("h1",), "g3": ()}
    ancestors: dict[str, Sequence[str]] = {}
    for code in range(data.draw(st.integers(1, 8))):
        group = data.draw(st.sampled_from(["", *groups]))
        ancestors[f"c{code}"] = (group, *groups[group]) if group else ()
    attribute = _attribute(list(ancestors), missing=data.draw(st.booleans()))
    tree = Hierarchy.from_ancestors(ancestors).tree(attribute)
    apart = {frozenset(data.draw(st.sets(st.integers(0, attribute.size - 1)))) for _ in range(2)}
    most = data.draw(st.integers(1, 9))
    found = [
        tree.at_most(most, attribute.size),
        tree.coarsest(
            lambda codes: not any(len(a & set(codes)) > 1 for a in apart), attribute.size
        ),
    ]
    assert int(found[0].max()) + 1 <= most
    for buckets in found:
        assert set(_groups(buckets)) <= _nodes(attribute, ancestors)
        values = buckets[: attribute.n_values]
        assert set(values.tolist()) == set(range(int(values.max()) + 1))
    assert all(len(a & bucket) < 2 for a in apart for bucket in _groups(found[1]))


def test_a_value_may_have_fewer_groups_than_another_but_then_there_are_no_levels() -> None:
    hierarchy = Hierarchy.from_ancestors(PLACES)
    assert hierarchy.n_levels == 3
    with pytest.raises(DataError, match="Row 5 has 2"):
        hierarchy.levels(_attribute(list(PLACES)))
    with pytest.raises(DataError, match="'Alps' on level 1 has 'land' and None"):
        Hierarchy.from_ancestors({"Bern": ("Alps", "land"), "Graz": ("Alps",)})


def test_a_line_for_missing_values_says_where_they_belong() -> None:
    hierarchy = Hierarchy((("a", "x"), ("b", "y"), ("", "x")))
    assert _groups(hierarchy.tree(_attribute("ab", missing=True)).at_most(2, 3)) == [{0, 2}, {1}]
