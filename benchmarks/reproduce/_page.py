"""Results as a page of the report vocabulary, and as the tables of docs/papers.md."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from reproduce._all import ENTRIES
from reproduce._entry import PAPERS, VERDICTS, Entry
from reproduce._results import Record
from sparsam._errors import DataError
from sparsam.report._document import Document, plain
from sparsam.report.page._blocks import (
    Block,
    Cell,
    Checks,
    Heading,
    KeyFigure,
    Notice,
    Page,
    Section,
    Table,
    Text,
    Verdict,
    code,
)

BEGIN, END = "<!-- figures of {} -->", "<!-- end of figures -->"
IN_TEXT = re.compile(r"(\S+)<!-- = (\S+) (.+?) -->")


class ReproductionReport(Document[dict[str, Any]]):
    """Which figures of the papers hold, which do not, and why.

    Parameters
    ----------
    data : dict
        The results by the name of the entry, under 'entries'.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(plain(data))

    @property
    def records(self) -> dict[str, Record]:
        """The results of entries that are still in the list."""
        kept: dict[str, Record] = self._data["entries"]
        return {name: kept[name] for name in ENTRIES if name in kept}

    def page(self) -> Page:
        """Return the results as a page."""
        counts = Counter(record["verdict"] for record in self.records.values())
        quick = sum(record["mode"] == "quick" for record in self.records.values())
        return Page(
            title="The papers, measured again",
            verdict=Verdict(
                f"{counts['met']} of {len(self.records)} tables and figures are met.",
                f"{counts['not met']} are not, and {counts['does not hold as stated']} do not "
                f"hold as they are stated.{_others(counts)}",
            ),
            figures=(
                KeyFigure(str(counts["met"]), "met", ()),
                KeyFigure(str(counts["not met"]), "not met", ()),
                KeyFigure(str(counts["does not hold as stated"]), "do not hold as stated", ()),
                KeyFigure(str(quick), "from quick runs", ("fewer rows and seeds",)),
            ),
            sections=(
                Section("verdicts", "All verdicts, the missed ones first", (self._verdicts(),)),
                *(
                    Section(paper, title, self._paper(paper))
                    for paper, title in PAPERS.items()
                    if any(ENTRIES[name].paper == paper for name in self.records)
                ),
            ),
            saved_as="papers.html",
        )

    def _verdicts(self) -> Table:
        rows = []
        for verdict in ("failed", *VERDICTS, "skipped"):
            for name, record in self.records.items():
                if record["verdict"] == verdict:
                    entry = ENTRIES[name]
                    what = Cell(f"{entry.place}: {entry.title}", note=code(name))
                    held = Cell(verdict, note=_mode_words(record).removeprefix(", "))
                    rows.append((what, held, record["why"]))
        columns = ("figure", "verdict", "why")
        return Table("Verdicts", columns, tuple(rows), stack="late", scroll="across")

    def _paper(self, paper: str) -> tuple[Block, ...]:
        blocks: list[Block] = []
        for name, record in self.records.items():
            if ENTRIES[name].paper == paper:
                blocks += _entry_blocks(ENTRIES[name], record)
        return tuple(blocks)


def _others(counts: Mapping[str, int]) -> str:
    """Count what has no verdict, where there is any such."""
    words = {
        "not judged": "for which a quick run has too few people",
        "skipped": "that cannot be measured here",
        "failed": "that ended in an error",
    }
    told = [f"{counts[key]} {word}" for key, word in words.items() if counts[key]]
    return f" Without a verdict: {', '.join(told)}." if told else ""


def _entry_blocks(entry: Entry, record: Record) -> list[Block]:
    blocks: list[Block] = [Heading(f"{entry.place}: {entry.title}")]
    tone: Any = {"met": "met", "not met": "missed", "failed": "missed"}.get(record["verdict"], "")
    why = f": {record['why']}" if record["why"] else ""
    blocks.append(Notice(f"{record['verdict']}{why}", tone))
    if "ours" in record:
        rows = tuple(
            (what, paper, here, peer) for what, paper, here, peer in written(entry, record)
        )
        blocks.append(
            Table(entry.title, ("figure", "paper", "here", "peer"), rows, scroll="across")
        )
        signs = {True: "✓ holds", False: "✗ fails", None: "– not asked"}  # no wider than a sign
        checks = []
        for claim in record["claims"]:
            of_whole = " (of whole runs only)" if claim["holds"] is None else ""
            checks.append((signs[claim["holds"]], claim["words"] + of_whole))
        blocks.append(Checks(tuple(checks)))
        mode, seconds = record["mode"].capitalize(), record["cpu_seconds"]
        spent = f"{mode} run, {seconds:.0f} CPU-seconds. {entry.settings}"
        blocks.append(Text(f"{spent} Peer: {entry.peer or 'none.'}", note=True))
    return blocks


def written(entry: Entry, record: Record) -> list[tuple[str, str, str, str]]:
    """Write the figures of an entry: what, the paper's, ours and the peer's."""
    return [
        (
            row.what,
            row.write(record["paper"].get(row.key, "")),
            row.write(record["ours"].get(row.key)),
            row.write(record["peer"].get(row.key, "")),
        )
        for row in entry.rows
    ]


def markdown_table(paper: str, records: Mapping[str, Record]) -> str:
    """Write the figures of a paper as a Markdown table, and below it what is not met, and why."""
    lines = ["| figure | paper | here | peer | verdict |", "|---|---|---|---|---|"]
    missed = []
    for entry in ENTRIES.values():
        if entry.paper != paper:
            continue
        if (record := records.get(entry.name)) is None:
            lines.append(
                f"| {entry.place}: {entry.title} | | | | not measured yet (`{entry.name}`) |"
            )
            continue
        verdict = record["verdict"]
        mode = _mode_words(record)
        figures = written(entry, record) if "ours" in record else [(entry.title, "", "", "")]
        for place, (what, theirs, ours, peer) in enumerate(figures):
            said = f"{verdict}{mode} (`{entry.name}`)" if place == 0 else ""
            lines.append(f"| {entry.place}: {what} | {theirs} | {ours} | {peer} | {said} |")
        if verdict != "met":
            missed.append(f"- `{entry.name}`, **{verdict}**{mode}: {record['why']}.")
    return "\n".join([*lines, "", *missed]).rstrip()


def _mode_words(record: Record) -> str:
    """Say that a run was quick, and how many of the claims it could be held to."""
    if record["mode"] == "whole" or "ours" not in record:
        return ""
    asked = [claim["holds"] is not None for claim in record.get("claims", ())]
    return ", quick run" + (f", {sum(asked)} of {len(asked)} claims" if not all(asked) else "")


def fill_document(text: str, records: Mapping[str, Record]) -> str:
    """Put figures into a document: whole tables, and single figures in the text.

    A table stands between ``<!-- figures of PAPER -->`` and ``<!-- end of figures -->``, a figure
    of the text before ``<!-- = ENTRY KEY -->``.
    """
    for paper in PAPERS:
        begin = BEGIN.format(paper)
        if text.count(begin) != 1:
            raise DataError(
                f"The page must have one place for the figures of '{paper}'. It has "
                f"{text.count(begin)}.\n\nHint: write `{begin}` and `{END}` where they belong."
            )
        head, rest = text.split(begin)
        _, tail = rest.split(END, 1)
        text = f"{head}{begin}\n\n{markdown_table(paper, records)}\n\n{END}{tail}"
    return IN_TEXT.sub(lambda match: _figure_in_text(match, records), text)


def _figure_in_text(match: re.Match[str], records: Mapping[str, Record]) -> str:
    name, key = match[2], match[3]
    (row,) = [row for row in ENTRIES[name].rows if row.key == key]
    return f"{row.write(records[name]['ours'][key])}<!-- = {name} {key} -->"
