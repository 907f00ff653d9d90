"""Macros for dbt, rendered as dbt renders them, and run on DuckDB."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any

import duckdb
import jinja2
import pytest
from jinja2.ext import Extension
from jinja2.nodes import Macro
from tests.collect import golden

from sparsam._errors import ParameterError
from sparsam.collect.exports._dbt import ADAPTERS
from sparsam.data import NumericDomain
from sparsam.generalization import Generalization, numeric_partition

KINDS = {
    "text": (str,),
    "number": (float, int),
    "truth": (bool,),
    "date": (datetime.date,),
    "time": (datetime.time,),
}
AGE = Generalization([numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62])])


class TestTag(Extension):
    """dbt's `{% test name(model) %}`: a macro called test_name."""

    __test__ = False
    tags = {"test"}  # noqa: RUF012

    def parse(self, parser: Any) -> Macro:
        node = Macro(lineno=next(parser.stream).lineno)
        node.name = f"test_{parser.parse_assign_target(name_only=True).name}"
        parser.parse_signature(node)
        node.body = parser.parse_statements(("name:endtest",), drop_needle=True)
        return node


class CompilerError(Exception):
    """What dbt raises for a project that cannot be compiled."""


class Adapter:
    """What macros ask of dbt's adapter."""

    def __init__(self, name: str) -> None:
        self.name, self.macros = name, {}

    def dispatch(self, macro: str) -> Callable[..., str]:
        return self.macros[f"{self.name}__{macro}"]  # type: ignore[no-any-return]

    def quote(self, name: str) -> str:
        return f'"{name}"'


def macros(text: str, adapter: str = "duckdb") -> Any:
    """The macros of a file, as dbt would call them with an adapter."""
    used = Adapter(adapter)

    def stop(message: str) -> None:
        raise CompilerError(message)

    environment = jinja2.Environment(extensions=[TestTag], undefined=jinja2.StrictUndefined)
    environment.globals |= {
        "adapter": used,
        "return": lambda value: value,
        "exceptions": type("Exceptions", (), {"raise_compiler_error": staticmethod(stop)}),
    }
    module = environment.from_string(text).module
    used.macros = vars(module)
    return module


def test_a_table_comes_out_as_in_python() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE raw AS SELECT unnest([16, 17, 62]) AS age, 'x' AS works")
    written = macros(AGE.to_dbt())
    labels = connection.sql(written.people_generalised("raw", keep=["works"])).fetchall()
    assert labels == [("under 17", "x"), ("17–61", "x"), ("62 and over", "x")]
    codes = connection.sql(written.people_generalised("raw", "codes")).fetchall()
    assert codes == [(0,), (1,), (2,)]


def test_the_test_fails_where_something_is_refused() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE raw AS SELECT unnest([16, 17]) AS age")
    failing = macros(AGE.to_dbt("staff")).test_staff_accepted("raw")
    assert connection.sql(failing).fetchall() == []
    connection.execute("INSERT INTO raw VALUES (NULL), (NULL)")
    assert connection.sql(failing).fetchall() == [(2,)]


def test_any_name_and_any_label_survives_the_template() -> None:
    """Names and labels with braces and quotes: as many columns, and the golden buckets."""
    chosen = golden.small()
    written = macros(chosen.to_dbt("golden", ["duckdb"]))
    connection = duckdb.connect()
    rows: dict[str, Any] = {}
    for name in chosen.collected:
        (kind,) = golden.kinds_of(chosen[name])
        values = (value for value in golden.thought_of(chosen[name]) if type(value) in KINDS[kind])
        buckets = ((value, golden.bucket_of(chosen[name], value)) for value in values)
        rows[name] = next(pair for pair in buckets if pair[1] is not None)
    quoted = [f'? AS "{name.replace(chr(34), chr(34) * 2)}"' for name in rows]
    connection.execute(
        f"CREATE TABLE raw AS SELECT {', '.join(quoted)}", [value for value, _ in rows.values()]
    )
    found = connection.sql(written.golden_generalised("raw"))
    assert found.columns == list(chosen.collected)
    labels = [chosen[name].labels[bucket] for name, (_, bucket) in rows.items()]
    assert found.fetchall() == [tuple(labels)]
    assert connection.sql(written.test_golden_accepted("raw")).fetchall() == []


@pytest.mark.parametrize("adapter", [*ADAPTERS, "clickhouse", "spark", "sqlserver", "trino"])
def test_every_adapter_has_its_statement(adapter: str) -> None:
    text = golden.small().to_dbt("golden", [adapter])
    written = macros(text, adapter)
    if adapter in ("spark", "databricks", "clickhouse"):
        with pytest.raises(CompilerError, match="'time of day' holds times of day"):
            written.golden_generalised("raw")
        return
    rendered = written.golden_generalised("raw", keep=["works"])
    assert len(re.findall(r'"works"', rendered)) == 3
    assert "sparsam_mark" not in rendered
    assert not re.search(r"\{\{ (relation|codes)", rendered)


@pytest.mark.parametrize("keep", ["age", "Age", "column_1"])
def test_a_column_that_cannot_be_kept_is_an_error(keep: str) -> None:
    with pytest.raises(CompilerError, match="cannot be kept"):
        macros(AGE.to_dbt()).people_generalised("raw", keep=[keep])
    with pytest.raises(CompilerError, match="labels or codes"):
        macros(AGE.to_dbt()).people_generalised("raw", output="words")


def test_wrong_parameters_are_said() -> None:
    with pytest.raises(ParameterError, match="small letters, digits and underscores"):
        AGE.to_dbt("People")
    with pytest.raises(ParameterError, match="'dialect' parameter"):
        AGE.to_dbt(adapters=["cobol"])
    nothing = Generalization([numeric_partition("age", NumericDomain(0, 9), [])])
    with pytest.raises(ParameterError, match="nothing is collected"):
        nothing.to_dbt()
