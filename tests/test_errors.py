"""A message is of bounded length and shows no control character, whatever a file holds."""

from __future__ import annotations

import ast
import pickle
import re
from pathlib import Path

import pytest

import sparsam
from sparsam import _errors
from sparsam._errors import (
    DataError,
    DocumentError,
    SparsamError,
    for_commands,
    hint,
    readable,
)

CLASSES = [
    value
    for value in vars(_errors).values()
    if isinstance(value, type) and issubclass(value, SparsamError)
]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_message_is_readable(kind: type[SparsamError]) -> None:
    numbers = (1, 2) if kind is _errors.BudgetError else ()
    error = kind("a\x1b[2J\x00\ud800 " + "x" * 10**6, *numbers)
    assert len(str(error)) < 3_000
    assert str(error).isprintable()
    assert "\\x1b[2J\\x00\\ud800" in str(error)


def test_a_hint_stays_on_lines_of_its_own() -> None:
    assert str(DataError("It is not.\n\nHint: Do.")) == "It is not.\n\nHint: Do."


def test_a_document_error_is_one_line() -> None:
    error = DocumentError("no\nHint: run this", "$.a\nb" + "c" * 1_000)
    assert "\n" not in str(error)
    assert len(str(error)) < 400
    assert error.path.startswith("$.a\nb")


def test_a_document_error_survives_pickling() -> None:
    error = DocumentError("It is not.", "$.a")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert str(again) == str(error) == "It is not. - at `$.a`"
    assert again.path == "$.a"


def test_readable_keeps_both_ends() -> None:
    made = readable("a" * 50 + "b" * 50, 20)
    assert made == "aaaaaaaaa … bbbbbbbb"
    assert readable("non-breaking\u00a0blank – é") == "non-breaking\u00a0blank – é"


def test_the_command_line_says_a_hint_in_its_own_words() -> None:
    message = str(DataError("It is not." + hint("say x=(1, 2)", "say --x 1 (or 2)")))
    assert message == "It is not.\n\nHint: say x=(1, 2) (on the command line: say --x 1 (or 2))."
    assert for_commands(message) == "It is not.\n\nHint: say --x 1 (or 2)."
    for plain in ("It is not.", "It is not.\n\nHint: do.", "(on the command line: no hint)."):
        assert for_commands(plain) == plain


SOURCE = Path(sparsam.__file__).parent
PYTHON = re.compile(r"\b\w+=(?!=)|\b(?!Libre)[A-Z][a-z]+[A-Z]\w+|\b[A-Za-z_.]+\((?!20000)|`\w+")
# What is raised here no command can bring about: only who writes Python gets to see it.
PYTHON_ONLY = {
    *("collect/_step.py", "minimise/_minimiser.py", "minimise/neural/_training.py"),
    *("anonymise/_anonymise_model.py", "anonymise/_private_models.py", "data/source/_frame.py"),
    *("anonymise/_privacy_models.py", "anonymise/methods/_guided.py", "anonymise/proof/_verify.py"),
    *("assess/model/_answers.py", "assess/model/_assessment.py", "assess/_sweep.py"),
    "assess/_utility.py",
    *("attack/masks/_masked_membership.py", "explore/_exploration.py", "explore/ledger/_chain.py"),
    *("explore/ledger/_ledger.py", "explore/ledger/_store.py", "generalization/_hierarchy.py"),
    *("generalization/recoding/_apply.py", "minimise/model/_model_tree.py"),
    *("data/_read.py", "data/_target.py", "data/source/_source.py"),
    "report/charts/_exploration.py",
}
# A table in memory, and a reading with fewer codes: neither comes from a command.
PYTHON_ONLY_HINTS = (
    "if they are public knowledge",
    "Read the table with a larger `max_codes`",
    "read the table with these roles",
    "check_gates(..., groups=",  # the command line always gives both
    "minimise_for_purposes(data, ",
    "assess_generalization keeps it",
)


def _hints(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value for part in node.values if isinstance(part, ast.Constant)]
            found.append("…".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return [text.partition("Hint: ")[2] for text in found if "\n\nHint: " in text]


def test_hints_that_name_what_only_python_has_are_worded_for_the_command_line_too() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}: {words}"
        for path in sorted(SOURCE.rglob("*.py"))
        if str(path.relative_to(SOURCE)) not in PYTHON_ONLY
        for words in _hints(path)
        if PYTHON.search(words) and not words.startswith(PYTHON_ONLY_HINTS)
    ]
    assert not wrong, "use hint(words, commands) of _errors.py"
