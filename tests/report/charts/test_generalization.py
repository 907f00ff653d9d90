"""A generalization as bars."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import sparsam as sp
from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import Partition, categorical_partition, numeric_partition
from sparsam.report.charts._generalization import cells_of

AGE = numeric_partition("age", NumericDomain(0, 99, integer=True), [17, 62], missing=3)
TOWN = categorical_partition(
    "town", CategoricalDomain(("a", "b", "c", "d")), [("a", "b", "c"), ("d",)]
)
BORN = numeric_partition(
    "born", NumericDomain("1920-01-01", "2020-01-01", unit="date"), ["1970-01-01"]
)
FINE = numeric_partition("income", NumericDomain(0, 1e6), [float(k) for k in range(1, 500)])
NONE = numeric_partition("height", NumericDomain(0, 250), [])


@pytest.mark.parametrize("partition", [AGE, TOWN, BORN, FINE, NONE])
def test_cells_fill_the_bar_in_order(partition: Partition) -> None:
    cells = cells_of(partition)
    assert [cell.label for cell in cells] == list(partition.labels)
    assert cells[0].low == 0
    assert cells[-1].high == 1
    assert all(a.high == b.low for a, b in pairwise(cells))
    assert all(cell.low < cell.high for cell in cells)


def test_cells_are_as_wide_as_their_part_of_the_domain() -> None:
    under, middle, over, missing = cells_of(AGE)
    width = 1 - (missing.high - missing.low)
    assert under.high / width == pytest.approx(0.17)
    assert (middle.high - middle.low) / width == pytest.approx(0.45)
    assert over.label == "62 and over"
    assert [round(cell.high, 6) for cell in cells_of(TOWN)] == [0.75, 1.0]
    assert cells_of(BORN)[0].high == pytest.approx(0.5, abs=0.001)


def test_every_bucket_is_a_bar_and_what_is_not_collected_is_hatched() -> None:
    axes = sp.Generalization([AGE, NONE, TOWN]).plot()
    hatched = [bar for bar in axes.patches if bar.get_hatch()]
    assert (len(axes.patches), len(hatched)) == (AGE.n_buckets + TOWN.n_buckets + 1, 1)
    # what is collected comes first
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["age", "town", "height"]
    assert "not collected" in [text.get_text() for text in axes.texts]


def test_what_is_not_collected_can_be_left_out() -> None:
    axes = sp.Generalization([AGE, NONE]).plot(collected=True)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["age"]
    nothing = sp.Generalization([NONE]).plot(collected=True)
    assert [tick.get_text() for tick in nothing.get_yticklabels()] == ["height"]


def test_hundreds_of_buckets_are_one_bar_that_says_so() -> None:
    axes = sp.Generalization([FINE]).plot()
    assert len(axes.patches) == 1
    assert axes.texts[1].get_text() == "500 buckets: nearly every value told apart"


def test_words_are_shortened_to_their_bucket() -> None:
    labels = ["a very long name of a bucket " * 3, "x"]
    wide = numeric_partition("age", NumericDomain(0, 100), [50], labels=labels)
    axes = sp.Generalization([wide]).plot(figsize=(4, 2))
    words = [text for text in axes.texts if text.get_text().startswith("a very")]
    assert words[0].get_text().endswith("…")
    assert words[0].get_window_extent().width < axes.get_window_extent().width / 2
    plt.close("all")
    narrow = numeric_partition("age", NumericDomain(0, 100), [99], labels=["x", "old"])
    assert "old" not in [t.get_text() for t in sp.Generalization([narrow]).plot().texts]


def test_colours_of_ones_own() -> None:
    axes = sp.Generalization([TOWN]).plot(colors=["white", "black"], edgecolor="red")
    assert [bar.get_facecolor()[:3] for bar in axes.patches] == [(1, 1, 1), (0, 0, 0)]
    assert {bar.get_edgecolor()[:3] for bar in axes.patches} == {(1, 0, 0)}


def test_names_are_words_and_no_formulas(texts_apart: Callable[[Axes], None]) -> None:
    """Between two dollars matplotlib would see a formula, and stumble over this one."""
    labels = ["under $5 \\frac", "$6 and ^over\n"]
    name = "income $\\frac{$ and more words than have room beside a bar"
    axes = sp.Generalization(
        [numeric_partition(name, NumericDomain(0, 9), [5], labels=labels)]
    ).plot()
    texts_apart(axes)
    assert axes.get_yticklabels()[0].get_text().startswith(r"income \$")
    assert "\n" not in axes.texts[2].get_text()
