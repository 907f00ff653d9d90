"""Numbers as a reader expects them: one decimal, a real minus, a dash for what is not known."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeGuard

Interval = Sequence[float | None] | None
"""Lower and upper end of a confidence interval, or None where none was computed."""

Count = int | str | None
"""A number of people; words like "fewer than 5" where it may not be published."""

NOTHING = "–"
THIN = "\u202f"
"""A narrow space that never breaks, between a number and its per cent sign."""


def percent(share: float | None, decimals: int = 1) -> str:
    """Write a share as a percentage.

    Examples
    --------
    >>> percent(0.8194).replace(THIN, " ")
    '81.9 %'
    >>> percent(None)
    '–'
    """
    if not _known(share):
        return NOTHING
    return f"{_number(100 * share, decimals)}{THIN}%"


def rough_percent(share: float | None) -> str:
    """Write a share in whole per cent, without calling a small one nothing.

    Examples
    --------
    >>> rough_percent(0.237).replace(THIN, " "), rough_percent(0.003).replace(THIN, " ")
    ('24 %', 'less than 1 %')
    """
    if _known(share) and 0 < share < 0.01:
        return f"less than 1{THIN}%"
    return percent(share, 0)


def recovered_percent(share: float | None) -> str:
    """Write a share that an attacker recovers, who may also do worse than without the records.

    Examples
    --------
    >>> recovered_percent(0.237).replace(THIN, " "), recovered_percent(-0.01)
    ('24 %', 'nothing')
    """
    return "nothing" if share is not None and share <= 0 else rough_percent(share)


def short_percent(share: float) -> str:
    """Write a round share with no more decimals than it needs.

    Examples
    --------
    >>> short_percent(0.05).replace(THIN, " "), short_percent(0.005).replace(THIN, " ")
    ('5 %', '0.5 %')
    """
    return f"{_minus(format(round(100 * share, 6), 'g'))}{THIN}%"


def points(difference: float | None) -> str:
    """Write a difference of two percentages.

    Examples
    --------
    >>> points(0.008), points(-0.008)
    ('0.8 points', '−0.8 points')
    """
    if not _known(difference):
        return NOTHING
    return f"{_number(100 * difference, 1)} points"


def percent_range(interval: Interval, complement: bool = False) -> str | None:
    """Write an interval of shares; None where there is none.

    Parameters
    ----------
    interval : pair of float, or None
        The two ends.
    complement : bool, default=False
        Write one minus each end: an interval of errors becomes one of accuracies.

    Examples
    --------
    >>> percent_range((0.16, 0.18), complement=True).replace(THIN, " ")
    '82.0–84.0 %'
    """
    ends = pair(interval)
    if ends is None:
        return None
    low, high = (1 - ends[1], 1 - ends[0]) if complement else ends
    return f"{_number(100 * low, 1)}{_to(low)}{_number(100 * high, 1)}{THIN}%"


def points_range(interval: Interval) -> str | None:
    """Write an interval of differences, in points; None where there is none.

    Examples
    --------
    >>> points_range((-0.002, 0.014))
    '−0.2 to 1.4'
    """
    ends = pair(interval)
    if ends is None:
        return None
    return f"{_number(100 * ends[0], 1)} to {_number(100 * ends[1], 1)}"


def whole(count: Count) -> str:
    """Write a count, with a comma at every thousand.

    Examples
    --------
    >>> whole(20000), whole("fewer than 5"), whole(None)
    ('20,000', 'fewer than 5', '–')
    """
    if count is None:
        return NOTHING
    return count if isinstance(count, str) else _minus(f"{count:,}")


def plain_number(value: float | None) -> str:
    """Write a number in the user's own units, to three figures.

    Examples
    --------
    >>> plain_number(4.2371), plain_number(1234567.0)
    ('4.24', '1,234,567')
    """
    if not _known(value):
        return NOTHING
    return _minus(f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}")


def counted(count: Count, singular: str, plural: str | None = None) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> counted(1, "bucket"), counted(3, "bucket")
    ('1 bucket', '3 buckets')
    """
    return f"{whole(count)} {singular if count == 1 else plural or singular + 's'}"


def setting(value: Any) -> str:
    """Write a setting the way a person would.

    Examples
    --------
    >>> setting([2, 4, 10]), setting("60 / 10 / 30"), setting(None)
    ('2, 4, 10', '60 / 10 / 30', '–')
    """
    if value is None:
        return NOTHING
    if isinstance(value, list):
        return ", ".join(setting(inner) for inner in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def small_words(value: float) -> str:
    """Write a small number, such as a delta.

    Examples
    --------
    >>> small_words(1e-6), small_words(0.0)
    ('1e-6', '0')
    """
    return f"{value:g}".replace("e-0", "e-")


def version_words(versions: Mapping[str, str]) -> str:
    """Name the libraries that made a report, with their versions.

    Examples
    --------
    >>> version_words({"python": "3.13", "numpy": "2.3"})
    'python 3.13, numpy 2.3'
    """
    return ", ".join(f"{library} {version}" for library, version in versions.items())


def own_number(value: float) -> str:
    """Write a number in the user's own units.

    Examples
    --------
    >>> own_number(38.0), own_number(12345.6), own_number(0.01234), own_number(-3.5)
    ('38', '12,346', '0.0123', '−3.5')
    >>> own_number(2e20)
    '2e+20'
    """
    whole = float(value).is_integer() or abs(value) >= 1000
    text = f"{value:,.0f}" if whole and abs(value) < 1e15 else f"{value:.3g}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")


def noisy_count(count: float) -> str:
    """Write a noisy count as a whole number, at least zero.

    Examples
    --------
    >>> noisy_count(1234.4), noisy_count(-2.0)
    ('1,234', '0')
    """
    return f"{max(round(count), 0):,}"


def correlation(value: float) -> str:
    """Write a correlation to two decimals.

    Examples
    --------
    >>> correlation(0.123), correlation(-0.004), correlation(-0.5)
    ('0.12', '0.00', '−0.50')
    """
    return _number(value, 2)


def short_epsilon(epsilon: float | None) -> str:
    """Write an epsilon to three digits.

    Examples
    --------
    >>> short_epsilon(1.02), short_epsilon(0.39471), short_epsilon(None)
    ('1.02', '0.395', '–')
    """
    return NOTHING if epsilon is None else f"{epsilon:.3g}"


def between(interval: Interval, write: Callable[[float], str]) -> str:
    """Write both ends of an interval; nothing where there is none.

    Examples
    --------
    >>> between((-0.1, 0.25), correlation), between(None, correlation)
    ('−0.10 to 0.25', '')
    """
    ends = pair(interval)
    return "" if ends is None else f"{write(ends[0])} to {write(ends[1])}"


def pair(interval: Interval) -> tuple[float, float] | None:
    """Return both ends of an interval, or None when one of them is not known.

    Examples
    --------
    >>> pair([0.1, 0.2]), pair(None), pair([0.1, None])
    ((0.1, 0.2), None, None)
    """
    if interval is None or len(interval) != 2:
        return None
    low, high = interval
    return (low, high) if _known(low) and _known(high) else None


def complement(error: float | None) -> str:
    """Write what is right where an error is what is wrong.

    Examples
    --------
    >>> complement(0.2).replace(THIN, " "), complement(None)
    ('80.0 %', '–')
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


def _known(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def _number(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else _minus(text)


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _to(low: float) -> str:
    """Keep a dash between two numbers from being read as a minus."""
    return " to " if low < 0 else "–"


def score_words(score: float | None, measure: str, decimals: int = 1) -> str:
    """Write a score: a share as a percentage, R² and others as numbers.

    Examples
    --------
    >>> score_words(0.991, "r2"), score_words(0.983, "share").replace("\\u202f", " ")
    ('0.991', '98.3 %')
    """
    if score is None:
        return NOTHING
    return percent(score, decimals) if measure == "share" else f"{score:.{decimals + 2}f}"


def score_name(measure: str) -> str:
    """Return what a score measures.

    Examples
    --------
    >>> score_name("share"), score_name("r2"), score_name("own")
    ('accuracy', 'R²', 'score')
    """
    return {"r2": "R²", "share": "accuracy"}.get(measure, "score")


def target_words(target: float, measure: str) -> str:
    """Write the target as it was given."""
    return short_percent(target) if measure == "share" else f"{target:g}"


def range_words(interval: Interval, measure: str) -> str | None:
    """Write an interval of scores; None where there is none."""
    ends = pair(interval)
    if ends is None or measure == "share":
        return percent_range(interval)
    return f"{ends[0]:.3f} to {ends[1]:.3f}"


def telling(score: float | None, target: float) -> int:
    """Return how many decimals it takes until a missed target does not look like a met one.

    Examples
    --------
    >>> telling(0.97, 0.98), telling(0.9796, 0.98), telling(0.99, 0.98)
    (1, 2, 1)
    """
    if score is None or score >= target:
        return 1
    return next((d for d in range(1, 6) if round(100 * (target - score), d) > 0), 6)
