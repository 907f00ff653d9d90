"""The sections of a report, in order, so that every rendering numbers them alike."""

from __future__ import annotations

from sparsam.report._data import ReportData

TITLES = {
    "collect": "What to collect",
    "collected": "What is collected",
    "tradeoff": "The trade-off",
    "risk": "What someone could still learn",
    "attacks": "How hard we tried",
    "meaning": "What these numbers do not mean",
    "reproduce": "How to reproduce",
}
ATTACK_SECTIONS = ("collected", "attacks", "meaning", "reproduce")


def report_sections(data: ReportData) -> tuple[str, ...]:
    """List the sections that a report has."""
    tried = ("attacks",) if "attacks" in data else ()
    return ("collect", "tradeoff", "risk", *tried, "meaning", "reproduce")


def numbered(sections: tuple[str, ...]) -> dict[str, tuple[int, str]]:
    """Give each section its number and its title.

    Examples
    --------
    >>> numbered(("collected", "attacks"))["attacks"]
    (2, 'How hard we tried')
    """
    return {name: (place, TITLES[name]) for place, name in enumerate(sections, start=1)}
