"""Texts that mean missing are missing, whether a column was loaded or stays where it is."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.data.source._column import series_column
from sparsam.data.source._missing_texts import relation_without, without_texts

TEXTS = frozenset({"-9", "?", "1.50", "it's", "N"})


@pytest.mark.parametrize(
    ("kind", "name", "entries"),
    [
        (pa.utf8(), "text", st.sampled_from(["-9", "?", "n", "N", " ?", "it's", "1.5", "1.50"])),
        (pa.int16(), "number", st.sampled_from([-9, 9, 1])),
        (pa.float64(), "number", st.sampled_from([-9.0, 1.5, 0.1, float("inf")])),
        (pa.bool_(), "truth", st.booleans()),
    ],
)
def test_the_same_loaded_and_in_place(kind: Any, name: str, entries: st.SearchStrategy[Any]):
    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.one_of(st.none(), entries), min_size=1, max_size=8))
    def check(values: list[Any]) -> None:
        expected = [None if v is not None and gone(v) else v for v in values]
        relation = duckdb.connect().from_arrow(pa.table({"x": pa.array(values, kind)}))
        cleaned = relation_without(relation, {"x": name}, {"x": TEXTS})
        assert [v for (v,) in cleaned.fetchall()] == expected
        assert cleaned.types == relation.types
        column = without_texts(series_column("x", pa.chunked_array([values], kind)), TEXTS)
        assert [told(v) for v in column.objects()] == expected

    def gone(value: Any) -> bool:
        if isinstance(value, str):
            return value in TEXTS
        return not isinstance(value, bool) and value in (-9, 1.5)

    def told(value: Any) -> Any:
        return None if value is None or value is np.ma.masked or value != value else value

    check()


def test_what_is_kept_keeps_its_type_and_name() -> None:
    odd = "SELECT DATE '2020-01-01' AS \"a\"\"b\", '?' AS t, [1] AS l"
    relation = duckdb.connect().sql(odd)
    cleaned = relation_without(relation, {"t": "text"}, {"t": TEXTS, 'a"b': TEXTS})
    assert cleaned.columns == relation.columns
    assert cleaned.types == relation.types
    assert cleaned.fetchall()[0][1] is None


def test_a_collation_does_not_decide_what_is_missing() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people (x VARCHAR COLLATE NOCASE)")
    connection.execute("INSERT INTO people VALUES ('n'), ('N')")
    cleaned = relation_without(connection.table("people"), {"x": "text"}, {"x": TEXTS})
    assert cleaned.fetchall() == [("n",), (None,)]
