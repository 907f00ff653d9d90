"""The report on an exploration as one HTML file."""

from __future__ import annotations

from sparsam.report._environment import environment
from sparsam.report._explore_data import ExploreReportData
from sparsam.report._explore_policy import STILL_POLICY
from sparsam.report._explore_view import (
    MEASURES,
    MOST_PAIRS,
    cell_rows,
    cheaper_rows,
    expected_rows,
    explore_sections,
    figure_rows,
    function_rows,
    pair_rows,
    spent_rows,
)
from sparsam.report._explore_words import (
    HOW,
    cheaper_words,
    explore_figures,
    explore_verdict,
    paper_words,
)
from sparsam.report._words import THIN, small_words
from sparsam.report.pictures._explore import box_figure, cell_figure, cost_figure, matrix_figure


def explore_page(data: ExploreReportData) -> str:
    """Write the report as one page that loads nothing and runs nothing.

    Parameters
    ----------
    data : ExploreReportData
    """
    return environment().get_template("explore.html.j2").render(
        data=data,
        verdict=explore_verdict(data),
        figures=explore_figures(data),
        sections=explore_sections(data),
        how=HOW[data["how"]],
        attributes=[
            (one, cell_figure(one, place), box_figure(one, place), figure_rows(one), cell_rows(one))
            for place, one in enumerate(data["attributes"])
        ],
        matrices=[
            (MEASURES[one["measure"]], one, matrix_figure(one), pair_rows(one))
            for one in data["matrices"]
        ],
        most_pairs=MOST_PAIRS,
        cost_figure=cost_figure(data),
        spent=spent_rows(data),
        functions=function_rows(data),
        expected=expected_rows(data),
        paper=paper_words(data),
        delta=small_words(data["delta"]),
        promise_delta=None if data["budget"]["delta"] is None else small_words(
            data["budget"]["delta"]
        ),
        cheaper=cheaper_words(data),
        cheaper_rows=cheaper_rows(data),
        script=None,
        policy=STILL_POLICY,
        thin=THIN,
        tried=None,
    )  # fmt: skip


def explore_summary(data: ExploreReportData) -> str:
    """Write the verdict and the figures of each attribute as a fragment for a notebook."""
    template = environment().get_template("explore_summary.html.j2")
    rows = [(one["name"], figure_rows(one)) for one in data["attributes"]]
    return template.render(data=data, verdict=explore_verdict(data), rows=rows)
