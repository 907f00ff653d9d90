"""The report: plain data first, then a page, a text and a JSON file from the same data."""

from __future__ import annotations

import copy
import json
from pathlib import Path

from sparsam._errors import ParameterError
from sparsam.report._data import ReportData
from sparsam.report._html import html_page, html_summary
from sparsam.report._markdown import markdown_text
from sparsam.report._publish import publishable
from sparsam.report._view import chosen_view


class Report:
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
        self._data = publishable(data)

    def to_dict(self) -> ReportData:
        """Return everything the report says as plain values."""
        return copy.deepcopy(self._data)

    def to_json(self) -> str:
        """Return everything the report says as JSON."""
        return json.dumps(self._data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """Return the report of the chosen point as Markdown."""
        return markdown_text(self._data)

    def to_html(self) -> str:
        """Return the report as one self-contained page."""
        return html_page(self._data)

    def save(self, path: str | Path) -> None:
        """Write the report; the ending of the name decides how.

        Parameters
        ----------
        path : str or Path
            A name that ends in ``.html``, ``.htm``, ``.md`` or ``.json``.
        """
        writers = {
            ".html": self.to_html,
            ".htm": self.to_html,
            ".md": self.to_markdown,
            ".json": self.to_json,
        }
        path = Path(path)
        if (writer := writers.get(path.suffix.lower())) is None:
            raise ParameterError(
                f"The name of a report must end in {', '.join(writers)}. Got {path.name!r} instead."
            )
        path.write_text(writer(), encoding="utf-8", newline="\n")

    def __repr__(self) -> str:
        view = chosen_view(self._data)
        return f"<Report {self._data['title']!r}: {view.verdict.needs}>"

    def _repr_html_(self) -> str:
        return html_summary(self._data)
