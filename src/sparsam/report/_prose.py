"""The sentences of a report: a verdict that a data-protection officer can quote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparsam.report._data import Interval, PointData, ReportData
from sparsam.report._words import (
    NOTHING,
    counted,
    pair,
    percent,
    percent_range,
    points,
    points_range,
    rough_percent,
    whole,
)
from sparsam.report.page._blocks import KeyFigure, Verdict


def verdict(data: ReportData, point: PointData) -> Verdict:
    """Say in two plain sentences what a point on the front means."""
    total = data["task"]["attributes"]
    verb = "needs" if point["id"] == data["chosen"] else "would need"
    clauses = [_accuracy_clause(data, point), _risk_clause(point)]
    return Verdict(
        needs=f"This model {verb} {_needed(point['n_collected'], total)}.",
        costs="; ".join(clause for clause in clauses if clause) + ".",
    )


def _needed(needed: int, total: int) -> str:
    if needed == 0:
        return f"none of the {total} attributes"
    if needed == total:
        return f"all {total} attributes" if total > 1 else "its only attribute"
    return f"{needed} of {total} attributes"


def _accuracy_clause(data: ReportData, point: PointData) -> str:
    accuracy = accuracy_of(point["utility"]["error"])
    everything = accuracy_of(data["limits"]["everything"]["error"])
    if everything == NOTHING:
        return f"Accuracy {accuracy}"
    if accuracy == everything:
        return f"Accuracy {accuracy}, the same as with everything collected"
    return f"Accuracy {accuracy} instead of {everything} with everything collected"


def _risk_clause(point: PointData) -> str:
    recovered = point["risk"]["recovered"]
    if recovered is None:
        return ""
    who = "an attacker who sees the collected records"
    if recovered <= 0:
        return f"{who} does no better than the majority guess"
    return f"{who} recovers {rough_percent(recovered)} of what the majority guess gets wrong"


def accuracy_of(error: float | None) -> str:
    """Write the accuracy that belongs to an error.

    Examples
    --------
    >>> accuracy_of(None)
    '–'
    """
    return percent(None if error is None else 1 - error)


def data_words(split: str) -> str:
    """Name the part of the table that a number was measured on.

    Examples
    --------
    >>> data_words("test"), data_words("train")
    ('test data', 'training data')
    """
    return "training data" if split == "train" else f"{split} data"


def interval_words(data: Mapping[str, Any]) -> str:
    """Name the kind of interval, with its level where it is known.

    Examples
    --------
    >>> interval_words({"confidence": None})
    'interval'
    """
    level = data.get("confidence")
    return "interval" if level is None else f"{rough_percent(level)} interval"


def limit_words(data: ReportData) -> str:
    """Return which models the two limits come from."""
    everything, nothing = data["limits"]["everything"], data["limits"]["nothing"]
    sentences = []
    if model := everything.get("model"):
        around = percent_range(everything.get("interval"))
        beside = f" ({interval_words(data)} {around})" if around else ""
        sentences.append(f"Everything collected: {model}{beside}.")
    if model := nothing.get("model"):
        sentences.append(f"Nothing collected: {model}.")
    return " ".join(sentences)


def key_figures(data: ReportData, point: PointData) -> list[KeyFigure]:
    """Pick the four numbers that sum up a point."""
    return [
        _attributes_figure(data, point),
        _accuracy_figure(data, point),
        _risk_figure(data, point),
        _alone_figure(data, point),
    ]


def _attributes_figure(data: ReportData, point: PointData) -> KeyFigure:
    total, needed = data["task"]["attributes"], point["n_collected"]
    spared = f"{total - needed} need not be collected" if needed < total else "none can be spared"
    shape = f"{counted(point['n_buckets'], 'bucket')} in all"
    return KeyFigure(f"{needed} of {total}", "attributes to collect", (spared, shape))


def _accuracy_figure(data: ReportData, point: PointData) -> KeyFigure:
    utility = point["utility"]
    everything = accuracy_of(data["limits"]["everything"]["error"])
    notes = [f"{everything} with everything collected"]
    if utility["loss"] is not None:
        around = points_range(utility["loss_interval"])
        beside = f" ({interval_words(data)} {around})" if around else ""
        notes.append(f"a loss of {points(utility['loss'])}{beside}")
    return KeyFigure(
        accuracy_of(utility["error"]), "accuracy", (*notes, data_words(utility["split"]))
    )


def _risk_figure(data: ReportData, point: PointData) -> KeyFigure:
    risk = point["risk"]
    attacker = f"attacker wrong {percent(risk['value'])}"
    if around := percent_range(risk["interval"]):
        attacker += f" ({interval_words(data)} {around})"
    guess = f"of what the majority guess gets wrong ({percent(risk['baseline'])})"
    return KeyFigure(
        rough_percent(risk["recovered"]),
        "attacker recovers",
        (guess, attacker, data_words(risk["split"])),
    )


def _alone_figure(data: ReportData, point: PointData) -> KeyFigure:
    classes = point["classes"]
    people = f"of {whole(data['task']['split']['train'])} share their record with nobody"
    shape = f"{counted(classes['distinct'], 'different record')}"
    return KeyFigure(
        whole(classes["alone"]), "people stand alone", (people, shape, "training data")
    )


def beats_guessing(baseline: float | None, interval: Interval) -> bool | None:
    """Tell whether an adversary does better than the majority guess, beyond the noise.

    Examples
    --------
    >>> beats_guessing(0.40, (0.28, 0.32)), beats_guessing(0.40, (0.37, 0.41))
    (True, False)
    >>> beats_guessing(0.40, None) is None
    True
    """
    ends = pair(interval)
    if baseline is None or ends is None:
        return None
    return ends[1] < baseline
