"""The report: plain data first, then a page, a text and a JSON file from the same data."""

from __future__ import annotations

from sparsam.report._data import ReportData
from sparsam.report._document import Document
from sparsam.report._html import html_page, html_summary
from sparsam.report._markdown import markdown_text
from sparsam.report._publish import publishable
from sparsam.report._view import chosen_view


class Report(Document[ReportData]):
    """The evidence for what to collect, to read, to print and to file.

    Counts of fewer than five people are replaced by words before anything is written, in the plain
    data too.

    Parameters
    ----------
    data : ReportData
        What was measured, as plain values.

    Examples
    --------
    ``report.save("report.html")`` writes one file that opens anywhere, without a network.
    """

    def __init__(self, data: ReportData) -> None:
        super().__init__(publishable(data))

    def to_markdown(self) -> str:
        """Return the report of the chosen point as Markdown."""
        return markdown_text(self._data)

    def to_html(self) -> str:
        """Return the report as one self-contained page."""
        return html_page(self._data)

    def __repr__(self) -> str:
        view = chosen_view(self._data)
        return f"<Report {self._data['title']!r}: {view.verdict.needs}>"

    def _repr_html_(self) -> str:
        return html_summary(self._data)
