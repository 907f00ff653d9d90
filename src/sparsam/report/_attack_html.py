"""The report of attacks alone as one HTML file."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from sparsam.report._attack_prose import (
    CERTIFIED,
    INTERRUPTED,
    LEAD,
    attack_figures,
    attack_verdict,
)
from sparsam.report._attack_view import AttackView, attack_view
from sparsam.report._attack_words import GUESSING
from sparsam.report._data import AttackReportData
from sparsam.report._environment import environment, policy, script
from sparsam.report._prose import interval_words
from sparsam.report._sections import ATTACK_SECTIONS, numbered
from sparsam.report._view import MANY_BUCKETS, collected_view, how_collected
from sparsam.report._words import THIN
from sparsam.report.pictures._attack import (
    along_figure,
    confidence_figure,
    lane_scale,
    people_top,
)


def attack_page(data: AttackReportData) -> str:
    """Write the report of attacks as one page.

    Parameters
    ----------
    data : AttackReportData
        The report's data, fit to be published.
    """
    view = _view(data)
    code = script("print.js")
    return environment().get_template("attacks.html.j2").render(
        data=data,
        view=collected_view(data["collected"]),
        verdict=attack_verdict(data, view),
        figures=attack_figures(view),
        sections=numbered(ATTACK_SECTIONS),
        script=Markup(code),
        policy=policy(code),
        most=MANY_BUCKETS,
        thin=THIN,
        interval=interval_words(data),
        **attack_context(view, None),
    )  # fmt: skip


def attack_summary(data: AttackReportData) -> str:
    """Write what each attacker achieved as a fragment for a notebook."""
    view = _view(data)
    template = environment().get_template("attack_summary.html.j2")
    return template.render(data=data, tried=view, verdict=attack_verdict(data, view))


def attack_context(view: AttackView, chosen: int | None) -> dict[str, Any]:
    """Gather what the section on attacks needs.

    Parameters
    ----------
    view : AttackView
    chosen : int or None
        The id of the chosen point of the front; None where there is no front.
    """
    return {
        "tried": view,
        "chosen_point": chosen,
        "confidence_figure": confidence_figure(view),
        "along_figure": along_figure(view, chosen),
        "lane_scale": lane_scale(view.attributes),
        "people_top": people_top(view.histogram),
        "guessing": GUESSING,
        "attack_lead": LEAD,
        "interrupted": INTERRUPTED,
        "certified": CERTIFIED,
    }


def _view(data: AttackReportData) -> AttackView:
    how = how_collected(data["collected"]["attributes"])
    return attack_view(data["attacks"], how, interval_words(data))
