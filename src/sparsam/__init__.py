"""Collect less personal data for machine learning, and prove it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sparsam._errors import SparsamError, SparsamWarning
from sparsam._joined import supply
from sparsam._lazy import load_lazily
from sparsam._version import __version__

if TYPE_CHECKING:
    from sparsam import anonymise as anonymise
    from sparsam import assess as assess
    from sparsam import attack as attack
    from sparsam import collect as collect
    from sparsam import data as data
    from sparsam import explore as explore
    from sparsam import generalization as generalization
    from sparsam import individual as individual
    from sparsam import minimise as minimise
    from sparsam import report as report
    from sparsam.anonymise import anonymise_model
    from sparsam.assess import assess_generalization, sweep
    from sparsam.attack import Reconstruction, Risk, run_attacks
    from sparsam.collect import GeneralizationStep, Questionnaire
    from sparsam.data import Roles, Table, load_example, read, resolve, split
    from sparsam.explore import Ledger, explore_table
    from sparsam.generalization import Generalization, Recoding
    from sparsam.minimise import Constraints, ModelTree, PrivacyTree
    from sparsam.report import report_on

__getattr__, __dir__ = load_lazily(
    __name__,
    {
        "Constraints": "minimise",
        "Generalization": "generalization",
        "GeneralizationStep": "collect",
        "Ledger": "explore",
        "ModelTree": "minimise",
        "PrivacyTree": "minimise",
        "Questionnaire": "collect",
        "Recoding": "generalization",
        "Reconstruction": "attack",
        "Risk": "attack",
        "Roles": "data",
        "Table": "data",
        "anonymise_model": "anonymise",
        "assess_generalization": "assess",
        "explore_table": "explore",
        "load_example": "data",
        "read": "data",
        "report_on": "report",
        "resolve": "data",
        "run_attacks": "attack",
        "split": "data",
        "sweep": "assess",
    },
    folders=(
        "anonymise",
        "assess",
        "attack",
        "collect",
        "data",
        "explore",
        "generalization",
        "individual",
        "minimise",
        "report",
    ),
)

# A choice of `assess` writes its report, which comes later in the flow.
supply("report_on", lambda: __getattr__("report_on"))
supply("purposes_report", lambda: __getattr__("report").purposes_report)
# A generalization and a questionnaire become a page.
supply("form", lambda: __getattr__("collect").Form)
# What is known of a generalization is written for regulators, which comes later too.
supply("to_pia", lambda: __getattr__("report").to_pia)
supply("to_article30", lambda: __getattr__("report").to_article30)
# A generalization is written in the languages of other tools, which come later too.
for _name in (
    "to_dbt",
    "to_fhir",
    "to_javascript",
    "to_json_schema",
    "to_pydantic",
    "to_sql",
    "to_sql_check",
    "to_xlsform",
):
    supply(_name, partial(lambda name: getattr(__getattr__("collect").exports, name), _name))

# What was measured is drawn, through matplotlib, in the words and colours of reports.
for _name in (
    "plot_asked",
    "plot_attacks",
    "plot_curve",
    "plot_drift",
    "plot_exploration",
    "plot_front",
    "plot_generalization",
    "plot_groups",
    "plot_k_scores",
    "plot_k_sweep",
    "plot_mask",
    "plot_model",
    "plot_monitoring",
    "plot_purposes",
    "plot_risk",
):
    supply(_name, partial(lambda name: getattr(__getattr__("report").charts, name), _name))

__all__ = [
    "Constraints",
    "Generalization",
    "GeneralizationStep",
    "Ledger",
    "ModelTree",
    "PrivacyTree",
    "Questionnaire",
    "Recoding",
    "Reconstruction",
    "Risk",
    "Roles",
    "SparsamError",
    "SparsamWarning",
    "Table",
    "__version__",
    "anonymise_model",
    "assess_generalization",
    "explore_table",
    "load_example",
    "read",
    "report_on",
    "resolve",
    "run_attacks",
    "split",
    "sweep",
]
