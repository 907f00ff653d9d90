"""Applying to frames: the same type out, categories as columns, nothing raw slips through."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsam._errors import DataError, ParameterError
from sparsam.data import CategoricalDomain, NumericDomain, read
from sparsam.generalization import Generalization, categorical_partition, numeric_partition

G = Generalization(
    [
        categorical_partition(
            "colour", CategoricalDomain(("red", "green", "blue")), [["red"], ["green", "blue"]]
        ),
        numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62]),
        numeric_partition("height", NumericDomain(0.5, 2.5), []),
    ]
)
ROWS = {
    "age": [3, 40, 70],
    "height": [1.0, 1.5, 2.0],
    "colour": ["blue", "red", "green"],
    "y": [1, 0, 1],
}
LABELS = ["green, blue", "red", "green, blue"]


def test_pandas_keeps_its_index_and_gives_categoricals() -> None:
    frame = pd.DataFrame(ROWS, index=["a", "b", "c"])
    out = G.apply(frame, keep="y")
    assert list(out.columns) == ["colour", "age", "y"]
    assert list(out.index) == ["a", "b", "c"]
    assert isinstance(out["age"].dtype, pd.CategoricalDtype)
    assert list(out["age"].cat.categories) == ["under 17", "17–61", "62 and over"]
    assert out["colour"].tolist() == LABELS
    assert G.apply(frame, output="codes")["age"].dtype == np.uint16


def test_polars_gives_enums() -> None:
    out = G.apply(pl.DataFrame(ROWS), keep=["y"])
    assert out.schema["age"] == pl.Enum(["under 17", "17–61", "62 and over"])
    assert out["colour"].to_list() == LABELS
    assert out["y"].to_list() == ROWS["y"]
    assert G.apply(pl.DataFrame(ROWS), output="codes").schema["age"] == pl.UInt16


def test_pyarrow_gives_dictionaries() -> None:
    out = G.apply(pa.table(ROWS))
    assert pa.types.is_dictionary(out.schema.field("age").type)
    assert out.column_names == ["colour", "age"]
    assert out["colour"].to_pylist() == LABELS


def test_a_polars_lazy_frame_stays_lazy() -> None:
    out = G.apply(pl.LazyFrame(ROWS), keep="y")
    assert isinstance(out, pl.LazyFrame)
    assert out.collect_schema()["age"] == pl.Enum(["under 17", "17–61", "62 and over"])
    assert out.collect()["colour"].to_list() == LABELS


def test_a_duckdb_relation_gives_enums() -> None:
    out = G.apply(duckdb.from_arrow(pa.table(ROWS)), keep="y")
    assert isinstance(out, duckdb.DuckDBPyRelation)
    kinds = dict(zip(out.columns, map(str, out.types), strict=True))
    assert kinds["age"] == "ENUM('under 17', '17–61', '62 and over')"
    assert out.to_arrow_table().schema.field("colour").type == pa.dictionary(pa.uint8(), pa.utf8())
    assert sorted(row[0] for row in out.fetchall()) == sorted(LABELS)


def test_a_mapping_and_a_table_give_a_dict() -> None:
    for source in (ROWS, {name: np.asarray(v) for name, v in ROWS.items()}, read(ROWS)):
        out = G.apply(source, keep="y")
        assert isinstance(out, dict)
        assert list(out) == ["colour", "age", "y"]
        assert list(out["colour"]) == LABELS
        assert list(out["y"]) == ROWS["y"]
        assert G.apply(source, output="codes")["age"].tolist() == [0, 1, 2]


MAKERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": lambda rows: pa.table(rows).to_pandas(),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "polars lazy": pl.LazyFrame,
    "duckdb": lambda rows: duckdb.from_arrow(pa.table(rows)),
    "mapping": dict,
}
everywhere = pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))
eager = pytest.mark.parametrize("make", [pa.table, pl.DataFrame, MAKERS["pandas"]])
lazy = pytest.mark.parametrize("make", [MAKERS["polars lazy"], MAKERS["duckdb"]])


@everywhere
def test_columns_must_be_there(make: Callable[..., Any]) -> None:
    frame = make(ROWS)
    with pytest.raises(DataError, match=r"\['nobody'\] are absent"):
        G.apply(frame, keep="nobody")
    with pytest.raises(ParameterError, match="'height' is generalised"):
        G.apply(frame, keep="height")
    with pytest.raises(ParameterError, match="'output'"):
        G.apply(frame, output="words")  # type: ignore[arg-type]


@everywhere
def test_an_absent_attribute_is_named(make: Callable[..., Any]) -> None:
    frame = make({"age": [1, 2, 3]})
    with pytest.raises(DataError, match="colour"):
        G.apply(frame)


@everywhere
def test_refused_values_are_counted_and_not_shown(make: Callable[..., Any]) -> None:
    frame = make({"age": [1, None, None], "colour": ["red"] * 3})
    with pytest.raises(DataError, match="2 values of 'age' are missing"):
        G.apply(frame)


@everywhere
def test_unseen_values_are_counted_and_not_shown(make: Callable[..., Any]) -> None:
    frame = make({"age": [1, 2, 3], "colour": ["red", "puce", "puce"]})
    with pytest.raises(DataError, match="2 values of 'colour' are outside") as caught:
        G.apply(frame)
    assert "puce" not in str(caught.value)


@everywhere
def test_dates_are_of_the_wrong_type(make: Callable[..., Any]) -> None:
    frame = make({"age": [datetime.date(2020, 1, 1)] * 3, "colour": ["red"] * 3})
    with pytest.raises(DataError, match="the wrong type"):
        G.apply(frame)


@eager
def test_nothing_collected_leaves_what_is_kept(make: Callable[..., Any]) -> None:
    frame = make(ROWS)
    nothing = Generalization([G["height"]])
    assert nothing.apply(frame, keep="y").shape == (3, 1)
    assert nothing.apply(frame).shape[1] == 0


def test_pandas_keeps_its_rows_when_nothing_is_collected() -> None:
    frame = pd.DataFrame(ROWS, index=[7, 8, 9])
    assert list(Generalization([G["height"]]).apply(frame).index) == [7, 8, 9]


@lazy
def test_a_lazy_frame_needs_a_column(make: Callable[..., Any]) -> None:
    frame = make(ROWS)
    nothing = Generalization([G["height"]])
    with pytest.raises(DataError, match="nothing is collected"):
        nothing.apply(frame)


def test_empty_frames_give_empty_frames() -> None:
    empty = pl.DataFrame({"age": [], "colour": []}, schema={"age": pl.Int16, "colour": pl.String})
    assert G.apply(empty).shape == (0, 2)
    assert G.apply(empty.lazy()).collect().shape == (0, 2)
    assert G.apply(empty.to_pandas()).shape == (0, 2)
    assert G.apply(empty.to_arrow()).shape == (0, 2)


@pytest.mark.parametrize(
    "dtype",
    [
        *(pl.Int8, pl.UInt8, pl.Int16, pl.UInt16, pl.Int32, pl.UInt32, pl.Int64, pl.UInt64),
        *(pl.Int128, pl.Float32, pl.Float64, pl.Decimal(10, 2)),
    ],
)
def test_every_numeric_type_agrees(dtype: Any) -> None:
    values = [0, 16, 17, 61, 62, 99, None]
    age = Generalization([numeric_partition("age", NumericDomain(0, 99), [17, 62], missing=3)])
    frame = pl.DataFrame({"age": pl.Series(values, dtype=pl.Int64).cast(dtype)})
    expected = [0, 0, 1, 1, 2, 2, 3]
    assert age.apply(frame, output="codes")["age"].to_list() == expected
    assert age.apply(frame.lazy(), output="codes").collect()["age"].to_list() == expected
    if not isinstance(dtype, pl.Decimal) and dtype != pl.Int128:
        table = frame.to_arrow()
        assert age.apply(table, output="codes")["age"].to_pylist() == expected
        assert age.apply(table.to_pandas(), output="codes")["age"].tolist() == expected


def test_wide_integers_and_many_categories() -> None:
    domain = CategoricalDomain(tuple(f"c{i}" for i in range(700)))
    g = Generalization(
        [
            numeric_partition("n", NumericDomain(0, 1e12), [5e11], missing=2),
            categorical_partition("c", domain, [[c] for c in domain.categories], 700, 701),
        ]
    )
    rows = {"n": [0, 10**12, None, 2**62], "c": ["c0", "c699", None, "else"]}
    for make in MAKERS.values():
        out = g.apply(make(rows), output="codes")
        out = out.collect() if isinstance(out, pl.LazyFrame) else out
        out = out.fetchall() if isinstance(out, duckdb.DuckDBPyRelation) else out
        if isinstance(out, list):
            assert sorted(out) == [(0, 0), (1, 699), (1, 701), (2, 700)]
        else:
            assert list(np.asarray(out["n"])) == [0, 1, 2, 1]
            assert list(np.asarray(out["c"])) == [0, 699, 700, 701]


def test_pandas_works_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparsam.data.source._frame.find_spec", lambda name: None)
    frame = pd.DataFrame(ROWS)
    assert G.apply(frame)["colour"].tolist() == LABELS
    frame.loc[1, "colour"] = None
    with pytest.raises(DataError, match="'colour' is missing"):
        G.apply(frame)


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(DataError, match="Got list instead"):
        G.apply([1, 2])


def test_duplicate_columns_are_refused() -> None:
    frame = pd.DataFrame([[1, 2, "red"]], columns=["age", "age", "colour"])
    with pytest.raises(DataError, match="'age'"):
        G.apply(frame)


def test_arrays_of_foreign_byte_order_and_shape() -> None:
    age = Generalization([G["age"]])
    assert age.apply({"age": np.array([3, 40], ">i2")}, output="codes")["age"].tolist() == [0, 1]
    with pytest.raises(DataError, match="dimensions"):
        age.apply({"age": np.zeros((2, 2))})


def test_apply_twice_gives_the_same_and_leaves_the_input() -> None:
    frame = pl.DataFrame(ROWS)
    first = G.apply(frame)
    assert first.equals(G.apply(frame))
    assert frame.equals(pl.DataFrame(ROWS))


def test_frames_and_codes_agree_on_the_example() -> None:
    from sparsam.data import load_example

    table = load_example()
    g = Generalization.identity(table)
    frame = table.to_frame("polars")
    out = g.apply(frame, output="codes")
    assert (
        out.to_numpy() == g.apply_codes(table)[:, [g.names.index(n) for n in out.columns]]
    ).all()


@lazy
def test_more_buckets_than_a_tree_of_comparisons_could_hold(make: Callable[..., Any]) -> None:
    domain = CategoricalDomain(tuple(f"c{i}" for i in range(6_000)))
    g = Generalization(
        [
            numeric_partition("x", NumericDomain(0, 9_000, integer=True), range(1, 6_000)),
            categorical_partition("c", domain, [[c] for c in domain.categories]),
        ]
    )
    rows = {"x": [0.0, 1.0, 5_998.5, 9_000.0], "c": ["c5999", "c0", "c1", "c17"]}
    expected = [tuple(g.apply_record(record).values()) for record in pl.DataFrame(rows).to_dicts()]
    out = g.apply(make(rows))
    assert (out.collect().rows() if isinstance(out, pl.LazyFrame) else out.fetchall()) == expected
