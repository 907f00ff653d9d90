"""The report on which values to retain as one HTML file."""

from __future__ import annotations

from markupsafe import Markup

from sparsam.report._environment import environment, policy, script
from sparsam.report._individual_data import IndividualReportData
from sparsam.report._individual_view import (
    POINT_HEAD,
    attribute_rows,
    individual_sections,
    mask_rows,
    measure_rows,
    more_words,
    people_rows,
    point_rows,
    whole_rows,
)
from sparsam.report._individual_words import (
    RETAIN,
    individual_figures,
    individual_verdict,
    overlap_words,
    weak_words,
)
from sparsam.report._words import THIN
from sparsam.report.pictures._individual import curve_figures, curve_keys, mask_figure


def individual_page(data: IndividualReportData) -> str:
    """Write the report as one page that loads nothing from anywhere.

    Parameters
    ----------
    data : IndividualReportData
        Fit to be published.
    """
    code = script("print.js")
    return environment().get_template("individual.html.j2").render(
        data=data,
        verdict=individual_verdict(data),
        figures=individual_figures(data),
        sections=individual_sections(data),
        retain=RETAIN,
        weak=weak_words(data),
        mask=mask_rows(data),
        whole=whole_rows(data),
        measures=measure_rows(data),
        picture=mask_figure(data),
        attributes=attribute_rows(data),
        more=more_words(data),
        people=people_rows(data),
        curves=curve_figures(data),
        keys=curve_keys(data),
        head=POINT_HEAD,
        points=point_rows(data),
        overlap=overlap_words(data),
        script=Markup(code),
        policy=policy(code),
        thin=THIN,
        tried=None,
    )  # fmt: skip


def individual_summary(data: IndividualReportData) -> str:
    """Write the verdict and the figures as a fragment for a notebook."""
    template = environment().get_template("individual_summary.html.j2")
    return template.render(data=data, verdict=individual_verdict(data), measures=measure_rows(data))
