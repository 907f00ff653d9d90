"""The way for other engines: conditions that every engine understands."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest
from tests.generalization.engines import expected, generalization_and_rows

from sparsam._errors import DataError
from sparsam.data.source import ColumnPlan
from sparsam.data.source.lazy._narwhals import OtherFrame
from sparsam.generalization import Generalization
from sparsam.generalization._plans import column_plans


@pytest.mark.parametrize("seed", range(3))
def test_it_gives_what_the_others_give(seed: int) -> None:
    g, rows = generalization_and_rows(seed)
    g = Generalization(part for part in g if part.collected)
    frame = OtherFrame(nw.from_native(rows.lazy()))
    plans, known = column_plans(list(g), frame, "labels"), expected(g, rows)
    (slots,) = frame.codes(plans, batch_rows=1000)
    for part, found in zip(g, slots, strict=True):
        assert found.tolist() == known[part.name], part.name
    counts = [(known[p.name].count(p.n_buckets), known[p.name].count(p.n_buckets + 1)) for p in g]
    assert frame.refused(plans) == counts
    out = frame.rebuild(plans, []).collect()
    for part in g:
        labels = np.array([*part.labels, None, None], object)[known[part.name]]
        assert out[part.name].to_list() == labels.tolist(), part.name
    codes = frame.rebuild(column_plans(list(g), frame), []).collect()
    assert codes.schema[g.names[0]] == pl.UInt16
    assert frame.n_rows() == len(rows)


def test_a_tree_of_too_many_conditions_is_refused() -> None:
    frame = OtherFrame(nw.from_native(pl.LazyFrame({"x": [1.0]})))
    plan = ColumnPlan("x", "number", cuts=[float(i) for i in range(6_000)])
    with pytest.raises(DataError, match="at most 5,000 buckets in one query"):
        frame.rebuild([plan], [])
