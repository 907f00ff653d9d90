"""One way to save an artifact, to read it again and to say which file is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from sparsam._artifact import Artifact
from sparsam._errors import DocumentError


class Page(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["test/note"]
    version: Literal[1]
    lines: tuple[float, ...]


class Note(Artifact):
    _format, _called, _title = "test/note", "note", "A note"
    _structures = (Page,)

    def __init__(self, *lines: float) -> None:
        self.lines = lines

    def to_document(self) -> Page:
        return Page("test/note", 1, self.lines)

    @classmethod
    def from_document(cls, document: Any) -> Note:
        return cls(*document.lines)


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    Note(1.0, 2.5).save(tmp_path / "note.json")
    text = (tmp_path / "note.json").read_text(encoding="utf-8")
    assert json.loads(text) == {"format": "test/note", "version": 1, "lines": [1, 2.5]}
    assert "[1, 2.5]" in text  # whole numbers without a point, a plain list on one line
    assert Note.load(tmp_path / "note.json").lines == (1.0, 2.5)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"format": "other", "version": 1}', "$.format"),
        ('{"format": "test/note", "version": 2}', "$.version"),
        ('{"format": "test/note", "version": 1, "lines": ["x"]}', "$.lines[0]"),
    ],
)
def test_a_wrong_document_is_named_with_its_file(tmp_path: Path, text: str, field: str) -> None:
    path = tmp_path / "note.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        Note.load(path)
    assert field in str(caught.value)
    assert caught.value.__notes__ == ["The document is the file 'note.json'."]


def test_the_schema_is_titled() -> None:
    assert Note.schema()["title"] == "A note, as saved by sparsam"
    assert set(Note.schema()["$defs"]) == {"Page"}
