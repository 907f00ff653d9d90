"""Markdown says all that a page says, and every row keeps to its line."""

from __future__ import annotations

import re

from sparsam.report.page._blocks import Page, Section, Table, Text, Verdict, number
from sparsam.report.page._markdown import markdown


def test_all_blocks_in_their_order(pages):
    text = markdown(pages("some words"))
    parts = [
        "# Title some words",
        "**Needs some words.** Costs little.",
        "- **1** figure: some words; note",
        "## 1. The first",
        "some words**some words***one* `some words`A2",
        "**✗ Missed.** some words",
        "### some words (A2)",
        "- Input: some words",
        "- Names: some words, b",
        "- second",
        "- **✗ broken** some words",
        "```\nsome words\n```",
        "| Attribute | Wrong (95 % interval) | Collected |",
        "| --- | ---: | --- |",
        "| some words · personal | **12 %** (11–13 %) | some words, x · 0 · 1",
        "| all | 9 % |  |",
        "The rest:",
        "left\n\nright",
        "### Checked",
        "## 2. The second",
    ]
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)


def test_words_from_outside_stay_words(pages):
    text = markdown(pages())
    assert not re.search(r"<script", re.sub(r"```.*?```|``.*?``", "", text, flags=re.S))
    rows = [line for line in text.splitlines() if "personal" in line]
    assert len(rows) == 2
    assert all(re.sub(r"\\\|", "", row).count("|") == 4 for row in rows)


def test_the_chosen_row_is_marked():
    table = Table("t", ("Way", number("Share")), (("a", "1"), ("b", "2")), picks=(4, 5), chosen=5)
    page = Page("t", Verdict("n.", "c."), (), (Section("s", "s", (table, Text(""))),))
    assert "| **b** (chosen) | 2 |" in markdown(page)
