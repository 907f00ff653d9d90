"""The evidence, for people: one HTML file, Markdown or JSON, from the same plain data."""

from sparsam.report._content import report_on
from sparsam.report._data import ReportData
from sparsam.report._report import Report

__all__ = ["Report", "ReportData", "report_on"]
