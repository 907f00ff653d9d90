"""A generalization as SQL: tables in buckets, made where they are."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Final

from sparsam._checks import check_choice
from sparsam._errors import MissingExtraError, ParameterError
from sparsam.generalization import Generalization

DIALECTS: Final = (
    "athena",
    "bigquery",
    "clickhouse",
    "databricks",
    "duckdb",
    "materialize",
    "mysql",
    "oracle",
    "postgres",
    "presto",
    "redshift",
    "risingwave",
    "snowflake",
    "spark",
    "sqlite",
    "trino",
    "tsql",
)
"""The dialects of SQL that are written."""
OTHER_NAMES: Final = {"mariadb": "mysql", "postgresql": "postgres", "sqlserver": "tsql"}


def to_sql(
    generalization: Generalization,
    table: str,
    dialect: str = "duckdb",
    output: str = "labels",
    keep: str | Iterable[str] = (),
) -> str:
    """Write the statement that selects a table in buckets.

    Parameters
    ----------
    generalization : Generalization
    table : str
        As the dialect writes it: quoted or not, with its schema or not.
    dialect : str, default="duckdb"
        Such as "postgres", "snowflake", "bigquery", "spark", "mysql" or "tsql".
    output : {"labels", "codes"}, default="labels"
    keep : str or iterable of str, default=()
        Other columns to pass through as they are.

    Returns
    -------
    str
        A value that is refused becomes null: see `to_sql_check`.
    """
    check_choice("to_sql", "output", output, ("labels", "codes"))
    dialect = known_dialect(dialect)
    kept = [keep] if isinstance(keep, str) else list(keep)
    generalised = {name.casefold() for name in generalization.names}
    for name in kept:
        if name.casefold() in generalised:  # most databases know no case, and would give its values
            msg = f"'{name}' is generalised and must not be kept as it is. Take it out of `keep`."
            raise ParameterError(msg)
    from sparsam.collect.exports.sql._statement import select

    return select(generalization, table, dialect, output, kept)


def to_sql_check(generalization: Generalization, table: str, dialect: str = "duckdb") -> str:
    """Write the statement that counts the values that have no bucket, attribute by attribute.

    Parameters
    ----------
    generalization : Generalization
    table : str
    dialect : str, default="duckdb"

    Returns
    -------
    str
        It selects one row; where every number in it is 0, nothing is refused.
    """
    dialect = known_dialect(dialect)
    if not generalization.collected:
        raise ParameterError("Nothing is collected, so that nothing can be refused.")
    from sparsam.collect.exports.sql._statement import check

    return check(generalization, table, dialect)


def known_dialect(name: str) -> str:
    """Return sqlglot's name of a dialect, if it is one that is written and sqlglot is there."""
    dialect = OTHER_NAMES.get(name, name)
    check_choice("to_sql", "dialect", dialect, DIALECTS)
    if find_spec("sqlglot") is None:
        raise MissingExtraError(
            "SQL needs sqlglot, which is not installed.\n\nHint: pip install 'sparsam[sql]'"
        )
    return dialect
