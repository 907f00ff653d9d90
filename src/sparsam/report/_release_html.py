"""The report on a release as one HTML file."""

from __future__ import annotations

from markupsafe import Markup

from sparsam.report._environment import environment, policy, script
from sparsam.report._release_data import ReleaseReportData
from sparsam.report._release_view import (
    drop_rows,
    finding_rows,
    model_table,
    release_sections,
    risk_rows,
    risk_words,
    size_rows,
    sweep_table,
)
from sparsam.report._release_words import (
    method_name,
    parameter_words,
    release_figures,
    release_verdict,
    score_name,
    suppressed_words,
    whole_row_facts,
)
from sparsam.report._words import THIN
from sparsam.report.pictures._release import size_figure, sweep_figure, sweep_keys


def release_page(data: ReleaseReportData) -> str:
    """Write the report as one page that loads nothing from anywhere.

    Parameters
    ----------
    data : ReleaseReportData
        Fit to be published.
    """
    code = script("print.js")
    sweeps, drop = data["sweeps"], data["drop_one"]
    return environment().get_template("release.html.j2").render(
        data=data,
        verdict=release_verdict(data),
        figures=release_figures(data),
        sections=release_sections(data),
        findings=finding_rows(data),
        suppressed=suppressed_words(data["certificate"]),
        whole_rows=whole_row_facts(data["certificate"]),
        parameters=parameter_words(data["certificate"]["parameters"]),
        size_figure=size_figure(data),
        sizes=size_rows(data),
        risks=risk_rows(data),
        risk_words=risk_words(data),
        sweep_figure=sweep_figure(sweeps),
        sweep_keys=sweep_keys(sweeps),
        sweep=sweep_table(data),
        score_name=score_name(sweeps["measure"]) if sweeps else "",
        drops=drop_rows(data),
        drop_method=method_name(drop["method"]) if drop else "",
        models=model_table(data),
        model_method=method_name(data["model"]["method"]) if data["model"] else "",
        script=Markup(code),
        policy=policy(code),
        thin=THIN,
        tried=None,
    )  # fmt: skip


def release_summary(data: ReleaseReportData) -> str:
    """Write the verdict and what was checked as a fragment for a notebook."""
    template = environment().get_template("release_summary.html.j2")
    return template.render(data=data, verdict=release_verdict(data), findings=finding_rows(data))
