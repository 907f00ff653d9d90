"""What a ledger holds, in words for a terminal or a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_ASKED = {
    "count": "number of rows",
    "missing": "missing values",
    "quantiles": "quantiles",
    "range": "P1 and P99",
    "outliers": "outliers",
    "value_counts": "value counts",
    "histogram": "histogram",
    "mean": "mean",
    "spearman": "Spearman's correlation",
    "cramers_v": "Cramér's V",
}
_LONG = 160


def question_words(question: Mapping[str, Any]) -> str:
    """Say in one line what was asked.

    Examples
    --------
    >>> question_words({"ask": "spearman", "of": ["age", "income"], "edges": [1, 2]})
    "Spearman's correlation of age and income"
    >>> question_words({"ask": "planned exploration", "stage": 1, "items": [{}, {}]})
    'planned exploration, stage 1: 2 tables'
    """
    asked, named = question.get("ask"), question.get("of")
    if "training" in question:
        return f"training, {question['training']}"
    if isinstance(asked, str) and isinstance(named, list):
        what = _ASKED.get(asked, asked)
        return f"{what} of {' and '.join(map(str, named))}" if named else what
    if isinstance(asked, str) and isinstance(question.get("items"), list):
        stage = f", stage {question['stage']}" if "stage" in question else ""
        tables = len(question["items"])
        return f"{asked}{stage}: {tables:,} table{'s' * (tables != 1)}"
    text = json.dumps(question, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"


def time_words(text: str) -> str:
    """Write a time to the minute.

    Examples
    --------
    >>> time_words("2026-03-01T12:34:56.789+00:00")
    '2026-03-01 12:34'
    """
    return text[:16].replace("T", " ")
