"""The section on groups, and what the verdict says of them."""

from __future__ import annotations

import pytest

from sparsam.assess import Score
from sparsam.report._report import Report
from sparsam.report.page._blocks import Fold, Table, Text, plain_words
from sparsam.report.sections._groups import groups_blocks, groups_brief, worst_clause

ACCURACY = Score("accuracy")


def _group(label, loss, low, high, *, more=False, attribute="sex", risk=True):
    attack = {"value": 0.2, "baseline": 0.3, "recovered": 1 / 3, "interval": [0.3, 0.4]}
    return {
        "attribute": attribute,
        "group": label,
        "people": 600,
        "everything": 0.1,
        "error": 0.1 + loss,
        "loss": loss,
        "interval": [low, high],
        "risk": attack if risk else None,
        "loses_more": more,
    }


def _groups(*groups, left_out=()):
    return {
        "confidence": 0.95,
        "attributes": ["sex", "race"],
        "fewest": 100,
        "worst": 0 if groups else None,
        "groups": list(groups),
        "left_out": list(left_out),
    }


UNFAIR = _groups(
    _group("women, 65 and over", 0.031, 0.012, 0.05, more=True),
    _group("men", 0.001, -0.004, 0.006),
    left_out=[{"attribute": "race", "group": "<i>Inuit</i>"}],
)


def test_the_verdict_names_the_group_that_loses_most(make_data):
    clause = worst_clause(UNFAIR, ACCURACY)
    assert clause == "worst: women, 65 and over (sex), who lose 3.1 points (1.2 to 5.0)"
    report = Report({**make_data(), "groups": UNFAIR})
    assert clause in report.page().verdict.costs
    assert clause in report.to_terminal(300)
    # groups are looked at for the chosen point only
    assert all("women" not in variant.verdict.costs for variant in report.page().variants)


def test_noise_is_no_finding():
    even = _groups(_group("men", 0.004, -0.01, 0.02))
    words = worst_clause(even, ACCURACY)
    assert words.startswith("no group is shown to lose more than the average, the most is 0.4 poi")
    said = plain_words(next(groups_blocks(even, ACCURACY, 0.001)).words)
    assert "None of them is shown to lose more" in said
    assert "nothing about its cause" in said


@pytest.mark.parametrize("groups", [None, _groups()])
def test_without_groups_the_verdict_is_silent(groups):
    assert worst_clause(groups, ACCURACY) == ""
    assert list(groups_brief(groups or _groups(), ACCURACY)) == []


def test_groups_that_cannot_tell_are_said_to_be_so():
    (block,) = groups_blocks(_groups(), ACCURACY, 0.0)
    said = plain_words(block.words)
    assert said.startswith("People were grouped by sex, race, but no group has 100 people in the")


def test_without_attributes_to_group_by_there_is_no_section(make_data):
    ungrouped = {**_groups(), "attributes": []}
    titles = [s.title for s in Report({**make_data(), "groups": ungrouped}).page().sections]
    assert "For whom" not in titles


def test_the_section_shows_every_group_and_who_was_left_out(make_data):
    page = Report({**make_data(hostile=False), "groups": UNFAIR}).to_html()
    assert "For whom" in page
    assert "women, 65 and over" in page
    assert "&lt;i&gt;Inuit&lt;/i&gt;" in page
    assert "<i>Inuit" not in page
    markdown = Report({**make_data(hostile=False), "groups": UNFAIR}).to_markdown()
    assert "3.1 points" in markdown
    assert "For whom" not in Report(make_data()).to_html()


def test_many_groups_fold():
    many = _groups(*(_group(f"g{n}", 0.1 - n / 100, 0, 0.2, risk=n > 0) for n in range(13)))
    blocks = list(groups_blocks(many, ACCURACY, 0.01))
    (first,) = (block for block in blocks if isinstance(block, Table))
    (fold,) = (block for block in blocks if isinstance(block, Fold))
    assert (len(first.rows), len(fold.blocks[0].rows)) == (10, 3)
    assert fold.summary == "3 more groups"


def test_scores_that_are_judged_inside_a_group_say_so():
    groups = _groups(_group("men", 0.02, 0.01, 0.03, more=True))
    (said, *_) = (b for b in groups_blocks(groups, Score("auc"), None) if isinstance(b, Text))
    assert "AUC is measured inside each group" in plain_words(said.words)
    assert "who lose 0.02 (0.01 to 0.03)" in worst_clause(groups, Score("auc"))


def test_a_terminal_shows_a_table_and_the_worst():
    _, table, words = groups_brief(UNFAIR, ACCURACY)
    assert [plain_words(row[1]) for row in table.rows] == ["women, 65 and over", "men"]
    assert plain_words(words.words).startswith("Worst: women")
