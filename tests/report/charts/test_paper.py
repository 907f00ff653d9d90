"""Axes, colours and words that all charts share."""

from __future__ import annotations

import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from sparsam.report.charts import _paper
from sparsam.report.charts._paper import Paper, Style


def test_the_colours_are_those_of_the_reports(palette: set[str]) -> None:
    ours = {value for value in vars(_paper).values() if str(value).startswith("#")}
    assert len(ours) == 10
    assert ours <= palette


def test_many_series_can_be_told_apart() -> None:
    looks = [Style().look(place) for place in range(28)]
    assert len({(look.marker, look.line) for look in looks}) == 28


def test_what_a_user_says_of_lines_wins_by_any_name(blank: Axes) -> None:
    paper = Paper(blank, {"lw": 5, "ms": 3})
    paper.line([0, 1], [0, 1], paper.style.look(0), linewidth=2, markersize=9)
    assert (blank.lines[0].get_linewidth(), blank.lines[0].get_markersize()) == (5, 3)


def test_colours_of_ones_own(blank: Axes) -> None:
    paper = Paper(blank, {"colors": "black"})
    paper.points([0], [0], paper.style.look(3))
    assert blank.lines[0].get_color() == "black"


def test_a_property_that_is_none_is_refused_by_matplotlib(blank: Axes) -> None:
    paper = Paper(blank, {"colour": "black"})
    with pytest.raises(AttributeError, match="colour"):
        paper.points([0], [0], paper.style.look(0))


def test_one_series_needs_no_legend(blank: Axes) -> None:
    paper = Paper(blank, {})
    paper.points([0], [0], paper.style.look(0), label="alone")
    assert paper.done("", "x", "y").get_legend() is None
    paper.points([1], [0], paper.style.look(1), label="beside")
    assert paper.done("", "x", "y").get_legend() is not None


def test_wide_numbers_take_fewer_places() -> None:
    _, (narrow, wide) = plt.subplots(2, figsize=(3, 4))
    for axes, highest in ((narrow, 1_000_000), (wide, 10)):
        axes.plot([0, highest], [0, 1])
        Paper(axes, {}).numbers("x")
    assert len(narrow.get_xticks()) < len(wide.get_xticks())
