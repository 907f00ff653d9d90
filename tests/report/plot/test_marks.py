"""Shapes."""

from __future__ import annotations

from xml.etree import ElementTree

from sparsam.report.plot._marks import SHAPES, Mark


def test_every_shape_is_another_one_and_a_key_is_hidden_from_readers_of_text():
    keys = [ElementTree.fromstring(Mark(shape, "a1").key()) for shape in SHAPES]
    assert len({key.find("path").get("d") for key in keys}) == len(SHAPES)
    assert {key.get("aria-hidden") for key in keys} == {"true"}
    assert {key.find("path").get("class") for key in keys} == {"mark a1"}
