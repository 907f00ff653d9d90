"""Declared columns of a CSV file: kept by an engine as numbers and as places, and nothing else.

A text that is not in UTF-8 makes its whole row missing: one person's text must not decide whether
the others are answered for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial

from sparsam._errors import DataError
from sparsam.data.source._engine import Engine, listed
from sparsam.data.source._number_forms import base_form
from sparsam.data.source._source import CsvSource
from sparsam.data.source._table_file import TableFile
from sparsam.data.source._text import EncodingError
from sparsam.data.source.csv_files import csv_table, damaged_csv
from sparsam.data.source.declared._columns import Declaration, Wanted, check_columns
from sparsam.data.source.declared._on_engine import EngineColumns, check_texts
from sparsam.data.source.lazy import ColumnPlan, LazyKind, lazy_relation

_GONE, _UNSEEN = 65_535, 65_534


class CsvColumns(EngineColumns):
    """The declared columns of a CSV file.

    Parameters
    ----------
    source : CsvSource
    wanted : sequence of Wanted
    missing : collection of str
        Texts that mean missing.
    """

    def __init__(
        self, source: CsvSource, wanted: Sequence[Wanted], missing: Collection[str]
    ) -> None:
        names = [column.name for column in wanted]
        _check_header(source.file, names, source.names)
        columns, declaration = _columns(names), Declaration(wanted, missing)
        try:
            engine = _loaded(source, declaration)
        except EncodingError:
            engine = _loaded(source, declaration, any_text=True)
        wording = partial(_damaged, source)
        relation = engine.relation("SELECT * FROM t", [], wording)
        super().__init__(lazy_relation(relation, wording), columns, wanted, missing)

    def place_plan(self, name: str, cells: Sequence[int]) -> ColumnPlan:
        """Tell the engine the cells of the places that it keeps."""
        *_, unseen, gone = map(int, cells)
        groups: dict[int, list[float]] = {gone: [float(_GONE)]}
        for code, member in enumerate(self.lookups[name].values()):
            groups.setdefault(int(cells[member]), []).append(float(code))
        place, ordered = _columns(self.wanted)[name], sorted(groups.items())
        return ColumnPlan(place, "number", groups=ordered, missing=gone, outside=unseen)

    def _kind(self, column: Wanted) -> LazyKind:
        return "number"


def _columns(names: Iterable[str]) -> dict[str, str]:
    return {name: f"d{at}" for at, name in enumerate(names)}


def _loaded(source: CsvSource, declaration: Declaration, any_text: bool = False) -> Engine:
    engine = Engine()
    select = ", ".join(
        f"{_expression(engine, source, declaration, name)} AS {column}"
        for name, column in _columns(declaration.wanted).items()
    )
    csv_table(
        engine,
        source.file,
        source.header,
        source.form,
        more=source.more,
        select=select,
        any_text=any_text,
    )
    return engine


def _expression(engine: Engine, source: CsvSource, declaration: Declaration, name: str) -> str:
    """Write the SQL that keeps a cell as a number, or as the place of a text."""
    place = source.names.index(name)
    column = f"c{place}"
    if declaration.wanted[name].members is None:
        text = base_form(source.form).plain(f"CAST({column} AS VARCHAR)")
        inner = f"CASE WHEN contains({text}, '_') THEN NULL ELSE {text} END"
        return f"CAST(coalesce(TRY_CAST({inner} AS DOUBLE), 'nan'::DOUBLE) AS DOUBLE)"
    check_texts(name, declaration.lookups[name])
    members = f"members{place}"
    query = f"CREATE TYPE {members} AS ENUM ({listed(declaration.lookups[name])})"
    engine.run(query, [], partial(_damaged, source))
    gone = f"{column} IS NULL OR {column} IN ({listed(declaration.texts(name))})"
    code = f"coalesce(enum_code(TRY_CAST({column} AS {members})), {_UNSEEN})"
    return f"CAST(CASE WHEN {gone} THEN {_GONE} ELSE {code} END AS USMALLINT)"


def _damaged(source: CsvSource, error: Exception) -> DataError:
    return damaged_csv(source.file, error, source.form)


def _check_header(file: TableFile, wanted: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a header without a declared column; one that has none may be a person's record."""
    if wanted and not set(wanted) & set(names):
        more = f" and {len(wanted) - 1} more" if len(wanted) > 1 else ""
        raise DataError(
            f"The table must have the declared columns: '{wanted[0]}'{more}. The first line of "
            f"'{file.name}' names none of them.\n\nHint: is it a line of names?"
        )
    check_columns(wanted, names)
