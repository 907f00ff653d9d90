"""The mask as a picture: a row for every few people, a column for every attribute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from markupsafe import Markup

from sparsam.report._canvas import Canvas, text
from sparsam.report._individual_data import IndividualReportData
from sparsam.report._individual_picture import data_uri
from sparsam.report._labels import LETTER
from sparsam.report._svg import tag
from sparsam.report._words import counted, percent

WIDE = Canvas("wide", 660, 700, ticks=6, left=2, right=30, top=104, bottom=30)
NARROW = Canvas("narrow", 340, 420, ticks=5, left=2, right=26, top=104, bottom=30)
MOST_NAMES = 36
_LONGEST = 14


def mask_figure(data: IndividualReportData) -> Markup:
    """Draw the mask for a screen and for a telephone."""
    uri = data_uri(data["picture"])
    return Markup("\n").join(_figure(data, uri, canvas) for canvas in (WIDE, NARROW))


def _figure(data: IndividualReportData, uri: str, canvas: Canvas) -> Markup:
    mask = data["mask"]
    if len(mask["names"]) > MOST_NAMES:
        canvas = replace(canvas, top=28, height=canvas.height - 76)
    ids = [f"mask-{part}-{canvas.name}" for part in ("title", "desc")]
    words = (
        f"{counted(mask['people'], 'person', 'people')} from top to bottom, the most kept first; "
        f"{counted(mask['attributes'], 'attribute')} from left to right. "
        f"{percent(mask['kept_share'])} of the values are kept."
    )
    right, floor = canvas.width - canvas.right, canvas.height - canvas.bottom
    return tag(
        "svg",
        tag("title", "Which values are kept of whom", id=ids[0]),
        tag("desc", words, id=ids[1]),
        *_names(data, canvas),
        tag(
            "rect",
            x=canvas.left,
            y=canvas.top,
            width=right - canvas.left,
            height=floor - canvas.top,
            class_="mask-paper",
        ),
        tag(
            "image",
            href=uri,
            x=canvas.left,
            y=canvas.top,
            width=right - canvas.left,
            height=floor - canvas.top,
            preserveAspectRatio="none",
            class_="mask-image",
        ),
        text("↓ People, by how much is kept of them", 0, canvas.height - 8, "name"),
        class_=f"mask-figure {canvas.name}",
        viewBox=f"0 0 {canvas.width} {canvas.height}",
        role="img",
        aria_labelledby=" ".join(ids),
    )


def _names(data: IndividualReportData, canvas: Canvas) -> Iterator[Markup]:
    """Write the names over their columns, or how many there are."""
    names = data["mask"]["names"]
    right = canvas.width - canvas.right
    if len(names) > MOST_NAMES:
        words = f"{counted(len(names), 'attribute')} →"
        yield text(words, right, canvas.top - 10, "name", "end")
        return
    step = (right - canvas.left) / len(names)
    slant = 90 if step < 30 else 60
    for place, name in enumerate(names):
        x, y = canvas.left + (place + 0.5) * step + 3, canvas.top - 6
        yield tag(
            "text",
            _short(name),
            tag("title", name),
            x=x,
            y=y,
            class_="tick",
            transform=f"rotate(-{slant} {x:.2f} {y:.2f})",
        )


def _short(name: str) -> str:
    most = min(_LONGEST, int(100 / LETTER) + 1)
    return name if len(name) <= most else f"{name[: most - 1]}…"
