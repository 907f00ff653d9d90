"""The front and its strips."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from sparsam.report._publish import publishable
from sparsam.report.pictures._front import front_figure, risk_scale, risk_strip
from sparsam.report.plot._scale import Scale


@pytest.fixture
def drawings(make_data, read_picture):
    """Draw a front: on the wide canvas and on the narrow one."""
    return lambda **options: read_picture(front_figure(publishable(make_data(**options))))


@pytest.mark.parametrize("options", [{}, {"front": 1, "other": 0}, {"front": 40, "other": 80}])
def test_everything_is_drawn_inside_the_canvas(drawings, options):
    wide, narrow = drawings(**options)
    assert float(wide.get("viewBox").split()[2]) > float(narrow.get("viewBox").split()[2])


def test_each_point_is_drawn_once_with_words(drawings):
    drawing, _ = drawings()
    assert len(drawing.findall("g[@data-dot]")) == 14
    assert len(drawing.findall("circle[@class='tried']")) == 40
    assert all(group.find("title").text for group in drawing.findall("g"))


def test_chosen_point_has_its_own_shape_and_name(drawings):
    drawing, _ = drawings()
    assert len(drawing.findall("g/path[@class='chosen']")) == 1
    assert "chosen" in [text.text for text in drawing.findall("text")]


def test_figure_is_described(make_data):
    assert "54 generalizations" in front_figure(publishable(make_data())).words


def test_a_limit_far_away_is_named_at_the_edge(make_data):
    near = make_data()
    near["limits"]["nothing"]["error"] = 0.3
    assert "nothing collected 49.0\u202f% →" in str(front_figure(publishable(make_data())))
    assert "30.0\u202f% →" not in str(front_figure(publishable(near)))


def test_axis_labels_do_not_touch(drawings):
    for options in ({}, {"front": 1, "other": 0}, {"front": 2, "other": 0}):
        _, drawing = drawings(**options)
        ticks = drawing.findall("text[@class='tick'][@text-anchor='middle']")
        places = [float(text.get("x")) for text in ticks]
        widest = max(len(text.text) for text in ticks) * 7
        assert len(places) >= 2
        assert min(b - a for a, b in pairwise(places)) > widest


def test_strip_is_safe_and_complete(make_data, read_picture):
    risks = publishable(make_data())["points"][0]["risk"]["attributes"]
    scale = risk_scale(risks)
    for risk in risks:
        strip = risk_strip(risk, scale)
        read_picture(strip)
        assert strip.title.startswith("attacker wrong")
        shares = re.findall(r'="(-?[\d.]+)%"', str(strip))
        assert all(0 <= float(share) <= 100 for share in shares)


def test_strip_without_numbers_is_an_empty_track(make_data, read_picture):
    risk = publishable(make_data())["points"][0]["risk"]["attributes"][0]
    risk |= {"value": None, "baseline": None, "interval": None}
    (drawing,) = read_picture(risk_strip(risk, Scale(0, 1, 0, 1)))
    assert len(drawing.findall("*")) == 2
