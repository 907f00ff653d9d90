"""The paper that a figure is drawn on."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from sparsam.report._svg import tag


@dataclass(frozen=True)
class Canvas:
    """The paper: its size and margins, in pixels."""

    name: str
    width: int
    height: int
    ticks: int
    left: int = 50
    right: int = 14
    top: int = 66
    bottom: int = 54


def text(words: str, x: float, y: float, kind: str, anchor: str | None = None) -> Markup:
    """Write words at a place of a drawing."""
    return tag("text", words, x=x, y=y, class_=kind, text_anchor=anchor)
