"""What the dialects of SQL do differently where a value is put into its bucket.

A column must have the type that its attribute has: numbers, texts, truth values, dates or times of
day. No engine is asked to make the one out of the other. It would take '17' for 17 where Python
does not, and what it cannot make it quotes in its message, with the value of a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from sqlglot import exp, parse_one

from sparsam.collect.exports.sql._expressions import (
    Expression,
    among,
    call,
    cast,
    fraction,
    number,
    text,
    try_cast,
    when,
)

Kind = Literal["number", "text", "truth", "date", "time"]
Read = Callable[[Expression], Expression]


def _as_it_is(value: Expression) -> Expression:
    return value


def _date(day: str) -> Expression:
    return cast(text(day), "date")


def _time(time: str) -> Expression:
    return cast(text(time), "time")


@dataclass(frozen=True)
class Dialect:
    """How one dialect reads a column and compares what it read.

    Parameters
    ----------
    name : str
        sqlglot's name of it.
    readers : mapping of kind to callable
        From a column to its value, null where the column is of another type. A kind that is not
        here has no type in the dialect.
    is_nan : callable or None
        Whether a double is not a number; None where there are no such doubles.
    exact : callable
        A text, so that no collation makes it equal to another one.
    text : callable
        A text to compare with what `exact` returns.
    label : callable
        A text to give out.
    number, date, time : callable
        Numbers, days ("1960-01-31") and times ("08:30:00") to compare with.
    one_kind : bool
        Whether the engine refuses a statement as a whole when a column has another type. A column
        can then be compared with one kind of values only.
    truth_is_number : bool
        Whether truth values are the numbers 1 and 0.
    empty_is_null : bool
        Whether an empty text is a missing value.
    backslash : bool
        Whether a backslash in a name is to be doubled.
    """

    name: str
    readers: Mapping[Kind, Read]
    is_nan: Read | None = None
    exact: Read = _as_it_is
    text: Callable[[str], Expression] = text
    label: Callable[[str], Expression] = text
    number: Callable[[float], Expression] = number
    date: Callable[[str], Expression] = _date
    time: Callable[[str], Expression] = _time
    one_kind: bool = False
    truth_is_number: bool = False
    empty_is_null: bool = False
    backslash: bool = False


def _typed(
    type_of: Read, types: Mapping[Kind, tuple[str, ...]], reads: Mapping[Kind, Read]
) -> dict[Kind, Read]:
    """Read a column only where the engine says that it has one of these types.

    Parameters
    ----------
    type_of : callable
        The name of a column's type.
    types : mapping of kind to tuple of str
        Names of types; one with % is a pattern.
    reads : mapping of kind to callable
    """

    def reader(kind: Kind) -> Read:
        def read(column: Expression) -> Expression:
            named = [text(name) for name in types[kind] if "%" not in name]
            like = [text(name) for name in types[kind] if "%" in name]
            conditions: list[Expression] = [
                exp.Like(this=type_of(column.copy()), expression=pattern) for pattern in like
            ]
            if len(named) > 1:
                conditions.insert(0, among(type_of(column.copy()), named))
            elif named:
                conditions.insert(0, exp.EQ(this=type_of(column.copy()), expression=named[0]))
            return when(exp.or_(*conditions), reads[kind](column.copy()))

        return read

    return {kind: reader(kind) for kind in types}


def _casting(to: Callable[[Expression, str], Expression], **other: Read) -> dict[Kind, Read]:
    reads: dict[Kind, Read] = {
        "number": lambda value: to(value, "double"),
        "text": lambda value: to(value, "text"),
        "truth": lambda value: to(value, "int"),
        "date": lambda value: to(value, "date"),
        "time": lambda value: to(value, "time"),
    }
    return {**reads, **other}  # type: ignore[dict-item]


def _equal_nan(value: Expression) -> Expression:
    """Whether a double is not a number, where that equals itself."""
    return exp.EQ(this=value, expression=cast(text("NaN"), "double"))


def _collated(collation: Expression) -> Read:
    return lambda value: exp.Collate(this=value, expression=collation.copy())


_POSTGRES_TYPES: Final[dict[Kind, tuple[str, ...]]] = {
    "number": ("smallint", "integer", "bigint", "real", "double precision", "numeric"),
    "text": ("text", "character varying", "character"),
    "truth": ("boolean",),
    "date": ("date", "timestamp without time zone"),
    "time": ("time without time zone",),
}


def _postgres(name: str, exact: Read = _as_it_is) -> Dialect:
    readers = _typed(
        lambda column: cast(call("PG_TYPEOF", column), "text"), _POSTGRES_TYPES, _casting(cast)
    )
    return Dialect(name, readers, _equal_nan, exact)


_DUCKDB: Final = Dialect(
    "duckdb",
    _typed(
        lambda column: call("TYPEOF", column),
        {
            "number": (
                *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"),
                *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "DECIMAL(%"),
            ),
            "text": ("VARCHAR", "ENUM(%"),
            "truth": ("BOOLEAN",),
            "date": ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
            "time": ("TIME",),
        },
        _casting(try_cast),
    ),
    lambda value: call("ISNAN", value),
    _collated(exp.to_identifier("C", quoted=True)),
)


def _sqlite_date(column: Expression) -> Expression:
    """A date is a text here; a time of day may follow it."""
    day = call("SUBSTR", column.copy(), number(1), number(10))
    real = exp.EQ(this=call("DATE", day.copy(), text("+0 days")), expression=day.copy())
    mark = call("SUBSTR", column.copy(), number(11), number(1))
    hour = call("SUBSTR", column.copy(), number(12), number(2))
    alone = exp.EQ(this=call("LENGTH", column.copy()), expression=number(10))
    followed = exp.and_(
        among(mark, [text(" "), text("T")]),
        exp.not_(exp.Is(this=call("TIME", column.copy()), expression=exp.Null())),
        exp.LT(this=hour, expression=text("24")),
    )
    condition = exp.and_(
        exp.EQ(this=call("TYPEOF", column.copy()), expression=text("text")),
        real,
        exp.GTE(this=day.copy(), expression=text("0001")),
        exp.or_(alone, followed),
    )
    return when(condition, day)


def _sqlite_time(column: Expression) -> Expression:
    clock = call("TIME", column.copy())
    condition = exp.and_(
        exp.EQ(this=call("TYPEOF", column.copy()), expression=text("text")),
        exp.Glob(this=column.copy(), expression=text("[0-2][0-9]:[0-5][0-9]*")),
        exp.not_(exp.Glob(this=column.copy(), expression=text("*[^0-9:.]*"))),
        exp.LT(this=clock.copy(), expression=text("24")),
    )
    return when(condition, clock)


def _sqlite_number(column: Expression) -> Expression:
    kinds = [text("integer"), text("real")]
    return when(among(call("TYPEOF", column.copy()), kinds), cast(column, "double"))


_SQLITE: Final = Dialect(
    "sqlite",
    {
        "number": _sqlite_number,
        "text": lambda column: when(
            exp.EQ(this=call("TYPEOF", column.copy()), expression=text("text")), column
        ),
        "truth": _sqlite_number,
        "date": _sqlite_date,
        "time": _sqlite_time,
    },
    exact=_collated(exp.var("BINARY")),
    number=fraction,
    date=text,
    time=text,
    truth_is_number=True,
)


def _mysql_typed(pattern: str, read: Read) -> Read:
    """Whether a column is no text is known; what else it is shows in how it is written."""

    def reader(column: Expression) -> Expression:
        no_text = exp.EQ(this=call("COERCIBILITY", column.copy()), expression=number(5))
        # MariaDB has no REGEXP_LIKE
        place = call("REGEXP_INSTR", cast(column.copy(), "char"), text(pattern))
        written = exp.GT(this=place, expression=number(0))
        return when(exp.and_(no_text, written), read(column.copy()))

    return reader


def _mysql_bytes(value: Expression) -> Expression:
    """A text as its bytes in UTF-8, whatever the column's character set is."""
    written: Expression = parse_one("CAST(CONVERT(x USING utf8mb4) AS BINARY)", read="mysql")
    return written.transform(lambda part: value.copy() if isinstance(part, exp.Column) else part)


_MYSQL_NUMBER: Final = _mysql_typed(
    "^-?[0-9.]+(e-?[0-9]+)?$",
    lambda column: exp.Add(this=column, expression=exp.Literal.number("0e0")),
)
_MYSQL: Final = Dialect(
    "mysql",
    {
        "number": _MYSQL_NUMBER,
        "text": lambda column: when(
            exp.NEQ(this=call("CHARSET", column.copy()), expression=text("binary")), column
        ),
        "truth": _MYSQL_NUMBER,
        # the day 0000-00-00 is none
        "date": _mysql_typed(
            "^(000[1-9]|00[1-9]|0[1-9]|[1-9]).*-.*-", lambda column: cast(column, "date")
        ),
        "time": _mysql_typed("^[01][0-9]:|^2[0-3]:", lambda column: cast(column, "time")),
    },
    exact=_mysql_bytes,
    truth_is_number=True,
)


def _spark(name: str) -> Dialect:
    readers = _typed(
        lambda column: call("TYPEOF", column),
        {
            "number": ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal(%"),
            "text": ("string",),
            "truth": ("boolean",),
            "date": ("date", "timestamp", "timestamp_ntz"),
        },
        _casting(cast),
    )
    return Dialect(name, readers, lambda value: call("ISNAN", value))


def _trino(name: str) -> Dialect:
    readers = _typed(
        lambda column: call("TYPEOF", column),
        {
            "number": ("tinyint", "smallint", "integer", "bigint", "real", "double", "decimal(%"),
            "text": ("varchar", "varchar(%"),
            "truth": ("boolean",),
            "date": ("date", "timestamp", "timestamp(%)"),
            "time": ("time", "time(%)"),
        },
        _casting(try_cast),
    )
    return Dialect(name, readers, lambda value: call("IS_NAN", value))


def _clickhouse_types(*names: str) -> tuple[str, ...]:
    return tuple(
        form.format(name)
        for name in names
        for form in ("{}", "Nullable({})", "LowCardinality({})", "LowCardinality(Nullable({}))")
    )


_CLICKHOUSE: Final = Dialect(
    "clickhouse",
    _typed(
        lambda column: call("toTypeName", column),
        {
            "number": (
                *("Int%", "UInt%", "Float%", "Decimal%"),
                *("Nullable(Int%", "Nullable(UInt%", "Nullable(Float%", "Nullable(Decimal%"),
                *("LowCardinality(Int%", "LowCardinality(UInt%", "LowCardinality(Float%"),
            ),
            "text": (*_clickhouse_types("String"), "Enum%", "Nullable(Enum%"),
            "truth": _clickhouse_types("Bool"),
            "date": ("Date%", "Nullable(Date%"),
        },
        {
            # -0 is not among numbers with 0: a sum is never -0
            "number": lambda value: exp.Add(this=call("toFloat64", value), expression=number(0)),
            "text": lambda value: call("toString", value),
            "truth": lambda value: call("toUInt8", value),
            "date": lambda value: call("toDate32", value),
        },
    ),
    lambda value: call("isNaN", value),
    date=lambda day: call("toDate32", text(day)),
    backslash=True,
)


def _variant(as_kind: str) -> Read:
    """A column as a value that knows its type, which is then asked for and never changed."""
    return lambda column: call(as_kind, call("TO_VARIANT", column))


_SNOWFLAKE: Final = Dialect(
    "snowflake",
    {
        "number": _variant("AS_DOUBLE"),
        "text": _variant("AS_VARCHAR"),
        "truth": lambda column: cast(_variant("AS_BOOLEAN")(column), "int"),
        "date": lambda column: call(
            "COALESCE",
            _variant("AS_DATE")(column.copy()),
            cast(_variant("AS_TIMESTAMP_NTZ")(column.copy()), "date"),
        ),
        "time": _variant("AS_TIME"),
    },
    _equal_nan,
    _collated(text("utf8")),
)


def _truth(column: Expression) -> Expression:
    return exp.Case(
        ifs=[
            exp.If(this=column.copy(), true=number(1)),
            exp.If(this=exp.not_(column.copy()), true=number(0)),
        ]
    )


def _plus_nothing(column: Expression) -> Expression:
    return exp.Add(this=column, expression=cast(number(0), "double"))


_BIGQUERY: Final = Dialect(
    "bigquery",
    {
        "number": _plus_nothing,
        "text": lambda column: call("COLLATE", column, text("")),
        "truth": _truth,
        "date": _as_it_is,
        "time": _as_it_is,
    },
    lambda value: call("IS_NAN", value),
    one_kind=True,
)
_REDSHIFT: Final = Dialect(
    "redshift",
    {
        "number": _plus_nothing,
        "text": lambda column: when(
            exp.Like(this=column.copy(), expression=text("%")),
            exp.DPipe(this=column, expression=text("|")),
        ),
        "truth": _truth,
        "date": _as_it_is,
        "time": _as_it_is,
    },
    _equal_nan,
    # blanks at the end count only where something follows them
    text=lambda value: text(f"{value}|"),
    one_kind=True,
)


def _national(value: str) -> Expression:
    return exp.National(this=value)


def _tsql_cast(value: Expression, kind: str) -> Expression:
    return exp.Cast(this=value, to=exp.DataType.build(kind, dialect="tsql"))


_TSQL: Final = Dialect(
    "tsql",
    _typed(
        lambda column: _tsql_cast(
            call("SQL_VARIANT_PROPERTY", column, text("BaseType")), "VARCHAR(128)"
        ),
        {
            "number": (
                *("tinyint", "smallint", "int", "bigint", "real", "float", "decimal", "numeric"),
                *("money", "smallmoney"),
            ),
            "text": ("varchar", "nvarchar", "char", "nchar"),
            "truth": ("bit",),
            "date": ("date", "datetime", "datetime2", "smalldatetime"),
            "time": ("time",),
        },
        _casting(try_cast, text=_as_it_is),
    ),
    exact=lambda value: _tsql_cast(_tsql_cast(value, "NVARCHAR(MAX)"), "VARBINARY(MAX)"),
    text=lambda value: _tsql_cast(_national(value), "VARBINARY(MAX)"),
    label=_national,
)


def _oracle_typed(*numbers: int) -> tuple[str, ...]:
    return tuple(f"Typ={number} %" for number in numbers)


_ORACLE: Final = Dialect(
    "oracle",
    _typed(
        lambda column: call("DUMP", column),
        {
            "number": _oracle_typed(2, 100, 101),
            "text": _oracle_typed(1),
            "truth": _oracle_typed(2),
            "date": _oracle_typed(12, 180),
        },
        {
            "number": lambda value: call("TO_BINARY_DOUBLE", value),
            "text": _as_it_is,
            "truth": lambda value: call("TO_BINARY_DOUBLE", value),
            "date": _as_it_is,
        },
    ),
    lambda value: exp.EQ(this=value, expression=exp.column("BINARY_DOUBLE_NAN")),
    _collated(exp.var("BINARY")),
    date=lambda day: call("TO_DATE", text(day), text("YYYY-MM-DD")),
    truth_is_number=True,
    empty_is_null=True,
)

DIALECTS: Final[dict[str, Dialect]] = {
    dialect.name: dialect
    for dialect in (
        _trino("athena"),
        _BIGQUERY,
        _CLICKHOUSE,
        _spark("databricks"),
        _DUCKDB,
        _postgres("materialize"),
        _MYSQL,
        _ORACLE,
        _postgres("postgres", _collated(exp.to_identifier("C", quoted=True))),
        _trino("presto"),
        _REDSHIFT,
        _postgres("risingwave"),
        _SNOWFLAKE,
        _spark("spark"),
        _SQLITE,
        _trino("trino"),
        _TSQL,
    )
}
"""Every dialect that is written, by sqlglot's name."""
