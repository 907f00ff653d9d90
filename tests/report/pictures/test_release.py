"""The pictures of a release."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsam.report._release_sizes import size_bins
from sparsam.report.pictures._release import size_figure, sweep_figure, sweep_keys


@pytest.mark.parametrize("most", [12, 40, 5000])
def test_every_size_is_a_bar_and_the_last_one_is_named(read_picture, most):
    sizes = np.concatenate([np.arange(5, most), np.full(20, 10), [most * 10]])
    bins = size_bins(sizes)
    drawings = read_picture(size_figure(bins, len(sizes)))
    assert all("shared by" in bar.findtext("title") for bar in drawings[0].findall("rect"))
    for drawing in drawings:
        bars = drawing.findall("rect[@class='size']")
        assert len(bars) == len(bins)
        assert any(text.text.endswith("+") for text in drawing.iter("text"))
    assert size_figure([], 0) is None


def sweeps(score: float | None, measure: str = "share") -> Any:
    rows = [{"k": k, "score": None if score is None else score - k / 1000} for k in (5, 10, 100)]
    methods = [{"method": name, "rows": rows} for name in ("Greedy", "Mondrian")]
    return {"measure": measure, "raw": 0.83, "chance": 0.7, "methods": methods}


@pytest.mark.parametrize("measure", ["share", "r2"])
def test_every_method_is_a_line_with_its_name(read_picture, measure):
    picture = sweep_figure(sweeps(0.82, measure))
    for drawing in read_picture(picture):
        assert len(drawing.findall("polyline")) == 2
        assert len(drawing.findall("path")) == 6
        names = [text.text for text in drawing.iter("text")]
        for _, name in sweep_keys(sweeps(0.82)):
            assert name in names
            assert name in picture.words
        assert "raw rows" in names


def test_without_scores_there_is_no_picture():
    assert sweep_figure(None) is None
    assert sweep_figure(sweeps(None)) is None
    assert sweep_keys(None) == []
