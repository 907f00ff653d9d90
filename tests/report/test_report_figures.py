"""The pictures."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from sparsam.report._front_figure import NARROW, WIDE, front_figure
from sparsam.report._labels import Box, clearest, dot
from sparsam.report._publish import publishable
from sparsam.report._risk_figure import risk_scale, risk_strip
from sparsam.report._scale import Scale, span
from sparsam.report._svg import tag
from sparsam.report._view import chosen_view


def _drawing(data, canvas):
    return ET.fromstring(front_figure(publishable(data), canvas))


@pytest.mark.parametrize("canvas", [WIDE, NARROW], ids=lambda canvas: canvas.name)
@pytest.mark.parametrize("options", [{}, {"front": 1, "other": 0}, {"front": 40, "other": 80}])
def test_everything_is_drawn_inside_the_canvas(make_data, canvas, options):
    for element in _drawing(make_data(**options), canvas).iter():
        for key in ("x", "cx", "x1", "x2"):
            assert 0 <= float(element.get(key, 0)) <= canvas.width
        for key in ("y", "cy", "y1", "y2"):
            assert 0 <= float(element.get(key, 0)) <= canvas.height


def test_each_point_is_drawn_once_with_words(make_data):
    drawing = _drawing(make_data(), WIDE)
    assert len(drawing.findall("g[@data-dot]")) == 14
    assert len(drawing.findall("circle[@class='tried']")) == 40
    assert all(group.find("title").text for group in drawing.findall("g"))


def test_chosen_point_has_its_own_shape_and_name(make_data):
    drawing = _drawing(make_data(), WIDE)
    assert len(drawing.findall("g/path[@class='chosen']")) == 1
    assert "chosen" in [text.text for text in drawing.findall("text")]


def test_figure_is_named_and_described(make_data):
    drawing = _drawing(make_data(), NARROW)
    ids = {drawing.find("title").get("id"), drawing.find("desc").get("id")}
    assert set(drawing.get("aria-labelledby").split()) == ids
    assert "54 generalizations" in drawing.find("desc").text


def test_a_limit_far_away_is_named_at_the_edge(make_data):
    near = make_data()
    near["limits"]["nothing"]["error"] = 0.3
    assert "nothing collected 49.0\u202f% →" in front_figure(publishable(make_data()), WIDE)
    assert "30.0\u202f% →" not in front_figure(publishable(near), WIDE)


def test_axis_labels_do_not_touch(make_data):
    for options in ({}, {"front": 1, "other": 0}, {"front": 2, "other": 0}):
        drawing = _drawing(make_data(**options), NARROW)
        ticks = drawing.findall("text[@class='tick'][@text-anchor='middle']")
        places = [float(text.get("x")) for text in ticks]
        widest = max(len(text.text) for text in ticks) * 7
        assert len(places) >= 2
        assert min(b - a for a, b in pairwise(places)) > widest


def test_strip_is_safe_and_complete(make_data):
    view = chosen_view(publishable(make_data()))
    scale = risk_scale(view.risks)
    for row in view.risks:
        drawing = ET.fromstring(risk_strip(row.risk, scale))
        assert drawing.find("title").text.startswith("attacker wrong")
        shares = re.findall(r'="(-?[\d.]+)%"', risk_strip(row.risk, scale))
        assert all(0 <= float(share) <= 100 for share in shares)


def test_strip_without_numbers_is_an_empty_track(make_data):
    risk = chosen_view(publishable(make_data())).risks[0].risk
    risk |= {"value": None, "baseline": None, "interval": None}
    assert len(ET.fromstring(risk_strip(risk, Scale(0, 1, 0, 1))).findall("*")) == 2


def test_svg_text_and_attributes_are_escaped():
    assert tag("a", '<b>"', href='"x"', left=None) == '<a href="&#34;x&#34;">&lt;b&gt;&#34;</a>'


def test_scale_of_one_value_has_a_width():
    low, high = span([0.2])
    assert low < 0.2 < high


def test_a_name_stays_inside_and_off_the_dots():
    inside = Box(0, 0, 200, 200)
    x, y = clearest("chosen", (190, 100), [dot(150, 92, 1)], inside)
    assert x + 40 < 190
    assert not 80 < y < 108
