from __future__ import annotations

import pytest

from sparsam._errors import RoleError
from sparsam.data.source import FileFormat


def test_nothing_said_is_nothing_known():
    assert FileFormat() == FileFormat(None, None, None, None)
    assert FileFormat("cp1252", "\t", ",", " ").delimiter == "\t"


@pytest.mark.parametrize(
    ("fact", "value"),
    [
        ("encoding", "martian"),
        ("encoding", 8),
        ("delimiter", ""),
        ("delimiter", '"'),
        ("decimal", "."),
        ("decimal", ";"),
        ("thousands", "_"),
    ],
)
def test_what_no_file_can_be(fact: str, value: object):
    other = {"thousands": "."} if (fact, value) == ("decimal", ".") else {}
    with pytest.raises(RoleError):
        FileFormat(**{fact: value, **other})  # type: ignore[arg-type]
