"""The report on a model as one HTML file."""

from __future__ import annotations

from markupsafe import Markup

from sparsam.report._environment import environment, policy, script
from sparsam.report._model_data import ModelReportData
from sparsam.report._model_view import (
    asked_rows,
    kept_rows,
    model_sections,
    needed,
    spared,
    stored_rows,
    stored_words,
)
from sparsam.report._model_words import model_figures, model_verdict
from sparsam.report._prose import interval_words
from sparsam.report._view import MANY_BUCKETS
from sparsam.report._words import THIN
from sparsam.report.pictures._model import curve_figure


def model_page(data: ModelReportData) -> str:
    """Write the report as one page that loads nothing from anywhere.

    Parameters
    ----------
    data : ModelReportData
        Fit to be published.
    """
    code = script("print.js")
    return environment().get_template("model.html.j2").render(
        data=data,
        verdict=model_verdict(data),
        figures=model_figures(data),
        sections=model_sections(data),
        needed=needed(data),
        spared=spared(data),
        kept=kept_rows(data),
        curve=curve_figure(data),
        stored=stored_rows(data),
        stored_words=stored_words(data),
        asked=asked_rows(data),
        interval=interval_words(data),
        script=Markup(code),
        policy=policy(code),
        most=MANY_BUCKETS,
        thin=THIN,
        tried=None,
    )  # fmt: skip


def model_summary(data: ModelReportData) -> str:
    """Write the verdict and what to collect as a fragment for a notebook."""
    template = environment().get_template("model_summary.html.j2")
    return template.render(
        data=data,
        verdict=model_verdict(data),
        needed=needed(data),
        spared=spared(data),
        most=MANY_BUCKETS,
    )
