"""The front as a chart, against the published figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from matplotlib.axes import Axes

from sparsam._errors import ParameterError
from sparsam.assess import Choice, Front
from sparsam.report.charts._front import plot_front

Named = Callable[[Axes], dict[str, Any]]


def places(line: Any) -> set[tuple[float, float]]:
    return {(round(float(x), 9), round(float(y), 9)) for x, y in line.get_xydata()}


def test_every_point_is_where_the_report_says(
    front: Front, choice: Choice, named_lines: Named
) -> None:
    lines = named_lines(choice.plot())
    data = choice.report().to_dict()
    for on_front, words in ((True, "on the front"), (False, "tried, not on the front")):
        told = {
            (round(point["utility"]["error"], 9), round(point["risk"]["value"], 9))
            for point in data["points"]
            if point["on_front"] is on_front
        }
        drawn = set[tuple[float, float]]()
        for name, line in lines.items():
            if name.startswith(words):
                drawn |= places(line)
        assert drawn == told
    counts = [int(name.rpartition(": ")[2]) for name in lines if name.startswith(("on", "tried"))]
    assert sum(counts) == len(front.points)


def test_the_chosen_point_is_marked(front: Front, choice: Choice, named_lines: Named) -> None:
    facts = choice.to_dict()["assessment"]
    chosen = named_lines(front.plot(choice=choice))["chosen"]
    assert places(chosen) == {(facts["utility"]["error"], facts["risk"]["value"])}
    assert chosen.get_marker() == "*"
    assert "chosen" not in named_lines(front.plot())


def test_the_limits_are_lines(front: Front, named_lines: Named) -> None:
    limits = front.limits.to_dict()
    lines = named_lines(front.plot())
    [everything] = [line for name, line in lines.items() if name.startswith("everything")]
    [naive] = [line for name, line in lines.items() if name.startswith("majority")]
    assert set(everything.get_xdata()) == {limits["everything"]["error"]}
    assert set(naive.get_ydata()) == {limits["naive"]["error"]}


def test_minimisers_have_a_shape_each(front: Front, named_lines: Named) -> None:
    best = {point.candidate.minimiser for point in front.best}
    lines = named_lines(front.plot())
    shapes = [line.get_marker() for name, line in lines.items() if name.startswith("on the front")]
    assert len(shapes) == len(set(shapes)) == len(best)


def test_only_published_figures_are_drawn(front: Front, named_lines: Named) -> None:
    told = {round(p.assessment.utility.to_dict()["error"], 9) for p in front.points}
    exact = {round(p.assessment.utility.error, 9) for p in front.points}
    drawn = set[float]()
    for name, line in named_lines(front.plot()).items():
        if name.startswith(("on the front", "tried")):
            drawn |= {x for x, _ in places(line)}
    assert drawn == told
    assert exact - drawn


def test_an_empty_front_says_so(front: Front) -> None:
    empty = Front((), front.limits, front.data)
    with pytest.raises(ParameterError, match="nothing to draw"):
        plot_front(empty, None, None)
