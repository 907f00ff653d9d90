"""Matrices: shaded cells with their numbers in them, and a fine grid of shares as pixels."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from sparsam.report.plot._labels import shorten
from sparsam.report.plot._plot import Picture, drawing
from sparsam.report.plot._svg import tag, text

_CELL = 44
_LETTER = 7.4
_MOST = 24
_TOP = 22
_TEAL = (38, 140, 128)


class MatrixCell(NamedTuple):
    """How two things go together, from -1 to 1 and in words, and whether that is sure."""

    first: str
    second: str
    value: float
    words: str
    hint: str
    sure: bool


def half_matrix(
    name: str, title: str, words: str, names: Sequence[str], cells: Sequence[MatrixCell]
) -> Picture:
    """Draw the lower half of a matrix that is the same on both sides.

    Parameters
    ----------
    name, title, words : str
        As for :func:`~sparsam.report.plot._plot.picture`.
    names : sequence of str
        At least two, in the order of rows and columns.
    cells : sequence of MatrixCell
    """
    left = min(max(map(len, names[1:])), _MOST) * _LETTER + 10
    right = min(max(map(len, names[:-1])), _MOST) * _LETTER + 8
    side = (len(names) - 1) * _CELL
    width = left + side + right
    parts = [*_matrix_names(names, left), *_matrix_cells(names, cells, left)]
    box = (0, -_TOP, width, side + _TOP + 2)
    style = f"max-width:{width / 16 * 1.15:.1f}rem"
    return Picture(title, words, (drawing(name, "matrix", title, words, box, parts, style),))


def _matrix_names(names: Sequence[str], left: float) -> Iterator[Markup]:
    for place, name in enumerate(names[1:]):
        y = place * _CELL + _CELL / 2 + 4
        yield text(shorten(name, _MOST), left - 8, y, "tick", "end")
    for place, name in enumerate(names[:-1]):
        # above the first cell of its column, where the upper half is empty
        yield text(shorten(name, _MOST), left + place * _CELL + 5, place * _CELL - 8, "tick")


def _matrix_cells(
    names: Sequence[str], cells: Sequence[MatrixCell], left: float
) -> Iterator[Markup]:
    places = {name: place for place, name in enumerate(names)}
    for cell in cells:
        column, row = sorted((places[cell.first], places[cell.second]))
        x, y = left + column * _CELL, (row - 1) * _CELL
        yield tag(
            "rect",
            tag("title", cell.hint),
            x=x,
            y=y,
            width=_CELL,
            height=_CELL,
            fill_opacity=round(0.04 + 0.86 * min(abs(cell.value), 1.0), 3),
            class_="shade less" if cell.value < 0 else "shade more",
        )
        kind = "figure-number" if cell.sure else "figure-number unsure"
        yield text(cell.words, x + _CELL / 2, y + _CELL / 2 + 4, kind)


def shares_uri(rows: Sequence[Sequence[float]]) -> str:
    """Write a grid of shares as a picture inside its address: the larger, the more opaque."""
    shares = np.asarray(rows, np.float64)
    pixels = np.empty((*shares.shape, 4), np.uint8)
    pixels[..., :3] = _TEAL
    pixels[..., 3] = np.round(255 * shares)
    return f"data:image/png;base64,{base64.b64encode(png(pixels)).decode()}"


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Encode pixels of red, green, blue and opacity, rows first.

    Examples
    --------
    >>> png(np.zeros((2, 3, 4), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width = pixels.shape[:2]
    # each line begins with the number of its filter: none
    lines = np.zeros((height, 1 + 4 * width), np.uint8)
    lines[:, 1:] = pixels.reshape(height, 4 * width)
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
