from __future__ import annotations

import datetime
import io
import sys
import zipfile
from typing import Any

import pytest

from sparsam._errors import DataError, MissingExtraError
from sparsam.data.source import Piped
from sparsam.data.source._excel import excel_columns


def workbook(*rows: list[Any], sheets: int = 1) -> Piped:
    openpyxl = pytest.importorskip("openpyxl", reason="the extra 'excel' is not installed")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for _ in range(sheets - 1):
        book.create_sheet()
    stream = io.BytesIO()
    book.save(stream)
    return Piped("excel", stream.getvalue())


def test_types_and_notes() -> None:
    day = datetime.datetime(2020, 5, 1)
    table = excel_columns(workbook(
        [], ["n", "day", "ok", None], [1, day, True, "x"], [], [2.5, None, False, None], sheets=3
    ))  # fmt: skip
    assert table.columns == {
        "n": [1, 2.5], "day": [day, None], "ok": [True, False], "column 4": ["x", None],
    }  # fmt: skip
    said = "\n".join(table.notes)
    for words in ("2 others are not", "1 empty rows", "names are in row 2", "'column 4'"):
        assert words in said


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "first sheet is empty"),
        ([["a", "a"], [1, 2]], "Columns 1 and 2 have the same"),
        ([["Anna", 34, 5.5], ["Bert", 51, 6.5], ["Cora", 17, 3.5]], "looks like data"),
        ([["a"], ["=1+1"]], "1 cells have none"),
    ],
)
def test_what_is_refused(rows: list[list[Any]], message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        excel_columns(workbook(*rows))
    assert "Anna" not in str(caught.value)


def test_what_is_no_workbook() -> None:
    pytest.importorskip("openpyxl", reason="the extra 'excel' is not installed")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as parts:
        parts.writestr("xl/worksheets/sheet1.xml", "<secret")
    for content in (b"", b"secret", stream.getvalue(), workbook(["a"], [1]).content[:-99]):
        with pytest.raises(DataError, match="must be a workbook") as caught:
            excel_columns(Piped("excel", content))
        assert "secret" not in str(caught.value)


def test_words_that_unpack_without_end() -> None:
    parts = workbook(["a"], [1]).content
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(parts)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith("sheet1.xml"):
                text = b'<!DOCTYPE a [<!ENTITY b "ha">]>' + text
            new.writestr(name, text)
    with pytest.raises(DataError, match="must be a workbook"):
        excel_columns(Piped("excel", stream.getvalue()))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    piped = workbook(["a"], [1])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"sparsam\[excel\]"):
        excel_columns(piped)
