"""Excel: the first sheet of a workbook, as it was last saved."""

from __future__ import annotations

import io
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from sparsam._errors import DataError, MissingExtraError
from sparsam.data.source._engine import worded
from sparsam.data.source._loaded import Loaded, text_remarks
from sparsam.data.source._table_file import (
    MOST_TIMES,
    MOST_UNPACKED,
    Piped,
    TableFile,
    open_bytes,
    too_large,
)
from sparsam.data.source.csv_files import looks_like_data

_SAMPLE = 1000
_ERRORS = {
    *("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA"),
    *("#SPILL!", "#CALC!"),
}
_CHUNK = 1 << 20
_DECLARATIONS = [
    word.encode(encoding)
    for word in ("<!DOCTYPE", "<!ENTITY")
    for encoding in ("utf-8", "utf-16-le", "utf-16-be")
]

Row = tuple[Any, ...]


def excel_columns(file: TableFile) -> Loaded:
    """Read the first sheet of a workbook: the first row that is not empty holds the names.

    Parameters
    ----------
    file : Path or Piped
    """
    with _opened(file) as raw:
        formulas = _checked_parts(file, raw)
        rows, notes = _rows(file, raw, values=True)
        if formulas:
            _check_stored(file, rows, _rows(file, raw, values=False)[0])
    return _table(file, rows, notes)


def _opened(file: TableFile) -> Any:
    return io.BytesIO(file.content) if isinstance(file, Piped) else open_bytes(file)


def _checked_parts(file: TableFile, raw: Any) -> bool:
    """Refuse what is no workbook, or unpacks without end; return whether it has formulas."""
    damage: DataError | None = None
    try:
        with zipfile.ZipFile(raw) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
            packed = sum(part.compress_size for part in parts.infolist())
            if unpacked > max(MOST_UNPACKED, MOST_TIMES * packed):
                raise too_large(file.name)
            names = [name for name in parts.namelist() if _has_formulas(file, parts, name)]
            return bool(names)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError):
        damage = no_workbook(file)
    raise damage


def _has_formulas(file: TableFile, parts: zipfile.ZipFile, name: str) -> bool:
    """Whether a part is a sheet with formulas; one that declares words of its own is refused.

    No program that writes workbooks does so: such words can unpack without end.
    """
    if not name.endswith((".xml", ".rels")):
        return False
    found, before = False, b""
    with parts.open(name) as part:
        while chunk := part.read(_CHUNK):
            text = before + chunk
            if any(mark in text for mark in _DECLARATIONS):
                raise no_workbook(file)
            found = found or b"<f>" in text or b"<f " in text
            before = chunk[-16:]
    return found and name.startswith("xl/worksheets/")


def _rows(file: TableFile, raw: Any, *, values: bool) -> tuple[list[Row], tuple[str, ...]]:
    """Return the rows of the first sheet: what was computed, or how it is computed."""
    try:
        import openpyxl
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "openpyxl is needed to read an Excel file.\n\nHint: pip install 'sparsam[excel]', or "
            "save the sheet as CSV."
        ) from error

    def loaded() -> tuple[list[Row], tuple[str, ...]]:
        raw.seek(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and the like
            book = openpyxl.load_workbook(raw, read_only=True, data_only=values, keep_links=False)
            sheet = book.worksheets[0]
            sheet.reset_dimensions()  # what a file says of its size may be wrong
            rows = [tuple(row) for row in sheet.iter_rows(values_only=True)]
        others = len(book.sheetnames) - 1
        if not others:
            return rows, ()
        more = "another is" if others == 1 else f"{others} others are"
        return rows, (f"the first sheet, '{sheet.title}', is read; {more} not",)

    return worded(loaded, lambda _: no_workbook(file))


def no_workbook(file: TableFile) -> DataError:
    """Make the error for a file that is no workbook of Excel.

    Parameters
    ----------
    file : Path or Piped
    """
    return DataError(
        f"'{file.name}' must be a workbook of Excel (.xlsx). It cannot be read as one."
        "\n\nHint: save it again as .xlsx, without a password, or as CSV."
    )


def _check_stored(file: TableFile, values: Sequence[Row], formulas: Sequence[Row]) -> None:
    """Refuse formulas whose results no program has stored: their cells would be lost."""
    lost = 0
    for row, made in zip(values, formulas, strict=True):
        for value, formula in zip(row, made, strict=True):
            lost += value is None and isinstance(formula, str) and formula.startswith("=")
    if lost:
        raise DataError(
            f"The formulas of '{file.name}' must come with their results. {lost:,} cells have none."
            "\n\nHint: open the file in a spreadsheet program and save it, or save it as CSV."
        )


def _table(file: TableFile, rows: list[Row], notes: tuple[str, ...]) -> Loaded:
    filled = [(place, row) for place, row in enumerate(rows, 1) if any(c is not None for c in row)]
    if not filled:
        raise DataError(
            f"'{file.name}' must begin with a row of column names. Its first sheet is empty."
            "\n\nHint: move the table to the first sheet."
        )
    (first, header), *records = filled
    width = max(len(row) for _, row in filled)
    cells = [[row[c] if c < len(row) else None for _, row in records] for c in range(width)]
    wide = [*header, *[None] * (width - len(header))]
    used = [c for c in range(width) if wide[c] is not None or any(x is not None for x in cells[c])]
    names = [_name(wide[c], c + 1) for c in used]
    _check_names(file, names, [cells[c] for c in used])
    columns = {name: cells[c] for name, c in zip(names, used, strict=True)}
    empty = (filled[-1][0] - first) - len(records)
    if empty:
        notes = (*notes, f"{empty:,} empty rows between the others are left out")
    if first > 1:
        notes = (*notes, f"names are in row {first}; the rows above it are empty")
    notes += tuple(
        f"column {c + 1} of the sheet has no name, and is called '{name}'"
        for name, c in zip(names, used, strict=True)
        if wide[c] is None
    )
    broken = dict(_without_errors(columns))
    remarks = {**text_remarks(columns), **broken}
    return Loaded(columns, len(records), notes, remarks)


def _name(value: Any, place: int) -> str:
    return f"column {place}" if value is None else str(value).strip()


def _check_names(file: TableFile, names: list[str], cells: list[list[Any]]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        places = [str(place) for place, name in enumerate(names, 1) if name == twice[0]]
        raise DataError(
            f"Every column of '{file.name}' must have a name of its own. Columns "
            f"{', '.join(places[:-1])} and {places[-1]} have the same."
            "\n\nHint: give one of them another name in the first row of the sheet."
        )
    texts = [["" if cell is None else str(cell) for cell in column[:_SAMPLE]] for column in cells]
    if looks_like_data(names, list(zip(*texts, strict=True))):
        raise DataError(
            f"The first row of '{file.name}' looks like data, not like names of columns."
            "\n\nHint: add a row of names above it."
        )


def _without_errors(columns: dict[str, list[Any]]) -> Iterator[tuple[str, str]]:
    """Take the errors of formulas out of columns, and say how many there were."""
    for name, cells in columns.items():
        wrong = [i for i, cell in enumerate(cells) if isinstance(cell, str) and cell in _ERRORS]
        for place in wrong:
            cells[place] = None
        if wrong:
            yield name, f"{len(wrong):,} errors of formulas, such as #N/A, taken for missing"
