"""Rows of figures with their intervals."""

from __future__ import annotations

from matplotlib.axes import Axes

from sparsam.report.charts._paper import Look, Paper
from sparsam.report.charts._rows import Row, draw_rows, rule_between

LOOK = Look("#a8401b", "o", "-", "")


def test_a_value_its_interval_and_what_it_is_held_against(blank: Axes) -> None:
    row = Row(2, 0.3, (0.2, 0.4), 0.5, LOOK, "attacker", lane=0.25)
    draw_rows(Paper(blank, {}), [row], "baseline")
    gain, interval, baseline, value = blank.lines
    assert list(gain.get_xdata()) == [0.3, 0.5]
    assert list(interval.get_xdata()) == [0.2, 0.4]
    assert (list(baseline.get_xdata()), baseline.get_label()) == ([0.5], "baseline")
    assert (list(value.get_xdata()), list(value.get_ydata())) == ([0.3], [2.25])


def test_what_is_not_known_is_not_drawn(blank: Axes) -> None:
    draw_rows(Paper(blank, {}), [Row(0, None, None, None, LOOK, "attacker")], "baseline")
    assert not blank.lines


def test_a_hollow_shape(blank: Axes) -> None:
    draw_rows(Paper(blank, {}), [Row(0, 0.3, None, None, LOOK, "a", hollow=True)])
    assert blank.lines[0].get_markerfacecolor() == "white"


def test_lines_between_rows(blank: Axes) -> None:
    rule_between(Paper(blank, {}), 4)
    assert [line.get_ydata()[0] for line in blank.lines] == [0.5, 1.5, 2.5]
