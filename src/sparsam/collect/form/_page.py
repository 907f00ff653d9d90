"""The form as one HTML file that needs nothing but itself."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

import jinja2
from markupsafe import Markup

from sparsam.collect.exports import bucket_code, script_json
from sparsam.collect.form._compact import compact_script, compact_style
from sparsam.collect.form._language import Language
from sparsam.collect.form._questions import Question

_SAFE: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*-._")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.:/-]+")
_INTERVAL: Final = "function interval("
_CALENDAR: Final = "function moment("


class Page:
    """A page that asks questions.

    Parameters
    ----------
    language : Language
    questions : sequence of Question
    action : str or None
        Where it is sent to; None for nowhere.
    destination : str
        The same, for the policy.
    walk : list or None
        What leads from one question to the next.
    answers : dict or None
        What the answer is looked up in.

    Attributes
    ----------
    html, policy : str
    size : int
        In bytes.
    """

    def __init__(
        self,
        language: Language,
        questions: Sequence[Question],
        *,
        action: str | None,
        destination: str,
        walk: list[Any] | None,
        answers: dict[str, Any] | None,
    ) -> None:
        typed = any(question.numbers for question in questions)
        found = any(question.findable or (walk and not question.numbers) for question in questions)
        last = ["send.js" if answers is None else "answer.js", *["find.js"] * found, "lines.js"]
        code = "\n".join(map(_code, ["form.js", *(["walk.js"] if walk else last)]))
        script = compact_script(_interval(questions) + code)
        sheets = ["form.css", *["groups.css"] * found]
        style = compact_style("".join(map(_code, sheets)))
        self.policy = (
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
            f"form-action {destination}; base-uri 'none'"
        )
        template = _environment().get_template("form.html.j2")
        self.html = template.render(
            language=language,
            say=language.say,
            policy=Markup(self.policy),  # its signs mean nothing in a page
            style=Markup(style),
            script=Markup(script),
            action=action,
            questions=questions,
            typed=typed,
            found=found,
            walk=walk,
            answers=answers,
        )
        self.size = len(self.html.encode())


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("sparsam.collect.form", ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["pair"] = pair
    environment.filters["text"] = _text
    environment.filters["quoted"] = quoted
    environment.filters["script"] = lambda data: Markup(script_json(data))
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    return environment


def _text(text: str) -> Markup:
    """Write a text that stands between tags, where quotes mean nothing."""
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;"))


def quoted(text: str) -> Markup:
    """Write the value of an attribute, with quotes only where it needs them.

    Examples
    --------
    >>> print(quoted("age"), quoted("marital status"))
    age "marital status"
    """
    return Markup(text) if _PLAIN.fullmatch(text) else Markup('"{}"').format(text)


def pair(name: str, value: str) -> str:
    """Write a name and its value as a form sends them.

    Examples
    --------
    >>> pair("état civil", "1-3")
    '%C3%A9tat+civil=1-3'
    """
    return f"{_encoded(name)}={_encoded(value)}"


def _encoded(text: str) -> str:
    signs = (chr(byte) if byte in _SAFE else f"%{byte:02X}" for byte in text.encode())
    return "".join("+" if sign == "%20" else sign for sign in signs)


def _interval(questions: Sequence[Question]) -> str:
    """The function that finds the interval of a number, as far as these questions need it."""
    numbers = [question.numbers for question in questions if question.numbers is not None]
    if not numbers:
        return ""
    code = bucket_code()
    calendar = any("unit" in each or "age_on" in each for each in numbers)
    return code[code.index(_INTERVAL) : None if calendar else code.index(_CALENDAR)]


def _code(name: str) -> str:
    return (files("sparsam.collect.form") / name).read_text(encoding="utf-8")
