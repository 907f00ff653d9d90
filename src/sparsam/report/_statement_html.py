"""The statement of a ledger as one HTML file."""

from __future__ import annotations

from sparsam.report._environment import environment
from sparsam.report._explore_policy import STILL_POLICY
from sparsam.report._statement_data import StatementData
from sparsam.report._statement_figure import spent_figure
from sparsam.report._statement_view import statement_sections
from sparsam.report._statement_words import (
    account_words,
    analyst_rows,
    epsilon_words,
    promise_words,
    small_words,
    statement_figures,
    statement_verdict,
)
from sparsam.report._words import THIN


def statement_page(data: StatementData) -> str:
    """Write the statement as one page that loads nothing and runs nothing.

    Parameters
    ----------
    data : StatementData
    """
    return environment().get_template("statement.html.j2").render(
        data=data,
        verdict=statement_verdict(data),
        figures=statement_figures(data),
        sections=statement_sections(data),
        promise=promise_words(data),
        account=account_words(data),
        accounts=[
            (one, epsilon_words(one["epsilon"]), small_words(one["delta"]))
            for one in data["accounts"]
        ],
        analysts=analyst_rows(data),
        spent_figure=spent_figure(data),
        script=None,
        policy=STILL_POLICY,
        thin=THIN,
        tried=None,
    )  # fmt: skip


def statement_summary(data: StatementData) -> str:
    """Write the verdict as a fragment for a notebook."""
    template = environment().get_template("statement_summary.html.j2")
    return template.render(data=data, verdict=statement_verdict(data))
