from __future__ import annotations

import datetime
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError, RoleError
from sparsam.data import CategoricalDomain, NumericDomain, Roles, Table, read, resolve
from sparsam.data._read import RowsInEngine, encode_column
from sparsam.data.source._source import open_source

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

ROWS: dict[str, list[Any]] = {
    "age": [30, 41, None, 30, 7],
    "sex": ["f", "m", "m", None, "f"],
    "works": [True, False, True, None, True],
    "pay": [1.5, 2.25, 0.5, 1.5, None],
    "Zip": ["01234", "00111", "01234", "99999", "00111"],
    "one": [4, 4, 4, 4, 4],
}
CSV = (
    "age,sex,works,pay,Zip,one\n30,f,true,1.5,01234,4\n41,m,False,2.25,00111,4\n"
    ',m,TRUE,0.5,01234,4\n30,"",,1.5,99999,4\n7,f,true,,00111,4\n'
)

DATABASE = duckdb.connect()  # a relation lives as long as its connection


def csv_file(folder: Path) -> Path:
    path = folder / "rows.csv"
    path.write_text(CSV)
    return path


def gz_file(folder: Path) -> Path:
    path = folder / "rows.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode()))
    return path


def tsv_file(folder: Path) -> str:
    path = folder / "rows.tsv"
    path.write_text("\ufeff" + CSV.replace(",", "\t"), encoding="utf-8")
    return str(path)


def semicolon_file(folder: Path) -> Path:
    path = folder / "odd [1]*name?.csv"
    path.write_bytes(CSV.replace(",", ";").replace("\n", "\r\n").encode())
    return path


def parquet_file(folder: Path) -> Path:
    path = folder / "rows.parquet"
    pl.DataFrame(ROWS).write_parquet(path)
    return path


def pandas_parquet(folder: Path) -> Path:
    path = folder / "rows.parquet"
    pd.DataFrame(ROWS, index=[9, 8, 7, 6, 5]).to_parquet(path)
    return path


def sql(query: str) -> Any:
    return DATABASE.sql(query)


def relation(folder: Path) -> Any:
    return DATABASE.from_parquet(str(parquet_file(folder)))


def nullable(_: Path) -> Any:
    kinds = {"age": "Int64", "works": "boolean", "sex": "string", "pay": "Float64"}
    return pd.DataFrame(ROWS).astype(kinds)


def categorical(_: Path) -> Any:
    return pd.DataFrame(ROWS).astype({"sex": "category", "Zip": "category"})


def arrow_dictionary(_: Path) -> Any:
    table = pa.table(ROWS)
    return table.set_column(1, "sex", table["sex"].dictionary_encode())


SOURCES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda _: pd.DataFrame(ROWS),
    "pandas nullable": nullable,
    "pandas categorical": categorical,
    "pandas objects": lambda _: pd.DataFrame(ROWS, dtype=object),
    "pandas odd index": lambda _: pd.DataFrame(ROWS, index=[3, 3, 1, 0, 9]),
    "polars": lambda _: pl.DataFrame(ROWS),
    "polars lazy": lambda _: pl.LazyFrame(ROWS),
    "polars categorical": lambda _: pl.DataFrame(ROWS, schema_overrides={"sex": pl.Categorical}),
    "polars small": lambda _: pl.DataFrame(ROWS, schema_overrides={"age": pl.UInt8}),
    "pyarrow": lambda _: pa.table(ROWS),
    "pyarrow dictionary": arrow_dictionary,
    "duckdb": relation,
    "dict of series": lambda _: {name: pd.Series(values) for name, values in ROWS.items()},
    "dict of arrays": lambda _: {n: np.array(v, dtype=object) for n, v in ROWS.items()},
    "csv": csv_file,
    "csv.gz": gz_file,
    "tsv": tsv_file,
    "semicolons": semicolon_file,
    "parquet": parquet_file,
    "pandas parquet": pandas_parquet,
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_same_table(kind: str, tmp_path: Path):
    table = read(SOURCES[kind](tmp_path))
    expected = read(ROWS)
    assert table.names == expected.names
    assert [a.domain for a in table.attributes] == [a.domain for a in expected.attributes]
    assert table.fingerprint == expected.fingerprint


def test_the_expected_table():
    table = read(ROWS)
    assert [a.domain for a in table.attributes] == [
        NumericDomain(5, 45, integer=True),
        CategoricalDomain(("f", "m")),
        CategoricalDomain((False, True)),
        NumericDomain(0.4, 2.4),
        CategoricalDomain(("00111", "01234", "99999")),
        NumericDomain(4, 4, integer=True),
    ]
    assert table.codes.tolist() == [
        [1, 0, 1, 1, 1, 0],
        [2, 1, 0, 2, 0, 0],
        [3, 1, 1, 0, 1, 0],
        [1, 2, 2, 1, 2, 0],
        [0, 0, 1, 3, 0, 0],
    ]


def test_a_table_is_returned_as_it_is():
    table = read(ROWS)
    assert read(table) is table


def test_arrays_get_names():
    table = read(np.array([[1.0, 2.5], [np.nan, 3.5]]))
    assert table.names == ("x0", "x1")
    assert table.codes.tolist() == [[0, 0], [1, 1]]
    mixed = read(np.array([[1, "a"], [2, "b"]], dtype=object))
    assert [a.numeric for a in mixed.attributes] == [True, False]


def test_names_that_are_no_text():
    assert read(pd.DataFrame([[1, 2]])).names == ("0", "1")


cells = st.one_of(st.none(), st.integers(-3, 3), st.just(float("nan")))
words = st.one_of(st.none(), st.sampled_from("abc"))


@settings(deadline=None)
@given(st.lists(st.tuples(cells, words), min_size=1, max_size=30))
def test_codes_against_a_slow_oracle(rows: list[tuple[Any, Any]]):
    rows = [(1, "a"), *rows]
    table = read({"n": [n for n, _ in rows], "w": [w for _, w in rows]})
    for place, missing in ((0, lambda v: v is None or v != v), (1, lambda v: v is None)):
        known = sorted({row[place] for row in rows if not missing(row[place])})
        expected = [len(known) if missing(row[place]) else known.index(row[place]) for row in rows]
        assert table.codes[:, place].tolist() == expected


@settings(deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=200), st.integers(2, 12))
def test_quantile_bins_hold_their_values(values: list[float], max_codes: int):
    table = read({"x": values}, max_codes=max_codes)
    attribute, codes = table.attributes[0], table.column("x")
    assert attribute.n_values <= max_codes
    assert sorted(set(codes.tolist())) == list(range(attribute.n_values))
    for code in range(attribute.n_values):
        inside = np.array(values)[codes == code]
        assert (inside.min(), inside.max()) == (attribute.lows[code], attribute.highs[code])
    np.testing.assert_array_equal(attribute.encode(np.array(values)), codes)
    assert bool(table.notes) == attribute.binned or len(set(values)) >= 20


def test_bins_hold_about_equally_many_rows_and_say_so():
    table = read({"pay": np.random.default_rng(1).lognormal(size=10_000)})
    counts = np.bincount(table.column("pay"))
    assert len(counts) == 256
    assert counts.min() >= 39 / 2  # a border moves to a round number
    assert counts.max() <= 40 * 1.5
    assert table.notes == ("pay: 10,000 values cut into 256 quantile bins",)


@pytest.mark.parametrize("max_codes", [1, 2.5, True, 70_000])
def test_max_codes_is_checked(max_codes: Any):
    with pytest.raises(ParameterError, match="max_codes"):
        read(ROWS, max_codes=max_codes)


# what the user declares


def test_declared_kinds():
    roles = Roles(numeric=["text", "truth"], categorical=["number", "real", "mixed", "day"])
    source = {
        "text": ["1", "1.0", None],
        "truth": [True, False, None],
        "number": [3, 1, 3],
        "real": [1.0, 2.5, None],
        "mixed": [1, "a", None],
        "day": [datetime.date(2020, 1, 2), None, datetime.date(2020, 1, 1)],
    }
    table = read(source, roles=roles)
    assert [a.domain for a in table.attributes] == [
        NumericDomain(0, 5, True),
        NumericDomain(0, 5, True),
        CategoricalDomain((1, 3)),
        CategoricalDomain((1, 2.5)),
        CategoricalDomain(("1", "a")),
        CategoricalDomain(("2020-01-01", "2020-01-02")),
    ]
    assert table.codes.T.tolist() == [
        [0, 0, 1],
        [1, 0, 2],
        [1, 0, 1],
        [0, 1, 2],
        [0, 1, 2],
        [1, 2, 0],
    ]


def test_declared_order_may_list_more_than_occurs():
    table = read({"e": ["high", "low"]}, roles=Roles(ordered={"e": ["low", "middle", "high"]}))
    assert table.attributes[0].ordered
    assert table.codes.tolist() == [[2], [0]]


def test_declared_order_must_list_all_that_occurs():
    with pytest.raises(DataError, match=r"'e'.*Got 1 unknown in 2 rows") as error:
        read({"e": ["secret", "secret", "low"]}, roles=Roles(ordered={"e": ["low"]}))
    assert "secret" not in str(error.value)


def test_declared_range():
    roles = Roles(domains={"age": NumericDomain(0, 99, True), "none": NumericDomain(0, 1)})
    table = read({"age": [3, 7], "none": [None, None]}, roles=roles)
    assert table.attribute("age").domain == NumericDomain(0, 99, True)
    assert table.column("age").tolist() == [0, 1]
    assert table.column("none").tolist() == [1, 1]


@pytest.mark.parametrize("values", [[3, 100], [-1, 5], [0.5, 1.0]])
def test_declared_range_must_hold(values: list[float]):
    with pytest.raises(DataError, match=r"'age' must lie in its declared domain. Got 1 rows"):
        read({"age": values}, roles=Roles(domains={"age": NumericDomain(0, 99, True)}))


def test_text_that_is_no_number_is_counted():
    with pytest.raises(DataError, match=r"'x' must hold numbers. Got 2 rows") as error:
        read({"x": ["1", "secret", "secret"]}, roles=Roles(numeric=["x"]))
    assert "secret" not in str(error.value)


def test_texts_that_mean_missing(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("n,w\n1,?\n?,a\n2,b\n")
    roles = Roles(missing_values=["?"])
    table = read(path, roles=roles)
    assert table.attribute("n").numeric
    assert table.codes.tolist() == [[0, 2], [2, 0], [1, 1]]
    same = read({"n": [1, "?", 2], "w": ["?", "a", "b"]}, roles=roles)
    assert same.fingerprint == table.fingerprint


def test_identifiers_are_not_read():
    class Explosive:
        def __array__(self, *args: Any, **kwargs: Any) -> Any:
            raise AssertionError("an identifier was touched")

    table = read({"name": Explosive(), "x": [1, 2]}, roles=Roles(identifiers=["name"]))
    assert table.names == ("x",)
    assert table.left_out == ("name",)
    with pytest.raises(RoleError, match=r"'nam' is not a column .* Did you mean 'name'?"):
        read({"name": ["a"], "x": [1]}, roles=Roles(identifiers=["nam"]))


@pytest.mark.parametrize(
    "roles", [Roles(numeric=["agee"]), Roles(categorical=["agee"]), Roles(ordered={"agee": [1]})]
)
def test_declared_names_must_exist(roles: Roles):
    with pytest.raises(RoleError, match=r"Did you mean 'age'?"):
        read(ROWS, roles=roles)


def test_frames_bring_their_own_orders():
    order = ["low", "middle", "high"]
    ordered = pd.DataFrame({"x": pd.Categorical(["high", None], categories=order, ordered=True)})
    assert read(ordered).attributes[0].domain == CategoricalDomain(tuple(order), ordered=True)
    assert read(ordered).codes.tolist() == [[2], [3]]
    enum = pl.DataFrame({"x": ["high", None]}, schema={"x": pl.Enum(order)})
    assert read(enum).attributes[0].domain == CategoricalDomain(tuple(order))
    frame = sql("select 'high'::enum('low', 'middle', 'high') as x")
    assert read(frame).attributes[0].domain == CategoricalDomain(tuple(order))
    numbers = pd.DataFrame({"x": pd.Categorical([2, 1, 2])})
    assert read(numbers).attributes[0].domain == CategoricalDomain((1, 2))
    cut = pd.DataFrame({"x": pd.cut([1, 5, 9], 3)})
    assert read(cut).attributes[0].ordered
    assert read(cut).codes.tolist() == [[0], [1], [2]]


# treatments and refusals


def test_a_constant_and_one_row():
    table = read({"a": [3], "b": ["x"]})
    assert table.codes.tolist() == [[0, 0]]
    assert table.attribute("a").domain == NumericDomain(0, 5, True)


@pytest.mark.parametrize("kind", ["dict", "pandas", "csv"])
def test_a_column_without_values_is_left_out_with_a_note(kind: str, tmp_path: Path):
    rows = {"a": [1, 2], "b": [None, None]}
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,\n2,\n")
    table = read({"dict": rows, "pandas": pd.DataFrame(rows), "csv": path}[kind])
    assert (table.names, table.left_out) == (("a",), ("b",))
    assert table.notes == ("b: no values at all, left out",)


def test_row_numbers_are_remarked_upon():
    assert "identifiers" in read({"id": range(100), "x": [1] * 100}).notes[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]),
        lambda: pa.table([[1], [2]], names=["a", "a"]),
        lambda: sql("select 1 as a, 2 as a"),
        lambda: {"a": [1], Path("a"): [1]},
    ],
    ids=["pandas", "pyarrow", "duckdb", "dict"],
)
def test_duplicate_names(make: Callable[[], Any]):
    with pytest.raises(DataError, match="Got more than one 'a'"):
        read(make())


def test_duplicate_names_in_files(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("a,b,a\n1,2,3\n")
    with pytest.raises(DataError, match="Columns 1 and 3 have the same"):
        read(path)
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "x.parquet"
    parquet.write_table(pa.table([[1], [2]], names=["a", "a"]), file)
    with pytest.raises(DataError, match="more than one 'a'"):
        read(file)
    parquet.write_table(pa.table([[1], [2]], names=["a", "A"]), file)
    assert read(file).names == ("a", "A")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([1.0, float("inf")], "'x' must hold finite numbers. Some are infinite"),
        ([1, "secret"], "'x' must hold one type of value. Got a mixture of int, str"),
        ([datetime.timedelta(1)] * 2, "'x' must hold numbers.*durations"),
        (np.array([1, 2], dtype="timedelta64[D]"), "'x' must hold numbers.*durations"),
        ([{"secret": 1}] * 2, "'x' must hold numbers.*dict"),
        ([1, 2, 3], "'x' must have as many rows"),
        (np.zeros((2, 2)), "'x' must be a list of values"),
    ],
)
def test_columns_that_are_refused(column: Any, message: str):
    with pytest.raises(DataError, match=message) as error:
        read({"first": [1, 2], "x": column})
    assert "secret" not in str(error.value)


def test_durations_and_lists_in_frames():
    for frame in (
        pd.DataFrame({"x": pd.to_timedelta(["1 day"])}),
        pl.DataFrame({"x": [datetime.timedelta(1)]}),
        sql("select interval 3 day as x"),
    ):
        with pytest.raises(DataError, match=r"'x' must hold numbers.*durations"):
            read(frame)
    for frame in (pl.DataFrame({"x": [[1, 2]]}), sql("select [1, 2] as x")):
        with pytest.raises(DataError, match="'x' must hold one value in every row"):
            read(frame)


def test_uuids_are_text():
    table = read(sql("select '5f0c57a2-0000-4000-8000-000000000001'::uuid as x"))
    assert not table.attributes[0].numeric


def test_too_many_categories():
    with pytest.raises(DataError, match=r"'x' must have at most 65,000 .*Got 70,000") as error:
        read({"x": [f"secret{i}" for i in range(70_000)] * 2})
    assert "identifiers" in str(error.value)
    assert "secret" not in str(error.value)


def test_too_many_categories_of_single_rows_are_set_aside_unless_declared():
    rows = {"x": [f"secret{i}" for i in range(70_000)], "y": [1, 2] * 35_000}
    table = read(rows)
    assert (table.names, table.left_out) == (("y",), ("x",))
    assert "set aside" in table.notes[0]
    with pytest.raises(DataError, match="must have at most"):
        read(rows, roles=Roles(categorical=["x"]))


@pytest.mark.parametrize(
    "source",
    [{}, {"a": []}, np.zeros((0, 3)), np.zeros((3, 0)), np.zeros(3), {"a": [None]}, 3, None],
    ids=repr,
)
def test_what_is_no_table(source: Any):
    with pytest.raises(DataError, match="table must"):
        read(source)


def test_a_wide_read_keeps_memory_small_and_layout():
    table = read(np.arange(60_000).reshape(-1, 6) % 7)
    assert isinstance(table, Table)
    assert table.codes.nbytes == 60_000 * 2


def test_real_data_at_scale(shared_data: Path):
    table = read(shared_data / "acs_income_2018_35states.parquet")
    assert table.codes.shape == (898_610, 12)
    assert table.attribute("STATE").n_values == 35
    assert [note.split(":")[0] for note in table.notes] == ["OCCP"]
    declared = read(
        shared_data / "acs_income_2018_35states.parquet",
        roles=Roles(categorical=["OCCP"], identifiers=["STATE"]),
    )
    assert declared.attribute("OCCP").n_values == 529
    assert "STATE" not in declared.names


def test_missing_in_one_column_and_columns_that_are_ignored(tmp_path: Path):
    file = tmp_path / "people.csv"
    file.write_text("pay,grade,row\n10,9,1\nN,1,2\n30,N,3\n")
    roles = Roles(missing_in={"pay": ["N"], "grade": ["9"]}, ignore=["row"])
    table = read(file, roles=roles)
    assert table.names == ("pay", "grade")
    assert table.attribute("pay").numeric
    assert table.attribute("pay").missing
    assert table.attribute("grade").domain == CategoricalDomain(("1", "N"))
    assert table.attribute("grade").missing
    assert table.left_out == ("row",)
    assert "row: ignored, left out" in table.notes
    with pytest.raises(RoleError, match="missing_in"):
        read(file, roles=Roles(missing_in={"payment": ["N"]}))


def test_values_that_change_while_they_are_read() -> None:
    query = "SELECT 'n' || CAST(1e6 * random() AS INTEGER) AS name FROM range(500)"
    with pytest.raises(DataError, match="must stay the same while it is read"):
        read(DATABASE.sql(query), roles=Roles(categorical=["name"]))


@pytest.mark.parametrize("n_rows", [1, 3])
def test_rows_that_come_or_go_while_they_are_read(n_rows: int) -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 'n' AS name FROM range(2)")
    source = open_source(connection.sql("SELECT name FROM t"))
    columns = source.lazy(["name"])
    assert columns is not None
    rows = RowsInEngine(columns, Roles())
    encoded = encode_column(rows.column("name"), Roles(), 256)
    assert encoded is not None
    connection.execute(f"DELETE FROM t; INSERT INTO t SELECT 'n' FROM range({n_rows})")
    with pytest.raises(DataError, match="must stay the same while it is read"):
        rows.matrix([encoded])


@pytest.mark.parametrize("first", ["number", "wage", "sex"])
@pytest.mark.parametrize("where", ["relation", "file", "polars"])
def test_columns_of_which_not_every_value_comes_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, where: str
) -> None:
    """Their counts are estimates; the number of rows is none."""
    monkeypatch.setattr("sparsam.data.source.lazy._distinct.MOST_VALUES", 500)
    n_rows, rng = 6_000, np.random.default_rng(1)
    people = {
        "number": rng.permutation(n_rows),
        "wage": rng.normal(50, 9, n_rows),
        "sex": rng.choice(["f", "m"], n_rows),
        "key": [f"k{i:05}" for i in rng.permutation(n_rows)],
    }
    frame = pl.DataFrame({name: people[name] for name in sorted(people, key=first.__ne__)})
    source: Any = frame.lazy()
    if where == "file":
        source = tmp_path / "people.parquet"
        frame.write_parquet(source)
    elif where == "relation":
        source = DATABASE.from_arrow(frame.to_arrow())
    table = read(source, roles=Roles(ignore=["key"]), max_codes=16)
    assert table.n_rows == n_rows
    sex = table.attribute("sex").decode(table.column("sex"))
    assert sex.tolist() == people["sex"].tolist()
    wage = table.attribute("wage")
    assert wage.domain.low <= people["wage"].min()
    assert wage.domain.high >= people["wage"].max()
    apart = wage.encode(people["wage"]).astype(int) - table.column("wage")
    assert set(apart.tolist()) <= {0, 1}, "between two values that came home either code will do"
    share = np.bincount(table.column("wage")) / n_rows
    assert share.max() < 2 / 16, "bins hold about as many people each"
    alone = read(frame.lazy().select("wage") if where == "polars" else frame.select("wage").lazy())
    assert alone.n_rows == n_rows
    assert "key" in read(source).left_out
    task = resolve(source, Roles("sex"), max_memory="1MB", random_state=3)
    assert task.table.n_rows + (task.others.n_people if task.others else 0) == n_rows
