"""The statement of a ledger as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from sparsam.report._markdown_parts import escaped, figure_list, heading, table
from sparsam.report._statement_data import StatementData
from sparsam.report._statement_view import charge_cells, statement_sections
from sparsam.report._statement_words import (
    account_words,
    analyst_rows,
    epsilon_words,
    promise_words,
    small_words,
    statement_figures,
    statement_verdict,
)
from sparsam.report._words import counted


def statement_markdown(data: StatementData) -> str:
    """Write the statement as Markdown.

    Parameters
    ----------
    data : StatementData
    """
    verdict = statement_verdict(data)
    writers = {
        "promise": _promise,
        "accounts": _accounts,
        "charges": _charges,
        "limits": _limits,
        "check": _check,
    }
    parts = [
        f"# {escaped(data['title'])}",
        f"**{escaped(verdict.needs)}** {escaped(verdict.costs)}",
        figure_list(statement_figures(data)),
    ]
    for name, section in statement_sections(data).items():
        parts += [heading(section), *writers[name](data)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _promise(data: StatementData) -> Iterator[str]:
    yield (
        f"All answers together keep {promise_words(data)}, for tables that differ by one row: what "
        "can be learned about anyone is nearly the same with their row and without it."
    )
    yield account_words(data)
    facts = {"Ledger": data["ledger"], "For": data["note"] or "–",
             "Created": f"{data['created']} UTC by {data['created_by']}"}  # fmt: skip
    yield "\n".join(f"- {name}: {escaped(value)}" for name, value in facts.items())


def _accounts(data: StatementData) -> Iterator[str]:
    rows = [("budget", data["budget"]), ("spent", data["spent"]), ("left", data["remaining"])]
    yield table(("", f" {data['unit']}"), rows)
    yield "The same charges under each account:"
    yield table(
        ("Account", " Epsilon", " Delta", "Note"),
        (
            (escaped(one["name"]), epsilon_words(one["epsilon"]), small_words(one["delta"]),
             escaped(one["note"]))
            for one in data["accounts"]
        ),
    )  # fmt: skip


def _charges(data: StatementData) -> Iterator[str]:
    if not data["charges"]:
        yield "Nobody has asked anything yet."
        return
    yield table(("Who", " Charges", " Of the budget"),
                ((escaped(name), *rest) for name, *rest in analyst_rows(data)))  # fmt: skip
    head = (" Entry", "Time (UTC)", "Who", "What", "Why", "Noise", f" {data['unit']}", "Outcome")
    yield table(head, (tuple(map(escaped, row)) for row in charge_cells(data)))


def _limits(data: StatementData) -> Iterator[str]:
    yield "\n".join(f"- {escaped(limit)}" for limit in data["limits"])


def _check(data: StatementData) -> Iterator[str]:
    yield (
        f"{counted(data['entries'], 'entry', 'entries')} of the ledger were checked when this was "
        "written. The head names the last of them: keep it elsewhere."
    )
    yield f"    sparsam ledger verify {escaped(data['ledger'])} --at-least {data['head']}"
    yield "- Versions: " + ", ".join(f"{name} {v}" for name, v in data["versions"].items())
