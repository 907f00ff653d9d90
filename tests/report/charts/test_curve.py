"""A sparsity curve as a chart, against what is published of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from matplotlib.axes import Axes

from sparsam._errors import ParameterError
from sparsam.individual import Retention

Named = Callable[[Axes], dict[str, Any]]


@pytest.mark.parametrize(
    "measure", ["accuracy", "reconstruction", "reidentification", "weighed", "membership"]
)
def test_a_line_for_every_algorithm(
    retention: Retention, measure: str, named_lines: Named, texts_apart: Callable[[Axes], None]
) -> None:
    curve = retention.curve
    axes = curve.plot(measure=measure)
    lines = named_lines(axes)
    for name in curve.algorithms:
        label = f"{name} (chosen)" if name == curve.chosen.algorithm else name
        facts = [point.to_dict() for point in curve.of(name)]
        told = [point[measure] for point in facts]
        key = "accuracy" if measure == "accuracy" else "value"
        shares = [p["kept_share"] for p, t in zip(facts, told, strict=True) if t is not None]
        assert list(lines[label].get_xdata()) == pytest.approx(shares)
        values = [figure[key] for figure in told if figure is not None]
        assert list(lines[label].get_ydata()) == pytest.approx(values)
    assert axes.get_xscale() == "log"
    texts_apart(axes)


def test_the_levels_to_read_it_against(retention: Retention, named_lines: Named) -> None:
    full = retention.curve.full.accuracy.to_dict()
    lines = named_lines(retention.plot())
    [level] = [line for name, line in lines.items() if name.startswith("every value kept")]
    assert set(level.get_ydata()) == {full["accuracy"]}
    [chosen] = [line for name, line in lines.items() if name.startswith("chosen:")]
    assert set(chosen.get_xdata()) == {retention.curve.chosen.kept_share}


def test_a_measure_must_be_one(retention: Retention) -> None:
    with pytest.raises(ParameterError, match="'measure'"):
        retention.plot(measure="beauty")
