"""The report of one look at later people: does the promise still hold, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparsam.assess import Monitoring, Score
from sparsam.report._closing import (
    Meaning,
    input_data,
    meaning_section,
    reproduce_section,
    versions,
)
from sparsam.report._document import Document, plain
from sparsam.report._made import Day, made_data
from sparsam.report._words import (
    NOTHING,
    counted,
    pair,
    percent,
    points,
    points_range,
    rough_percent,
    whole,
)
from sparsam.report.page._blocks import (
    Block,
    Cell,
    Code,
    Column,
    Fold,
    Heading,
    Items,
    KeyFigure,
    Legend,
    Notice,
    Page,
    Row,
    Section,
    Table,
    Text,
    Verdict,
    Words,
    code,
    name,
    names,
    number,
    strong,
)
from sparsam.report.pictures._front import GUESS_KEY
from sparsam.report.pictures._monitor import NOW, change_scale, change_strip

Data = Mapping[str, Any]

_HOLDS, _BROKEN, _TOO_FEW = "holds", "does not hold", "too few people to tell"
_SIGNS = {_HOLDS: "✓", _BROKEN: "✗", _TOO_FEW: "?", "no sign against it": "✓"}
_MOST_ROWS = 12
MEANING: tuple[Meaning, ...] = (
    {
        "heading": "No sign is not a proof",
        "text": "Where nothing is shown to have changed, a smaller change may be there all the "
        "same: the page says how large a change so many people could show.",
    },
    {
        "heading": "An alarm is about a change that matters",
        "text": "With many people every tiny change can be told from chance. An alarm means more: "
        "that a share has changed by more than the smallest change that matters, or that a limit "
        "is exceeded. Over all looks together a false one is no likelier than the doubt that was "
        "allowed.",
    },
    {
        "heading": "Buckets tell what was collected, and nothing finer",
        "text": "People can change in ways that the collected buckets do not show. What is lost "
        "against everything collected can be measured only where everything is there.",
    },
    {
        "heading": "Errors are those of a simple judge",
        "text": "An artifact carries no model. Whether the buckets still tell the target is judged "
        "by the shares of classes in each bucket then, put together as if attributes were "
        "independent: the same judge then and now, and not the best one.",
    },
    {
        "heading": "Which attribute carries a change is a description",
        "text": "It is the one in which the change is concentrated. A cause outside the table can "
        "move several attributes together.",
    },
)


class MonitorReport(Document[dict[str, Any]]):
    """One look at later people, to read, to print and to file.

    Parameters
    ----------
    data : dict
        What was measured, as plain values fit to be published.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(plain(data))

    def page(self) -> Page:
        """Return the report as a page."""
        data = self._data
        sections = [
            Section("advice", "What to do", tuple(_advice(data))),
            Section("promise", "Whether the promise holds", tuple(_promise(data))),
            Section("people", "Who the people are now", tuple(_people(data))),
        ]
        if any(change["kind"] in ("error", "target") for change in data["changes"]):
            sections.append(
                Section("target", "Whether the records still tell the target", (*_target(data),))
            )
        sections += [
            Section("looks", "Earlier looks", tuple(_looks(data))),
            meaning_section(data["meaning"]),
            reproduce_section(data["reproduce"]),
        ]
        return Page(
            title=data["title"],
            verdict=_verdict(data),
            figures=tuple(_figures(data)),
            sections=tuple(sections),
            brief=tuple(monitor_brief(data)),
            saved_as="drift.html",
        )

    def __repr__(self) -> str:
        return f"<MonitorReport {self._data['title']!r}: {self._data['verdict']}>"


def monitor_report(
    monitoring: Monitoring,
    *,
    title: str | None = None,
    source: str = "table",
    command: str | None = None,
    author: str | None = None,
    purpose: str | None = None,
    date: Day = None,
) -> MonitorReport:
    """Write down what one look at later people showed, and what to do.

    Parameters
    ----------
    monitoring : Monitoring
        What `sparsam.assess.monitor` returned.
    title : str, optional
    source : str, default="table"
        What the table of later people is called: a file name, not a path.
    command : str, optional
        The command that looked.
    author, purpose : str, optional
        Who made the report, and what for; both stand at its head.
    date : str or date, optional
        The day at its head; that of SOURCE_DATE_EPOCH, where it is set, or today when left out.

    Returns
    -------
    MonitorReport

    Examples
    --------
    >>> import sparsam as sp
    >>> columns = ["age", "disability", "sex", "employed"]
    >>> people = sp.load_example().select(columns).take(range(2000))
    >>> tree = sp.PrivacyTree(max_leaves=4)
    >>> front = sp.sweep(people, sp.Roles("employed"), minimisers=tree, repeats=1)
    >>> from sparsam.assess import monitor
    >>> later = sp.load_example().select(columns).take(range(2000, 4000)).to_dict()
    >>> report = monitor_report(monitor(front.choose().generalization, later))
    >>> print(report.to_markdown().splitlines()[0])
    # Monitoring report: employed
    """
    data = monitoring.to_dict()
    rows = data["people"] if isinstance(data["people"], int) else None
    of = f": {data['target']}" if data["target"] else ""
    return MonitorReport(
        {
            **data,
            "title": title or f"Monitoring report{of}",
            "made": made_data(author, purpose, date),
            "meaning": list(MEANING),
            "reproduce": {
                "versions": versions(),
                "seed": data["seed"],
                "input": input_data(source, rows),
                "command": command,
                "settings": {
                    "look": data["look"],
                    "confidence": data["confidence"],
                    "smallest change that matters": data["min_change"],
                },
            },
        }
    )


# The head of the page


def _verdict(data: Data) -> Verdict:
    people = counted(data["people"], "later person", "later people")
    if data["verdict"] == _TOO_FEW:
        return Verdict(f"There are too few people to tell: {people}.", _too_few(data))
    if data["verdict"] == _HOLDS:
        return Verdict(
            f"The promise holds: {people} give no sign against it.",
            f"No share has changed by more than matters; so many people could show a change of "
            f"{points(data['smallest'])}.",
        )
    shown = len(_shown(data))
    broken = [held["what"] for held in data["held"] if held["verdict"] == _BROKEN]
    why = [f"the {what} is beyond its limit" for what in broken]
    if shown:
        why.append(f"{counted(shown, 'share has', 'shares have')} changed by more than matters")
    return Verdict(f"The promise no longer holds for {people}.", f"{_sentence(' and '.join(why))}.")


def _too_few(data: Data) -> str:
    if data["enough"]:
        return "A loss or risk far beyond its limit cannot be ruled out yet."
    if data["needed"] is None:
        return "There were too few people then to compare any later ones with."
    return f"About {whole(data['needed'])} would do."


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _shown(data: Data) -> list[Data]:
    return [change for change in data["changes"] if change["shown"]]


def _figures(data: Data) -> Iterator[KeyFigure]:
    then = f"compared with {whole(data['then'])} then"
    yield KeyFigure(whole(data["people"]), "later people", (then, f"look {data['look']}"))
    compared = counted(len(data["changes"]), "share")
    yield KeyFigure(
        f"{len(_shown(data)):,}",
        "shares changed by more than matters",
        (f"of {compared} compared", f"{percent(data['confidence'], 0)} sure over all looks"),
    )
    for held in data["held"]:
        limit = "limit" if held["promised"] else "then, and room"
        yield KeyFigure(
            _amount(held, held["now"]),
            _WHAT[held["what"]],
            (f"{limit} {_amount(held, held['limit'])}", held["verdict"]),
        )


_WHAT = {"utility loss": "lost against everything collected", "risk": "recovered"}


def _amount(held: Data, value: float | None) -> str:
    """Write a loss in units of its score, or a share that is recovered."""
    if value is None:
        return NOTHING
    if held["score"] is None:
        return percent(value)
    score = Score(held["score"])
    return points(value) if score.kind.percent else score.loss_words(value)


# What to do

_COMMAND = "sparsam minimise NEW.parquet --target TARGET -o people.json --report report.html"


def _advice(data: Data) -> Iterator[Block]:
    advice = data["advice"]
    yield Items(tuple(_advice_words(what, data) for what in advice))
    if "refit" in advice or "protect" in advice:
        yield Text("To learn it again, on later people at full resolution:")
        yield Code(_COMMAND)


def _advice_words(what: str, data: Data) -> Words:
    attributes: Words = names(data["advice"][what])
    match what:
        case "keep":
            return (strong("Keep"), " the artifact as it is, and look again later.")
        case "refit":
            if not data["advice"][what]:
                return (strong("Refit"), " the artifact on later people: too much is lost.")
            return (strong("Refit"), " the artifact on later people.", *_carried(data))
        case "repair":
            return (
                strong("Look at where values come from"),
                " that nobody had then: ",
                attributes,
                ". Correct the source, or refit with them.",
            )
        case "protect":
            return (
                strong("Collect less"),
                ": more can be recovered than may be. Choose again with ",
                code("--max-risk"),
                ".",
            )
        case "coarsen":
            one = len(data["advice"][what]) == 1
            return (
                strong("Coarsen"),
                ": ",
                attributes,
                " is no longer needed. " if one else " are no longer needed, each on its own. ",
                "Check with ",
                code("sparsam assess"),
                " before it is left out.",
            )
    return (strong("Wait"), f" for more people. {_too_few(data)}")


def _carried(data: Data) -> Iterator[Words]:
    """Which attributes carry what has changed, those that carry most first."""
    kinds = {
        "error": " Errors rose, most in ",
        "class": " The target has turned inside buckets, most in ",
        "share": " People are spread otherwise over ",
        "target": " The target itself has changed: ",
    }
    for kind, words in kinds.items():
        carriers = data["carriers"].get(kind, [])
        if kind == "error":  # all people together are no attribute
            carriers = [attribute for attribute in carriers if attribute != data["target"]]
        if carriers:
            yield from (words, names(carriers), ".")


# Whether the promise holds


def _promise(data: Data) -> Iterator[Block]:
    if data["promise"]:
        yield Text(("Promised: ", data["promise"], "."))
    if data["held"]:
        yield Table(
            "What was promised, and what is measured now",
            (
                "",
                number("Then", "then"),
                number("Now", "now", note="with its bounds at this look"),
                number("Limit", "limit"),
                "Verdict",
            ),
            tuple(_held_row(held) for held in data["held"]),
            stack="late",
        )
        yield Items(
            tuple(f"{_sentence(held['what'])}: {held['against']}." for held in data["held"]),
            "remarks",
        )
    if utility := data["utility"]:
        score = Score(utility["score"])
        told = NOTHING if utility["error"] is None else score.words(utility["error"])
        yield Text(
            f"The collected records tell the target with {score.kind.words} {told} now, by the "
            f"best of several models ({whole(utility['n_records'])} people)."
        )
    if data["unknown"]:
        yield Text("Not measured:")
        yield Items(tuple(name(reason) for reason in data["unknown"]))


def _held_row(held: Data) -> Row:
    bounds = pair(held["bounds"])
    around = ""
    if bounds is not None:
        around = f"{_amount(held, bounds[0])} to {_amount(held, bounds[1])}"
    note = "" if held["promised"] else "as then, and room for a change that matters"
    return (
        _sentence(_WHAT[held["what"]]),
        _amount(held, held["then"]),
        Cell(strong(_amount(held, held["now"])), around),
        Cell(_amount(held, held["limit"]), note),
        f"{_SIGNS[held['verdict']]} {held['verdict']}",
    )


# Shares of people


def _people(data: Data) -> Iterator[Block]:
    how = "generalized records" if data["generalized"] else "a table at full resolution"
    yield Text(
        f"{counted(data['people'], 'later person', 'later people')}, from {how}, against "
        f"{data['compared_with']} ({whole(data['then'])} people). A change of a share matters from "
        f"{points(data['min_change'])}; of a small share from half of it, but at least "
        f"{points(data['min_change'] / 5)}."
    )
    shares = [change for change in data["changes"] if change["kind"] == "share"]
    yield from _changed(shares, "Attribute by attribute, the bucket that changed most")
    yield from _strange(data)
    if shares:
        yield Fold("Every bucket", (_table("Share of people in every bucket", shares),))


def _changed(changes: Sequence[Data], caption: str) -> Iterator[Block]:
    """The largest change of every attribute; on a page also drawn."""
    rows = _largest(changes)
    if not rows:
        return
    yield _table(caption, rows)
    yield Legend(
        ((GUESS_KEY, "then"), (NOW.key(), "now")),
        "With 95 % intervals of each change on its own; “shown” allows for all figures and looks.",
    )


def _largest(changes: Sequence[Data]) -> list[Data]:
    largest: dict[str, Data] = {}
    for change in changes:
        old = largest.get(change["attribute"])
        if old is None or _rank(change) > _rank(old):
            largest[change["attribute"]] = change
    return sorted(largest.values(), key=_rank, reverse=True)


def _rank(change: Data) -> tuple[bool, float]:
    return change["shown"], abs(change["change"] or 0.0)


def _table(caption: str, changes: Sequence[Data]) -> Table:
    scale = change_scale(changes)
    return Table(
        caption,
        (
            "Attribute",
            "Bucket",
            Column("", axis=(f"{percent(0.0, 0)}", percent(scale.high, 0))),
            number("Then", "then"),
            number("Now", "now"),
            number("Change", "change", note="points"),
            "Shown",
        ),
        tuple(
            (
                name(change["attribute"]),
                "all people" if change["bucket"] is None else name(change["bucket"]),
                Cell(drawn=change_strip(change, scale)),
                percent(change["then"]),
                percent(change["now"]),
                Cell(points(change["change"]), points_range(change["interval"]) or ""),
                _mark(change),
            )
            for change in changes
        ),
        look="lanes",
        stack="early",
    )


def _mark(change: Data) -> Cell:
    if change["shown"]:
        return Cell(strong("✗ changed"))
    return Cell("no", f"matters from {points(change['least'])}")


def _strange(data: Data) -> Iterator[Block]:
    if data["generalized"]:
        yield Text(
            "Whether values came that nobody had then cannot be told from generalized records.",
            note=True,
        )
        return
    kinds = {"unseen": "outside the domain", "refused": "without a bucket"}
    rows = [c for c in data["changes"] if c["kind"] in kinds and (c["shown"] or c["now"])]
    yield Heading("Values that nobody had then")
    if not rows:
        yield Text("None, or of few people only.")
        return
    yield Table(
        "Share of people with values that nobody had then",
        ("Attribute", "Values", number("People"), "Shown"),
        tuple(
            (name(c["attribute"]), kinds[c["kind"]], rough_percent(c["now"]), _mark(c))
            for c in rows
        ),
    )


# The target


def _target(data: Data) -> Iterator[Block]:
    classes = [change for change in data["changes"] if change["kind"] == "target"]
    if classes:
        yield Heading("The target itself")
        yield _table("Share of people in each class", classes)
    inside = [change for change in data["changes"] if change["kind"] == "class"]
    if inside:
        yield Heading("The target inside the buckets")
        yield Text(
            "In each bucket the share of the class that was the commonest there then; for each "
            "attribute the bucket where it changed most."
        )
        yield _table("Share of the class that was the commonest", _largest(inside))
    errors = [change for change in data["changes"] if change["kind"] == "error"]
    if not errors:
        return
    overall = [change for change in errors if change["bucket"] is None]
    rest = [change for change in errors if change["bucket"] is not None]
    yield Heading("How often the buckets mislead")
    yield Text(
        "Share of people whose class is guessed wrongly from the buckets, by the same simple judge "
        "then and now: all people, and for each attribute the bucket where it changed most. Only a "
        "rise is an alarm."
    )
    yield _table("Share of people whose target is guessed wrongly", [*overall, *_largest(rest)])
    if carriers := data["carriers"].get("error"):
        named = [attribute for attribute in carriers if attribute != data["target"]]
        if named:
            yield Notice(("The rise is concentrated in ", strong(name(named[0])), "."), "missed")
    if rest:
        yield Fold("Every bucket", (_table("Share guessed wrongly in every bucket", rest),))


# Earlier looks


def _looks(data: Data) -> Iterator[Block]:
    doubt = 1 - data["confidence"]
    yield Text(
        f"This is look {data['look']}. The doubt of {percent(doubt, 0)} is spread over all looks "
        "that will ever be taken, so that each later one is a little stricter: a look that is "
        "taken often raises no more false alarms than one that is taken once."
    )
    if not data["earlier"]:
        yield Text("No earlier looks are known.", note=True)
        return
    yield Table(
        "Earlier looks",
        (
            number("Look"),
            "Date",
            number("People"),
            "Verdict",
            "Changed",
            number("Lost"),
            number("Recovered"),
        ),
        tuple(
            (
                str(place + 1),
                look["date"],
                whole(look["people"]),
                look["verdict"],
                names(look["changed"]),
                _lost(data, look["utility_loss"]),
                percent(look["recovered"]),
            )
            for place, look in enumerate(data["earlier"])
        ),
        header=1,
        stack="late",
    )


def _lost(data: Data, loss: float | None) -> str:
    held = next((held for held in data["held"] if held["what"] == "utility loss"), None)
    if held is None:
        return NOTHING if loss is None else f"{loss:.3g}"
    return _amount(held, loss)


# For a terminal


def monitor_brief(data: Data) -> Iterator[Block]:
    """What one look showed, for a terminal.

    Parameters
    ----------
    data : mapping
        Fit to be published, as `Monitoring.to_dict` returns it.
    """
    verdict = _verdict(data)
    yield Text((strong(verdict.needs), " ", verdict.costs))
    shown = _shown(data)
    if shown:
        yield Table(
            "What has changed by more than matters",
            ("Attribute", "Bucket", "What", number("Then"), number("Now")),
            tuple(
                (
                    name(c["attribute"]),
                    "all people" if c["bucket"] is None else name(c["bucket"]),
                    _KINDS[c["kind"]],
                    percent(c["then"]),
                    percent(c["now"]),
                )
                for c in sorted(shown, key=_rank, reverse=True)[:_MOST_ROWS]
            ),
        )
        if len(shown) > _MOST_ROWS:
            yield Text(f"… and {counted(len(shown) - _MOST_ROWS, 'more share')}: see the report.")
    if data["held"]:
        yield Table(
            "What was promised",
            ("", number("Then"), number("Now"), number("Limit"), "Verdict"),
            tuple(
                (
                    _sentence(_WHAT[held["what"]]),
                    _amount(held, held["then"]),
                    _amount(held, held["now"]),
                    _amount(held, held["limit"]),
                    held["verdict"],
                )
                for held in data["held"]
            ),
        )
    for reason in data["unknown"]:
        yield Text(("Not measured: ", name(reason), "."))
    yield Items(tuple(_advice_words(what, data) for what in data["advice"]))


_KINDS = {
    "share": "share of people",
    "unseen": "outside the domain",
    "refused": "without a bucket",
    "target": "share of the class",
    "class": "class that was the commonest",
    "error": "guessed wrongly",
}
