"""The few lines that write an SVG element, every text and attribute escaped."""

from __future__ import annotations

from markupsafe import Markup, escape

Attribute = str | float | int | None


def tag(_name: str, *children: str, **attributes: Attribute) -> Markup:
    """Write one element.

    Parameters
    ----------
    _name : str
        The element's name.
    *children : str or Markup
        What stands inside; a plain string is escaped.
    **attributes : str, number or None
        ``stroke_width=2`` becomes ``stroke-width="2"``, ``class_`` becomes ``class``; what is None
        is left out.

    Examples
    --------
    >>> print(tag("text", "a < b", x=1.0, text_anchor="end"))
    <text x="1" text-anchor="end">a &lt; b</text>
    """
    # Drawings have thousands of elements: plain strings of escaped parts cost a tenth of `Markup`s.
    written = "".join(
        f' {escape(key.rstrip("_").replace("_", "-"))}="{escape(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    name = escape(_name)
    if not children:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{''.join(map(escape, children))}</{name}>")


def text(words: str, x: float, y: float, kind: str, anchor: str | None = None) -> Markup:
    """Write words at a place of a drawing."""
    return tag("text", words, x=x, y=y, class_=kind, text_anchor=anchor)


def percent_of(share: float) -> str:
    """Write a share as a coordinate that follows the width of the drawing.

    Examples
    --------
    >>> percent_of(0.25)
    '25%'
    """
    return f"{_value(100 * share, 1)}%"


def _value(value: str | float, decimals: int = 2) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".")
