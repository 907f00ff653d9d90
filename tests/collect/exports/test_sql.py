"""SQL: its parameters, and what is said when sqlglot is not installed."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from sparsam._errors import MissingExtraError, ParameterError
from sparsam.collect.exports import _sql
from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, numeric_partition

PEOPLE = Generalization([numeric_partition("age", NumericDomain(0, 99), [18])])


def test_without_sqlglot_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sql, "find_spec", lambda name: None)
    for write in (PEOPLE.to_sql, PEOPLE.to_sql_check, PEOPLE.to_dbt):
        with pytest.raises(MissingExtraError, match=r"pip install 'sparsam\[sql\]'"):
            write("people")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dialect": "cobol"}, "'dialect' parameter of to_sql must be one of"),
        ({"output": "words"}, "'output' parameter of to_sql must be one of"),
        ({"keep": "age"}, "'age' is generalised and must not be kept"),
        ({"keep": ["works", "AGE"]}, "'AGE' is generalised and must not be kept"),
    ],
)
def test_wrong_parameters_are_said(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PEOPLE.to_sql("people", **options)


@pytest.mark.skipif(importlib.util.find_spec("sqlglot") is None, reason="extra sql")
@pytest.mark.parametrize(("name", "dialect"), _sql.OTHER_NAMES.items())
def test_a_dialect_may_be_called_by_its_database(name: str, dialect: str) -> None:
    assert PEOPLE.to_sql("people", name) == PEOPLE.to_sql("people", dialect)
