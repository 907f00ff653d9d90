"""The statement of a ledger, for the data-protection officer."""

from __future__ import annotations

from typing import Any

from sparsam.explore import Statement, question_words, time_words
from sparsam.report._closing import noisy_versions
from sparsam.report._document import Document, plain
from sparsam.report._made import Day, made_data
from sparsam.report._words import NOTHING, counted, percent, small_words, version_words
from sparsam.report.page._blocks import (
    Block,
    Cell,
    Code,
    Columns,
    Facts,
    Figure,
    Heading,
    Items,
    KeyFigure,
    Notice,
    Page,
    Row,
    Section,
    Table,
    Text,
    Verdict,
    name,
    number,
    strong,
)
from sparsam.report.pictures._statement import spent_figure


class StatementReport(Document[dict[str, Any]]):
    """Who asked what, when and why, what was spent and what is left: to read and to file.

    It holds questions and costs: no answer, and no value of a person.

    Parameters
    ----------
    data : dict
        What the ledger says, as plain values; amounts are exact decimals.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(plain(data))

    def page(self) -> Page:
        """Return the statement as a page."""
        data = self._data
        return Page(
            title=data["title"],
            verdict=_verdict(data),
            figures=_figures(data),
            notices=(Notice((strong("For:"), " ", data["note"])),) if data["note"] else (),
            sections=(
                Section("promise", "What is promised", _promise(data)),
                Section("accounts", "What was spent", _accounts(data)),
                Section("charges", "Who asked what, when and why", _charges(data)),
                Section("limits", "What a file cannot prevent", (Items(tuple(data["limits"])),)),
                Section("check", "How to check this page", _check(data)),
            ),
            saved_as="statement.html",
        )

    def __repr__(self) -> str:
        return f"<StatementReport {self._data['ledger']!r}: {_verdict(self._data).costs}>"


def statement_report(
    statement: Statement,
    *,
    title: str | None = None,
    author: str | None = None,
    purpose: str | None = None,
    date: Day = None,
) -> StatementReport:
    """Write the statement of a ledger as a page.

    Parameters
    ----------
    statement : Statement
        See `sparsam.explore.Ledger.statement`.
    title : str, optional
    author, purpose : str, optional
        Who made the report, and what for; both stand at its head.
    date : str or date, optional
        The day at its head; that of SOURCE_DATE_EPOCH, where it is set, or today when left out.

    Returns
    -------
    StatementReport

    Examples
    --------
    >>> import tempfile
    >>> from sparsam.explore import Ledger
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Ledger.create(f"{folder}/people.ledger", epsilon=1) as ledger:
    ...         report = statement_report(ledger.statement())
    >>> report.to_dict()["remaining"]
    '1'
    """

    data = statement.to_dict()
    charges = [
        {
            **{key: value for key, value in facts.items() if key != "question"},
            "time": time_words(charge.time),
            "what": question_words(charge.question),
            "noise": charge.short_noise,
        }
        for charge, facts in zip(statement.charges, data["charges"], strict=True)
    ]
    return StatementReport(
        {
            **data,
            "title": title or f"Statement of the privacy budget in {statement.ledger}",
            "made": made_data(author, purpose, date),
            "charges": charges,
            "created": time_words(statement.created),
            "versions": noisy_versions(),
        }
    )


def _promised(data: dict[str, Any]) -> str:
    delta = "" if data["delta"] is None else f" and delta {small_words(data['delta'])}"
    return f"epsilon {data['epsilon']}{delta}"


def _share(amount: str | float, data: dict[str, Any]) -> float:
    return float(amount) / float(data["budget"])


def _verdict(data: dict[str, Any]) -> Verdict:
    needs = f"Everything that may be asked of this table together keeps {_promised(data)}."
    charges = data["charges"]
    if not charges:
        return Verdict(needs, "Nobody has asked anything yet; all of it is left.")
    people = counted(len({charge["analyst"] for charge in charges}), "person", "people")
    spent = _share(data["spent"], data)
    rest = f"{percent(1 - spent)} is left" if float(data["remaining"]) else "nothing is left"
    asked = counted(len(charges), "charge")
    return Verdict(needs, f"{asked} by {people} spent {percent(spent)} of it; {rest}.")


def _figures(data: dict[str, Any]) -> tuple[KeyFigure, ...]:
    unit, spent = data["unit"], _share(data["spent"], data)
    account = data["accounts"][0 if unit == "epsilon" else 1]
    unanswered = f"{data['unanswered']:,} without an answer, charged all the same"
    figures = (
        KeyFigure(
            percent(spent),
            "of the budget is spent",
            (f"{data['spent']} of {data['budget']} {unit}",),
        ),
        KeyFigure(percent(1 - spent), "is left", (f"{data['remaining']} {unit}",)),
        KeyFigure(f"{len(data['charges']):,}", "charges", (unanswered,)),
    )
    if account["epsilon"] is None:
        return figures
    delta = f"at delta {small_words(account['delta'])}" if account["delta"] else "pure, delta 0"
    note = f"the {account['name']} account, {delta}"
    return (*figures, KeyFigure(_epsilon(account["epsilon"]), "epsilon so far", (note,)))


def _promise(data: dict[str, Any]) -> tuple[Block, ...]:
    account = "Pure epsilon decides: the epsilons of all charges are added up."
    if data["order"] is not None:
        account = (
            f"Rényi differential privacy at order {data['order']} decides, in units of rho. It "
            "stays true when a question follows from earlier answers, and training is paid from "
            "it too."
        )
    return (
        Text(
            f"All answers together keep {_promised(data)}, for tables that differ by one row: what "
            "can be learned about anyone is nearly the same with their row and without it, whoever "
            "asks, whatever else they know, and however they put answers together."
        ),
        Text(account),
        Facts(
            (
                ("Ledger", name(data["ledger"])),
                ("Created", (data["created"], " UTC by ", name(data["created_by"]))),
            )
        ),
    )


def _accounts(data: dict[str, Any]) -> tuple[Block, ...]:
    drawing = spent_figure(data)
    note = "A charge is stored before its answer is computed. It stays when the answer fails."
    spent = Text("Nothing was spent yet.") if drawing is None else Figure(drawing, note=note)
    budget = Table(
        "The budget",
        ("Budget", number(data["unit"])),
        (
            ("in all", data["budget"]),
            ("spent", strong(data["spent"])),
            ("left", data["remaining"]),
        ),
    )
    accounts = Table(
        "Epsilon that was spent, under each account",
        ("Account", number("Epsilon", "epsilon"), number("Delta", "delta"), "Note"),
        tuple(
            (
                account["name"],
                strong(_epsilon(account["epsilon"])),
                small_words(account["delta"]),
                account["note"],
            )
            for account in data["accounts"]
        ),
        stack="late",
    )
    return (
        Columns(((spent,), (budget,))),
        Heading("The same charges under each account"),
        accounts,
    )


def _charges(data: dict[str, Any]) -> tuple[Block, ...]:
    if not data["charges"]:
        return (Text("Nobody has asked anything yet."),)
    return (
        Table(
            "Charges by person",
            ("Who", number("Charges"), number("Of the budget")),
            tuple(_analysts(data)),
            look="plain narrow-table",
        ),
        Heading("Every charge"),
        Table(
            "Every charge, oldest first",
            (
                number("Entry", "entry"),
                "Time (UTC), who",
                "What, why",
                "Noise",
                number(data["unit"], data["unit"]),
                "Outcome",
            ),
            tuple(
                (
                    str(charge["sequence"]),
                    Cell(charge["time"], name(charge["analyst"])),
                    Cell(charge["what"], charge["purpose"] or "no purpose given"),
                    charge["noise"],
                    charge["amount"],
                    charge["outcome"],
                )
                for charge in data["charges"]
            ),
            header=1,
            look="plain charges",
            stack="late",
        ),
    )


def _analysts(data: dict[str, Any]) -> list[Row]:
    amounts: dict[str, list[float]] = {}
    for charge in data["charges"]:
        amounts.setdefault(charge["analyst"], []).append(float(charge["amount"]))
    return [
        (name(analyst), f"{len(own):,}", percent(_share(sum(own), data)))
        for analyst, own in amounts.items()
    ]


def _check(data: dict[str, Any]) -> tuple[Block, ...]:
    return (
        Text(
            f"{counted(data['entries'], 'entry', 'entries')} of the ledger were checked when this "
            "page was written. The head names the last of them. Kept elsewhere, it shows whether "
            "the ledger was put back to an older copy:"
        ),
        Code(f"sparsam ledger verify {data['ledger']} --at-least {data['head']}"),
        Facts((("Versions", version_words(data["versions"])),)),
    )


def _epsilon(epsilon: float | None) -> str:
    """Write an epsilon to four decimals, upwards.

    Examples
    --------
    >>> _epsilon(0.39471), _epsilon(None), _epsilon(0.0)
    ('0.3948', '–', '0')
    """
    if epsilon is None:
        return NOTHING
    return f"{-(-epsilon * 10_000 // 1) / 10_000:.4f}" if epsilon else "0"
