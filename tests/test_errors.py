"""A message is of bounded length and shows no control character, whatever a file holds."""

from __future__ import annotations

import pickle

import pytest

from sparsam import _errors
from sparsam._errors import DataError, DocumentError, SparsamError, readable

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
