"""One shape for each attacker, so that no reader has to tell colours apart."""

from __future__ import annotations

from markupsafe import Markup

from sparsam.report._svg import tag

_SHAPES = {
    "A1": "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "A3": "M0 -5.6l5.6 5.6l-5.6 5.6l-5.6 -5.6z",
    "A5": "M0 -5.2l5.2 9.2h-10.4z",
    "A4": "M-4.2 -4.2h8.4v8.4h-8.4z",
}


def mark(code: str) -> Markup:
    """Draw an attacker's shape around the origin."""
    return tag("path", d=_SHAPES.get(code, _SHAPES["A1"]), class_=f"mark {colour(code)}")


def mark_at(code: str, x: float, y: float, hint: str | None = None) -> Markup:
    """Draw an attacker's shape at a place of a drawing, with words for who points at it."""
    told = [] if hint is None else [tag("title", hint)]
    return tag("g", *told, mark(code), transform=f"translate({x:.2f} {y:.2f})")


def mark_key(code: str) -> Markup:
    """Draw an attacker's shape on its own, for a legend or the head of a column."""
    return tag(
        "svg",
        mark(code),
        viewBox="-7 -7 14 14",
        width=14,
        height=14,
        class_="key-mark",
        aria_hidden="true",
    )


def colour(code: str) -> str:
    """Name the class that colours an attacker."""
    return code.lower() if code in _SHAPES else "a1"
