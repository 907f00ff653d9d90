"""Look for planted values in whatever a program says or writes, in many spellings."""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import html
import json
import re
import sqlite3
import struct
import zipfile
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq

from . import planted

ALL = "*"  # every column
# the columns whose canaries are unmistakable, and stay so in hexadecimal digits and in base64
_FIXED = {**planted.RARE, "latin": planted.LATIN, "broken": planted.BROKEN}
_TEXTS = {
    "surname": rf"{planted.SURNAME}\d{{2,}}",
    # not among the digits of a noisy number
    "phone": re.escape(planted.PHONE) + r"\d{4,}|(?<![\d.])1517-?7\d{6}(?!\d)",
    # the letters beyond ASCII come as anything, from an escape to a question mark
    "latin": r"Gr.{1,12}?mpfling",
    **{name: re.escape(text) for name, text in _FIXED.items() if name != "latin"},
}
_WORDS = re.compile(
    "|".join(f"(?P<{name}>{pattern})" for name, pattern in _TEXTS.items()), re.IGNORECASE
)
# 184467.31, 184,467.31, 184 467.31 (thin and hard spaces too), 1.8446731e+05; and 184.467,31
_NUMBER = re.compile(
    r"(?<![\w.])\d{1,3}(?:[,'’ \u00a0\u2009\u202f]\d{3})+(?:\.\d+)?(?![\w]|[.,]\d)"
    r"|(?<![0-9A-Za-z_.])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![0-9A-Za-z_]|\.\d)"
)
_GERMAN = re.compile(r"(?<![\w.,])\d{1,3}(?:\.\d{3})+,\d{2}(?!\d)")
_DIGESTS = ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b", "blake2s")
# The oldest person's age, or the end of a range of whole numbers that it closes, said of the age:
# three digits alone come by chance.
_OTHERS = "|".join(name for name in planted.people().columns if name != "age")
_AGE = re.compile(
    rf"\bage\b(?:(?!\b(?:{_OTHERS})\b)[^\n]){{0,200}}?(?<![\w.,])"
    rf"(?:{planted.OLDEST}|{planted.OLDEST + 1})(?:\.0+)?(?!\w|[.,]\d)"
)
# where things are drawn, not what is said
_DRAWN = re.compile(
    r"<style.*?</style>|<path [^>]*>|<script.*?</script>"
    r"|\b(?:x|y|x1|x2|y1|y2|cx|cy|r|d|dx|dy|width|height|viewBox|points|transform|style|colspan)"
    r'="[^"]*"',
    re.DOTALL,
)


class Sighting(NamedTuple):
    """A planted value where it may not be."""

    place: str
    column: str
    excerpt: str


@cache
def _numbers() -> Mapping[float, str]:
    """Every number that belongs to one person: its column, by its absolute value."""
    frame = planted.people()
    found = {abs(float(value)): "income" for value in frame["income"]}
    # extremes may also be rounded to a whole number, or be counted as values of a range
    found |= dict.fromkeys((184_467.0, 184_468.0, 9_173.0, 9_174.0, 193_641.08), "income")
    lowest = int(frame["rent"].min())
    rents = (planted.RENT, planted.RENT + 1, planted.RENT - lowest, planted.RENT - lowest + 1)
    found |= dict.fromkeys(map(float, rents), "rent")
    found |= {float(value): "patient" for value in frame["patient"]}
    found |= {planted.LABEL + 3.0 * place: "label" for place in range(len(frame))}
    return found


def in_text(
    text: str, place: str, may_hold: Collection[str] = (), *, noisy: bool = False
) -> list[Sighting]:
    """Look into a text.

    Parameters
    ----------
    text : str
    place : str
        Where it comes from, for the sighting.
    may_hold : collection of str
        Columns whose values may stand here.
    noisy : bool, default=False
        Whether the numbers are noisy, so that one of three digits may come by chance.
    """
    if ALL in may_hold:
        return []
    seen = [(match.lastgroup or "", match.span()) for match in _WORDS.finditer(text)]
    seen += list(_packed(text))
    seen += [("age", match.span()) for match in _AGE.finditer(text) if not noisy]
    known = _numbers()
    for match in (*_NUMBER.finditer(text), *_GERMAN.finditer(text)):
        value = _value(match.group())
        column = known.get(value) or known.get(round(value, 2)) if value < 1e300 else None
        if column is not None and abs(round(value, 2) - value) < 1e-6:
            seen.append((column, match.span()))
    return [
        Sighting(place, column, " ".join(text[max(0, a - 60) : b + 40].split()))
        for column, (a, b) in seen
        if column not in may_hold
    ]


def _value(token: str) -> float:
    if _GERMAN.fullmatch(token):
        return float(token.replace(".", "").replace(",", "."))
    return float(re.sub(r"[,'’ \u00a0\u2009\u202f]", "", token))


def _packed(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Fixed texts as base64 or in hexadecimal digits."""
    lower = text.lower()
    for column, word in _FIXED.items():
        raw = word.encode()
        for packed, within in (
            (raw.hex(), lower),
            (base64.b64encode(raw)[: len(raw) // 3 * 4].decode(), text),
        ):
            at = within.find(packed)
            if at >= 0:
                yield column, (at, at + len(packed))


def in_bytes(raw: bytes, place: str, may_hold: Collection[str] = ()) -> list[Sighting]:
    """Look into bytes that are no text: texts, and numbers as a machine stores them."""
    if ALL in may_hold:
        return []
    seen = [
        Sighting(place, match.lastgroup or "", match.group())
        for match in _WORDS.finditer(raw.decode("latin-1"))
        if match.lastgroup not in may_hold
    ]
    if "income" not in may_hold:
        exact = (planted.HIGHEST, planted.LOWEST, planted.INTERIOR)
        held = [number for number in exact if struct.pack("<d", number) in raw]
        seen += [Sighting(place, "income", f"{number} as a double") for number in held]
    return seen


def digests(folder: Path) -> dict[str, str]:
    """Every unsalted hash of every table: with one, a guess about a person can be tested."""
    return {
        hashlib.new(name, file.read_bytes()).hexdigest(): f"{name} of {file.name}"
        for file in sorted(folder.rglob("*"))
        if file.suffix in (".csv", ".parquet", ".gz")
        for name in _DIGESTS
    }


def in_digests(text: str, place: str, known: Mapping[str, str]) -> list[Sighting]:
    """Look for an unsalted hash of a table, or for its first half."""
    words = set(re.findall(r"[0-9a-f]{32,}", text.lower()))
    return [
        Sighting(place, "hash", name)
        for digest, name in known.items()
        if any(word.startswith(digest[:32]) for word in words)
    ]


def in_file(
    file: Path,
    known: Mapping[str, str],
    may_hold: Mapping[str, Collection[str]] | None = None,
    *,
    noisy: bool = False,
) -> list[Sighting]:
    """Look into a file, into what is packed in it, and column by column into a table.

    Parameters
    ----------
    file : Path
    known : mapping of str to str
        From `digests`.
    may_hold : mapping of str to collection of str, optional
        For a table: which columns' canaries may stand under each name; under "*", anywhere.
    noisy : bool, default=False
        As in `in_text`.
    """
    allowed = may_hold or {}
    anywhere = allowed.get(ALL, ())
    if ALL in anywhere:
        return []
    name, seen = file.name, []
    for part, text in _texts(file):
        here = {*anywhere, *allowed.get(part, ())}
        where = f"{name}: {part}" if part else name
        seen += in_text(text, where, here, noisy=noisy)
        seen += in_digests(text, where, known)
    raw = file.read_bytes()
    everything = {column for columns in allowed.values() for column in columns}
    return seen + in_bytes(raw, name, everything) + in_text(name, f"the name of {name}")


def _texts(file: Path) -> Iterator[tuple[str, str]]:
    """Give everything in a file that can be read, with the name of the part it is in."""
    raw = file.read_bytes()
    name = file.name.lower()
    if name.endswith(".gz"):
        raw, name = gzip.decompress(raw), name.removesuffix(".gz")
    if name.endswith(".parquet"):
        yield from _parquet(file)
    elif name.endswith((".csv", ".tsv")):
        yield from _csv(raw.decode("utf-8"), "\t" if name.endswith(".tsv") else ",")
    elif name.endswith(".npz"):
        yield from _npz(file)
    elif name.endswith(".xlsx"):
        with zipfile.ZipFile(file) as archive:
            for member in archive.namelist():
                yield "", html.unescape(archive.read(member).decode("utf-8"))
    elif raw.startswith(b"SQLite format 3\0"):
        yield from _sqlite(file)
    elif name.endswith((".html", ".htm")):
        yield "", html.unescape(_DRAWN.sub(" ", raw.decode("utf-8")))
    elif name.endswith(".json"):
        yield "", json.dumps(json.loads(raw), ensure_ascii=False)
    else:
        yield "", raw.decode("utf-8", errors="backslashreplace")


def _parquet(file: Path) -> Iterator[tuple[str, str]]:
    table = pq.ParquetFile(file).read()
    for name in table.column_names:  # physical columns, the index of pandas among them
        yield name, "\n".join(map(str, table[name].to_pylist()))
    yield "", " ".join(table.column_names)
    for key, value in (table.schema.metadata or {}).items():
        yield key.decode(), value.decode("utf-8", errors="backslashreplace")


def _csv(text: str, delimiter: str) -> Iterator[tuple[str, str]]:
    rows = list(csv.reader(text.splitlines(), delimiter=delimiter))
    yield "", " ".join(rows[0])
    for name, *cells in zip(*rows, strict=True):
        yield name, "\n".join(cells)


def _npz(file: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(file) as archive:
        yield "", " ".join(archive.namelist())
        for member in archive.namelist():
            yield "", archive.read(member).decode("latin-1")
    with np.load(file, allow_pickle=False) as arrays:
        for array in arrays.values():
            yield "", "\n".join(map(str, array.ravel().tolist()))


def _sqlite(file: Path) -> Iterator[tuple[str, str]]:
    connection = sqlite3.connect(file)
    try:
        yield "", "\n".join(connection.iterdump())
    finally:
        connection.close()
