"""The pages: in every language, complete, and without anything that could be put into them."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

import sparsam
from sparsam._errors import DocumentError
from sparsam.collect.door._pages import Pages
from sparsam.collect.door._record import Refused
from sparsam.collect.store._collected import Collected

from .stand_in import WORKS, G

FOLDER = Path(sparsam.__file__).parent / "collect" / "form" / "languages"


def pages(language: str = "en", labels: dict[str, str] | None = None, form: bool = True) -> Pages:
    return Pages(Collected.of(G, WORKS), form=form, language=language, labels=labels)


@pytest.mark.parametrize("language", sorted(path.stem for path in FOLDER.glob("*.toml")))
def test_every_language(language: str) -> None:
    made = pages(language)
    refused = Refused(422, "No.", {"age": "must be"})
    every = [
        made.thanks("abc"), made.forget(), made.forgotten(), made.not_forgotten(),
        made.refused(refused), made.refused(Refused(503, "Later.")), made.answer("yes"),
    ]  # fmt: skip
    for page in every:
        text = page.decode()
        assert f'<html lang="{language}"' in text
        assert text.count("<h1>") == 1
        assert len(re.sub(r"<[^>]*>", "", text.partition("<body>")[2]).strip()) > 5
    assert made.form is not None
    assert f"<html lang={language}>" in made.form[0].decode()


def test_the_policy_allows_the_style_and_nothing_else() -> None:
    made = pages()
    style = re.search(r"<style>(.*?)</style>", made.thanks("x").decode())
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert made.policy.decode() == (
        f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )


def test_what_is_put_into_a_page_is_text() -> None:
    made = pages()
    evil = '"><script>alert(1)</script>'
    for page in (made.thanks(evil), made.answer(evil), made.refused(Refused(422, "", {evil: ""}))):
        assert b"<script>" not in page


def test_words_of_ones_own() -> None:
    made = pages(labels={"thanks": "Lovely!"})
    assert "Lovely!" in made.thanks("x").decode()
    with pytest.raises(DocumentError, match="No page has such a word"):
        pages(labels={"thank": "x"})


def test_no_form_where_none_is_wanted() -> None:
    assert pages(form=False).form is None
