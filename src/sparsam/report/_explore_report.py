"""The report on an exploration under a budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from sparsam.data import NumericDomain
from sparsam.explore import (
    DELTA,
    MISSING,
    OTHER,
    Answer,
    Declared,
    Exploration,
    Ledger,
    accounts_of,
    beside_raw,
    cheaper_words,
    expected_noise,
    nano_text,
    paper_price,
    raw_domains,
)
from sparsam.report._closing import input_data, meaning_section, noisy_versions
from sparsam.report._document import Document, plain
from sparsam.report._made import Day, made_data
from sparsam.report._words import (
    NOTHING,
    THIN,
    between,
    correlation,
    counted,
    noisy_count,
    own_number,
    percent,
    short_epsilon,
    small_words,
    version_words,
)
from sparsam.report.page._blocks import (
    Block,
    Box,
    Cell,
    Code,
    Columns,
    Facts,
    Figure,
    Fold,
    Heading,
    Items,
    KeyFigure,
    Page,
    Row,
    Section,
    Table,
    Text,
    Verdict,
    Words,
    name,
    number,
    strong,
    tag,
)
from sparsam.report.pictures._explore import (
    FUNCTIONS,
    box_figure,
    cell_figure,
    cost_figure,
    matrix_figure,
    sign,
)

Data = Mapping[str, Any]

MEANING_OF_EXPLORATION = (
    {
        "heading": "The intervals cover the noise, and nothing else",
        "text": "In 95 of 100 explorations of this very table the table's own figure lies inside. "
        "Where a figure is worked out inside a wide cell, its interval is rough. They do not say "
        "how sure the figure is of people who are not in the table, and not how right the table "
        "is.",
    },
    {
        "heading": "Small counts may be shown",
        "text": "Every count has noise that hides whether any one person is in it, so a small one "
        "tells nothing sure about anybody, and nothing is left out. A count below zero is shown as "
        "zero, and its interval from zero: no table has fewer than no rows, and the correction "
        "looks at the noisy count only. Totals are taken before the correction, so that it does "
        "not add up.",
    },
    {
        "heading": "The number of rows is noisy too",
        "text": "Whether someone is in the table at all is protected. So the number of rows, and "
        "the number of missing values, are estimates like everything else.",
    },
    {
        "heading": "Smallest and largest values are not given",
        "text": "They are values of single people, and noise that hides one person hides them "
        "too. P1 and P99 say how far the numbers reach, for all but the outermost hundredth.",
    },
    {
        "heading": "Domains are declared",
        "text": "Ranges and categories were declared by somebody, not read from the data. Numbers "
        "beyond a range count at its nearer end, other categories as one. A wrong declaration "
        "makes figures wrong, not unsafe.",
    },
    {
        "heading": "One row is one person",
        "text": "Someone with several rows is protected that many times less.",
    },
)
_HOW = {
    "planned": "all tables were paid for once, and everything else was worked out from them",
    "interactive": "every query was paid for on its own, as in the paper",
    "synthetic": "made-up rows were drawn from noisy tables, and explored like any others",
}
_FIGURES = {"missing": "missing", "outliers": "outliers beyond 1.5 IQR", "mean": "mean"}
_MEASURES = {"spearman": "Spearman's rank correlation", "cramers_v": "Cramér's V"}
_ASKED = {
    "missing": "missing values",
    "outliers": "outliers",
    "quantiles": "quantiles",
    "value_counts": "value counts",
    "spearman": "Spearman",
    "cramers_v": "Cramér's V",
}
_BUCKETS = (
    "Numbers are generalized to buckets: where in its bucket a quantile or a mean lies cannot be "
    "told, so that none is given."
)
_MOST_PAIRS = 8
# A larger matrix leaves no room for a table beside it.
_MOST_BESIDE = 9


class ExploreReport(Document[dict[str, Any]]):
    """What an exploration found, how sure it is and what it cost: to read, to print and to file.

    Every figure in it was made from noisy answers. A small count is shown as it is, as it tells
    nothing sure about anybody.

    Parameters
    ----------
    data : dict
        What was found, as plain values.
    """

    def __init__(self, data: Data) -> None:
        super().__init__(plain(data))

    def page(self) -> Page:
        """Return the report as a page."""
        data = self._data
        sections = [Section("attributes", "Attribute by attribute", tuple(_attributes(data)))]
        if data["matrices"]:
            sections.append(Section("together", "What goes together", tuple(_together(data))))
        sections.append(Section("cost", "What it cost", tuple(_cost(data))))
        if data["cheaper"] is not None:
            blocks = tuple(_generalized(data["cheaper"]))
            sections.append(Section("generalized", "Cheaper after generalizing", blocks))
        return Page(
            title=data["title"],
            verdict=_verdict(data),
            figures=tuple(_key_figures(data)),
            sections=(*sections, meaning_section(data["meaning"]), _reproduce(data)),
            brief=(_brief(data),),
            saved_as="eda.html",
        )

    @property
    def verdict(self) -> str:
        """The report in two sentences."""
        return str(_verdict(self._data))  # draws nothing

    def __repr__(self) -> str:
        return f"<ExploreReport {self._data['title']!r}: {_verdict(self._data).needs}>"


def explore_report(
    exploration: Exploration,
    ledger: Ledger,
    *,
    purpose: str = "",
    per_query: str = "0.01",
    title: str | None = None,
    source: str = "table",
    command: str | None = None,
    order: Sequence[str] = (),
    author: str | None = None,
    date: Day = None,
) -> ExploreReport:
    """Write down what an exploration found, and what it cost.

    Parameters
    ----------
    exploration : Exploration
        See `sparsam.explore.explore_table`.
    ledger : Ledger
        The one that paid.
    purpose : str, default=""
        Why it was asked; stands at the head of the report.
    per_query : str, default="0.01"
        What each query of the paper's way would cost, to compare with.
    title : str, optional
    source : str, default="table"
        What the table is called: a file name, not a path.
    command : str, optional
        The command that explored it.
    order : sequence of str, optional
        The columns of the table, in their order; by default attributes are in that of the plan.
    author : str, optional
        Who made the report; stands at its head.
    date : str or date, optional
        The day at its head; that of SOURCE_DATE_EPOCH, where it is set, or today when left out.

    Returns
    -------
    ExploreReport

    Examples
    --------
    >>> import tempfile
    >>> from sparsam.explore import Ledger, explore_table
    >>> people = {"age": [30, 41, 52] * 100, "sex": ["f", "m", "m"] * 100}
    >>> domains = {"age": (0, 99, "integer"), "sex": ["f", "m"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Ledger.create(f"{folder}/people.ledger", epsilon=20) as ledger:
    ...         report = explore_report(explore_table(people, ledger, domains=domains), ledger)
    >>> report.to_dict()["paper"]["functions"][-1]["cumulative"]
    0.08
    """
    answers = exploration.to_dict()
    plan = exploration.plan
    delta = DELTA if ledger.delta is None else ledger.delta
    places = {column: place for place, column in enumerate(order)}
    attributes = sorted(
        answers["attributes"], key=lambda attribute: places.get(attribute["name"], len(places))
    )
    names = [attribute["name"] for attribute in attributes]
    remarks, shared = _remarks(exploration.answers, plan.declared, names)
    matrices = [matrix_data(exploration, measure, names) for measure in _MEASURES]
    rows, raw = answers["rows"], raw_domains(plan, ledger)
    n_rows = None if rows is None else max(round(rows["value"]), 1)
    return ExploreReport(
        {
            "title": title or f"Exploration of {source} under a budget",
            "made": made_data(author, purpose, date),
            "how": exploration.how,
            "purpose": purpose,
            "rows": None if rows is None else _figure_data("rows", rows),
            "generalized": bool(plan.declared.partitions),
            "attributes": [
                attribute_data(attribute, plan.declared, remarks[attribute["name"]])
                for attribute in attributes
            ],
            "notes": shared,
            "matrices": [matrix for matrix in matrices if matrix["pairs"]],
            "delta": delta,
            "spent": accounts_of(plan, delta, per_query),
            "paper": paper_price(plan, per_query, delta, n_rows),
            "expected": expected_noise(plan, n_rows),
            "cheaper": None if raw is None else beside_raw(plan, raw, n_rows, per_query),
            "budget": {
                "ledger": ledger.path.name,
                "unit": ledger.unit,
                "epsilon": ledger.epsilon,
                "delta": ledger.delta,
                "budget": nano_text(ledger.budget),
                "spent": nano_text(ledger.spent),
                "left": nano_text(ledger.remaining),
                "paid": nano_text(plan.price if exploration.paid else 0),
                "entries": list(exploration.entries),
            },
            "meaning": MEANING_OF_EXPLORATION,
            "reproduce": {
                "versions": noisy_versions(),
                "seed": None,
                # neither the number of rows nor a hash: both would tell without noise
                "input": input_data(source, None),
                "command": command,
                "settings": {},
            },
        }
    )


# The data


def _remarks(
    answers: Sequence[Answer], declared: Declared, names: Sequence[str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the remarks on each attribute alone, and those that hold for several."""
    buckets = declared.partitions
    remarks: dict[str, list[str]] = {attribute: [] for attribute in names}
    for answer in answers:
        if len(answer.attributes) == 1 and answer.attributes[0] not in buckets:
            own = remarks[answer.attributes[0]]
            own += [note for note in answer.notes if note not in own]
    times = Counter(note for notes in remarks.values() for note in notes)
    shared = [note for note, attributes in times.items() if attributes > 1]
    paired = (note for answer in answers if len(answer.attributes) != 1 for note in answer.notes)
    shared += [note for note in dict.fromkeys(paired) if note not in shared]
    if any(attribute in buckets for attribute in declared.numeric):
        shared.append(_BUCKETS)
    alone = {
        attribute: [note for note in notes if note not in shared]
        for attribute, notes in remarks.items()
    }
    return alone, shared


def attribute_data(attribute: Data, declared: Declared, notes: list[str]) -> dict[str, Any]:
    """Return what is told of an attribute; of buckets nothing that lies inside them."""
    domain = declared[attribute["name"]]
    bucketed = attribute["name"] in declared.partitions
    kind = "ordered" if getattr(domain, "ordered", False) else attribute["kind"]
    real = [cell for cell in attribute["cells"] if cell["low"] is not None]
    box = {} if bucketed else attribute["box"] or {}
    return {
        "name": attribute["name"],
        "kind": kind,
        "declared": _declared_words(declared, attribute["name"]),
        "edges": [cell["low"] for cell in real] + [cell["high"] for cell in real[-1:]],
        "cells": [
            {
                "label": cell["label"],
                "count": max(float(cell["count"]), 0.0),
                "interval": None
                if cell["interval"] is None
                else [max(float(end), 0.0) for end in cell["interval"]],
                "apart": cell["label"] in (MISSING, OTHER),
            }
            for cell in attribute["cells"]
        ],
        "quantiles": [_figure_data(label, quantile) for label, quantile in box.items()],
        "figures": [
            _figure_data(function, attribute[function])
            for function in (("missing",) if bucketed else _FIGURES)
            if attribute[function] is not None
        ],
        "notes": notes,
    }


def _declared_words(declared: Declared, attribute: str) -> str:
    domain, partition = declared[attribute], declared.partitions.get(attribute)
    if partition is not None:
        return f"generalized to {counted(partition.n_buckets, 'bucket')}"
    if isinstance(domain, NumericDomain):
        whole = ", whole numbers" if domain.integer else ""
        return f"declared {own_number(domain.low)} to {own_number(domain.high)}{whole}"
    order = ", in order" if domain.ordered else ""
    return f"{counted(len(domain.categories), 'declared category', 'declared categories')}{order}"


def _figure_data(label: str, figure: Data) -> dict[str, Any]:
    ends = figure["interval"]
    return {
        "name": label,
        "value": float(figure["value"]),
        "interval": None if ends is None else list(map(float, ends)),
    }


def matrix_data(exploration: Exploration, measure: str, names: Collection[str]) -> dict[str, Any]:
    """Return how all pairs of the attributes of one kind go together."""
    declared = exploration.plan.declared
    own = declared.numeric if measure == "spearman" else declared.categorical
    return {
        "measure": measure,
        "names": [attribute for attribute in names if attribute in own],
        "pairs": [
            {
                "first": answer.attributes[0],
                "second": answer.attributes[1],
                "value": float(answer.value),
                "interval": list(answer.intervals["value"])
                if "value" in answer.intervals
                else None,
            }
            for answer in exploration.answers
            if answer.function == measure
        ],
    }


# The page


def _left(data: Data) -> str:
    return percent(float(data["budget"]["left"]) / float(data["budget"]["budget"]))


def _paid(data: Data) -> str:
    return percent(float(data["budget"]["paid"]) / float(data["budget"]["budget"]))


def _verdict(data: Data) -> Verdict:
    rows, budget = data["rows"], data["budget"]
    about = "" if rows is None else f" of about {noisy_count(rows['value'])} rows"
    kind = ", generalized and" if data["generalized"] else ","
    cost = "All of it had been paid for before, so that it cost nothing."
    if float(budget["paid"]):
        cost = f"It took {_paid(data)} of the budget; {_left(data)} is left."
    return Verdict(
        f"{counted(len(data['attributes']), 'attribute')}{about}{kind} seen through noise.",
        f"{_HOW[data['how']].capitalize()}. {cost}",
    )


def _key_figures(data: Data) -> Iterator[KeyFigure]:
    budget, here, paper, rows = data["budget"], data["spent"][0], data["paper"], data["rows"]
    if rows is not None:
        around = between(rows["interval"], noisy_count)
        yield KeyFigure(noisy_count(rows["value"]), "rows, about", (around,))
    yield KeyFigure(
        _paid(data),
        "of the budget paid",
        (f"{budget['paid']} of {budget['budget']} {budget['unit']}", f"{_left(data)} is left"),
    )
    pure, delta = here["pure"], small_words(data["delta"])
    note = f"at delta {delta}" if pure is None else "added up, pure"
    epsilon = here["concentrated"] if pure is None else pure
    yield KeyFigure(short_epsilon(epsilon), "epsilon, this exploration", (note,))
    queries, last = f"{_queries(data):,} queries", paper["functions"][-1]
    total, each = short_epsilon(last["cumulative"]), f"at {paper['per_query']} each"
    notes = (f"{queries} {each}", "added up, as in the paper")
    if last["same"] is not None:
        where = f", at delta {delta}" if pure is None else ""
        notes = (f"{queries}, as exact as here{where}", f"{total} {each}")
        total = short_epsilon(last["same"])
    yield KeyFigure(total, "epsilon, query by query", notes)


def _queries(data: Data) -> int:
    return sum(function["queries"] for function in data["paper"]["functions"])


def _brief(data: Data) -> Table:
    rows: list[Row] = []
    for attribute in data["attributes"]:
        figures = [
            f"{label} {value}{f' ({around})' * bool(around)}"
            for label, value, around in _figures(attribute)
        ]
        if figures:
            rows.append((name(attribute["name"]), ", ".join(figures)))
    return Table(
        "The figures of each attribute", ("attribute", f"figures (95{THIN}%)"), tuple(rows)
    )


def _figures(attribute: Data) -> Iterator[tuple[str, str, str]]:
    """Return the name, the value and the interval of every figure of an attribute."""
    for quantile in attribute["quantiles"]:
        yield quantile["name"], *_written(quantile, own_number)
    for figure in attribute["figures"]:
        write = own_number if figure["name"] == "mean" else noisy_count
        yield _FIGURES[figure["name"]], *_written(figure, write)


def _written(figure: Data, write: Callable[[float], str]) -> tuple[str, str]:
    return write(figure["value"]), between(figure["interval"], write)


def _attributes(data: Data) -> Iterator[Block]:
    if data["how"] == "synthetic":
        yield Text(
            "Every figure is read off made-up rows. How far that is from the table is not known "
            "for each of them, so there are no intervals; a planned exploration, which costs the "
            "same, has them."
        )
    else:
        yield Text(
            f"Every figure is noisy. Thin lines, and ranges in small print, are 95{THIN}% "
            "intervals for the noise: in 95 of 100 explorations of this table its own figure lies "
            "inside. Where numbers were counted in cells of unequal width, the area of a bar shows "
            "its rows. Where a figure is worked out inside a wide cell, as P1 and P99 often are, a "
            "remark says so, and its interval is rough."
        )
    if data["notes"]:
        yield Items(tuple(data["notes"]), "remarks")
    for place, attribute in enumerate(data["attributes"]):
        title = (name(attribute["name"]), tag(f"{attribute['kind']}, {attribute['declared']}"))
        drawings, figures = tuple(_drawings(attribute, place)), tuple(_tables(attribute))
        yield Box((Heading(title), Columns((drawings, figures))), "part")


def _drawings(attribute: Data, place: int) -> Iterator[Block]:
    pictures = (cell_figure(attribute, place), box_figure(attribute, place))
    yield from (Figure(picture) for picture in pictures if picture is not None)
    if not any(pictures):
        yield Text("Nothing was asked that can be drawn.", note=True)


def _tables(attribute: Data) -> Iterator[Block]:
    rows: tuple[Row, ...] = tuple(
        (label, Cell(strong(value), around)) for label, value, around in _figures(attribute)
    )
    if rows:
        columns = ("Figure", number(f"Value (95{THIN}%)"))
        yield Table(f"Figures of {attribute['name']}", columns, rows, look="plain small")
    counts: tuple[Row, ...] = tuple(
        (name(cell["label"]), Cell(count, around))
        for cell in attribute["cells"]
        for count, around in [(noisy_count(cell["count"]), between(cell["interval"], noisy_count))]
    )
    if counts:
        columns = ("Cell", number(f"Rows (95{THIN}%)"))
        table = Table(f"Counts of {attribute['name']}", columns, counts, look="plain small")
        yield Fold(f"{len(counts)} counts with intervals", (table,))
    if attribute["notes"]:
        yield Items(tuple(attribute["notes"]), "remarks")


def _together(data: Data) -> Iterator[Block]:
    yield Text(
        "The darker, the stronger. A slanted number may be noise or chance alone: nothing stands "
        "out of them. The interval shows when a cell is pointed at, and below."
    )
    for matrix in data["matrices"]:
        title = _MEASURES[matrix["measure"]]
        keys: list[tuple[Any, Words]] = [(sign("more"), "together")]
        if matrix["measure"] == "spearman":
            keys.append((sign("less"), "against each other"))
        drawing = Figure(matrix_figure(matrix), tuple(keys), look="wide-table")
        tables = tuple(_pairs(matrix, title))
        if len(matrix["names"]) > _MOST_BESIDE:
            yield Box((Heading(title), drawing, *tables))
        else:
            yield Box((Heading(title), Columns(((drawing,), tables))))


def _pairs(matrix: Data, title: str) -> Iterator[Block]:
    """Return every pair of a matrix, the strongest first."""
    ordered = sorted(matrix["pairs"], key=lambda pair: -abs(pair["value"]))
    rows: list[Row] = [
        (
            (name(pair["first"]), ", ", name(pair["second"])),
            Cell(strong(correlation(pair["value"])), between(pair["interval"], correlation)),
        )
        for pair in ordered
    ]
    value = number(f"Value (95{THIN}%)")
    strongest, rest = tuple(rows[:_MOST_PAIRS]), tuple(rows[_MOST_PAIRS:])
    look = "plain small narrow-table"
    yield Table(f"The strongest pairs by {title}", ("The strongest", value), strongest, look=look)
    if rest:
        table = Table(f"All other pairs by {title}", ("The others", value), rest, look=look)
        yield Fold(f"and {len(rest)} more", (table,))


def _cost(data: Data) -> Iterator[Block]:
    budget, paper, delta = data["budget"], data["paper"], small_words(data["delta"])
    took = "It took" if float(budget["paid"]) else "It had been paid for before, and now took"
    promise = f"epsilon {budget['epsilon']:g}"
    if budget["delta"] is not None:
        promise += f" and delta {small_words(budget['delta'])}"
    yield Text(
        (
            f"Here {_HOW[data['how']]}. {took} {budget['paid']} of {budget['budget']} "
            f"{budget['unit']}, which together promise {promise}; {budget['left']} is left in ",
            name(budget["ledger"]),
            ".",
        )
    )
    at = f", at delta {delta}" if data["spent"][0]["pure"] is None else ""
    keys: list[tuple[Any, Words]] = [(sign("ours"), f"this exploration{at}")]
    if paper["functions"][-1]["same"] is not None:
        keys.append((sign("same"), "query by query, noise as small as here"))
    keys.append((sign("queries"), f"query by query at {paper['per_query']}, added up"))
    words = (
        f"One charge of {paper['per_query']} for each of {_queries(data):,} queries: five figures "
        f"and two counts for each of {counted(paper['numeric'], 'numeric attribute')}, one table "
        f"for each of {counted(paper['categorical'], 'categorical attribute')}, and one charge for "
        "every pair of a kind (Nuñez von Voigt et al. 2020, Table 1 and Figure 2)."
    )
    functions = Table(
        "What the paper's way costs, function by function",
        ("Query by query", number("Queries"), number("Epsilon"), number("In all"),
         number("In all, as exact as here")),
        tuple(
            (FUNCTIONS[function["name"]], f"{function['queries']:,}",
             *(short_epsilon(function[key]) for key in ("epsilon", "cumulative", "same")))
            for function in paper["functions"]
        ),
    )  # fmt: skip
    yield Columns(((Figure(cost_figure(data), tuple(keys), words),), (functions,)))
    yield Heading("Epsilon under each account")
    yield Table(
        "Epsilon of this exploration and of the paper's way, under each account",
        (
            "What",
            number("Added up, pure", "added up"),
            number(f"zCDP at delta {delta}", "zCDP"),
            number(f"Privacy loss distribution at delta {delta}", "loss distribution"),
        ),
        tuple(
            (account["name"], *(short_epsilon(account[key]) for key in _ACCOUNTS))
            for account in data["spent"]
        ),
        stack="late",
    )
    extra = "" if data["spent"][0]["loss"] is not None else "; it needs the extra accounting"
    yield Text(
        "Gaussian noise has no pure epsilon. The privacy loss distribution is the smallest that "
        f"can be shown, and holds for charges that were fixed beforehand{extra}.",
        note=True,
    )
    if data["expected"]:
        yield Heading("What the same cost buys")
        yield Text(
            "The typical size of the noise, from the plan alone, for about as many rows: this way, "
            "and with the same cost shared out over single queries."
        )
        yield Table(
            "Expected noise of each function, this way and query by query",
            ("Function", number("This way"), number("Query by query"), number("Times")),
            tuple(_expected(function) for function in data["expected"]),
            look="plain narrow-table",
        )


_ACCOUNTS = ("pure", "concentrated", "loss")


def _expected(function: Data) -> Row:
    here, there = function["here"], function["paper"]
    times = f"{there / here:.1f} ×" if there and here else NOTHING
    other = NOTHING if there is None else f"{there:.3g}"
    return _function_words(function), strong(f"{here:.3g}"), other, times


def _generalized(cheaper: Data) -> Iterator[Block]:
    yield Text(" ".join(cheaper_words(cheaper)).replace(" %", f"{THIN}%"))
    if cheaper["functions"]:
        yield Table(
            "Expected noise of each function, before and after generalizing",
            ("Typical noise, same cost", number("Raw"), number("Generalized"),
             number("Cost that would do")),
            tuple(
                (_function_words(function), f"{function['raw']:.3g}",
                 strong(f"{function['here']:.3g}"), percent(function["share"], 0))
                for function in cheaper["functions"]
            ),
            look="plain narrow-table",
        )  # fmt: skip


def _function_words(function: Data) -> str:
    words = _ASKED.get(function["name"], str(function["name"]))
    return f"{words}, {function['unit']}" if function["unit"] else words


def _reproduce(data: Data) -> Section:
    again, budget = data["reproduce"], data["budget"]
    entries = f", entries {', '.join(map(str, budget['entries']))}" if budget["entries"] else ""
    command: tuple[Block, ...] = ()
    if again["command"]:
        promise = "The same command gives the same answers again, for nothing: they are stored in "
        command = (Text(f"{promise}the ledger."), Code(again["command"]))
    facts = Facts(
        (
            ("Input", name(again["input"]["name"])),
            ("Ledger", (name(budget["ledger"]), entries)),
            ("Versions", version_words(again["versions"])),
        )
    )
    return Section("reproduce", "How to reproduce", (*command, facts))
