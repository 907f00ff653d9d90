"""The sections of a statement, in the order in which they are read."""

from __future__ import annotations

from sparsam.report._statement_data import StatementData

_TITLES = {
    "promise": "What is promised",
    "accounts": "What was spent",
    "charges": "Who asked what, when and why",
    "limits": "What a file cannot prevent",
    "check": "How to check this page",
}


def statement_sections(data: StatementData) -> dict[str, tuple[int, str]]:
    """Give each section its number and its title."""
    return {name: (place, title) for place, (name, title) in enumerate(_TITLES.items(), start=1)}


def charge_cells(data: StatementData) -> list[tuple[str, ...]]:
    """Write every charge as the cells of a table."""
    return [
        (
            str(one["sequence"]),
            one["time"],
            one["analyst"],
            one["what"],
            one["purpose"] or "–",
            one["noise"],
            one["amount"],
            one["outcome"],
        )
        for one in data["charges"]
    ]
