"""One file of edge cases, and every way to apply a generalization must agree with it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsam import data
from sparsam._errors import DataError
from sparsam.generalization import Generalization

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text(encoding="utf-8"))
ALL = Generalization.from_json(
    json.dumps(
        {"format": "sparsam/generalization", "version": 1, "attributes": GOLDEN["attributes"]}
    )
)


def value_of(case: dict[str, Any]) -> Any:
    value = case["value"]
    return float(value["special"]) if isinstance(value, dict) else value


CASES = [(case["attribute"], value_of(case), case["bucket"]) for case in GOLDEN["cases"]]


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def fits(value: Any, kind: str) -> bool:
    """Whether a column of this kind can hold the value."""
    if value is None:
        return True
    if kind == "text":
        return isinstance(value, str)
    if kind == "truth":
        return isinstance(value, bool)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and (kind == "float" or (isinstance(value, int) and abs(value) < 2**63))


def cast(value: Any, kind: str) -> Any:
    return float(value) if kind == "float" and value is not None else value


def columns() -> list[Any]:
    """Sort the cases into typed columns; a refused value gets a column of its own."""
    found = []
    for name in ALL.names:
        for kind in ("integer", "float", "text", "truth"):
            held = [(cast(v, kind), b) for n, v, b in CASES if n == name and fits(v, kind)]
            if all(value is None for value, _ in held):
                continue
            good = [(value, bucket) for value, bucket in held if bucket != "error"]
            if any(value is not None for value, _ in good):
                found.append(pytest.param(name, kind, good, id=f"{name}-{kind}"))
            for i, (value, bucket) in enumerate(held):
                if bucket == "error":
                    bad = [*good[:1], (value, bucket)]
                    found.append(pytest.param(name, kind, bad, id=f"{name}-{kind}-error{i}"))
    return found


ARROW = {"integer": pa.int64(), "float": pa.float64(), "text": pa.string(), "truth": pa.bool_()}
POLARS = {"integer": pl.Int64, "float": pl.Float64, "text": pl.String, "truth": pl.Boolean}
PANDAS = {"integer": "Int64", "float": "float64", "text": "str", "truth": "boolean"}


def arrow(name: str, kind: str, values: list[Any]) -> pa.Table:
    return pa.table({name: pa.array(values, ARROW[kind]), "row": range(len(values))})


def chunked(name: str, kind: str, values: list[Any]) -> pa.Table:
    whole = arrow(name, kind, values)
    return pa.concat_tables([whole.slice(i, 1) for i in range(len(values))])


def dictionary(name: str, kind: str, values: list[Any]) -> pa.Table:
    array = pa.array(values, ARROW[kind])
    return pa.table({name: array.dictionary_encode(), "row": range(len(values))})


def polars(name: str, kind: str, values: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({name: pl.Series(values, dtype=POLARS[kind]), "row": range(len(values))})


def polars_categorical(name: str, kind: str, values: list[Any]) -> pl.DataFrame:
    frame = polars(name, kind, values)
    return frame.with_columns(pl.col(name).cast(pl.Categorical)) if kind == "text" else frame


def pandas(name: str, kind: str, values: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(values, dtype=PANDAS[kind]), "row": range(len(values))})


def pandas_arrow(name: str, kind: str, values: list[Any]) -> pd.DataFrame:
    return arrow(name, kind, values).to_pandas(types_mapper=pd.ArrowDtype)


def pandas_objects(name: str, kind: str, values: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(values, dtype=object), "row": range(len(values))})


def pandas_categorical(name: str, kind: str, values: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Categorical(values), "row": range(len(values))})


def mapping(name: str, kind: str, values: list[Any]) -> dict[str, Any]:
    return {name: values, "row": list(range(len(values)))}


def polars_lazy(name: str, kind: str, values: list[Any]) -> pl.LazyFrame:
    return polars(name, kind, values).lazy()


def duck(name: str, kind: str, values: list[Any]) -> Any:
    return duckdb.from_arrow(arrow(name, kind, values))


ENGINES = [
    arrow,
    chunked,
    dictionary,
    polars,
    polars_categorical,
    pandas,
    pandas_arrow,
    pandas_objects,
    pandas_categorical,
    mapping,
    polars_lazy,
    duck,
]


def as_lists(result: Any) -> dict[str, list[Any]]:
    if isinstance(result, duckdb.DuckDBPyRelation):
        rows = sorted(result.fetchall(), key=lambda row: row[-1])
        return dict(zip(result.columns, map(list, zip(*rows, strict=True)), strict=True))
    if isinstance(result, pl.LazyFrame):
        result = result.collect()
    if isinstance(result, pl.DataFrame):
        return result.to_dict(as_series=False)
    if isinstance(result, pa.Table):
        return result.to_pydict()
    return {str(name): list(result[name]) for name in result}


def only(name: str) -> Generalization:
    return Generalization([ALL[name]])


@pytest.mark.parametrize(("name", "value", "bucket"), CASES)
def test_one_value_has_the_bucket_of_the_golden_file(name: str, value: Any, bucket: Any) -> None:
    if bucket == "error":
        with pytest.raises(DataError, match=f"'{name}'"):
            ALL[name].bucket(value)
    else:
        assert ALL[name].bucket(value) == bucket
        kept = {name: ALL[name].labels[bucket]} if ALL[name].collected else {}
        assert only(name).apply_record({name: value}) == kept


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "kind", "cases"), columns())
def test_a_column_has_the_buckets_of_the_golden_file(
    engine: Callable[..., Any], name: str, kind: str, cases: list[Any]
) -> None:
    frame = engine(name, kind, [value for value, _ in cases])
    buckets = [bucket for _, bucket in cases]
    if "error" in buckets:
        with pytest.raises(DataError, match=f"'{name}'"):
            only(name).apply(frame, keep="row")
        return
    labels = as_lists(only(name).apply(frame, keep="row"))
    codes = as_lists(only(name).apply(frame, keep=["row"], output="codes"))
    assert labels.pop("row") == codes.pop("row") == list(range(len(cases)))
    if not ALL[name].collected:
        assert not labels
        assert not codes
        return
    assert codes == {name: buckets}
    assert labels == {name: [ALL[name].labels[bucket] for bucket in buckets]}


@pytest.mark.parametrize("name", ALL.names)
def test_codes_have_the_buckets_of_the_golden_file(name: str) -> None:
    partition = ALL[name]
    numeric = isinstance(partition.domain, data.NumericDomain)
    kind = "float" if numeric else "any"
    cases = [
        (value, bucket)
        for n, value, bucket in CASES
        if n == name and bucket != "error" and (inside(value, partition) or is_missing(value))
    ]
    values = np.asarray([None if is_missing(v) else v for v, _ in cases], object)
    missing = any(value is None for value in values)
    known = sorted({float(v) for v in values if v is not None}) if kind == "float" else []
    attribute = data.Attribute(name, partition.domain, known, known, missing)  # type: ignore[arg-type]
    found = partition.lookup(attribute)[attribute.encode(values)]
    assert found.tolist() == [bucket for _, bucket in cases]


def inside(value: Any, partition: Any) -> bool:
    if is_missing(value) or isinstance(value, bool) != (partition.name == "flag"):
        return False
    if isinstance(partition.domain, data.CategoricalDomain):
        return value in partition.domain.categories
    return not isinstance(value, str) and partition.domain.low <= value <= partition.domain.high


def test_the_golden_file_covers_every_kind_of_policy() -> None:
    missing = {part.missing is None for part in ALL}
    unseen = {getattr(part, "unseen", 0) is None for part in ALL}
    beyond = {getattr(part, "beyond", None) for part in ALL}
    assert missing == unseen == {True, False}
    assert beyond == {"clamp", "error", None}
