"""No message of an engine, and no error that is chained to one, holds a person's value."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsam._errors import DataError, SparsamError
from sparsam.data import NumericDomain, columns_of, read
from sparsam.data.model._own_records import OwnRecords
from sparsam.data.source._declared import Wanted, open_declared
from sparsam.data.source._engine import worded
from sparsam.data.source._frame import open_frame
from sparsam.generalization import Generalization, numeric_partition

TEXTS = pa.array([b"name", b"M\xfcllerin", b"name"], pa.binary()).view(pa.string())


def _sources() -> dict[str, Any]:
    arrow = pa.table({"name": TEXTS, "age": [30, 41, 52]})
    query = "SELECT 'secret' AS name, CAST('secret' || range AS INT) AS age FROM range(3)"
    text = pl.DataFrame({"name": ["secret", "x"]})
    return {
        "pyarrow": arrow,
        "pyarrow dictionary": arrow.set_column(0, "name", TEXTS.dictionary_encode()),
        "pandas": arrow.to_pandas(types_mapper=pd.ArrowDtype),
        "relation": duckdb.sql(query),
        "relation of pyarrow": duckdb.from_arrow(arrow),
        "polars lazy": text.lazy().with_columns(age=pl.col("name").cast(pl.Int64)),
    }


SOURCES = list(_sources())
ENTRIES: dict[str, Callable[[Any], Any]] = {
    "read": read,
    "columns_of": lambda source: columns_of(source, ["name", "age"]),
    "OwnRecords": OwnRecords.open,
}


def refused(action: Callable[[], Any]) -> str:
    """The message of a refusal, once nothing around it holds a value."""
    with pytest.raises(SparsamError) as caught:
        action()
    whole = "".join(traceback.format_exception(caught.value))
    assert "secret" not in whole
    assert "llerin" not in whole
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return str(caught.value)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("kind", SOURCES)
def test_frames_that_fail(kind: str, entry: str) -> None:
    message = refused(lambda: ENTRIES[entry](_sources()[kind]))
    assert ("UTF-8" in message) == (kind not in ("relation", "polars lazy"))


@pytest.mark.parametrize("kind", ["relation", "polars lazy"])
def test_applying_to_an_engine_that_fails(kind: str) -> None:
    made = Generalization([numeric_partition("age", NumericDomain(0, 99), [40])])
    assert "Its engine failed" in refused(lambda: made.apply(_sources()[kind]))


@pytest.mark.parametrize("kind", ["pyarrow", "pyarrow dictionary", "pandas"])
def test_columns_of_a_frame(kind: str) -> None:
    column = open_frame(_sources()[kind]).column("name")  # type: ignore[union-attr]
    wanted = column.levels if kind == "pyarrow dictionary" else column.objects
    assert refused(wanted) == "'name' must hold text in UTF-8. It holds some that is not."


@pytest.mark.parametrize("kind", ["pyarrow", "pyarrow dictionary", "pandas"])
def test_a_text_that_cannot_be_read_is_unseen_where_it_is_declared(kind: str) -> None:
    opened = open_declared(_sources()[kind], [Wanted("name", ("other", "name")), Wanted("age")])
    assert opened.places("name").tolist() == [1, 2, 1]
    assert opened.numbers("age").tolist() == [30, 41, 52]


def test_errors_of_our_own_and_of_the_machine_stay() -> None:
    def fail(error: BaseException) -> Callable[[], None]:
        def action() -> None:
            raise error

        return action

    def wording(error: Exception) -> DataError:
        return DataError("worded")

    for kept in (DataError("ours"), MemoryError(), KeyboardInterrupt()):
        with pytest.raises(type(kept)) as caught:
            worded(fail(kept), wording)
        assert caught.value is kept
    with pytest.raises(KeyboardInterrupt):
        worded(fail(RuntimeError("Query interrupted")), wording)
    assert worded(lambda: np.int8(3), wording) == 3
