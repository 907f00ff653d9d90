"""JSON: one record in every line, or a list of records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sparsam._errors import DataError
from sparsam.data.source._format import FileFormat
from sparsam.data.source._loaded import Loaded, text_remarks
from sparsam.data.source._table_file import TableFile, check_signature, is_packed
from sparsam.data.source._text import no_text, text_lines
from sparsam.data.source.csv_files import check_gzip

# With more fields than this, the names of the fields are somebody's data.
_MOST_FIELDS = 20_000


class _Record(list[Any]):
    """The fields of a record, in order, one that is there twice too."""


_DECODER = json.JSONDecoder(object_pairs_hook=_Record)


def json_columns(file: TableFile, form: FileFormat, *, lines: bool) -> Loaded:
    """Read the records of a JSON file; a field that a record lacks is missing there.

    Parameters
    ----------
    file : Path or Piped
    form : FileFormat
    lines : bool
        Whether every line is a record, or the whole file a list of them.
    """
    if is_packed(file):
        check_gzip(file)
    damage: DataError | None = None
    try:
        with text_lines(file, form) as opened:
            records = _of_lines(file, opened) if lines else _of_list(file, "".join(opened))
            columns, n_rows = _columns(file, records, "line" if lines else "record")
    except UnicodeError:
        damage = no_text(file, form, "It is not.")
    if damage is not None:
        check_signature(file, "a JSON file")
        raise damage
    if not columns:
        raise DataError(
            f"'{file.name}' must hold records with named fields. It holds none."
            '\n\nHint: write one record in every line, such as {"age": 40, "sex": "f"}.'
        )
    return Loaded(columns, n_rows, remarks=text_remarks(columns))


def _of_lines(file: TableFile, lines: Iterable[str]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, _parsed(file, line, f"Line {number:,} is")


def _of_list(file: TableFile, text: str) -> Iterator[tuple[int, Any]]:
    content = _parsed(file, text, "It is")
    if isinstance(content, _Record) or not isinstance(content, list):
        raise DataError(
            f"'{file.name}' must hold a list of records. It holds something else."
            '\n\nHint: write it as [{"age": 40}, {"age": 41}], or one record in every line of a '
            ".jsonl file."
        )
    yield from enumerate(content, 1)


def _parsed(file: TableFile, text: str, what: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        damage = DataError(
            f"'{file.name}' must hold JSON. {what} damaged."
            "\n\nHint: write or fetch the file again; was it written to its end?"
        )
    raise damage  # without the error that quotes the text


def _columns(
    file: TableFile, records: Iterator[tuple[int, Any]], what: str
) -> tuple[dict[str, list[Any]], int]:
    columns: dict[str, list[Any]] = {}
    n_rows = 0
    for number, record in records:
        where = f"{what.capitalize()} {number:,}"
        if not isinstance(record, _Record):
            raise DataError(
                f"Every {what} of '{file.name}' must be a record. {where} is something else."
                '\n\nHint: a record is written as {"age": 40, "sex": "f"}.'
            )
        for name, value in record:
            cells = columns.setdefault(name, [])
            if len(cells) > n_rows or not name:
                raise _bad_name(file, where, name)
            cells.extend([None] * (n_rows - len(cells)))
            cells.append(value)
        n_rows += 1
        if len(columns) > _MOST_FIELDS:
            raise DataError(
                f"The records of '{file.name}' must have the same fields, by and large. They have "
                f"more than {_MOST_FIELDS:,}.\n\nHint: names of fields must be no data."
            )
    for cells in columns.values():
        cells.extend([None] * (n_rows - len(cells)))
    return columns, n_rows


def _bad_name(file: TableFile, where: str, name: str) -> DataError:
    what = f"the field '{name}' twice" if name else "a field without a name"
    return DataError(
        f"Every field of a record of '{file.name}' must have a name of its own. {where} has "
        f"{what}.\n\nHint: rename one of them, or take it out."
    )
