"""Open a table that does not fit into memory, for a release."""

from __future__ import annotations

from typing import Any

from sparsam._checks import check_names
from sparsam._errors import DataError, ParameterError, hint
from sparsam.anonymise._sample import narrowed
from sparsam.anonymise.large._divide import LargeTable, check_large
from sparsam.data import Roles, column_names
from sparsam.data.large import coded_rows


def large_table(
    anonymiser: Any, source: Any, label: Any, budget: int, *, spreadsheet_safe: bool
) -> LargeTable:
    """Find out what the columns hold, in one pass of the engine.

    Parameters
    ----------
    anonymiser : Anonymiser
        How it is to be released.
    source : path, DuckDB relation or lazy frame
    label : str or None
        The column that guides the method.
    budget : int
        Bytes that may be taken.
    spreadsheet_safe : bool
        Refused: the cells of a large release are written as they are.
    """
    if spreadsheet_safe:
        raise _in_memory_only("texts that are made safe for spreadsheets")
    if label is not None and not isinstance(label, str):
        raise _in_memory_only("labels that are given as values, and not as the name of a column")
    if getattr(anonymiser.method, "model", None) is not None:
        raise _in_memory_only("the answers of a model")
    names = column_names(source)
    check_names([label] if label is not None else [], names)
    layout = anonymiser._layout_of(source)
    roles = anonymiser.roles or Roles()
    guide = [label] if label is not None and label not in layout.keep else []
    encoded = (*layout.quasi_identifiers, *layout.sensitive)
    wanted = dict.fromkeys([*encoded, *layout.keep, *guide])
    others = [name for name in names if name not in wanted]
    rows = coded_rows(source, encoded, [*layout.keep, *guide], narrowed(roles, wanted, others))
    if rows is None:
        raise _in_memory_only("a column of a kind that an engine cannot code, or rows in memory")
    table = LargeTable(
        rows,
        layout,
        anonymiser._method(label),
        label,
        anonymiser.publish,
        anonymiser.missing,
        anonymiser.hierarchies,
        anonymiser.max_suppressed,
        anonymiser.random_state,
        budget,
    )
    check_large(table)
    if rows.n_rows < layout.promise.least_rows:
        layout.promise.attainable(rows.n_rows)
    return table


def _in_memory_only(what: str) -> ParameterError | DataError:
    ways_out = "allow so much memory that the table fits: "
    return ParameterError(
        f"A table that does not fit into memory can be released without {what} only."
        + hint(f"{ways_out}max_memory", f"{ways_out}--max-memory")
    )
