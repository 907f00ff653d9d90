"""Plots: axes, lines, bars and names on a canvas."""

from __future__ import annotations

from markupsafe import escape

from sparsam.report.plot._marks import Mark
from sparsam.report.plot._plot import Canvas, Plot, picture

CANVAS = Canvas("wide", 300, 200, ticks=5)


def draw(read_picture, plot, words="Words."):
    (drawing,) = read_picture(picture("name", "kind", "A title", words, [plot]))
    return drawing


def test_a_picture_has_a_drawing_for_each_canvas(read_picture):
    canvases = (CANVAS, Canvas("narrow", 200, 150, ticks=3))
    both = picture("n", "kind", "A <title>", "Words.", [Plot(c, (0, 1), (0, 1)) for c in canvases])
    wide, narrow = read_picture(both)
    assert (wide.get("class"), narrow.get("class")) == ("plot kind wide", "plot kind narrow")
    assert escape(both) == "\n".join(both.drawings) == str(both)
    assert "A &lt;title&gt;" in str(both)


def test_axes(read_picture):
    plot = Plot(CANVAS, (0, 10), (0, 4))
    plot.grid((0, 2, 4), "{:g} m".format)
    plot.base([(10, "ten"), (9.9, "nearly ten"), (0, "none")])
    plot.names("↑ Height", "Time →")
    texts = [text.text for text in draw(read_picture, plot).findall("text")]
    assert texts == ["0 m", "2 m", "4 m", "ten", "none", "↑ Height", "Time →"]


def test_places_are_in_the_units_of_the_axes(read_picture):
    plot = Plot(CANVAS, (0, 10), (0, 4))
    plot.bar((2, 4), 3, "bar", "a hint", start=1)
    plot.line([(0, 0), (10, 4)], "line")
    plot.line([(0, 0)], "line")
    plot.interval(5, (1, 3))
    plot.interval(5, None)
    plot.mark(Mark("circle", "a1"), 10, 0, "at the end")
    drawing = draw(read_picture, plot)
    bar = drawing.find("rect")
    step, rise = (plot.right - plot.left) / 10, (plot.floor - plot.top) / 4
    assert [float(bar.get(key)) for key in ("x", "y", "width", "height")] == [
        plot.left + 2 * step, plot.floor - 3 * rise, 2 * step, 2 * rise,
    ]  # fmt: skip
    assert bar.findtext("title") == "a hint"
    assert len(drawing.findall("polyline")) == 1
    assert len(drawing.findall("line")) == 1
    assert drawing.find("path").get("transform") == f"translate({plot.right}.0 {plot.floor}.0)"


def test_levels_and_edges_are_named(read_picture):
    plot = Plot(CANVAS, (0, 10), (0, 4))
    plot.level(3, "naive", "majority guess")
    plot.level(2, "edge", "target", "left")
    plot.level(1, "edge")
    plot.edge(0, "chosen")
    names = {text.text: text.get("text-anchor") for text in draw(read_picture, plot).iter("text")}
    assert names == {"majority guess": "end", "target": None, "chosen": "middle"}


def test_names_at_the_ends_of_lines_are_apart(read_picture):
    plot = Plot(CANVAS, (0, 10), (0, 4))
    plot.end_names([(8, 2.0, "b"), (8, 2.01, "a"), (8, 0.0, "c")])
    texts = draw(read_picture, plot).findall("text")
    assert [text.text for text in texts] == ["a", "b", "c"]
    heights = [float(text.get("y")) for text in texts]
    assert heights[1] - heights[0] >= 14
