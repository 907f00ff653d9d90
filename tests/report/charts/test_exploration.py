"""An exploration as charts, against its noisy answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from sparsam._errors import ParameterError
from sparsam.explore import Exploration


def test_every_attribute_has_its_axes(
    exploration: Exploration, texts_apart: Callable[[Axes], None]
) -> None:
    axes = exploration.plot()
    titles = [each.get_title(loc="left").partition(";")[0] for each in axes]
    assert titles == ["age", "sex", "region", "zip", "children", "income"]
    texts_apart(axes[0])


def test_axes_that_are_given(exploration: Exploration) -> None:
    figure, given = plt.subplots(2, 4)
    drawn = exploration.plot(given)
    assert list(drawn) == list(given.ravel()[:6])
    assert [each.axison for each in given.ravel()[6:]] == [False, False]
    with pytest.raises(ParameterError, match=r"must be 6 axes.*Got 4"):
        exploration.plot(given[0])
    assert figure.number in plt.get_fignums()


def test_bars_of_categories_are_the_noisy_counts(exploration: Exploration) -> None:
    axes = exploration.plot(attribute="region")
    answer = exploration.answer("value_counts", "region")
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert names == list(answer.values)
    drawn = [bar.get_width() for bar in axes.patches]
    assert drawn == pytest.approx([max(count, 0.0) for count in answer.values.values()])
    assert len(axes.lines) == len(answer.intervals)


def test_the_area_of_uneven_bars_is_their_rows(exploration: Exploration) -> None:
    axes = exploration.plot(attribute="income")
    unit = float(axes.get_ylabel().split()[2].replace(",", ""))
    rows = sum(bar.get_height() * bar.get_width() for bar in axes.patches) / unit
    assert rows == pytest.approx(3000, rel=0.1)


def test_missing_numbers_stand_apart(exploration: Exploration) -> None:
    axes = exploration.plot(attribute="children")
    title = axes.get_title(loc="left")
    hatched = [bar for bar in axes.patches if bar.get_hatch()]
    assert hatched or "(missing) about" in title
    if hatched:
        assert hatched[0].get_height() == pytest.approx(301, abs=40)
        assert hatched[0].get_x() > 3


def test_a_matrix_has_the_lower_half(exploration: Exploration) -> None:
    axes = exploration.plot(matrix="cramers_v")
    matrix = exploration.matrix("cramers_v")
    size = len(matrix["attributes"])
    assert len(axes.texts) == size * (size - 1) // 2
    shown = np.ma.filled(axes.images[0].get_array(), np.nan)
    place = {name: number for number, name in enumerate(matrix["attributes"])}
    names = [tick.get_text() for tick in axes.get_xticklabels()]
    last = axes.get_yticklabels()[-1].get_text()
    order = [*names, last]
    for row, first in enumerate(order):
        for column, second in enumerate(order[:row]):
            told = matrix["values"][place[first]][place[second]]
            assert shown[row, column] == pytest.approx(told)


def test_what_is_not_there_is_named(exploration: Exploration) -> None:
    with pytest.raises(ParameterError, match="'attribute' to draw must be one of age, sex"):
        exploration.plot(attribute="height")
    with pytest.raises(ParameterError, match="spearman, cramers_v"):
        exploration.plot(matrix="pearson")  # type: ignore[arg-type]


def test_colours_of_ones_own(exploration: Exploration) -> None:
    style: dict[str, Any] = {"color": "black", "edgecolor": "red"}
    bars = exploration.plot(attribute="sex", **style).patches
    assert {bar.get_facecolor()[:3] for bar in bars} == {(0, 0, 0)}
