"""Columns read as declared: the same from every kind of table, and no cell is ever refused."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

from sparsam._errors import DataError
from sparsam.data import read
from sparsam.data.source.declared import Wanted, open_declared

from ..sources import every_source
from .reading import numbers, places

WANTED = [
    Wanted("age"),
    Wanted("work", ("private", "state")),
    Wanted("flag", (True, False)),
    Wanted("code", (1, 2)),
]
EXPECTED = {
    "age": [30.0, np.nan, 41.0, 52.0, -5.0],
    "work": [1, 0, 3, 3, 2],
    "flag": [0, 1, 3, 0, 0],
    "code": [0, 1, 2, 3, 0],
}


def test_every_kind_of_table_gives_the_same(tmp_path: Path) -> None:
    for kind, source in every_source(tmp_path).items():
        opened = open_declared(source, WANTED, ["?"])
        assert opened.n_rows() == 5, kind
        ages = numbers(opened, "age", EXPECTED["age"])
        assert np.array_equal(ages, EXPECTED["age"], equal_nan=True), kind
        for name in ("work", "flag", "code"):
            assert places(opened, name).tolist() == EXPECTED[name], (kind, name)


def test_an_encoded_table_is_decoded() -> None:
    table = read({"age": [30, 41], "sex": ["f", "m"]})
    opened = open_declared(table, [Wanted("age"), Wanted("sex", ("m", "f"))])
    assert opened.numbers("age").tolist() == [30, 41]
    assert places(opened, "sex").tolist() == [1, 0]


def test_bins_that_were_read_from_the_data_are_refused() -> None:
    table = read({"x": np.linspace(0, 1, 400)}, max_codes=50)
    with pytest.raises(DataError, match="cut into bins that were read from the data"):
        open_declared(table, [Wanted("x")])


ODD = [
    *(1.5, "2", " 3 ", "four", "", None, float("nan"), float("inf"), "-inf", True),
    *(Decimal("7.5"), datetime.date(2020, 1, 1), [1], {"a": 1}, 10**400, "1_000", b"9", np.int8(4)),
]


def test_no_cell_of_numbers_is_refused() -> None:
    found = open_declared({"x": ODD}, [Wanted("x")]).numbers("x").tolist()
    nan = np.nan
    inf = np.inf
    expected = [1.5, 2, 3, nan, nan, nan, nan, inf, -inf, 1, 7.5, nan, nan, nan, inf, nan, nan, 4]
    assert np.array_equal(found, expected, equal_nan=True)


def test_no_cell_of_categories_is_refused() -> None:
    members = ("2", 4, "2020-01-01", True)
    found = open_declared({"x": ODD}, [Wanted("x", members)]).places("x").tolist()
    by_place = {1: 0, 17: 1, 11: 2, 9: 3}
    gone = {5, 6}
    assert found == [5 if i in gone else by_place.get(i, 4) for i in range(len(ODD))]


def test_a_text_that_means_missing_does_among_numbers_too() -> None:
    opened = open_declared({"x": [999, "999.0", "?", 5]}, [Wanted("x")], ["999", "?"])
    assert np.array_equal(opened.numbers("x"), [np.nan, np.nan, np.nan, 5], equal_nan=True)


def test_odd_cells_of_files_are_not_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text('x,y\n1,a\nfour,"it\'s"\ninf,\n nan ,b c\n"2.5",A\n', encoding="utf-8")
    opened = open_declared(path, [Wanted("x"), Wanted("y", ("a", "it's", "b c"))])
    expected = [1, np.nan, np.inf, np.nan, 2.5]
    assert np.array_equal(numbers(opened, "x", expected), expected, equal_nan=True)
    assert places(opened, "y").tolist() == [0, 1, 4, 2, 3]


def test_files_and_frames_read_the_same_texts_as_numbers(tmp_path: Path) -> None:
    texts = [
        "1_000",
        "0x1A",
        "1e400",
        "+5",
        "1.",
        ".5",
        "1E-400",
        "-INF",
        "NaN",
        "１２",
        "1,5",
        "1d",
    ]
    texts += ["true", "", "  7 ", "1e", "--1", "1 2", "+ 5", "\u00a05", "0b1", "iNf", "infinit"]
    path = tmp_path / "texts.csv"
    path.write_text("x\n" + "".join(f'"{text}"\n' for text in texts), encoding="utf-8")
    wanted = [Wanted("x")]
    known = open_declared({"x": texts}, wanted).numbers("x")
    parquet = tmp_path / "texts.parquet"
    pl.DataFrame({"x": texts}).write_parquet(parquet)
    for source in (path, parquet, pl.LazyFrame({"x": texts})):
        found = numbers(open_declared(source, wanted), "x", known)
        assert np.array_equal(found, known, equal_nan=True)
    assert np.isfinite(known).sum() == 6


def test_numbers_and_categories_of_every_parquet_type(tmp_path: Path) -> None:
    path = tmp_path / "types.parquet"
    duckdb.connect().execute(
        "COPY (SELECT 1::TINYINT AS a, 2.50::DECIMAL(4,2) AS b, 1.0::FLOAT AS c, true AS d, "
        f"'nan'::DOUBLE AS e, 7::HUGEINT AS f, DATE '2020-01-01' AS g, NULL AS h) TO '{path}'"
    )
    opened = open_declared(path, [Wanted(n) for n in "abcdefh"])
    expected = [1, 2.5, 1, 1, np.nan, 7, np.nan]
    found = [numbers(opened, name, expected)[0] for name in "abcdefh"]
    assert np.array_equal(found, expected, equal_nan=True)
    members = {"a": 1, "b": 2.5, "c": 1, "d": True, "e": 5, "f": 7, "g": "2020-01-01", "h": 1}
    texts = open_declared(path, [Wanted(n, (m,)) for n, m in members.items()])
    assert [int(places(texts, name)[0]) for name in members] == [0, 0, 0, 0, 2, 0, 0, 2]
    with pytest.raises(DataError, match=r"'g' must hold what was declared\. Its type is date"):
        open_declared(path, [Wanted("g")])


@pytest.mark.parametrize("kind", ["mapping", "csv", "parquet", "records"])
def test_an_absent_column_is_refused_by_its_name(kind: str, tmp_path: Path) -> None:
    source = every_source(tmp_path)[kind]
    with pytest.raises(DataError, match=r"declared column 'wrok'\. Did you mean 'work'"):
        open_declared(source, [Wanted("age"), Wanted("wrok", ("a",))])


def test_a_first_line_without_any_declared_column_is_not_told(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("Anna,secret,teacher\nBerta,Wien,nurse\n")
    with pytest.raises(DataError, match=r"first line of 'people.csv' names none") as caught:
        open_declared(path, [Wanted("ana", ("a",))])
    assert "secret" not in str(caught.value)
    assert "Anna" not in str(caught.value)


def test_an_empty_list_of_records_is_an_empty_table() -> None:
    opened = open_declared([], WANTED)
    assert opened.n_rows() == 0
    assert places(opened, "work").tolist() == []


def test_columns_of_different_lengths_are_refused_without_their_lengths() -> None:
    with pytest.raises(DataError) as caught:
        open_declared({"a": [1, 2], "b": [1]}, [Wanted("a"), Wanted("b")])
    assert not any(sign.isdigit() for sign in str(caught.value))


def test_dates_are_no_numbers() -> None:
    with pytest.raises(DataError, match="dates or times"):
        open_declared({"d": np.array(["2020-01-01"], "datetime64[D]")}, [Wanted("d")])


def test_a_file_that_is_none(tmp_path: Path) -> None:
    for name, content in (("a.parquet", b"no"), ("b.csv", b""), ("c.xlsx", b"x")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=name):
            open_declared(tmp_path / name, [Wanted("x")])
    with pytest.raises(DataError, match="Found none"):
        open_declared(tmp_path / "absent.csv", [Wanted("x")])


@pytest.mark.parametrize("kind", ["csv", "parquet", "relation", "polars lazy", "memory"])
def test_texts_that_mean_missing_in_one_column(tmp_path, kind):
    pd = pytest.importorskip("pandas")
    rows = {"age": ["30", "-9", "N", "9"], "sex": ["f", "9", "m", "?"], "pay": [-9, 1, 2, 9]}
    source = frame = pd.DataFrame(rows)
    if kind == "csv":
        source = tmp_path / "people.csv"
        frame.to_csv(source, index=False)
    elif kind == "parquet":
        source = tmp_path / "people.parquet"
        frame.to_parquet(source)
    elif kind == "relation":
        source = duckdb.from_df(frame)
    elif kind == "polars lazy":
        source = pl.from_pandas(frame).lazy()
    wanted = [
        Wanted("age", None, ("-9",)),
        Wanted("sex", ("f", "m", "9"), ("9",)),
        Wanted("pay", None, ("9",)),
    ]
    columns = open_declared(source, wanted, ("?",))
    ages, pay = [30, np.nan, np.nan, 9], [-9, 1, 2, np.nan]
    np.testing.assert_array_equal(numbers(columns, "age", ages), ages)
    assert places(columns, "sex").tolist() == [0, 4, 1, 4]
    np.testing.assert_array_equal(numbers(columns, "pay", pay), pay)
