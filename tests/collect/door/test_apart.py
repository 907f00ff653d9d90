"""What another process makes comes back, and so do its errors, without values."""

from __future__ import annotations

import os
import sys
from functools import partial

import pytest

from sparsam._errors import DocumentError, SparsamError
from sparsam.collect.door._apart import made_apart
from sparsam.generalization import Generalization


def test_it_is_made_elsewhere() -> None:
    assert made_apart(os.getpid) != os.getpid()
    assert made_apart(partial(sorted, [3, 1, 2])) == [1, 2, 3]


def test_our_errors_come_back_as_they_are() -> None:
    with pytest.raises(DocumentError) as expected:
        Generalization.from_json("{}")
    with pytest.raises(DocumentError) as caught:
        made_apart(partial(Generalization.from_json, "{}"))
    assert str(caught.value) == str(expected.value)
    assert caught.value.path == expected.value.path


def test_of_others_only_the_kind(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SparsamError, match=r"could not be loaded: ValueError\.") as caught:
        made_apart(partial(int, "47 is too old"))
    assert "47" not in str(caught.value) + capfd.readouterr().err


def test_a_process_that_is_gone(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SparsamError, match="ended before it was done"):
        made_apart(partial(os._exit, 3))
    with pytest.raises(SparsamError, match="SystemExit"):
        made_apart(sys.exit)
