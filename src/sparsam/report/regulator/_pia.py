"""The minimisation as a file that opens in the CNIL's tool for impact assessments, PIA."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import Any

from sparsam._printable import one_line
from sparsam.data import Roles
from sparsam.generalization import Generalization
from sparsam.report._made import Day, day_of
from sparsam.report._words import counted, rough_percent
from sparsam.report.page._blocks import Block, Items, Span, Text, Words, plain_words
from sparsam.report.regulator._measures import life_cycle, measures, retention
from sparsam.report.regulator._processing import Mode, Processing, Saved, to_fill_in


def to_pia(
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
) -> dict[str, Any]:
    """Return what we know of a processing as a file for the CNIL's tool PIA.

    Answered are which data are processed (121), how they live (122), that they are no more than
    needed (213), that they are right (214) and how long they are kept (215), with the measures
    that were taken. All else, every evaluation and every risk is left to people.

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
    dict
        Plain JSON. All five parts that the tool reads are there: it imports a file without one of
        them by half.
    """
    known = Processing(generalization, roles or Roles(), reports, keep_days, mode, purpose)
    moment = f"{day_of(date)}T00:00:00.000Z"
    dated = {"created_at": moment, "updated_at": moment}
    return {
        "pia": {
            "name": one_line(title or _title(known)),
            "category": "",
            "author_name": one_line(author),
            "evaluator_name": "",
            "validator_name": "",
            "status": 0,
            **dated,
        },
        "answers": [
            {
                "reference_to": question,
                "data": {"text": _html(answer(known)), "gauge": None, "list": []},
                **dated,
            }
            for question, answer in _ANSWERS.items()
        ],
        "measures": [
            {
                "id": number,
                "title": measure.title,
                "content": _html(measure.blocks),
                "placeholder": "",
                **dated,
            }
            for number, measure in enumerate(measures(known), start=1)
        ],
        "evaluations": [],
        "comments": [],
    }


def _title(known: Processing) -> str:
    what = " and ".join(known.targets)
    return f"Predict {what} from minimised records" if what else "Collect minimised records"


def _data(known: Processing) -> Iterator[Block]:
    if known.purpose:
        yield Text(f"Purpose: {one_line(known.purpose)}")
    yield from known.data_blocks()
    yield from known.special_blocks()


def _minimisation(known: Processing) -> Iterator[Block]:
    total = len(known.generalization)
    yield Text(
        f"{len(known.collected)} of {counted(total, 'attribute')} are collected, none of them more "
        "finely than in the buckets listed under the data processed. They were chosen among many "
        "others by what is measured here."
        if known.evidence is not None
        else f"{len(known.collected)} of {counted(total, 'attribute')} are collected, none of them "
        "more finely than in the buckets listed under the data processed."
    )
    yield from known.evidence_blocks()


def _accuracy(known: Processing) -> Iterator[Block]:
    yield Text(
        "A person chooses a bucket, and the bucket is what is stored: nothing is estimated, and "
        "no noise is added. A bucket is true as long as the answer is."
    )
    shares = known.missing_shares
    if shares:
        yield Text("People in the sample without a value, for whom there is a bucket of its own:")
        yield Items(tuple(f"{one_line(n)}: {rough_percent(s)}" for n, s in shares.items()))
    if known.keep_days is not None:
        yield Text(
            "A wrong record is corrected by taking it back with its receipt and answering again."
        )
    yield to_fill_in("how often the answers are to be renewed, and how errors are found")


_ANSWERS: dict[int, Callable[[Processing], Iterable[Block]]] = {
    121: _data,
    122: life_cycle,
    213: _minimisation,
    214: _accuracy,
    215: retention,
}


def _html(blocks: Iterable[Block]) -> str:
    """Blocks as the few elements of HTML that the tool's editor knows, all text escaped."""
    parts = []
    for block in blocks:
        if isinstance(block, Items):
            items = "".join(f"<li>{_words(item)}</li>" for item in block.items)
            parts.append(f"<ul>{items}</ul>")
        elif isinstance(block, Text):
            parts.append(f"<p>{_words(block.words)}</p>")
    return "".join(parts)


def _words(words: Words) -> str:
    if isinstance(words, tuple):
        return "".join(map(_words, words))
    if isinstance(words, Span):
        inside = _words(words.inside)
        return f"<strong>{inside}</strong>" if words.kind == "strong" else inside
    return escape(one_line(plain_words(words)))
