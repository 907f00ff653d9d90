"""The score of a choice in words: accuracy in per cent, others as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparsam.assess import ACCURACY, Score
from sparsam.report._words import (
    NOTHING,
    Interval,
    complement,
    pair,
    percent_range,
    plain_number,
    points,
    points_range,
    short_percent,
)


def score_data(score: Score) -> dict[str, Any]:
    """Write down what utility is measured by."""
    return {
        "name": score.name,
        "words": score.kind.words,
        "rises": score.kind.rises,
        "why": score.why,
        "scale": score.scale,
    }


def score_of(data: Mapping[str, Any]) -> Score:
    """What `score_data` wrote down; accuracy where nothing was."""
    facts = data.get("score")
    return ACCURACY if facts is None else Score(facts["name"], facts["why"], (), facts["scale"])


def heading(score: Score) -> str:
    """The name of a score at the head of a sentence.

    Examples
    --------
    >>> heading(Score("balanced accuracy")), heading(Score("auc"))
    ('Balanced accuracy', 'AUC')
    """
    words = score.kind.words
    return words[0].upper() + words[1:]


def value_words(score: Score, error: float | None) -> str:
    """Write the score that an error stands for.

    Examples
    --------
    >>> value_words(Score("accuracy"), 0.2).replace("\\u202f", " "), value_words(Score("r2"), 0.2)
    ('80.0 %', '0.800')
    """
    if error is None:
        return NOTHING
    return complement(error) if score.kind.percent else score.words(error).replace("-", "−")


def value_range(score: Score, interval: Interval) -> str | None:
    """Write the interval of a score from that of its error; None where there is none."""
    ends = pair(interval)
    if ends is None or score.kind.percent:
        return percent_range(interval, complement=True)
    low, high = sorted(ends, key=score.value)
    return f"{value_words(score, low)} to {value_words(score, high)}"


def loss_words(score: Score, loss: float | None) -> str:
    """Write what is lost of a score.

    Examples
    --------
    >>> loss_words(Score("accuracy"), 0.008), loss_words(Score("auc"), 0.008)
    ('0.8 points', '0.008')
    """
    return points(loss) if score.kind.percent else plain_number(loss)


def loss_range(score: Score, interval: Interval) -> str | None:
    """Write the interval of what is lost; None where there is none."""
    ends = pair(interval)
    if ends is None or score.kind.percent:
        return points_range(interval)
    return " to ".join(plain_number(end) for end in ends)


def tick(score: Score, error: float) -> str:
    """Write an error at an axis: of accuracy as it is, of other scores as the score."""
    if score.name == "accuracy":
        return short_percent(error)
    if score.kind.percent:
        return short_percent(1 - error)
    return f"{score.value(error):.6g}".replace("-", "−")


def axis(score: Score, where: str = "") -> str:
    """Name the axis along which a model does worse and worse.

    Examples
    --------
    >>> axis(Score("accuracy")), axis(Score("auc"), " (test data)")
    ('Model error → less accurate', 'AUC (test data) → worse')
    """
    if score.name == "accuracy":
        return f"Model error{where} → less accurate"
    return f"{heading(score)}{where} → worse"


def most_useful(score: Score) -> str:
    """How the points come whose models do best."""
    return "the most accurate" if score.kind.percent else "the most useful"
