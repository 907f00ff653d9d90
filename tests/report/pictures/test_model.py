"""The accuracy-information loss curve."""

from __future__ import annotations

from typing import Any

import pytest

from sparsam.report.pictures._model import curve_figure


@pytest.mark.parametrize("measure", ["share", "r2", "own"])
@pytest.mark.parametrize("worst", [0.4, 0.0, -3.0])
def test_the_curve_is_drawn_with_its_target_and_the_chosen_point(read_picture, measure, worst):
    spots = [(0.0, 1.0), (0.3, 0.99), (0.7, 0.9), (1.0, worst)]
    held_out = {"measure": measure, "score": 0.93, "interval": [0.91, 0.95]}
    data: Any = {
        "curve": [
            {"information_loss": loss, "held_out": score, "n_collected": 1} for loss, score in spots
        ],
        "kept": {"target": 0.9, "null_accuracy": 0.5, "held_out": held_out},
        "collected": {"information_loss": 0.6},
    }
    data["curve"].append({"information_loss": None, "held_out": None, "n_collected": 1})
    drawings = read_picture(curve_figure(data))
    assert drawings[0].findtext("path/title").startswith("chosen: information loss")
    for drawing in drawings:
        assert len(drawing.findall("circle")) == len(spots)
        assert len(drawing.findall("path")) == 1
        words = " ".join(text.text for text in drawing.findall("text"))
        assert "target" in words
        assert "one answer for everyone" in words
        assert len(drawing.findall("line[@class='grid']")) >= 3
