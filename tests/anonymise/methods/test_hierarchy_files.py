"""Hierarchies in files: what is written is read again, and what cannot be right says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.anonymise._classes import Classes
from sparsam.anonymise.methods._hierarchy_files import Hierarchy, read_hierarchy, write_hierarchy
from sparsam.anonymise.publish._publish import publish
from sparsam.data import Attribute, NumericDomain, read

ARX = "Bonn;Germany;Europe;*\nUlm;Germany;Europe;*\nLima;Peru;America;*\n"


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "places.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_reads_what_arx_writes(tmp_path: Path) -> None:
    found = read_hierarchy(written(tmp_path, ARX))
    assert found.rows[2] == ("Lima", "Peru", "America", "*")
    assert found.n_levels == 4
    place = read({"place": ["Ulm", "Lima", "Bonn"]}).attributes[0]
    assert found.levels(place) == [
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
    found = read_hierarchy(written(tmp_path, text))
    assert found.rows == (("Bonn", "Germany"), ("Ulm", "Germany"))


def test_a_comma_inside_labels_is_no_delimiter(tmp_path: Path) -> None:
    found = read_hierarchy(written(tmp_path, "1;[0, 5[;*\n7;[5, 10[;*\n"))
    assert found.rows == (("1", "[0, 5[", "*"), ("7", "[5, 10[", "*"))
    path = written(tmp_path, "a|b;c\n")
    assert read_hierarchy(path, delimiter="|").rows == (("a", "b;c"),)
    with pytest.raises(ParameterError, match="one character"):
        read_hierarchy(path, delimiter=";;")


def test_numbers_are_found_by_value_and_missing_ones_by_their_text(tmp_path: Path) -> None:
    found = read_hierarchy(written(tmp_path, "20;young;*\n30.0;old;*\n40;old;*\nNULL;unknown;*\n"))
    age = read({"age": [20.0, 30.0, None]}).attributes[0]
    assert found.levels(age) == [["20", "30.0", None], ["young", "old", "unknown"], ["*"] * 3]
    twice = Hierarchy((("20", "young"), ("20.0", "old"), ("", "")))
    with pytest.raises(DataError, match=r"'20\.0' and '20' are the same number"):
        twice.levels(age)
    wider = Attribute("age", NumericDomain(0, 9), [0.0, 5.0], [4.0, 9.0])
    with pytest.raises(DataError, match="cut into 2 bins"):
        found.levels(wider)


def test_labels_are_published(tmp_path: Path) -> None:
    people = {"place": ["Ulm", "Lima", "Bonn", "Lima"]}
    table = read(people)
    levels = read_hierarchy(written(tmp_path, ARX)).levels(table.attributes[0])
    classes = Classes(np.array([0, 1, 0, 1]), 2)
    released = publish(people, table, classes, "hierarchy", hierarchies={"place": levels})
    assert list(released["place"]) == ["Germany", "Lima", "Germany", "Lima"]


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
        read_hierarchy(written(tmp_path, text))
    assert "'places.csv'" in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_other_encodings_say_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="UTF-8"):
        read_hierarchy(written(tmp_path, "Köln;*\n", "latin-1"))


def test_values_that_are_not_covered_are_counted_not_shown(tmp_path: Path) -> None:
    found = read_hierarchy(written(tmp_path, ARX))
    place = read({"place": ["Ulm", "Oslo", "Bonn"]}).attributes[0]
    with pytest.raises(DataError, match="none of 1 of them") as caught:
        found.levels(place)
    assert "Oslo" not in str(caught.value)
    assert found.uncovered(place) == ["Oslo"]
    with pytest.raises(DataError, match="Got no line for them"):
        found.levels(read({"place": ["Ulm", None]}).attributes[0])


def test_levels_of_different_lengths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"lengths \[1, 2\]"):
        write_hierarchy([["a", "b"], ["*"]], tmp_path / "h.csv")
    with pytest.raises(DataError, match="there must be a level"):
        write_hierarchy([], tmp_path / "h.csv")


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
    write_hierarchy(hierarchy, path)
    assert read_hierarchy(path) == hierarchy
    write_hierarchy([list(level) for level in zip(*rows, strict=True)], path)
    assert read_hierarchy(path) == hierarchy


def test_a_file_that_is_too_large_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, "a;" * 1_100_000)
    with pytest.raises(DataError, match="at most 1,000,000 values"):
        read_hierarchy(path)
    with path.open("wb") as stream:
        stream.truncate(2**40)
    with pytest.raises(DataError, match="64 MiB"):
        read_hierarchy(path)


def test_a_long_label_is_refused_and_not_shown(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="too long") as caught:
        read_hierarchy(written(tmp_path, "a;" + "x" * 200_000))
    assert len(str(caught.value)) < 300
