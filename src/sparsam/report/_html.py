"""The report as one HTML file that needs nothing but itself."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from sparsam.report._attack_html import attack_context
from sparsam.report._attack_view import attack_view
from sparsam.report._data import ReportData
from sparsam.report._environment import environment, policy, script
from sparsam.report._front_figure import NARROW, WIDE, front_figure
from sparsam.report._prose import data_words, interval_words, limit_words
from sparsam.report._sections import numbered, report_sections
from sparsam.report._view import MANY_BUCKETS, chosen_view, front_views, how_collected
from sparsam.report._words import THIN


def html_page(data: ReportData) -> str:
    """Write the whole report as one page.

    No script, style, font or picture is loaded from anywhere, and the page forbids it. Every point
    of the front is on the page; the chosen one shows, the others wait until a reader picks them.

    Parameters
    ----------
    data : ReportData
        The report's data, fit to be published.
    """
    code = script("report.js")
    return environment().get_template("report.html.j2").render(
        data=data,
        views=front_views(data),
        figure_wide=front_figure(data, WIDE),
        figure_narrow=front_figure(data, NARROW),
        split=data_words(data["points"][0]["utility"]["split"]),
        interval=interval_words(data),
        limit_words=limit_words(data),
        sections=numbered(report_sections(data)),
        script=Markup(code),
        policy=policy(code),
        most=MANY_BUCKETS,
        thin=THIN,
        **_attacks(data),
    )  # fmt: skip


def html_summary(data: ReportData) -> str:
    """Write the chosen point as a fragment for a notebook."""
    template = environment().get_template("front_summary.html.j2")
    return template.render(data=data, view=chosen_view(data), most=MANY_BUCKETS)


def _attacks(data: ReportData) -> dict[str, Any]:
    if "attacks" not in data:
        return {"tried": None}
    how = how_collected(chosen_view(data).attributes)
    return attack_context(attack_view(data["attacks"], how, interval_words(data)), data["chosen"])
