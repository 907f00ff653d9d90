"""One reader for documents of strangers: plain data soon, or an error that points."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam import _documents
from sparsam._documents import MAX_DEPTH, check_header, parse_json, parse_toml, read_bytes
from sparsam._errors import DocumentError

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(max_examples=50)
@given(plain)
def test_what_python_writes_is_read(value: Any) -> None:
    try:
        text = json.dumps(value)
        text.encode()
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    assert parse_json(text) == value
    assert parse_json(text.encode()) == value


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_any_bytes_are_json_or_an_error_of_ours(raw: bytes | str) -> None:
    try:
        value = parse_json(raw)
    except DocumentError:
        return
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("text", "message", "path"),
    [
        ('{"a": [1, 1e999]}', "finite", "$.a[1]"),
        ('{"a": [1, -1e999]}', "finite", "$.a[1]"),
        ('{"a": {"b": NaN}}', "finite", "$.a.b"),
        ("Infinity", "finite", "$"),
        ('{"a": ' + "9" * 5_000 + "}", "digits", "$.a"),
        ('{"a": -' + "9" * 400 + "}", "finite", "$.a"),
        ('{"a": 0.' + "3" * 5_000 + "}", "digits", "$.a"),
        ('{"a": ["\\ud800"]}', "half of a character", "$.a[0]"),
        ('{"a": ["\\uDFFFx"]}', "half of a character", "$.a[0]"),
        ('{"a": {"\\ud83d": 1}}', "half of a character", "$.a"),
        ('{"a": [{"b": 1, "c": 2, "b": 3}]}', "'b' must occur once", "$.a[0]"),
        ("", "line 1, column 1", "$"),
        ('{"a": 1,\n  }', "line 2", "$"),
        ("[" * 100_000, "JSON|deep", "$"),
        ("[" * 100_000 + "]" * 100_000, "deep", "$"),
        ('{"a":' * 900 + "1" + "}" * 900, "deep", "$"),
        ("\ud800", "UTF-8", "$"),
    ],
)
def test_what_cannot_be_written_again_is_refused(text: str, message: str, path: str) -> None:
    with pytest.raises(DocumentError, match=message) as caught:
        parse_json(text)
    assert caught.value.path == path


def test_nesting_is_bounded() -> None:
    parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    with pytest.raises(DocumentError, match="deep"):
        parse_json("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2))


def test_whole_numbers_beyond_64_bits_are_floats() -> None:
    assert parse_json("[18446744073709551615, 18446744073709551616]") == [2**64 - 1, 2.0**64]
    assert type(parse_json("18446744073709551616")) is float
    assert type(parse_json("-9223372036854775808")) is int


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert parse_json('"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "latin-1"])
def test_other_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(DocumentError, match="JSON document"):
        parse_json('{"ä": 1}'.encode(encoding))


def test_a_byte_order_mark_is_no_matter() -> None:
    assert parse_json('{"a": 1}'.encode("utf-8-sig")) == {"a": 1}
    assert parse_json('\ufeff{"a": 1}') == {"a": 1}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_documents, "MAX_VALUES", 10)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("text", ["[" + "1," * 20 + "1]", "[" * 20, '{"a":[{},{},{},{},{},{}]}'])
def test_too_many_values_are_refused_before_they_are_read(text: str) -> None:
    with pytest.raises(DocumentError, match="at most 10 values"):
        parse_json(text)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as stream:
        stream.truncate(2**40)  # a hole: it takes no room
    with pytest.raises(DocumentError, match="at most 64 MiB"):
        read_bytes(path)
    with pytest.raises(DocumentError, match="at most 64 MiB"):
        read_bytes("/dev/zero")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "9" * 5_000, "a number"),
        ("a = " + "9" * 30, "finite"),
        ("a = inf", "finite"),
        ("a = [1, nan]", "finite"),
        ("a = " + "[" * 10_000, "deep"),
        ("a = " + "[" * 200 + "]" * 200, "deep"),
        ("a." * 1_000 + "a = 1", "deep"),
        ("[" + "'a' . " * 100 + "a]", "deep"),
        ("a = 2024-02-31", "date|breaks"),
        ("a = '\x1b'", "breaks"),
        (b"a = '\xff'", "UTF-8"),
        ("a = ''\n" * 400_000, "2 MiB"),
    ],
)
def test_damaged_toml_is_refused(text: Any, message: str) -> None:
    with pytest.raises(DocumentError, match=message) as caught:
        parse_toml(text, "TOML")
    assert str(caught.value).isprintable()


def test_toml_of_many_words_is_read() -> None:
    names = ", ".join(f"'a.b.{i}'" for i in range(500))
    assert len(parse_toml(f"a.b.c = [{names}]\nd = '{'.' * 500}'", "TOML")["a"]["b"]["c"]) == 500


@pytest.mark.parametrize("read", [parse_json, lambda text: parse_toml(text, "TOML")])
def test_no_message_is_long(read: Callable[[str], Any]) -> None:
    name = "n" * 100_000
    for text in (f'{{"{name}": 1, "{name}": 2}}', f"{name} = 1\n{name} = 2", f"{name}["):
        with pytest.raises(DocumentError) as caught:
            read(text)
        assert len(str(caught.value)) < 3_000


def test_a_document_of_another_kind_is_named() -> None:
    with pytest.raises(DocumentError, match=r"not a saved mask: .* This one is a recoding"):
        check_header({"format": "sparsam/recoding"}, "sparsam/mask", "mask")
    for strange in ("sparsam/<script>", None, ["sparsam/recoding"]):
        with pytest.raises(DocumentError) as caught:
            check_header({"format": strange}, "sparsam/mask", "mask")
        assert "This one" not in str(caught.value)
