"""A user's own words for questions and answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparsam._errors import DocumentError, ParameterError
from sparsam.collect.form._labels import AttributeLabels, Labels

LABELS = ("under 17", "17 and over", "missing")


def test_a_file_of_labels(tmp_path: Path) -> None:
    file = tmp_path / "labels.toml"
    file.write_text(
        'title = "About you"\n[age]\nquestion = "How old?"\nhelp = "Today."\n'
        'buckets = {"under 17" = "a child"}\n[way]\nmembers = {car = "Auto"}\n',
        encoding="utf-8",
    )
    labels = Labels.of(file)
    assert labels.words == {"title": "About you"}
    age = labels.attributes["age"]
    assert (age.question, age.help) == ("How old?", "Today.")
    assert age.of_buckets("age", LABELS) == {0: "a child"}
    assert labels.attributes["way"].members == {"car": "Auto"}
    file.write_text("[age]\nquestoin = 'How old?'\n", encoding="utf-8")
    with pytest.raises(DocumentError, match="questoin") as caught:
        Labels.of(file)
    assert "labels.toml" in caught.value.__notes__[0]


def test_no_labels() -> None:
    assert Labels.of(None).attributes == {}


def test_labels_in_order() -> None:
    listed = AttributeLabels(buckets=("a", "b", "c"))
    assert listed.of_buckets("age", LABELS) == {0: "a", 1: "b", 2: "c"}


@pytest.mark.parametrize(
    ("buckets", "match"),
    [
        (("a", "b"), "must be 3, one for each bucket. Got 2"),
        ({"young": "a"}, "no bucket 'young'. It has 'under 17', '17 and over', 'missing'"),
        ({"under 17": "a", "missing": "a"}, "must differ"),
    ],
)
def test_labels_that_do_not_fit(buckets: Any, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        AttributeLabels(buckets=buckets).of_buckets("age", LABELS)


def test_labels_of_nothing() -> None:
    with pytest.raises(ParameterError, match="'hat' is none"):
        Labels.of({"hat": {"question": "Which?"}}).check_names(["age"])
    with pytest.raises(DocumentError, match=r"\$.age"):
        Labels.of({"age": {"question": 3}})
