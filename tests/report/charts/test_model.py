"""A model that already runs, as charts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from sparsam._errors import ParameterError
from sparsam._small_counts import publish_share
from sparsam.assess import ModelAssessment
from sparsam.report.charts._model import plot_asked

Named = Callable[[Axes], dict[str, Any]]


def test_the_search_and_what_was_chosen(model: ModelAssessment, named_lines: Named) -> None:
    lines = named_lines(model.plot())
    steps = lines["steps of the search"]
    told = [(point.information_loss, point.held_out) for point in model.curve]
    assert np.allclose(steps.get_xydata(), told)
    [chosen] = [line for name, line in lines.items() if name.startswith("chosen")]
    kept = (model.information_loss.overall, model.relative_accuracy.score)
    assert np.allclose(chosen.get_xydata(), [kept])
    [target] = [line for name, line in lines.items() if name.startswith("target")]
    assert set(target.get_ydata()) == {model.target}


def test_a_search_without_steps(model: ModelAssessment) -> None:
    with pytest.raises(ParameterError, match="no steps"):
        replace(model, curve=()).plot()


def test_who_is_asked_what(asked: Any) -> None:
    axes = asked.plot()
    people = asked.questions.size
    told = {name: publish_share(share, people) for name, share in asked.per_attribute.items()}
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert {name: bar.get_width() for name, bar in zip(names, axes.patches, strict=True)} == told
    assert [told[name] for name in names] == sorted(told.values(), reverse=True)


def test_nobody_is_asked() -> None:
    with pytest.raises(ParameterError, match="nobody was asked"):
        plot_asked({"age": 1.0}, 3, 1, 1.0, None)
