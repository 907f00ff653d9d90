"""The pages of the service: the form, and what a person is told after it."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from html import escape
from typing import Any, Final

import msgspec

from sparsam.collect.door._record import Refused
from sparsam.collect.exports import interview_schema, to_json_schema
from sparsam.collect.form import Form
from sparsam.collect.form._labels import Labels
from sparsam.collect.form._language import Language
from sparsam.collect.store._collected import Collected, CollectedInterviews
from sparsam.data import Category

_STYLE: Final = (
    ":root{color-scheme:light dark}"
    "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}"
    "output,input{font:1rem/1.4 ui-monospace,monospace;overflow-wrap:anywhere;width:100%;"
    "box-sizing:border-box}"
    "output{display:block;border:1px solid;padding:.5rem}button{font:inherit;padding:.4rem 1rem}"
)
_PAGE: Final = (
    '<!doctype html>\n<html lang="{language}" dir="{direction}"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1">'
    "<title>{title}</title><style>" + _STYLE.replace("{", "{{").replace("}", "}}") + "</style>"
    "</head><body><main><h1>{title}</h1>\n{content}\n</main></body></html>\n"
)
_NOT_FRAMED: Final = "frame-ancestors 'none'"
_OUR_FAULT: Final = 500


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _schema(collected: Collected) -> dict[str, Any]:
    if isinstance(collected, CollectedInterviews):
        return interview_schema(collected.interviews, collected.target)
    return to_json_schema(collected.generalization, collected.target)


class Pages:
    """Everything that people and programs can look at, made once.

    Parameters
    ----------
    collected : Collected
    form : bool
    language : str
    labels : mapping, path or None
    """

    def __init__(
        self,
        collected: Collected,
        *,
        form: bool,
        language: str,
        labels: Mapping[str, Any] | str | os.PathLike[str] | None,
    ) -> None:
        self.policy = (
            f"default-src 'none'; style-src {_hash(_STYLE)}; form-action 'self'; base-uri 'none'; "
            f"{_NOT_FRAMED}"
        ).encode()
        self.schema = msgspec.json.encode(_schema(collected))
        self.form = None
        if form:
            # from here, so that the service can stand behind a proxy under any address
            page = Form(
                collected.source,
                action="records",
                language=language,
                labels=labels,
                target=collected.target,
            )
            policy = f"{page.content_security_policy}; {_NOT_FRAMED}"
            self.form = page.html.encode(), policy.encode()
        self._language = Language.of(language).with_words(Labels.of(labels).words)

    def thanks(self, receipt: str) -> bytes:
        """Return the page after a record was kept, with its receipt."""
        say, word = self._language.say, self._text
        content = (
            f"<p>{word('thanks')}</p><p>{word('receipt_why')}</p>"
            f"<p>{word('receipt')} <output>{escape(receipt)}</output></p>"
            f'<form method="post" action="forget"><input type="hidden" name="receipt" '
            f'value="{escape(receipt)}"><button>{word("take_back")}</button></form>'
        )
        return self._page(say("thanks_title"), content)

    def forget(self) -> bytes:
        """Return the page that asks for a receipt."""
        word = self._text
        content = (
            f'<form method="post" action="forget"><p><label>{word("receipt")} '
            f'<input name="receipt" required autocomplete="off" spellcheck="false" '
            f'maxlength="1000"></label></p><p><button>{word("take_back")}</button></p></form>'
        )
        return self._page(self._language.say("take_back"), content)

    def forgotten(self) -> bytes:
        """Return the page after a record was taken back."""
        return self._page(self._language.say("take_back"), f"<p>{self._text('taken_back')}</p>")

    def not_forgotten(self) -> bytes:
        """Return the page for a receipt that no record belongs to."""
        content = f"<p>{self._text('receipt_unknown')}</p>"
        return self._page(self._language.say("take_back"), content)

    def refused(self, refused: Refused) -> bytes:
        """Return the page for a record that is not taken: which questions have no answer yet."""
        content = ""
        if refused.attributes:
            names = "".join(f"<li>{escape(name)}</li>" for name in refused.attributes)
            content = f"<p>{self._text('not_kept')}</p><ul>{names}</ul>"
        elif refused.status >= _OUR_FAULT:
            content = f"<p>{self._text('try_later')}</p>"
        return self._page(self._language.say("not_kept_title"), content)

    def answer(self, answer: Category) -> bytes:
        """Return the page with the model's answer."""
        content = f"<p><output>{escape(str(answer))}</output></p>"
        return self._page(self._language.say("answer"), content)

    def _text(self, word: str) -> str:
        return escape(self._language.say(word))

    def _page(self, title: str, content: str) -> bytes:
        language = self._language
        page = _PAGE.format(
            language=escape(language.code),
            direction=language.say("direction"),
            title=escape(title),
            content=content,
        )
        return page.encode()
