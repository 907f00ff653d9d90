"""A terminal gets the verdict and what is said in brief, and nothing that steers it."""

from __future__ import annotations

from sparsam.report.page._blocks import KeyFigure, Page, Section, Table, Verdict
from sparsam.report.page._terminal import print_blocks, terminal


def test_the_brief_and_the_verdict(pages):
    text = terminal(pages("a very long sentence that no console breaks " * 4))
    assert "x · y" in text
    assert "Costs little." in text
    assert "A very long" not in text
    assert max(map(len, text.splitlines())) > 100


def test_nothing_steers(pages):
    text = terminal(pages())
    assert "\x1b" not in text
    assert "\\u001b[2J" in text
    assert "\\u000a" in text


def test_without_a_brief_the_key_figures():
    page = Page("t", Verdict("n.", "c."), (KeyFigure("3 of 4", "attributes", ("x",)),),
                (Section("s", "s", ()),))  # fmt: skip
    assert terminal(page) == "n. c.\nattributes  3 of 4, x\n"


def test_every_block_can_be_printed(pages):
    import io

    from rich.console import Console

    written = io.StringIO()
    console = Console(file=written, width=100, color_system=None)
    print_blocks(pages("some words").sections[0].blocks, console)
    for words in ("✗ broken", "- second", "Input  some words", "    some words", "the rest:"):
        assert words in written.getvalue()
    assert "right" in written.getvalue()


def test_no_word_of_a_table_is_cut_short():
    table = Table("t", ("Who", "a" * 20, "b" * 20, "c" * 20), (("reconstruction", "1", "2", "3"),))
    page = Page("t", Verdict("n.", "c."), (), (), brief=(table,))
    assert "…" not in terminal(page, 40)
