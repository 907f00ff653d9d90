"""The pictures of attacks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sparsam.assess import Score
from sparsam.report._attack_view import AttributeRow
from sparsam.report.pictures._attack import (
    along_figure,
    confidence_figure,
    lane_scale,
    lanes,
    people_bar,
    people_top,
)


def risk(error: float | None, share: float = 1.0) -> Any:
    interval = None if error is None else [max(0.0, error - 0.01), error + 0.01]
    name = "A1 reconstruction" if share == 1 else "A2 high-certainty reconstruction"
    numbers = {"value": error, "baseline": 0.25, "interval": interval}
    return {"adversary": name, "id": name[:2], **numbers, "details": {"share": share}}


@pytest.fixture
def view() -> Any:
    """What the pictures need of all attacks."""
    along = [
        {"id": place, "label": f"{place} <b>", "utility_error": 0.2 + 0.01 * place,
         "errors": {"A1": 0.2 - 0.01 * place, "A3": 0.19, "A4": 0.13, "A5": 0.15}}
        for place in range(5)
    ]  # fmt: skip
    curve = [risk(0.05 + share / 10, share) for share in (0.01, 0.05, 0.1, 0.5, 1.0)]
    return SimpleNamespace(
        curve=curve, along=along, risk=lambda code: risk(0.2), score=Score("accuracy")
    )


def test_the_surest_guesses_are_a_line(view, read_picture):
    picture = confidence_figure(view)
    assert picture.words.startswith("surest 1\u202f%: wrong")
    for drawing in read_picture(picture):
        assert len(drawing.findall("polyline")) == 1
        assert len(drawing.findall("line[@class='interval']")) == 5
        assert "majority guess 25.0\u202f%" in [text.text for text in drawing.iter("text")]
    view.curve = []
    assert confidence_figure(view) is None


def test_along_front_has_one_line_for_each_attacker_and_marks_the_chosen(view, read_picture):
    for drawing in read_picture(along_figure(view, 2)):
        assert len(drawing.findall("polyline")) == 4
        texts = [text.text for text in drawing.findall("text")]
        assert "chosen" in texts
        assert {"A1", "A3", "A4", "A5"} <= set(texts)
    assert ">chosen<" not in str(along_figure(view, None))
    view.along = []
    assert along_figure(view, 2) is None


def test_lanes_have_a_shape_for_each_attacker(read_picture):
    codes = ("A1", "A3", "A4")
    rows = [
        AttributeRow("sex", "yes", 0.25, {"A1": risk(0.2), "A4": risk(None)}),
        AttributeRow("age", "no", None, {"A3": risk(0.1)}),
    ]
    scale = lane_scale(rows)
    assert scale.high == 0.25
    drawings = [read_picture(lanes(row, codes, scale))[0] for row in rows]
    assert [len(drawing.findall(".//path")) for drawing in drawings] == [1, 1]
    assert [len(drawing.findall("line[@class='guess']")) for drawing in drawings] == [1, 0]
    assert "A4 wrong –, majority guess wrong 25.0\u202f%" in drawings[0].findtext("title")


@pytest.mark.parametrize("people", [0, 1, 12, "fewer than 5"])
def test_bars_of_people_are_sound(people, read_picture):
    bar: Any = {"from": 1, "to": 4, "people": people}
    (drawing,) = read_picture(people_bar(bar, 100))
    assert len(drawing.findall("rect")) == (people in (1, 12))
    assert len(drawing.findall("line")) == 3
    assert people_top([bar]) in (10, 100)
