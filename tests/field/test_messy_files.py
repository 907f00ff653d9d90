"""Files as people have them: each is read right, or refused with the reason and the way out.

Every file is made here. One that can be read says which columns come out, of what kind and with
which values, row by row; one that cannot says which words its refusal must hold. No message tells a
cell: those that it could tell hold `SECRET`.
"""

from __future__ import annotations

import datetime
import gzip
import io
import json
import math
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sparsam._errors import SparsamError
from sparsam.data import Roles, read
from sparsam.data.source import FileFormat, _table_file

SECRET = "Zorblax"
N, C = "numeric", "categorical"
# Every file says its rows several times: a value that is there once would be an identifier.
TIMES = 5


def csv_of(*lines: str, end: str = "\n", encoding: str = "utf-8") -> bytes:
    """A header and records, the records several times over."""
    header, *rows = lines
    return end.join([header, *rows * TIMES, ""]).encode(encoding)


def json_lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records * TIMES)


def workbook(*sheets: list[list[Any]], after: Callable[[Any], None] | None = None) -> bytes:
    """A workbook of Excel, whose first sheet holds the table."""
    openpyxl = pytest.importorskip("openpyxl", reason="the extra 'excel' is not installed")
    book = openpyxl.Workbook()
    for place, rows in enumerate(sheets):
        sheet = book.active if place == 0 else book.create_sheet()
        for row in rows:
            sheet.append(row)
    if after is not None:
        after(book.active)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def parquet(query: str) -> bytes:
    def made(path: Path) -> None:
        duckdb.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")

    made.__test__ = False  # type: ignore[attr-defined]
    return made  # type: ignore[return-value]


@dataclass
class Readable:
    """A file, and what must come out of it."""

    file: str
    content: Any
    columns: dict[str, tuple[str, list[Any]]]
    roles: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    times: int = TIMES


@dataclass
class Refused:
    """A file, and the words that must be said of it."""

    file: str
    content: Any
    words: tuple[str, ...]
    roles: dict[str, Any] = field(default_factory=dict)


XY = {"x": (N, [1, 2]), "y": (C, ["a", "b"])}
DAYS = {
    "x": ("date", [datetime.date(2020, 5, 1), datetime.date(2020, 5, 20)]),
    "y": (C, ["a", "b"]),
}
UMLAUTS = {"größe": (N, [1, 2]), "ort": (C, ["Köln", "Łódź"])}
WESTERN = {"größe": (N, [1, 2]), "ort": (C, ["Köln", "Paris"])}


def form(**facts: str) -> dict[str, Any]:
    return {"file": FileFormat(**facts)}


def commas(*cells: str, delimiter: str = ";", other: str = "a") -> bytes:
    return csv_of(f"x{delimiter}y", *(f"{cell}{delimiter}{other}" for cell in cells))


READABLE: dict[str, Readable] = {
    # encodings
    "utf-8": Readable("u.csv", csv_of("größe,ort", "1,Köln", "2,Łódź"), UMLAUTS),
    "utf-8 with a mark": Readable("u.csv", csv_of("x,y", "1,a", "2,b", encoding="utf-8-sig"), XY),
    "latin-1": Readable(
        "l.csv", csv_of("größe,ort", "1,Köln", "2,Paris", encoding="latin-1"), WESTERN,
        form(encoding="latin-1"),
    ),
    "windows": Readable(
        "w.csv", csv_of("x,y", "1,“a”", "2,b€", encoding="cp1252"),
        {"x": (N, [1, 2]), "y": (C, ["“a”", "b€"])}, form(encoding="cp1252"),
    ),
    "utf-16": Readable(
        "u.csv", csv_of("größe,ort", "1,Köln", "2,Łódź", encoding="utf-16"), UMLAUTS,
        form(encoding="utf-16"),
    ),
    "utf-16 with tabs from Excel": Readable(
        "u.txt", csv_of("größe\tort", "1\tKöln", "2\tŁódź", end="\r\n", encoding="utf-16"), UMLAUTS,
        form(encoding="utf-16"), ("divided by tabs",),
    ),
    "unicode names": Readable(
        "u.csv", csv_of("年齢,名前 😀", "1,あ", "2,い"),
        {"年齢": (N, [1, 2]), "名前 😀": (C, ["あ", "い"])},
    ),
    # lines and delimiters
    "semicolons": Readable("s.csv", csv_of("x;y", "1;a", "2;b"), XY, notes=("by semicolons",)),
    "tabs": Readable("t.tsv", csv_of("x\ty", "1\ta", "2\tb"), XY),
    "upright lines": Readable("p.csv", csv_of("x|y", "1|a", "2|b"), XY, notes=("(|)",)),
    "a delimiter that Excel says": Readable(
        "d.csv", b"sep=^\r\n" + csv_of("x^y", "1^a", "2^b", end="\r\n"), XY
    ),
    "a delimiter that Excel says, in UTF-16": Readable(
        "d.csv",
        "sep=\t\n".encode("utf-16") + csv_of("x\ty", "1\ta", "2\tb", encoding="utf-16-le"),
        XY, form(encoding="utf-16"),
    ),
    "a delimiter that is said": Readable("d.csv", csv_of("x^y", "1^a", "2^b"), XY,
                                         form(delimiter="^")),
    "ends of lines of Windows": Readable("c.csv", csv_of("x,y", "1,a", "2,b", end="\r\n"), XY),
    "ends of lines of old": Readable("c.csv", csv_of("x,y", "1,a", "2,b", end="\r"), XY),
    "ends of lines of all kinds": Readable("c.csv", b"x,y\n1,a\r\n2,b\n1,a\r2,b\n1,a\n2,b", XY,
                                           times=3),
    "line breaks in quotes": Readable(
        "q.csv", csv_of('x,"y\nz"', '1,"a\nb"', '2,"c,""d"""'),
        {"x": (N, [1, 2]), "y\nz": (C, ["a\nb", 'c,"d"'])},
    ),
    "a carriage return in a quoted header": Readable(
        "q.csv", csv_of('x,"y\rz"', "1,a", "2,b"), {"x": (N, [1, 2]), "y\rz": (C, ["a", "b"])}
    ),
    "blank lines": Readable("b.csv", b"x,y\n1,a\n\n2,b\n\n" + b"1,a\n2,b\n" * 2, XY, times=3),
    "a delimiter at every end": Readable("e.csv", csv_of("x,y,", "1,a,", "2,b,"), XY,
                                         notes=("column 3: no values",)),
    "row numbers without a name": Readable(
        "r.csv", csv_of(",x", "7,1", "8,2"), {"column 1": (N, [7, 8]), "x": (N, [1, 2])},
        notes=("has no name",),
    ),
    "no end of the last line": Readable("n.csv", csv_of("x,y", "1,a", "2,b")[:-1], XY),
    "NUL bytes": Readable("z.csv", csv_of("x,y", "1,a\0", "2,b"),
                          {"x": (N, [1, 2]), "y": (C, ["a\0", "b"])}),
    "blanks around": Readable("b.csv", csv_of("x , y", " 1 ,a", " 2,b"), XY),
    "one column": Readable("o.csv", csv_of("x", "1", "2", "3"), {"x": (N, [1, 2, 3])}),
    "one row": Readable("o.csv", b"x,y\n1,a\n", {"x": (N, [1]), "y": (C, ["a"])}, times=1),
    # numbers
    "decimal commas": Readable("d.csv", commas("3,14", "2,5"),
                               {"x": (N, [3.14, 2.5]), "y": (C, ["a", "a"])},
                               notes=("x: numbers with decimal commas",)),
    "decimal commas in quotes": Readable("d.csv", commas('"3,14"', '"2,5"', delimiter=","),
                                         {"x": (N, [3.14, 2.5]), "y": (C, ["a", "a"])}),
    "commas between thousands": Readable(
        "k.csv", commas('"1,234.50"', '"12,000"', delimiter=","),
        {"x": (N, [1234.5, 12000]), "y": (C, ["a", "a"])}, notes=("commas between thousands",),
    ),
    "points between thousands, by another column": Readable(
        "k.csv", csv_of("x;y", "1.234;0,5", "22.500;0,25"),
        {"x": (N, [1234, 22500]), "y": (N, [0.5, 0.25])}, notes=("points between thousands",),
    ),
    "blanks between thousands": Readable(
        "k.csv", commas("1 234,5", "22\u202f500,25"),
        {"x": (N, [1234.5, 22500.25]), "y": (C, ["a", "a"])},
    ),
    "commas that can be read in two ways": Readable(
        "k.csv", commas('"1,234"', '"2,500"', delimiter=","),
        {"x": (C, ["1,234", "2,500"]), "y": (C, ["a", "a"])}, notes=("x:", "--decimal"),
    ),
    "commas of which it is said": Readable(
        "k.csv", commas('"1,234"', '"2,500"', delimiter=","),
        {"x": (N, [1234, 2500]), "y": (C, ["a", "a"])}, form(thousands=","),
    ),
    "leading zeros": Readable("z.csv", csv_of("zip,x", "00123,1", "01999,2"),
                              {"zip": (C, ["00123", "01999"]), "x": (N, [1, 2])}),
    "codes with blanks": Readable("z.csv", csv_of("pin,x", "110 001,1", "560 034,2"),
                                  {"pin": (C, ["110 001", "560 034"]), "x": (N, [1, 2])}),
    "huge numbers": Readable(
        "h.csv", csv_of("x,y", "1e308,12345678901234567890", "-1e-300,2"),
        {"x": (N, [1e308, -1e-300]), "y": (C, ["12345678901234567890", "2"])},
    ),
    "nan as text": Readable("n.csv", csv_of("x,y", "nan,NaN", "2,3.5"),
                            {"x": (N, [None, 2]), "y": (N, [None, 3.5])}),
    "marks for missing values": Readable("m.csv", csv_of("x,y", "1,a", "NA,b", "3,c"),
                                         {"x": (C, ["1", "NA", "3"]), "y": (C, list("abc"))},
                                         notes=("x: numbers but for 'NA'", "--missing")),
    "marks of which it is said": Readable("m.csv", csv_of("x,y", "1,a", "NA,NA", "3,c"),
                                          {"x": (N, [1, None, 3]), "y": (C, ["a", None, "c"])},
                                          {"missing_values": ["NA"]}),
    "percent and currency": Readable(
        "p.csv", csv_of("x,y", "5 %,€ 3", "6 %,€ 4"),
        {"x": (C, ["5 %", "6 %"]), "y": (C, ["€ 3", "€ 4"])}, notes=("x: numbers with a sign",),
    ),
    "truth values": Readable(
        "t.csv", csv_of("x,y,z,w", "True,TRUE,yes,1", "False,false,no,0"),
        {"x": (C, [True, False]), "y": (C, [True, False]), "z": (C, ["yes", "no"]),
         "w": (N, [1, 0])},
    ),
    "text among numbers": Readable("m.csv", csv_of("x,y", "1,a", "2,b", "3,c", f"{SECRET},d"),
                                   {"x": (C, ["1", "2", "3", SECRET]), "y": (C, list("abcd"))},
                                   notes=("x: mostly numbers",)),
    "constants and columns without a value": Readable(
        "c.csv", csv_of("x,y,z", "1,a,", "1,a,"), {"x": (N, [1, 1]), "y": (C, ["a", "a"])},
        notes=("z: no values at all",),
    ),
    # dates
    "dates": Readable("d.csv", csv_of("x,y", "2020-05-01,a", "2020-05-20,b"), DAYS,
                      notes=("x: read as dates",)),
    "dates of Germany, with times": Readable(
        "d.csv", csv_of("x;y", "01.05.2020 10:30;a", "20.05.2020 08:00;b"), DAYS,
        notes=("without the time of day",),
    ),
    "dates of America": Readable("d.csv", csv_of("x,y", "5/1/2020,a", "5/20/2020,b"), DAYS,
                                 notes=("month/day/year",)),
    "dates that can be read in two ways": Readable(
        "d.csv", csv_of("x,y", "5/1/2020,a", "5/2/2020,b"),
        {"x": (C, ["5/1/2020", "5/2/2020"]), "y": (C, ["a", "b"])}, notes=("either way round",),
    ),
    "dates of which it is said": Readable(
        "d.csv", csv_of("x,y", "1/5/2020,a", "2/5/2020,b"),
        {"x": ("date", [datetime.date(2020, 5, 1), datetime.date(2020, 5, 2)]),
         "y": (C, ["a", "b"])},
        form(date_order="day/month/year"),
    ),
    "dates among other texts": Readable(
        "d.csv", csv_of("x,y", "2020-05-01,a", "unknown,b"),
        {"x": (C, ["2020-05-01", "unknown"]), "y": (C, ["a", "b"])},
    ),
    "dates in JSON": Readable(
        "j.jsonl",
        json_lines({"x": "2020-05-01T10:30:00Z", "y": "a"}, {"x": "2020-05-20", "y": "b"}), DAYS,
    ),
    "dates in Excel": Readable(
        "e.xlsx",
        lambda: workbook([["x", "y"], *[[datetime.datetime(2020, 5, 1), "a"],
                                        [datetime.datetime(2020, 5, 20), "b"]] * TIMES]), DAYS,
    ),
    # shapes
    "wide": Readable("w.csv", csv_of(",".join(f"v{i}" for i in range(3000)),
                                     ",".join("1" * 3000), ",".join("2" * 3000)),
                     {f"v{i}": (N, [1, 2]) for i in range(3000)}),
    "tall": Readable("t.csv.gz", gzip.compress(b"x,y\n" + b"1,a\n2,b\n" * 20_000), XY,
                     times=20_000),
    "long texts": Readable("l.csv", csv_of("x,y", f"1,{'a' * 100_000}", "2,b"),
                           {"x": (N, [1, 2]), "y": (C, ["a" * 100_000, "b"])}),
    "packed": Readable("p.csv.gz", gzip.compress(csv_of("x,y", "1,a", "2,b")), XY),
    # JSON, Excel, Parquet
    "JSON lines": Readable("j.jsonl", json_lines({"x": 1, "y": "a"}, {"x": 2, "y": "b"}), XY),
    "JSON lines, packed": Readable(
        "j.ndjson.gz", gzip.compress(json_lines({"x": 1, "y": "a"}, {"x": 2, "y": "b"})), XY
    ),
    "JSON with other fields in every line": Readable(
        "j.jsonl", json_lines({"x": 1, "y": "a"}, {"z": True}, {"y": None, "x": 2.5}),
        {"x": (N, [1, None, 2.5]), "y": (C, ["a", None, None]), "z": (C, [None, True, None])},
    ),
    "a list of records": Readable("j.json", json.dumps([{"x": 1, "y": "a"}, {"x": 2, "y": "b"}] * 5)
                                  .encode(), XY),
    "nested JSON that is ignored": Readable(
        "j.jsonl", json_lines({"x": 1, "y": "a", "z": [1]}, {"x": 2, "y": "b", "z": {}}), XY,
        {"ignore": ["z"]}, ("z: ignored",),
    ),
    "Excel": Readable(
        "e.xlsx", lambda: workbook([["x", "y"], *[[1, "a"], [2, "b"]] * TIMES], [["no"]]), XY,
        notes=("first sheet",),
    ),
    "Excel with empty rows and a second look": Readable(
        "e.xlsx",
        lambda: workbook([[], ["x", "y", None], *[[1, "a"], [], [2, "b"]] * TIMES, [], []]), XY,
        notes=("5 empty rows", "names are in row 2"),
    ),
    "Excel with errors of formulas": Readable(
        "e.xlsx", lambda: workbook([["x", "y"], *[["#DIV/0!", "a"], [2, "b"]] * TIMES]),
        {"x": (N, [None, 2]), "y": (C, ["a", "b"])}, notes=("5 errors of formulas",),
    ),
    "Parquet": Readable(
        "p.parquet", parquet("SELECT 1 + range % 2 AS x, chr(97 + (range % 2)::INT) AS y "
                             "FROM range(10)"), XY,
    ),
}  # fmt: skip
REFUSED: dict[str, Refused] = {
    "latin-1 without a word": Refused(
        "l.csv", csv_of("x,y", f"1,{SECRET}Köln", encoding="latin-1"),
        ("'l.csv'", "not in UTF-8", "--encoding latin-1"),
    ),
    "windows without a word": Refused(
        "l.csv", csv_of("x,y", f"1,“{SECRET}", encoding="cp1252"), ("--encoding cp1252",)
    ),
    "utf-16 without a word": Refused(
        "u.csv", csv_of("x,y", f"1,{SECRET}", encoding="utf-16"), ("--encoding utf-16",)
    ),
    "utf-16 without a mark": Refused(
        "u.csv", csv_of("x,y", f"1,{SECRET}", encoding="utf-16-le"), ("--encoding utf-16-le",)
    ),
    "utf-16 said, but without its mark": Refused(
        "u.csv", csv_of("x,y", f"1,{SECRET}", encoding="utf-16-le"), ("encoding utf-16",),
        form(encoding="utf-16"),
    ),
    "another encoding than said": Refused(
        "u.csv", csv_of("x,y", f"1,{SECRET}ü"), ("encoding ascii", "--encoding"),
        form(encoding="ascii"),
    ),
    "empty": Refused("e.csv", b"", ("'e.csv'", "It is empty", "Hint")),
    "only names": Refused("e.csv", b"x,y\n", ("at least one row", "Hint")),
    "no names": Refused("h.csv", f"{SECRET},34,52000\nb,51,31000\n".encode(),
                        ("looks like data", "add a line of names")),
    "two columns of one name": Refused("d.csv", csv_of("x,y,x", "1,a,2"),
                                       ("Columns 1 and 3 have the same", "another name")),
    "too many fields": Refused("r.csv", csv_of("x,y", "1,a", f"2,b,{SECRET}"),
                               ("Line 3", "3 fields where the first line has 2", "quoted")),
    "too few fields": Refused("r.csv", csv_of("x,y", SECRET),
                              ("Line 2", "1 fields", "--delimiter")),
    "a comment above": Refused("c.csv", csv_of(f"# {SECRET}", "x,y", "1,a"),
                               ("fields", "lines stand above the names")),
    "a quote that stays open": Refused("q.csv", csv_of("x,y", f'1,"{SECRET}'),
                                       ("Line 2", "never closed", "written twice")),
    "infinity": Refused("i.csv", csv_of("x,y", "inf,a", "2,b"),
                        ("'x'", "infinite", "sparsam roles writes a roles file")),
    "packed and cut short": Refused("p.csv.gz", gzip.compress(csv_of("x,y", "1,a") * 9)[:-9],
                                    ("'p.csv.gz'", "cut short", "again")),
    "packed without an end": Refused("p.csv.gz", gzip.compress(b"x,y\n" + b"1,a\n" * 500_000),
                                     ("unpack", "unpack it yourself")),
    "a workbook called CSV": Refused("w.csv", b"PK\x03\x04\xff\xfe", ("zip or Excel", "ending")),
    "an ending nobody knows": Refused("w.sav", b"", ("'w.sav'", ".parquet", "save the table as")),
    "JSON that breaks off": Refused("j.jsonl", json_lines({"x": SECRET})[:-9],
                                    ("Line 5 is damaged", "Hint")),
    "a field twice": Refused("j.jsonl", b'{"x": 1, "x": 2}\n', ("Line 1", "'x' twice", "rename")),
    "nested JSON": Refused("j.jsonl", json_lines({"x": {"a": SECRET}}, {"x": 1}),
                           ("'x'", "lists or records in 5 of 10", "--ignore")),
    "JSON that is no list": Refused("j.json", b'{"x": 1}', ("list of records", "Hint")),
    "mixed types": Refused("j.jsonl", json_lines({"x": 1}, {"x": SECRET}),
                           ("'x'", "mixture of int, str", "categorical")),
    "Parquet with lists": Refused("l.parquet", parquet("SELECT [1, 2] AS x, 3 AS y"),
                                  ("'x'", "lists", "--ignore")),
    "Parquet with records": Refused("l.parquet", parquet("SELECT {a: 1} AS x, 3 AS y"),
                                    ("'x'", "records", "--ignore")),
    "Parquet cut short": Refused("l.parquet", b"PAR1" + SECRET.encode(), ("'l.parquet'",)),
    "formulas without results": Refused(
        "e.xlsx", lambda: workbook([["x", "y"], ["=1+1", "a"], [3, "b"]]),
        ("formulas", "1 cells have none", "save it"),
    ),
    "no workbook": Refused("e.xlsx", SECRET.encode(), ("'e.xlsx'", "cannot be read", "save it")),
}  # fmt: skip


def placed(folder: Path, case: Readable | Refused) -> Path:
    path = folder / case.file
    content = case.content
    if callable(content) and getattr(content, "__test__", True):
        content = content()
    if callable(content):
        content(path)
    else:
        path.write_bytes(content)
    return path


def same(cell: Any, expected: Any) -> bool:
    if expected is None:
        return cell is None or (isinstance(cell, float) and math.isnan(cell))
    return type(cell is True) is type(expected is True) and cell == expected


@pytest.mark.parametrize("name", READABLE)
def test_read_right(tmp_path: Path, name: str) -> None:
    case = READABLE[name]
    table = read(placed(tmp_path, case), roles=Roles(**case.roles))
    assert table.names == tuple(case.columns)
    n_rows = len(next(iter(case.columns.values()))[1])
    assert table.n_rows == n_rows * case.times  # nothing is lost
    for column in list(case.columns)[:9]:
        kind, expected = case.columns[column]
        assert table.attribute(column).kind == kind, column
        cells = table.attribute(column).decode(table.column(column)).tolist()
        assert all(map(same, cells, expected * case.times)), column
    said = "\n".join(table.notes)
    assert all(words in said for words in case.notes), said
    assert SECRET not in said


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_way_out(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_table_file, "MOST_UNPACKED", 1 << 20)
    case = REFUSED[name]
    with pytest.raises(SparsamError) as caught:
        read(placed(tmp_path, case), roles=Roles(**case.roles))
    message = str(caught.value)
    assert all(words in message for words in case.words), message
    assert SECRET not in message
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_a_workbook_that_unpacks_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sparsam.data.source import _excel

    monkeypatch.setattr(_excel, "MOST_UNPACKED", 1 << 20)
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/worksheets/sheet1.xml", b"0" * (1 << 22))
    with pytest.raises(SparsamError, match="unpack it yourself"):
        read(path)


def test_there_are_many() -> None:
    assert len(READABLE) + len(REFUSED) >= 60
