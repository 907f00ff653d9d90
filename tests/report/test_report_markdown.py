"""The same report as text."""

from __future__ import annotations

import re

from sparsam.report import Report
from sparsam.report._markdown import escaped


def _tables(text: str) -> list[list[str]]:
    return [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]


def test_every_row_of_a_table_has_as_many_cells_as_its_head(make_data):
    tables = _tables(Report(make_data()).to_markdown())
    assert len(tables) == 5
    for lines in tables:
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
        assert len(cells) == 1


def test_pipes_tags_and_lines_are_harmless(make_data):
    text = Report(make_data()).to_markdown()
    assert r"a\|b c" in text
    assert "<script" not in text
    assert "<img" not in text


def test_front_table_marks_the_chosen_point(make_data):
    text = Report(make_data()).to_markdown()
    front = _tables(text)[1]
    assert len(front) == 2 + 14
    assert sum("(chosen)" in line for line in front) == 1


def test_sections_match_the_page(make_data):
    headings = re.findall(r"^## (.*)$", Report(make_data()).to_markdown(), re.MULTILINE)
    assert [heading[:2] for heading in headings] == ["1.", "2.", "3.", "4.", "5."]


def test_a_command_with_backticks_stays_in_its_fence(make_data):
    data = make_data()
    data["reproduce"]["command"] = "echo ```\n# not a heading"
    assert "````\necho ```\n# not a heading\n````" in Report(data).to_markdown()


def test_nothing_collected_and_no_requirement(make_data):
    text = Report(make_data(chosen=13) | {"requirement": None}).to_markdown()
    assert "Nothing needs to be collected." in text
    assert "Requirement" not in text


def test_escaping():
    assert escaped("a`b*c[d]#e") == r"a\`b\*c\[d\]\#e"
    assert escaped("\n x \t y ") == "x y"
