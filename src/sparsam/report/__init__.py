"""The evidence, for people: one HTML file, Markdown, JSON or text in a terminal, said once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparsam._lazy import load_lazily

if TYPE_CHECKING:
    # The classes are for the other folders; `report_on` is for users, as `sparsam.report_on`.
    from sparsam.report._attack_report import AttackReport as AttackReport
    from sparsam.report._attack_report import attack_brief as attack_brief
    from sparsam.report._attack_report import attack_report
    from sparsam.report._diff_report import DiffReport as DiffReport
    from sparsam.report._diff_report import diff_report
    from sparsam.report._explore_report import ExploreReport as ExploreReport
    from sparsam.report._explore_report import explore_report
    from sparsam.report._individual_report import IndividualReport as IndividualReport
    from sparsam.report._individual_report import individual_report
    from sparsam.report._made import day_of as day_of
    from sparsam.report._model_report import ModelReport as ModelReport
    from sparsam.report._model_report import model_report
    from sparsam.report._monitor_report import MonitorReport as MonitorReport
    from sparsam.report._monitor_report import monitor_brief as monitor_brief
    from sparsam.report._monitor_report import monitor_report
    from sparsam.report._purposes_report import PurposesReport as PurposesReport
    from sparsam.report._purposes_report import purposes_report
    from sparsam.report._release_report import ReleaseReport as ReleaseReport
    from sparsam.report._release_report import release_report
    from sparsam.report._report import Report as Report
    from sparsam.report._report import report_on as report_on
    from sparsam.report._statement_report import StatementReport as StatementReport
    from sparsam.report._statement_report import statement_report
    from sparsam.report.regulator._article30 import to_article30 as to_article30
    from sparsam.report.regulator._pia import to_pia as to_pia

# A report on a ledger needs none of the attacks that a report on a generalization needs.
__getattr__, __dir__ = load_lazily(
    __name__,
    {
        "AttackReport": "_attack_report",
        "DiffReport": "_diff_report",
        "ExploreReport": "_explore_report",
        "IndividualReport": "_individual_report",
        "ModelReport": "_model_report",
        "MonitorReport": "_monitor_report",
        "PurposesReport": "_purposes_report",
        "ReleaseReport": "_release_report",
        "Report": "_report",
        "StatementReport": "_statement_report",
        "attack_brief": "_attack_report",  # for the command line, not for users
        "attack_report": "_attack_report",
        "day_of": "_made",  # likewise
        "diff_report": "_diff_report",
        "explore_report": "_explore_report",
        "everyone_blocks": "sections._everyone",  # likewise
        "groups_brief": "sections._groups",  # likewise
        "individual_report": "_individual_report",
        "model_report": "_model_report",
        "monitor_brief": "_monitor_report",  # likewise
        "monitor_report": "_monitor_report",
        "purposes_report": "_purposes_report",
        "release_report": "_release_report",
        "report_on": "_report",
        "statement_report": "_statement_report",
        "to_article30": "regulator._article30",  # for users as `Generalization.to_article30`
        "to_pia": "regulator._pia",  # likewise
    },
    folders=("charts",),
)

__all__ = [
    "attack_report",
    "diff_report",
    "explore_report",
    "individual_report",
    "model_report",
    "monitor_report",
    "purposes_report",
    "release_report",
    "statement_report",
]
