"""How attributes go together: shaded cells with their number in them."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from sparsam.report._explore_data import MatrixData, PairData
from sparsam.report._explore_words import interval_text, share, sure
from sparsam.report._svg import tag

_CELL = 44
_LETTER = 7.4
_MOST = 24
_TOP = 22
_TITLES = {
    "spearman": "Spearman's rank correlation of all pairs of numeric attributes",
    "cramers_v": "Cramér's V of all pairs of categorical attributes",
}


def matrix_figure(matrix: MatrixData) -> Markup | None:
    """Draw the lower half of a matrix; None for a single attribute."""
    names = matrix["names"]
    if len(names) < 2 or not matrix["pairs"]:
        return None
    left = min(max(len(name) for name in names[1:]), _MOST) * _LETTER + 10
    right = min(max(len(name) for name in names[:-1]), _MOST) * _LETTER + 8
    side = (len(names) - 1) * _CELL
    ids = [f"{matrix['measure']}-{part}" for part in ("title", "desc")]
    strongest = max(matrix["pairs"], key=lambda one: abs(one["value"]))
    words = f"{len(matrix['pairs'])} pairs. The strongest: {_hint(strongest)}."
    return tag(
        "svg",
        tag("title", _TITLES[matrix["measure"]], id=ids[0]),
        tag("desc", words, id=ids[1]),
        *_names(matrix, left),
        *_cells(matrix, left),
        class_="matrix",
        viewBox=f"0 {-_TOP} {left + side + right:g} {side + _TOP + 2:g}",
        style=f"max-width:{(left + side + right) / 16 * 1.15:.1f}rem",
        role="img",
        aria_labelledby=" ".join(ids),
    )


def _names(matrix: MatrixData, left: float) -> Iterator[Markup]:
    names = matrix["names"]
    for place, name in enumerate(names[1:]):
        y = place * _CELL + _CELL / 2 + 4
        yield tag("text", _short(name), x=left - 8, y=y, class_="tick", text_anchor="end")
    for place, name in enumerate(names[:-1]):
        # above the first cell of its column, where the upper half is empty
        x, y = left + place * _CELL + 5, place * _CELL - 8
        yield tag("text", _short(name), x=x, y=y, class_="tick")


def _cells(matrix: MatrixData, left: float) -> Iterator[Markup]:
    places = {name: place for place, name in enumerate(matrix["names"])}
    for one in matrix["pairs"]:
        column, row = sorted((places[one["first"]], places[one["second"]]))
        x, y = left + column * _CELL, (row - 1) * _CELL
        value = one["value"]
        yield tag(
            "rect",
            tag("title", _hint(one)),
            x=x,
            y=y,
            width=_CELL,
            height=_CELL,
            fill_opacity=round(0.04 + 0.86 * min(abs(value), 1.0), 3),
            class_="shade less" if value < 0 else "shade more",
        )
        kind = "figure-number" if sure(value, one["interval"]) else "figure-number unsure"
        yield tag("text", share(value), x=x + _CELL / 2, y=y + _CELL / 2 + 4, class_=kind)


def _hint(one: PairData) -> str:
    around = interval_text(one["interval"], share)
    return f"{one['first']} and {one['second']}: {share(one['value'])} ({around})"


def _short(name: str) -> str:
    return name if len(name) <= _MOST else f"{name[: _MOST - 1]}…"
