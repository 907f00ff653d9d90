"""Reports that are handed over as evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.report.regulator.described import AGE, BY_HAND, DESCRIBED, report

from sparsam._errors import DocumentError
from sparsam.report.regulator._saved_report import SavedReport


def test_a_report_from_a_file_and_as_data(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report()), encoding="utf-8")
    saved = SavedReport.read(path, DESCRIBED)
    assert saved == SavedReport.read(report(), DESCRIBED)
    assert [risk.adversary for risk in saved.risks] == ["A3 knowledge", "A6 unmeasured"]
    assert [group.group for group in saved.losers] == ["<Asian>", "f"]
    assert saved.grouped_by == ("race", "sex")
    assert saved.judged_by.name == "accuracy"


def test_a_report_on_a_choice() -> None:
    told = {"name": "age", "collected": True, "buckets": list(AGE.labels)}
    points = [{"id": 3, "attributes": []}, {"id": 7, "attributes": [told], "label": "x"}]
    saved = SavedReport.read({"points": points, "chosen": 7, "score": {"name": "auc"}}, BY_HAND)
    assert saved.risks == saved.losers == ()
    assert saved.judged_by.name == "auc"


def test_a_report_on_something_else_is_refused() -> None:
    with pytest.raises(DocumentError, match="collects something else"):
        SavedReport.read(report(), BY_HAND)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"title": "Monitoring"},
        {"points": [], "chosen": 0},
        {**report(), "attacks": {"risks": [{"adversary": 3}]}},
        {**report(), "groups": "all"},
        {**report(), "collected": {"attributes": [7]}},
    ],
)
def test_documents_of_strangers(wrong: dict[str, Any]) -> None:
    with pytest.raises(DocumentError):
        SavedReport.read(wrong, DESCRIBED)
