"""A large CSV file stays where it is, and is read as one that is loaded."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.data import FileFormat, open_source
from sparsam.data.source import Source, _source
from sparsam.data.source._engine import Engine, unreadable_frame
from sparsam.data.source._format import ANY_FORMAT
from sparsam.data.source.csv_files import csv_table, header_of

CELLS = st.one_of(
    st.integers(-999, 999).map(str),
    st.sampled_from(["", "1.5", "2,25", "1.234", "true", "FALSE", "?", "x", " y ", "1e3", "nan"]),
)


def opened(path: Path, large: int, monkeypatch: pytest.MonkeyPatch, **form: str) -> Source:
    monkeypatch.setattr(_source, "LARGE_FILE", large)
    source = open_source(path, FileFormat(**form))
    assert source.n_rows >= 0  # which opens the file
    return source


def both(path: Path, monkeypatch: pytest.MonkeyPatch, **form: str) -> tuple[Source, Source]:
    """The file where it is, and loaded."""
    in_place, loaded = (opened(path, large, monkeypatch, **form) for large in (0, 1 << 60))
    assert loaded.engine is None
    return in_place, loaded


def same(found: Source, expected: Source, missing: tuple[str, ...] = ()) -> None:
    assert (found.names, found.n_rows) == (expected.names, expected.n_rows)
    for name in expected.names:
        own, other = (source.column(name, missing) for source in (found, expected))
        assert own.remark == other.remark
        assert [*map(repr, own.objects())] == [*map(repr, other.objects())]
    assert found.written() == expected.written()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=12), st.sampled_from(";\t,"))
def test_the_same_columns_as_of_a_loaded_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[tuple[str, ...]], between: str
) -> None:
    path = tmp_path / "people.csv"
    lines = [between.join(f'"{cell}"' for cell in row) for row in [("a", "b", "c"), *rows]]
    path.write_text("\n".join(lines))
    in_place, loaded = both(path, monkeypatch, delimiter=between)
    assert in_place.engine is not None
    same(in_place, loaded)
    same(in_place, loaded, ("?",))


def test_rows_keep_their_order_and_texts_that_mean_missing_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, numbers = tmp_path / "people.csv", np.arange(300_000)
    path.write_text("n,t\n" + "".join(f"{n},{'?' if n % 3 else n}\n" for n in numbers))
    in_place, _ = both(path, monkeypatch)
    assert (in_place.column("n").values == numbers).all()
    lazy = in_place.lazy(["t", "n"], lambda _: ["?"])
    assert lazy is not None
    assert lazy.frame.kind(lazy.places["t"]) == "number"
    found = [text for (text, *_) in lazy.frame.native.limit(4).fetchall()]
    assert found == [0, None, None, 3]


def test_packed_and_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("a", "x,y\n1,p\n2,q\n"), ("b", "x,y\n3.5,r\n")):
        (tmp_path / f"{name}.csv").write_text(text)
        (tmp_path / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    for pattern in ("*.csv", "*.csv.gz"):
        in_place, loaded = both(tmp_path / pattern, monkeypatch)
        assert in_place.engine is not None
        same(in_place, loaded)
        assert loaded.column("x").values.tolist() == [1, 2, 3.5]


@pytest.mark.parametrize(
    ("files", "form"),
    [
        ({"a.csv": b"x;y\n1;p\n", "b.csv": b"x,y\n2,q\n"}, {}),
        ({"a.csv": b"x,y\n1,p\n2,q\r\n3,r\n"}, {}),
        ({"a.csv": "x,y\n1,ä\n2,ö\n".encode("latin-1")}, {"encoding": "latin-1"}),
    ],
)
def test_what_duckdb_cannot_read_by_itself_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], form: dict[str, str]
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    in_place, loaded = both(tmp_path / "*.csv", monkeypatch, **form)
    assert in_place.engine is None
    same(in_place, loaded)


def test_a_cell_far_below_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every cell is read before anything is given out, whichever columns are asked for."""
    path = tmp_path / "people.csv"
    path.write_bytes(b"x,y\n" + b"1,secret\n" * 100_000 + b"2,secret\xff\n")
    with pytest.raises(DataError, match="It is not in UTF-8") as refused:
        opened(path, 0, monkeypatch)
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_file_that_changes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    path.write_text("x,y\n" + "1,p\n" * 9)
    in_place, _ = both(path, monkeypatch)
    path.write_text("x,y\nsecret,2,3\n")
    with pytest.raises(DataError, match="must be a CSV file") as refused:
        in_place.column("x")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("bad", list(itertools.product((0, 1, 2), repeat=3)))
def test_each_file_adds_a_row_for_each_of_its_own_texts_that_cannot_be_read(
    tmp_path: Path, bad: tuple[int, ...]
) -> None:
    """Where one row more or less is one person more or less."""
    files = []
    for place, n_bad in enumerate(bad):
        file = tmp_path / f"{place}.csv"
        file.write_bytes(b"x,y\n1,p\n" + b"2,q\xff\n" * n_bad + b"3,r\n")
        files.append((file, header_of(file, ANY_FORMAT, rows=0)))
    engine = Engine()
    csv_table(engine, *files[0], ANY_FORMAT, more=files[1:], any_text=True)
    counted = engine.rows("SELECT count(*), count(c0) FROM t", [], unreadable_frame)
    assert counted == [(6 + sum(bad), 6)]
