"""polars: every step can be streamed, and gives what it gives in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from sparsam.data.source import ColumnPlan, LazyFrame, open_frame
from sparsam.data.source.lazy._polars import _in_order

TEXTS = [f"c{i}" for i in range(90)]
GROUPS = {"few": 5, "many": 60, "own": 90}
PLANS = [
    ColumnPlan("n", "number", cuts=[1.0, 2.0, 9.0], labels=["a", "b", "c", "d"], missing=0),
    ColumnPlan("m", "number", cuts=[float(c) for c in range(90)], missing=0),
    ColumnPlan("k", "number", groups=[(i % 3, [i + 0.0]) for i in range(80)], missing=0, outside=0),
    *(
        ColumnPlan(
            name, "text", groups=[(i % n, [t]) for i, t in enumerate(TEXTS)], missing=0, outside=0
        )
        for name, n in GROUPS.items()
    ),
]


def rows(n_rows: int) -> pl.DataFrame:
    generator = np.random.default_rng(0)
    texts = {name: generator.choice(TEXTS, n_rows) for name in ("few", "many", "own")}
    numbers = {name: generator.integers(-5, 100, n_rows) for name in ("n", "m", "k")}
    return pl.DataFrame({**texts, **numbers})


def opened(frame: Any) -> LazyFrame:
    lazy = open_frame(frame)
    assert isinstance(lazy, LazyFrame)
    return lazy


@pytest.mark.skipif(pl.__version__ < "2", reason="before polars 2 a plan does not tell")
def test_nothing_holds_a_whole_column() -> None:
    frame = opened(rows(10).lazy()).rebuild(PLANS, [])
    drawn = frame.show_graph(engine="streaming", plan_stage="physical", raw_output=True, show=False)
    assert "columnar-function" not in drawn
    assert drawn.count("style=filled") == drawn.count("in-memory-source")


@pytest.mark.skipif(pl.__version__ < "2", reason="before polars 2 a plan does not tell")
@pytest.mark.parametrize("missing", [None, 1])
def test_a_text_is_looked_up_once(missing: int | None) -> None:
    groups = [(i % 5, [text]) for i, text in enumerate(TEXTS)]
    plan = ColumnPlan("few", "text", groups=groups, missing=missing, labels=list("abcde"))
    frame = opened(rows(10).lazy()).rebuild([plan], [])
    assert frame.explain().count("Enum") == 1


def test_streamed_and_collected_rows_are_the_same() -> None:
    many = rows(300_000)
    frame = opened(many.lazy()).rebuild(PLANS, [])
    assert frame.collect(engine="streaming").equals(frame.collect(engine="in-memory"))
    home = [np.concatenate(c) for c in zip(*opened(many.lazy()).codes(PLANS), strict=True)]
    known = frame.collect(engine="in-memory")
    for plan, slots in zip(PLANS, home, strict=True):
        assert (known[plan.name].to_physical().to_numpy() == slots).all(), plan.name


def test_labels_are_an_enum_in_the_order_of_the_buckets() -> None:
    out = opened(rows(10).lazy()).rebuild(PLANS[:1], []).collect()
    assert out.schema["n"] == pl.Enum(list(PLANS[0].labels or ()))


def test_batches_that_polars_finishes_early_wait_for_their_turn() -> None:
    frames = [pl.DataFrame({"sparsam row": rows, "x": rows}) for rows in ([3, 4], [5], [0, 1, 2])]
    assert [frame["x"].to_list() for frame in _in_order(frames)] == [[0, 1, 2], [3, 4], [5]]


def test_few_rows_come_in_order_every_time() -> None:
    """Without their numbers, about three runs in a hundred would give them in another order."""
    few = rows(4)
    known = opened(few.lazy()).rebuild(PLANS, []).collect(engine="in-memory")["m"].to_list()
    for _ in range(100):
        batches = opened(few.lazy()).codes(PLANS)
        assert [slot for batch in batches for slot in batch[1].tolist()] == known
