"""What every k costs, as a chart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from matplotlib.axes import Axes

from sparsam._errors import ParameterError
from sparsam.anonymise import KScores, KSweep

Named = Callable[[Axes], dict[str, Any]]


def test_the_detail_that_is_lost(sweep_of_k: KSweep) -> None:
    axes = sweep_of_k.plot()
    [line] = axes.lines
    assert list(line.get_xdata()) == [row.k for row in sweep_of_k.rows]
    assert list(line.get_ydata()) == [row.loss for row in sweep_of_k.rows]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["5", "10", "20", "50", "100"]
    assert axes.get_legend() is None


def test_a_score_must_have_been_asked_for(sweep_of_k: KSweep) -> None:
    with pytest.raises(ParameterError, match="no score was asked for"):
        sweep_of_k.plot(measure="score")
    with pytest.raises(ParameterError, match="'measure'"):
        sweep_of_k.plot(measure="beauty")  # type: ignore[arg-type]


def test_a_line_for_every_method(scores_of_k: KScores, named_lines: Named) -> None:
    lines = named_lines(scores_of_k.plot())
    for sweep in scores_of_k.sweeps:
        drawn = lines[sweep.method.lower()]
        assert list(drawn.get_ydata()) == [row.score for row in sweep.rows]
    [raw] = [line for name, line in lines.items() if name.startswith("raw rows")]
    assert set(raw.get_ydata()) == {scores_of_k.scores["raw"]}


def test_the_score_of_a_sweep(scores_of_k: KScores) -> None:
    sweep = scores_of_k.sweeps[0]
    [line] = sweep.plot().lines
    assert list(line.get_ydata()) == [row.score for row in sweep.rows]
