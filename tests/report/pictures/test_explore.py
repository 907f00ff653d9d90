"""The pictures of an exploration."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.report.pictures._explore import (
    MOST_ROWS,
    box_figure,
    cell_figure,
    cost_figure,
    is_uneven,
    largest_first,
    matrix_figure,
    scaled_bars,
)


def cells_of(counts: list[float]) -> list[dict[str, Any]]:
    return [
        {"label": f"cell {place}", "count": count, "interval": [max(count - 5, 0), count + 5],
         "apart": place == len(counts) - 1}
        for place, count in enumerate(counts)
    ]  # fmt: skip


def attribute(counts: list[float], numeric: bool, power: float = 1.0) -> dict[str, Any]:
    return {
        "name": "a <b> & c", "kind": "numeric" if numeric else "categorical", "declared": "",
        "edges": [10.0 * place**power for place in range(len(counts))] if numeric else [],
        "cells": cells_of(counts),
        "quantiles": [
            {"name": name, "value": value, "interval": [value - 1, value + 2]}
            for name, value in zip(("P1", "Q1", "Q2", "Q3", "P99"), sorted(counts * 5)[:5],
                                   strict=True)
        ],
        "figures": [], "notes": [],
    }  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(0, 1e7, allow_nan=False), min_size=2, max_size=140),
    st.booleans(),
    st.sampled_from([1.0, 0.3, 4.0]),
)
def test_figures_stay_on_the_canvas(read_picture, counts, numeric, power):
    age: Any = attribute(counts, numeric, power)
    read_picture(cell_figure(age, 0))
    read_picture(box_figure(age, 0))


@pytest.mark.parametrize("scale", [1e-14, 1e-9, 1e90])
def test_numbers_of_any_size_are_drawn(scale):
    age: Any = attribute([500.0, 300.0, 0.0, 800.0, 40.0], numeric=True, power=2.0)
    age["edges"] = [edge * scale for edge in age["edges"]]
    for figure in age["quantiles"]:
        figure["value"] *= scale
        figure["interval"] = [end * scale for end in figure["interval"]]
    for picture in (cell_figure(age, 0), box_figure(age, 0)):
        assert str(picture).count('class="tick"') >= 4


def test_areas_of_bars_are_rows():
    age: Any = attribute([500.0, 300.0, 0.0, 800.0, 40.0], numeric=True)
    age["edges"] = [0.0, 100.0, 300.0, 700.0, 1_000.0]
    assert is_uneven(age["edges"])
    bars = scaled_bars(age)
    assert [bar.height * (bar.high - bar.low) / 20 for bar in bars] == pytest.approx(
        [500, 300, 0, 800]
    )
    assert [bar.low for bar in bars] == age["edges"][:-1]
    assert "Rows per 20<" in str(cell_figure(age, 0))


def test_a_number_that_many_share_is_seen_and_a_hair_is_not_higher_than_its_neighbours():
    age: Any = attribute([500.0, 400.0, 500.0, 0.4, 500.0, 0.0], numeric=True)
    age["edges"] = [0.0, 500.0, 501.0, 998.0, 999.0, 1_500.0]
    _, many, before, hair, last = scaled_bars(age)
    assert (many.low, many.high, many.height) == pytest.approx((490.5, 510.5, 400))
    assert hair.height <= max(before.height, last.height)
    assert hair.interval is None


def test_many_categories_are_cut_to_the_largest():
    age: Any = attribute([float(place) for place in range(60)], numeric=False)
    shown = largest_first(age["cells"])
    assert len(shown) == MOST_ROWS
    assert shown[0]["count"] == 59
    assert f"the {MOST_ROWS} largest of 60" in str(cell_figure(age, 0))


def test_a_matrix_shows_every_pair_with_its_interval(read_picture):
    pairs = [("a", "b", 0.5, [0.4, 0.6]), ("a", "c", -0.2, [-0.3, -0.1]), ("b", "c", 0.0, [-1, 1])]
    matrix: Any = {
        "measure": "spearman", "names": ["a", "b", "c"],
        "pairs": [dict(zip(("first", "second", "value", "interval"), both, strict=True))
                  for both in pairs],
    }  # fmt: skip
    (root,) = read_picture(matrix_figure(matrix))
    hints = [title.text for rect in root.iter("rect") for title in rect.iter("title")]
    assert hints == [
        "a and b: 0.50 (0.40 to 0.60)",
        "a and c: −0.20 (−0.30 to −0.10)",
        "b and c: 0.00 (−1.00 to 1.00)",
    ]
    shades = [rect.attrib["class"] for rect in root.iter("rect")]
    assert shades == ["shade more", "shade less", "shade more"]
    unsure = [text.text for text in root.iter("text") if "unsure" in text.attrib["class"]]
    assert unsure == ["0.00"]
    matrix["pairs"][0]["interval"] = [0.5, 0.6]  # starts at the estimate: nothing stands out
    assert str(matrix_figure(matrix)).count("unsure") == 2
    assert matrix_figure({**matrix, "names": ["a"], "pairs": []}) is None


@pytest.mark.parametrize("how", ["planned", "interactive"])
def test_what_it_cost_is_drawn_beside_the_paper(read_picture, how):
    functions = [
        {"name": name, "cumulative": cost, "same": 2 * cost}
        for name, cost in (("distribution", 1.0), ("missing", 1.5), ("correlation", 4.0))
    ]
    data: Any = {
        "how": how,
        "paper": {"functions": functions},
        "spent": [{"pure": None, "concentrated": 0.5}],
    }
    picture = cost_figure(data)
    assert picture.words == ("One charge for each query comes to 4, this exploration to 0.5.")
    for drawing in read_picture(picture):
        lines = {line.get("class"): line.get("points") for line in drawing.iter("polyline")}
        assert list(lines) == ["line paper", "line same", "line ours"]
        heights = {place.split(",")[1] for place in lines["line ours"].split()}
        assert len(heights) == (1 if how == "planned" else 4)
        names = {text.text for text in drawing.iter("text")}
        assert names >= {"distribution", "missing", "correlation"}
