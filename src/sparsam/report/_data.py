"""Parts of reports that are not yet written as pages."""

from __future__ import annotations

from typing import Any

from sparsam.report._words import Count as Count  # noqa: PLC0414
from sparsam.report._words import Interval as Interval  # noqa: PLC0414

AttributeData = dict[str, Any]
InputData = dict[str, Any]
MeaningData = dict[str, Any]
ReproduceData = dict[str, Any]
RequirementData = dict[str, Any]
