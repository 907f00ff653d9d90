"""Strips for the rows of tables."""

from __future__ import annotations

import pytest

from sparsam.report.plot._marks import Mark
from sparsam.report.plot._scale import Scale
from sparsam.report.plot._strip import Strip


def test_places_are_shares_of_the_width(read_picture):
    strip = Strip(Scale(0, 4, 0, 1), 20)
    strip.track(10)
    strip.tick(1, "guess", margin=2)
    strip.tick(None, "guess")
    strip.span((1, 2), 10, "whisker")
    strip.span(None, 10, "whisker")
    strip.bar((3, 1), 5, 10, "gain")
    strip.dot(9, 10, "attack")
    strip.mark(Mark("square", "a4"), 2, 10)
    (drawing,) = read_picture(strip.picture("words <of> it"))
    track, tick, span = drawing.findall("line")
    assert (track.get("x1"), track.get("x2")) == ("0", "100%")
    assert (tick.get("x1"), tick.get("y1"), tick.get("y2")) == ("25%", "2", "18")
    assert (span.get("x1"), span.get("x2")) == ("25%", "50%")
    assert (drawing.find("rect").get("x"), drawing.find("rect").get("width")) == ("25%", "50%")
    assert drawing.find("circle").get("cx") == "100%"
    assert drawing.find("svg").get("x") == "50%"


@pytest.mark.parametrize("height", [11, 22])
def test_a_strip_is_as_high_as_it_was_told(height):
    assert f'height="{height}"' in str(Strip(Scale(0, 1, 0, 1), height).picture("words"))
