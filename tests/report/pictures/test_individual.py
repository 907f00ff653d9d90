"""The pictures of what to retain."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sparsam.report.pictures._individual import curve_figures, curve_keys, mask_figure

NAMES = ["stationarity", "random rows", "individualised random"]


def point(algorithm: str, share: float) -> dict[str, Any]:
    figure = {"value": 0.3 + share / 2, "interval": [0.3, 0.3 + share]}
    risks = ("accuracy", "reconstruction", "reidentification", "weighed", "membership")
    return {"algorithm": algorithm, "kept_share": share} | dict.fromkeys(risks, figure)


@pytest.fixture
def data() -> Any:
    full = {
        "accuracy": {"value": 0.8, "baseline": 0.5},
        "reconstruction": {"baseline": 0.2},
        "membership": {"value": 0.6},
    }
    mask = {"people": 240, "attributes": 3, "names": ["age", "<b>", "job"], "kept_share": 0.2}
    return {
        "chosen": point("stationarity", 0.25),
        "points": [point(name, share) for name in NAMES for share in (0.1, 0.25, 0.5)],
        "full": full,
        "mask": mask,
        "picture": {"rows": [[1.0, 0.5, 0.0], [0.2, 0.2, 0.0]]},
    }


def test_figures_show_every_algorithm(data, read_picture):
    assert [name for _, name in curve_keys(data)] == NAMES
    figures = curve_figures(data)
    assert len(figures) == 5
    for picture, _ in figures:
        drawings = read_picture(picture)
        hints = [mark.findtext("title") for mark in drawings[0].findall("path")]
        for name in NAMES:
            assert sum(hint.startswith(f"{name}: ") for hint in hints) == 3  # a share each
        for drawing in drawings:
            assert len(drawing.findall("path")) == len(hints)
            assert len(drawing.findall("line[@class='interval']")) == 3
            assert "chosen" in [text.text for text in drawing.iter("text")]
    assert figures[0][1][0][1].startswith("every value")


def test_one_share_is_no_curve_and_membership_may_be_missing(data):
    data["full"]["membership"] = None
    assert len(curve_figures(data)) == 4
    data["points"] = data["points"][:1]
    assert curve_figures(data) == []


def test_the_mask_is_a_picture_with_names_over_its_columns(data, read_picture):
    for drawing in read_picture(mask_figure(data)):
        assert drawing.find("image").get("href").startswith("data:image/png;base64,")
        assert [text.findtext("title") for text in drawing.findall("text")[:3]] == [
            "age", "<b>", "job",
        ]  # fmt: skip
    data["mask"]["names"] = [f"a{i}" for i in range(64)]
    picture = mask_figure(data)
    read_picture(picture)
    assert re.search("64 attributes →", str(picture))
