"""Elements of SVG."""

from __future__ import annotations

from sparsam.report.plot._svg import percent_of, tag, text


def test_text_and_attributes_are_escaped():
    assert tag("a", '<b>"', href='"x"', left=None) == '<a href="&#34;x&#34;">&lt;b&gt;&#34;</a>'
    assert text("a & b", 1, 2.5, "tick") == '<text x="1" y="2.5" class="tick">a &amp; b</text>'


def test_numbers_are_short():
    assert tag("line", x1=1 / 3, x2=2.0, y1=-0.001) == '<line x1="0.33" x2="2" y1="-0"/>'
    assert percent_of(1 / 3) == "33.3%"
