"""What steers a terminal becomes something to read."""

from __future__ import annotations

import json
import tomllib
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from sparsam._printable import one_line, printable

EVIL = "\x1b[2J\x1b]0;title\x07\r\x08\x7f\x9b31m\x85\u061c\u200e\u2028\u202a\u202e\u2066\u2069"


def test_everything_that_steers_is_escaped() -> None:
    shown = printable(EVIL)
    assert shown.isascii()
    assert shown.isprintable()
    for number in range(0x110000):
        sign = chr(number)
        if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or (
            unicodedata.bidirectional(sign) in ("LRE", "RLE", "PDF", "LRO", "RLO")
            or unicodedata.bidirectional(sign) in ("LRI", "RLI", "FSI", "PDI")
        ):
            assert sign in "\t\n" or printable(sign) != sign, hex(number)
            assert one_line(sign) != sign


def test_everything_else_stays() -> None:
    text = "größer als 5 €, 数, \u202f%, a\u200db, 👩‍🔬\n\tindented"
    assert printable(text) == text
    assert "\n" not in one_line(text)
    assert "\t" not in one_line(text)


@given(st.text())
def test_it_is_idempotent_and_encodable(text: str) -> None:
    for made in (printable(text), one_line(text)):
        made.encode()
        assert printable(made) == made
        assert len(made.splitlines()) <= 1 + text.count("\n")


@given(st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])))
def test_documents_stay_valid_and_say_the_same(text: str) -> None:
    assert json.loads(printable(json.dumps(text, ensure_ascii=False))) == text
    toml = printable(f"a = {json.dumps(text, ensure_ascii=False)}".replace("\x7f", "\\u007f"))
    assert tomllib.loads(toml)["a"] == text
