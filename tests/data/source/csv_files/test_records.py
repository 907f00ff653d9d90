from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.data import open_source
from sparsam.data.source import FileFormat, Piped, header_of
from sparsam.data.source._column import to_array
from sparsam.data.source._write import csv_text
from sparsam.data.source.csv_files import _records
from sparsam.data.source.csv_files._records import record_batches

ANY = FileFormat()


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
            st.sampled_from(["a", "b,c", 'd"e', "f\ng", "h\ri"]),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_python_and_duckdb_read_the_same(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    cells = {"x": to_array([x for x, _ in rows]), "y": to_array([y for _, y in rows])}
    text = csv_text(cells)
    path = tmp_path_factory.mktemp("same") / "people.csv"
    path.write_bytes(text.encode())
    piped = Piped("csv", text.encode("utf-16"))
    opened = open_source(piped, FileFormat(encoding="utf-16"), private=True)
    expected = {name: column.tolist() for name, column in cells.items()}
    for source in (opened, open_source(path, private=True)):
        columns = source.columns(["x", "y"], text=["x", "y"])
        assert {name: column.tolist() for name, column in columns.items()} == expected


def test_batches_and_blank_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_records, "_CELLS", 4)
    piped = Piped("csv", b"x,y\n1,\n\n2,b\n3,c\n")
    batches = list(record_batches(piped, header_of(piped), ANY))
    assert [[column.tolist() for column in batch] for batch in batches] == [
        [["1", "2"], [None, "b"]],
        [["3"], ["c"]],
    ]
    one = Piped("csv", b"x\n1\n\n3\n")
    assert [b[0].tolist() for b in record_batches(one, header_of(one), ANY)] == [["1", None, "3"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x,y\n1,2\nsecret\n", "Line 3 is damaged. It has 1 fields where the first line has 2"),
        (b'x,y\n1,"secret\n', "Line 2 is damaged. It opens a quote"),
        (b'x,y\n1,"secret"a\n', "Line 2 is damaged. It opens a quote"),
        (b"x,y\n1,secret" + b"t" * 200_000, "a field of more than 131,072 signs"),
    ],
)
def test_damage_is_named_by_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    piped = Piped("csv", content)
    with pytest.raises(DataError, match=message) as caught:
        list(record_batches(piped, header_of(piped, rows=0), ANY))
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None
