from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from sparsam._errors import DataError
from sparsam.data import read
from sparsam.data.source import _table_file, fingerprint
from sparsam.data.source._table_file import (
    Piped,
    check_signature,
    has_tabs,
    is_packed,
    open_bytes,
    table_file,
)


def test_kinds_by_their_endings(tmp_path: Path) -> None:
    for name, kind in (
        ("a.CSV", "csv"),
        ("a.tsv.gz", "csv"),
        ("a.ndjson", "json lines"),
        ("a.json.gz", "json"),
        ("a.pq", "parquet"),
        ("a.xlsx", "excel"),
    ):
        path = tmp_path / name
        path.touch()
        assert table_file(path)[1] == kind
        assert is_packed(path) == name.endswith(".gz")
    assert has_tabs(tmp_path / "a.tsv.gz")
    for name in ("a.parquet.gz", "a.xlsx.gz", "a"):
        (tmp_path / name).touch()
        with pytest.raises(DataError, match="must end in"):
            table_file(tmp_path / name)


def test_what_is_piped_is_read_like_a_file(tmp_path: Path) -> None:
    text = b"x,y\n1,a\n2,b\n"
    path = tmp_path / "people.csv"
    path.write_bytes(text)
    for content in (text, gzip.compress(text)):
        piped = Piped("csv", content)
        assert read(piped).to_dict()["x"].tolist() == [1, 2]
        assert "1,a" not in repr(piped)
        assert str(piped) == "-"
    assert fingerprint(Piped("csv", text), "salt") == fingerprint(path, "salt")
    with pytest.raises(DataError, match="on a disk"):
        read(Piped("parquet", b"PAR1"))


def test_what_unpacks_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_table_file, "MOST_UNPACKED", 1 << 16)
    bomb = Piped("csv", gzip.compress(b"x\n" + b"\0" * (1 << 22)))
    with open_bytes(bomb) as opened, pytest.raises(DataError, match="unpack it yourself"):
        opened.read()
    noise = random.Random(0).randbytes(102_400)
    with open_bytes(Piped("csv", gzip.compress(noise))) as opened:
        assert len(opened.read()) == 102_400  # above the limit, but no hundred times its size


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"PAR1", b"%PDF", b"\xd0\xcf\x11\xe0"])
def test_other_kinds_of_files_are_known(start: bytes) -> None:
    with pytest.raises(DataError, match=r"must be a text file\. It is"):
        check_signature(Piped("csv", start + b"rest"), "a text file")
    check_signature(Piped("csv", b"x,y\n"), "a text file")
