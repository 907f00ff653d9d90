"""When, by whom and what for a report was made: the line at the head of each of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, TypeAlias

from sparsam._errors import ParameterError
from sparsam.report.page._blocks import Words, name

Day: TypeAlias = "str | date | None"
"""A day, as a text such as 2026-11-16 or as a date; None for the day of now."""

EPOCH = "SOURCE_DATE_EPOCH"
"""What builds that must be reproducible set instead of the time: seconds since 1970."""


def made_data(
    author: str | None = None, purpose: str | None = None, day: Day = None
) -> dict[str, Any]:
    """Write down when, by whom and what for a report was made.

    Parameters
    ----------
    author, purpose : str, optional
    day : str or date, optional
        See `day_of`.

    Examples
    --------
    >>> made_data("A. Turing", day="2026-11-16")
    {'date': '2026-11-16', 'author': 'A. Turing', 'purpose': None}
    """
    return {"date": day_of(day), "author": author or None, "purpose": purpose or None}


def made_words(made: Mapping[str, Any] | None) -> Words:
    """Return the same in words; nothing where nothing is known.

    Examples
    --------
    >>> from sparsam.report.page._blocks import plain_words
    >>> plain_words(made_words(made_data("A. Turing", "the audit", "2026-11-16")))
    '2026-11-16 · by A. Turing · for the audit'
    """
    if made is None:
        return ""
    words: list[Words] = [made["date"]]
    for sign, who in ((" · by ", made["author"]), (" · for ", made["purpose"])):
        if who:
            words += [sign, name(who)]
    return tuple(words)


def day_of(day: Day = None) -> str:
    """Return a day as it is written: the one that is given, or the day of now (UTC).

    Where SOURCE_DATE_EPOCH is set, as for reproducible builds, now is then.

    Parameters
    ----------
    day : str or date, optional

    Examples
    --------
    >>> day_of("2026-11-16"), day_of(date(2026, 11, 16))
    ('2026-11-16', '2026-11-16')
    """
    if day is None:
        return _now().date().isoformat()
    if isinstance(day, datetime):
        day = day.date()
    try:
        return (day if isinstance(day, date) else date.fromisoformat(day)).isoformat()
    except (TypeError, ValueError):
        raise ParameterError(
            f"The date of a report must be a day such as 2026-11-16. Got {day!r} instead."
        ) from None


def _now() -> datetime:
    seconds = os.environ.get(EPOCH)
    if not seconds:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        raise ParameterError(
            f"{EPOCH} in the environment must be whole seconds since 1970. Got {seconds!r} instead."
        ) from None
