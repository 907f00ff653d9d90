"""The evidence, for people: one HTML file, Markdown or JSON, from the same plain data."""

from sparsam.report._attack_report import AttackReport, attack_report
from sparsam.report._content import report_on
from sparsam.report._data import AttackReportData, AttacksData, ReportData
from sparsam.report._model_data import ModelReportData
from sparsam.report._model_report import ModelReport, model_report
from sparsam.report._release_data import ReleaseReportData
from sparsam.report._release_report import ReleaseReport, release_report
from sparsam.report._report import Report

__all__ = [
    "AttackReport",
    "AttackReportData",
    "AttacksData",
    "ModelReport",
    "ModelReportData",
    "ReleaseReport",
    "ReleaseReportData",
    "Report",
    "ReportData",
    "attack_report",
    "model_report",
    "release_report",
    "report_on",
]
