"""The record of a processing activity (GDPR Art. 30), as far as we know it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sparsam._printable import one_line
from sparsam.data import Roles
from sparsam.generalization import Generalization
from sparsam.report._made import Day, made_data, made_words
from sparsam.report._words import whole
from sparsam.report.page._blocks import (
    Block,
    Heading,
    Notice,
    Page,
    Section,
    Text,
    Verdict,
    name,
    names,
)
from sparsam.report.page._markdown import markdown
from sparsam.report.regulator._measures import life_cycle, measures, retention
from sparsam.report.regulator._processing import Mode, Processing, Saved, to_fill_in


def to_article30(
    generalization: Generalization,
    *,
    title: str = "",
    purpose: str = "",
    author: str = "",
    roles: Roles | None = None,
    reports: Sequence[Saved] | Saved = (),
    keep_days: int | None = None,
    mode: Mode = "counts",
    date: Day = None,
) -> str:
    """Return a record of the processing (GDPR Art. 30) in Markdown, for a person to complete.

    What is known from the artifact is filled in. The rest is marked as to be filled in by a person.

    Parameters
    ----------
    generalization : Generalization
    title, purpose, author : str
    roles : Roles, optional
        What is declared of the table beside what the artifact carries: special categories above
        all.
    reports : mapping, path or sequence of them
        Reports on this generalization, saved as JSON: their attacks and groups are told too.
    keep_days : int, optional
        How many days the collector keeps a record. Without it nothing is said of a collector.
    mode : {"counts", "rows"}, default="counts"
        How the collector keeps them.
    date : str or date, optional
        Of the document; today when left out.

    Returns
    -------
    str
    """
    known = Processing(generalization, roles or Roles(), reports, keep_days, mode, purpose)
    parts: tuple[tuple[str, str, Iterable[Block]], ...] = (
        ("controller", "Who is responsible (Art. 30(1)(a))", _controller()),
        ("purposes", "What for (b)", _purposes(known)),
        ("people", "Whose data (c)", _people(known)),
        ("data", "Which data (c)", known.data_blocks()),
        ("special", "Special categories (c, Art. 9)", known.special_blocks()),
        ("recipients", "Who receives them (d)", _recipients()),
        ("transfers", "Third countries (e)", _transfers()),
        ("erasure", "When they are erased (f)", retention(known)),
        ("measures", "What protects them (g)", _measures(known)),
        ("evidence", "Why no more, and no less: the evidence", known.evidence_blocks()),
    )
    page = Page(
        title=f"Record of processing: {one_line(title)}" if title else "Record of processing",
        verdict=Verdict("A draft, for a person to complete.", ""),
        figures=(),
        sections=tuple(Section(id, heading, tuple(blocks)) for id, heading, blocks in parts),
        notices=(
            Notice(
                "What is filled in was taken from what sparsam measured and was told. It is no "
                "legal advice, and it is not the whole record: whatever is marked must be filled "
                "in by a person who knows it."
            ),
        ),
        made=made_words(made_data(author, None, date)),
    )
    return markdown(page)


def _controller() -> Iterator[Block]:
    for what in (
        "name and contact details of the controller, and of any joint controller",
        "the controller's representative, if there is one",
        "name and contact details of the data protection officer",
    ):
        yield to_fill_in(what)


def _purposes(known: Processing) -> Iterator[Block]:
    if known.purpose:
        yield Text(name(one_line(known.purpose)))
    if known.targets:
        yield Text(("The data are collected for a model that predicts ", names(known.targets), "."))
    if not known.purpose:
        yield to_fill_in("the purpose that this serves")
    yield to_fill_in("the legal basis (Art. 6)")


def _people(known: Processing) -> Iterator[Block]:
    yield to_fill_in("the categories of people who are asked")
    learned = known.generalization.about.get("learned_from_rows")
    people = known.evidence.people if known.evidence is not None else None
    if isinstance(learned, int):
        in_all = f" of a sample of {whole(people)}" if people is not None else ""
        yield Text(f"The buckets were learned from {whole(learned)} people{in_all}.")


def _recipients() -> Iterator[Block]:
    yield to_fill_in("the categories of recipients, processors among them")


def _transfers() -> Iterator[Block]:
    yield to_fill_in("whether data leave for a third country, which, and with what safeguards")


def _measures(known: Processing) -> Iterator[Block]:
    yield from life_cycle(known)
    for measure in measures(known):
        yield Heading(measure.title)
        yield from measure.blocks
    yield Heading("Further measures")
    yield to_fill_in("access, encryption, backups, and how all of it is tested (Art. 32(1))")
