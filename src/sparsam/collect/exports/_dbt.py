"""A generalization as dbt macros: one for each warehouse, and a test."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from string import Template
from typing import Final

from sparsam._errors import ParameterError
from sparsam.collect.exports._sql import known_dialect, to_sql
from sparsam.generalization import Generalization

ADAPTERS: Final = (
    "bigquery",
    "databricks",
    "duckdb",
    "postgres",
    "redshift",
    "snowflake",
)
"""The adapters of dbt that macros are written for, unless others are named."""

_HEAD: Final = Template("""\
{# Written by sparsam: put it into the folder macros of a dbt project.

A model in buckets:      {{ ${name}_generalised(ref("raw_people"), keep=["employed"]) }}
with their numbers:      {{ ${name}_generalised(ref("raw_people"), output="codes") }}
A test that nothing is refused (in the properties of raw_people): data_tests: [${name}_accepted] #}

{% macro ${name}_generalised(relation, output="labels", keep=[]) -%}
  {%- for column in keep if column.lower().startswith("$alias") or column.lower() in $names -%}
    {{ exceptions.raise_compiler_error("A column of this name cannot be kept: " ~ column) }}
  {%- endfor -%}
  {%- if output not in ["labels", "codes"] -%}
    {{ exceptions.raise_compiler_error("The output must be labels or codes.") }}
  {%- endif -%}
  {%- set codes = adapter.dispatch("${name}_codes")(relation, keep) -%}
  {%- if output == "codes" -%}
    {{ return(codes) }}
  {%- else -%}
    {{ return(adapter.dispatch("${name}_labels")("(" ~ codes ~ ") codes", keep)) }}
  {%- endif -%}
{%- endmacro %}

{% macro ${name}_refused(relation) -%}
  {%- set codes = adapter.dispatch("${name}_codes")(relation, []) -%}
  {{ return(adapter.dispatch("${name}_refused")("(" ~ codes ~ ") codes")) }}
{%- endmacro %}

{% test ${name}_accepted(model) -%}
  {{ ${name}_refused(model) }}
{%- endtest %}
""")
_MACROS: Final = Template("""
{% macro ${adapter}__${name}_codes(relation, keep) -%}
$codes
{%- endmacro %}

{% macro ${adapter}__${name}_labels(codes, keep) -%}
$labels
{%- endmacro %}

{% macro ${adapter}__${name}_refused(codes) -%}
$refused
{%- endmacro %}
""")
_KEPT: Final = "{% for column in keep %}, {{ adapter.quote(column) }}{% endfor %}"
_NAME: Final = re.compile("[a-z][a-z0-9_]*")


def to_dbt(
    generalization: Generalization, name: str = "people", adapters: Sequence[str] | None = None
) -> str:
    """Write macros for dbt that select a table in buckets, and a test that nothing is refused.

    Parameters
    ----------
    generalization : Generalization
    name : str, default="people"
        How the names of the macros begin: small letters, digits and underscores.
    adapters : sequence of str or None, default=None
        Those of dbt, such as "snowflake" or "sqlserver"; None for those of `ADAPTERS`.

    Returns
    -------
    str
    """
    if not _NAME.fullmatch(name):
        raise ParameterError(
            "The 'name' parameter of to_dbt must be small letters, digits and underscores, and "
            "begin with a letter."
        )
    if not generalization.collected:
        raise ParameterError("A macro must select something, and nothing is collected.")
    dialects = {adapter: known_dialect(adapter) for adapter in adapters or ADAPTERS}
    from sparsam.collect.exports.sql._statement import ALIAS

    names = json.dumps([each.lower() for each in generalization.names], ensure_ascii=False)
    head = _HEAD.substitute(name=name, names=names, alias=ALIAS)
    written = (_macros(generalization, name, *pair) for pair in dialects.items())
    return head + "".join(written)


def _macros(generalization: Generalization, name: str, adapter: str, dialect: str) -> str:
    from sparsam.collect.exports.sql._statement import check_codes, label_codes

    mark = _mark(generalization)
    try:
        codes = _template(to_sql(generalization, mark, dialect, "codes", mark), mark, "relation")
        labels = _template(label_codes(generalization, mark, dialect, [mark]), mark, "codes")
        refused = _template(check_codes(generalization, mark, dialect), mark, "codes")
    except ParameterError as error:  # this warehouse cannot hold it, but others can
        reason = json.dumps(str(error), ensure_ascii=False)
        codes = labels = refused = f"  {{{{ exceptions.raise_compiler_error({reason}) }}}}"
    return _MACROS.substitute(
        adapter=adapter, name=name, codes=codes, labels=labels, refused=refused
    )


def _mark(generalization: Generalization) -> str:
    """A name that occurs nowhere in a generalization."""
    written, mark = generalization.to_json(), "sparsam_mark"
    while mark in written:
        mark += "_"
    return mark


def _template(statement: str, mark: str, source: str) -> str:
    """Make a template of a statement: of any table, and with any columns to keep."""
    template = statement.rstrip().removesuffix(";").replace("{", '{{ "{" }}')
    quoted = rf'[`"\[]{mark}[`"\]]'
    template = re.sub(rf",\s*{quoted}( AS {quoted})?", lambda _: _KEPT, template)
    return template.replace(mark, f"{{{{ {source} }}}}")
