from __future__ import annotations

import pytest

from sparsam._errors import DataError
from sparsam.data.source import FileFormat, Piped, _text
from sparsam.data.source._text import guessed_encoding, is_utf8, no_text, text_lines

ANY = FileFormat()


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "cp850"]
)
def test_lines_in_any_encoding(encoding: str) -> None:
    piped = Piped("csv", ("\ufeff" * (encoding == "utf-16-le") + "ä,b\r\n1,2\rx").encode(encoding))
    with text_lines(piped, FileFormat(encoding=encoding)) as lines:
        assert list(lines) == ["ä,b\r\n", "1,2\r", "x"]
        assert lines.number == 3
        assert lines.last == "x"


def test_a_line_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_text, "_LONGEST", 100)
    with (
        text_lines(Piped("csv", b"x" * 1000), ANY) as lines,
        pytest.raises(DataError, match="Line 1 is longer than 100"),
    ):
        list(lines)


@pytest.mark.parametrize(
    ("content", "guess"),
    [
        ("Köln".encode("latin-1"), "latin-1"),
        ("„Köln“".encode("cp1252"), "cp1252"),
        ("Köln".encode("utf-16"), "utf-16"),
        ("ab".encode("utf-16-le"), "utf-16-le"),
        ("ab".encode("utf-16-be"), "utf-16-be"),
    ],
)
def test_a_guess_is_offered(content: bytes, guess: str) -> None:
    piped = Piped("csv", content)
    assert guessed_encoding(piped) == guess
    assert f"--encoding {guess} " in str(no_text(piped, ANY, "It is not."))
    assert "name another one" in str(no_text(piped, FileFormat(encoding="ascii"), "It is not."))


def test_utf8_by_any_name() -> None:
    assert is_utf8(ANY)
    assert is_utf8(FileFormat(encoding="UTF8"))
    assert not is_utf8(FileFormat(encoding="latin-1"))
