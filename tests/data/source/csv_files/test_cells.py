from __future__ import annotations

import pytest

from sparsam.data import open_source
from sparsam.data.source import FileFormat, Piped
from sparsam.data.source.csv_files import _cells


def loaded(text: str, missing: tuple[str, ...] = (), **said: str):
    source = open_source(Piped("csv", text.encode()), FileFormat(**said), private=True)
    columns = {name: source.column(name, missing) for name in source.names}
    return source, columns


def test_one_column_settles_what_another_leaves_open() -> None:
    _, columns = loaded("a;b;c\n1.234;0,5;1,234\n22.500;2,25;3,456\n")
    assert columns["a"].values.tolist() == [1234, 22500]
    assert columns["c"].values.tolist() == [1.234, 3.456]
    _, columns = loaded('a,b\n"1,234",0.5\n"22,500",2.25\n')
    assert columns["a"].values.tolist() == [1234, 22500]
    assert columns["b"].remark == ""


def test_columns_that_disagree_are_read_each_by_itself() -> None:
    _, columns = loaded("a;b;c\n0,5;0.5;1,234\n2,25;2.25;3,456\n")
    assert columns["a"].values.tolist() == columns["b"].values.tolist() == [0.5, 2.25]
    assert columns["c"].values.tolist() == ["1,234", "3,456"]
    assert "two ways" in columns["c"].remark


def test_no_point_no_remark() -> None:
    _, columns = loaded("a;b\nnan;0,5\n7;2,25\n")
    assert columns["a"].remark == ""
    assert columns["a"].values.tolist()[1] == 7


def test_cells_far_below_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cells, "_SAMPLE", 3)
    _, columns = loaded("a;b\n" + ";x\n" * 5 + "3,14;y\n2,5;y\n")
    assert columns["a"].values.tolist()[-2:] == [3.14, 2.5]
    _, columns = loaded("a;b\n" + "3,14;x\n" * 5 + "Anna;y\n")
    assert columns["a"].values.tolist()[-1] == "Anna"  # all cells decide, not the first


def test_what_is_said_is_not_guessed() -> None:
    source, columns = loaded("a;b\n1.5;1,5\n2.25;2,25\n", decimal=",", thousands="")
    assert columns["b"].values.tolist() == [1.5, 2.25]
    assert columns["b"].remark == ""
    assert columns["a"].values.tolist() == ["1.5", "2.25"]
    assert "not what was said" in columns["a"].remark
    assert source.written() == FileFormat(delimiter=";", decimal=",", thousands="")


def test_marks_for_missing_values_of_one_column() -> None:
    source, columns = loaded("a,b\n1,1\nN,N\n", ("?",))
    assert columns["a"].values.tolist() == ["1", "N"]
    assert source.column("b", ("N",)).objects().tolist()[0] == 1
    assert source.column("a", ("?",)).values.tolist() == ["1", "N"]
