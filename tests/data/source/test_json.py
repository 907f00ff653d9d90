from __future__ import annotations

import gzip

import pytest

from sparsam._errors import DataError
from sparsam.data.source import FileFormat, Piped, _json
from sparsam.data.source._json import json_columns

ANY = FileFormat()


def loaded(text: str, *, lines: bool = True, encoding: str = "utf-8"):
    piped = Piped("json lines", text.encode(encoding))
    return json_columns(piped, FileFormat(encoding=encoding), lines=lines)


def test_fields_that_come_and_go() -> None:
    table = loaded('{"a": 1}\n\n{"b": "x", "a": null}\n{"c": true}')
    assert table.n_rows == 3
    assert table.columns == {"a": [1, None, None], "b": [None, "x", None], "c": [None, None, True]}
    assert table.remarks == {}


def test_lists_and_encodings() -> None:
    assert loaded('[{"ä": 1}, {"ä": 2}]', lines=False, encoding="latin-1").columns == {"ä": [1, 2]}
    packed = Piped("json lines", gzip.compress(b'{"a": "1"}\n'))
    assert json_columns(packed, ANY, lines=True).remarks["a"].startswith("texts that look like")


@pytest.mark.parametrize(
    ("text", "lines", "message"),
    [
        ('{"a": 1}\n{"a": secret}', True, "Line 2 is damaged"),
        ("[" * 100_000, True, "Line 1 is damaged"),
        ('{"a": ' + "9" * 5000 + "}", True, "Line 1 is damaged"),
        ('"secret"', True, "Line 1 is something else"),
        ('{"": 1}', True, "Line 1 has a field without a name"),
        ('{"a": 1, "a": 2}', True, "Line 1 has the field 'a' twice"),
        ('[{"a": 1}, 3]', False, "Record 2 is something else"),
        ("3", False, "must hold a list of records"),
        ("[]", False, "must hold records with named fields"),
        ("", True, "must hold records with named fields"),
    ],
)
def test_what_is_no_record(text: str, lines: bool, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        loaded(text, lines=lines)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


def test_names_that_are_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_json, "_MOST_FIELDS", 3)
    with pytest.raises(DataError, match="more than 3"):
        loaded('{"a": 1, "b": 2, "c": 3, "d": 4}')


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(DataError, match="--encoding latin-1"):
        json_columns(Piped("json lines", '{"ä": 1}'.encode("latin-1")), ANY, lines=True)
    with pytest.raises(DataError, match="zip or Excel"):
        json_columns(Piped("json lines", b"PK\x03\x04\xff"), ANY, lines=True)
