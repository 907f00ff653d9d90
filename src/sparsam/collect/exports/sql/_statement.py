"""The statements: a table in buckets, and how many values of it have none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sparsam._errors import ParameterError, hint
from sparsam.collect.exports.sql._dialects import DIALECTS, Dialect, Kind
from sparsam.collect.exports.sql._edges import edges_of
from sparsam.collect.exports.sql._expressions import (
    Expression,
    among,
    call,
    column,
    decide,
    is_null,
    number,
)
from sparsam.generalization import (
    CategoricalPartition,
    Generalization,
    NumericPartition,
    Partition,
)

ALIAS: Final = "column_"
"""What columns are called while they are read; a column that is kept may have such a name too."""


def select(
    generalization: Generalization,
    table: str,
    dialect: str,
    output: str,
    keep: Sequence[str],
) -> str:
    """Write the statement that selects a table in buckets.

    Parameters
    ----------
    generalization : Generalization
    table : str
        As it is written in this dialect.
    dialect : str
    output : {"labels", "codes"}
    keep : sequence of str
        Columns to pass through.
    """
    known = DIALECTS[dialect]
    return _written(_buckets(generalization, _table(table, known), known, output, keep), known)


def check(generalization: Generalization, table: str, dialect: str) -> str:
    """Write the statement that counts, for each attribute, the values that are refused."""
    known = DIALECTS[dialect]
    codes = _buckets(generalization, _table(table, known), known, "codes", ())
    return _written(_refused(generalization, codes.subquery("buckets")), known)


def label_codes(
    generalization: Generalization, codes: str, dialect: str, keep: Sequence[str]
) -> str:
    """Write the statement that selects labels from a table of codes."""
    known = DIALECTS[dialect]
    selected = []
    for name in generalization.collected:
        code, labels = column(name), generalization[name].labels
        tree = decide(
            len(labels),
            partial(_below, code),
            partial(_label, labels, known),
            None,
        )
        known_code = exp.If(this=exp.not_(is_null(code)), true=tree)
        selected.append(exp.alias_(exp.Case(ifs=[known_code]), name, quoted=True))
    kept = [column(name) for name in keep]
    return _written(exp.select(*selected, *kept).from_(_table(codes, known)), known)


def _below(code: Expression, first: int, last: int) -> Expression:
    return exp.LT(this=code.copy(), expression=number(last))


def _label(labels: Sequence[str], dialect: Dialect, code: int) -> Expression:
    return dialect.label(labels[code])


def check_codes(generalization: Generalization, codes: str, dialect: str) -> str:
    """Write the statement that counts what is refused in a table of codes; no row if nothing is."""
    known = DIALECTS[dialect]
    refused = _refused(generalization, _table(codes, known)).subquery("refused")
    some = [exp.GT(this=column(name), expression=number(0)) for name in generalization.collected]
    return _written(exp.select("*").from_(refused).where(exp.or_(*some)), known)


def _refused(generalization: Generalization, codes: Expression) -> exp.Select:
    counts = []
    for name in generalization.collected:
        one = exp.Case(ifs=[exp.If(this=is_null(column(name)), true=number(1))])
        one.set("default", number(0))
        refused = call("COALESCE", exp.Sum(this=one), number(0))
        counts.append(exp.alias_(refused, name, quoted=True))
    return exp.select(*counts).from_(codes)


def _written(statement: Expression, dialect: Dialect) -> str:
    if dialect.backslash and not _doubles_backslashes(dialect.name):
        for name in statement.find_all(exp.Identifier):
            if not isinstance(name.parent, exp.Table):  # which came as it is to be written
                name.set("this", name.name.replace("\\", "\\\\"))
    return f"{statement.sql(dialect=dialect.name, pretty=True, comments=True)};\n"


def _doubles_backslashes(dialect: str) -> bool:
    """Whether sqlglot doubles a backslash in a name for dialects that need it: since 30.x."""
    return exp.to_identifier("\\", quoted=True).sql(dialect).count("\\") == 2


def _table(written: str, dialect: Dialect) -> Expression:
    """Read the name of a table as the dialect writes it: quoted or not, with its schema or not."""
    try:
        table: Expression = sqlglot.parse_one(written, read=dialect.name, into=exp.Table)
    except SqlglotError:
        table = None
    parts = {name: part for name, part in table.args.items() if part} if table else {}
    if not parts or any(
        name not in _NAMES or not isinstance(part, exp.Identifier) for name, part in parts.items()
    ):
        raise ParameterError(
            f"The table must be a name as {dialect.name} writes it, such as people or "
            '"my schema"."my table". It cannot be read as one.'
        )
    return table


_NAMES: Final = {"this", "db", "catalog"}


def _buckets(
    generalization: Generalization,
    table: Expression,
    dialect: Dialect,
    output: str,
    keep: Sequence[str],
) -> exp.Select:
    partitions = [generalization[name] for name in generalization.collected]
    if not partitions and not keep:
        raise ParameterError(
            "A statement must select something, and nothing is collected."
            + hint("name a column in `keep`, such as the target", "name one with --keep")
        )
    read: list[Expression] = []
    selected: list[Expression] = []
    for i, partition in enumerate(partitions, start=1):
        attribute = _Attribute(partition, dialect, f"{_free(ALIAS, keep)}{i}", output)
        read += attribute.read()
        selected.append(exp.alias_(attribute.bucket(), partition.name, quoted=True))
    kept = [column(name) for name in keep]
    inner = exp.select(*read, *(name.copy() for name in kept)).from_(table)
    return exp.select(*selected, *kept).from_(inner.subquery("columns_read"))


def _free(start: str, names: Iterable[str]) -> str:
    """A beginning that no name has, whatever its case."""
    while any(name.lower().startswith(start) for name in names):
        start += "_"
    return start


class _Attribute:
    """One attribute of a statement: what is read of it, and which bucket that is.

    Parameters
    ----------
    partition : Partition
    dialect : Dialect
    alias : str
        What the column is called between reading and deciding.
    output : {"labels", "codes"}
    """

    def __init__(self, partition: Partition, dialect: Dialect, alias: str, output: str) -> None:
        self._partition, self._dialect, self._alias = partition, dialect, alias
        self._labels = partition.labels if output == "labels" else None
        self._kinds = _kinds(partition)
        absent = [kind for kind in self._kinds if kind not in dialect.readers]
        if absent:
            raise ParameterError(
                f"'{partition.name}' holds {_WORDS[absent[0]]}, and {dialect.name} has no type "
                "for them."
            )
        listed = isinstance(partition, CategoricalPartition) and any(partition.groups)
        if dialect.truth_is_number and listed and {"number", "truth"} <= set(self._kinds):
            raise ParameterError(
                f"The categories of '{partition.name}' are numbers and truth values, which are the "
                f"same in {dialect.name}."
            )
        if dialect.one_kind and len(self._kinds) > 1:
            words = " and ".join(_WORDS[kind] for kind in self._kinds)
            raise ParameterError(
                f"The categories of '{partition.name}' are {words}, and a column of {dialect.name} "
                "can be compared with one kind only."
            )

    def read(self) -> list[Expression]:
        """The column, and its value as each kind that it may have."""
        raw = column(self._partition.name)
        values = [
            exp.alias_(self._dialect.readers[kind](raw.copy()), self._name(kind))
            for kind in self._kinds
        ]
        if self._dialect.one_kind:
            return list(values)
        return [exp.alias_(raw, self._alias), *values]

    def _name(self, kind: Kind) -> str:
        return f"{self._alias}_{kind}"

    def _value(self, kind: Kind) -> Expression:
        return exp.column(self._name(kind))

    def _result(self, bucket: int | None) -> Expression:
        if bucket is None:
            return exp.Null()
        if self._labels is None:
            return number(bucket)
        return self._dialect.label(self._labels[bucket])

    def bucket(self) -> Expression:
        """The bucket, or its label; null where the value is refused."""
        missing = self._result(self._partition.missing)
        name = self._name(self._kinds[0]) if self._dialect.one_kind else self._alias
        ifs = [exp.If(this=is_null(exp.column(name)), true=missing)]
        if "number" in self._kinds and self._dialect.is_nan is not None:
            nan = self._dialect.is_nan(self._value("number"))
            ifs.append(exp.If(this=nan, true=missing.copy()))
        for kind in self._kinds:
            known = exp.not_(is_null(self._value(kind)))
            ifs.append(exp.If(this=known, true=self._decided(kind)))
        return exp.Case(ifs=ifs)

    def _decided(self, kind: Kind) -> Expression:
        if isinstance(self._partition, CategoricalPartition):
            return self._group(self._partition, kind)
        return self._interval(self._partition)

    def _group(self, partition: CategoricalPartition, kind: Kind) -> Expression:
        groups = [
            (bucket, [self._member(member) for member in group if _kind(member) == kind])
            for bucket, group in enumerate(partition.groups)
        ]
        met = [(bucket, members) for bucket, members in groups if members]
        value = self._value(kind)
        if kind == "text":
            value = self._dialect.exact(value)

        def inside(first: int, last: int) -> Expression:
            return among(value, [member for _, members in met[first:last] for member in members])

        return decide(
            len(met), inside, lambda i: self._result(met[i][0]), self._result(partition.unseen)
        )

    def _member(self, member: Any) -> Expression:
        if not isinstance(member, str):
            return self._dialect.number(float(member))
        if member == "" and self._dialect.empty_is_null:
            self._check_empty()
        return self._dialect.text(member)

    def _check_empty(self) -> None:
        if self._partition.slot("") != self._partition.slot(None):
            raise ParameterError(
                f"'{self._partition.name}' tells an empty text from a missing value, and "
                f"{self._dialect.name} does not."
            )

    def _interval(self, partition: NumericPartition) -> Expression:
        value, edges = self._value(self._kinds[0]), edges_of(partition.domain, self._dialect)
        tree = decide(
            partition.n_intervals,
            lambda _, last: edges.below(value.copy(), partition.cuts[last - 1]),
            self._result,
            None,
        )
        if partition.beyond != "error":
            return tree
        outside = edges.outside(value)
        return exp.Case(ifs=[exp.If(this=outside, true=exp.Null())], default=tree)


_WORDS: Final[dict[Kind, str]] = {
    "number": "numbers",
    "text": "texts",
    "truth": "truth values",
    "date": "dates",
    "time": "times of day",
}


def _kind(member: Any) -> Kind:
    if isinstance(member, str):
        return "text"
    return "truth" if isinstance(member, bool) else "number"


def _kinds(partition: Partition) -> tuple[Kind, ...]:
    """The kinds of columns that an attribute can be read from."""
    if isinstance(partition, CategoricalPartition):
        listed = {_kind(member): None for group in partition.groups for member in group}
        return tuple(listed) or ("text", "number", "truth")
    if partition.domain.age_on is not None:
        return ("date",)
    return (partition.domain.unit or "number",)
