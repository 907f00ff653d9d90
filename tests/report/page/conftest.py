"""A page that holds every kind of block, with words that try to break out of it."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from sparsam.report.page._blocks import (
    Box,
    Cell,
    Checks,
    Chips,
    Code,
    Column,
    Columns,
    Facts,
    Figure,
    Fold,
    Heading,
    Items,
    KeyFigure,
    Legend,
    Notice,
    Page,
    Section,
    Table,
    Text,
    Variant,
    Verdict,
    badge,
    code,
    name,
    names,
    number,
    stressed,
    strong,
    tag,
)

HOSTILE = "</script><script>alert(1)</script> *a*|b\n`c` \x1b[2J {{ 7*7 }}"
SVG = Markup('<svg class="wide" role="img"><title>drawn</title></svg>')


def everything(words: str) -> tuple:
    """All blocks, with the same words in every place that takes some."""
    table = Table(
        f"caption {words}",
        (
            "Attribute",
            Column("strip", axis=("0 %", "50 %")),
            number("Wrong", "wrong", note="95 % interval"),
            "Collected",
        ),
        (
            (
                Cell((name(words), " ", tag("personal"))),
                Cell(drawn=SVG),
                Cell(strong("12 %"), "11–13 %", share=0.12),
                Cell(chips=Chips((words, *map(str, range(20))), {words: (words, "x")}, "before")),
            ),
            (name("age"), "", "7 %", "nothing"),
        ),
        foot=(("all", "", "9 %", ""),),
        look="risks",
        stack="early",
    )
    return (
        Text((words, strong(words), stressed("one "), code(words), badge("A2"))),
        Text(words, note=True),
        Notice((strong("✗ Missed."), " ", words), "missed"),
        Heading((words, " ", badge("A2"))),
        Facts((("Input", name(words)), ("Names", names([words, "b"])))),
        Items((words, "second")),
        Items((words,), "remarks"),
        Checks((("✓ kept", words), ("✗ broken", words), ("– not checked", words))),
        Code(words),
        table,
        Figure(SVG, keys=(("◆", words), (SVG, words)), note=words, figures=(table,)),
        Legend((("◆", words),), words),
        Fold("the rest", (Text(words),)),
        Columns(((Text("left"),), (Text("right"),)), "even"),
        Box((Heading("Checked"), Text(words)), "paper"),
    )


def make_page(words: str = HOSTILE, variants: int = 0) -> Page:
    picker = Table(
        "Points",
        ("Way to collect", number("Accuracy")),
        tuple((f"way {place}", f"{place} %") for place in range(variants + 1)),
        picks=tuple(range(variants + 1)),
        chosen=0,
    )
    return Page(
        title=f"Title {words}",
        verdict=Verdict(f"Needs {words}.", "Costs little."),
        figures=(KeyFigure("1", "figure", (words, "note")),),
        notices=(Notice(words, "met"),),
        sections=(
            Section("first", "The first", everything(words)),
            Section("second", "The second", (picker, Text("stays")) if variants else ()),
        ),
        brief=(
            Text(words),
            Table("brief", (number("a"), "b"), (("1", Cell(chips=Chips(("x", "y")))),)),
        ),
        variants=tuple(
            Variant(place, f"way {place}", Verdict(f"Would need {place}.", words),
                    (KeyFigure(str(place), "figure", ()),), {"first": everything(words)})
            for place in range(1, variants + 1)
        ),
    )  # fmt: skip


@pytest.fixture(scope="session")
def pages():
    return make_page
