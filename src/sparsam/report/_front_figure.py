"""The front on one canvas, for the page as it stands."""

from __future__ import annotations

from markupsafe import Markup

from sparsam.report._data import ReportData
from sparsam.report.pictures import _front
from sparsam.report.plot._plot import Canvas

WIDE, NARROW = _front.WIDE, _front.NARROW


def front_figure(data: ReportData, canvas: Canvas) -> Markup:
    """Draw the front on one canvas."""
    return _front.front_figure(data).drawings[(WIDE, NARROW).index(canvas)]
