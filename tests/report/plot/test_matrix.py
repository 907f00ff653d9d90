"""Matrices of cells and of pixels."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from sparsam.report.plot._matrix import MatrixCell, half_matrix, png, shares_uri


def test_names_stand_at_rows_and_columns(read_picture):
    names = ["a", "b" * 40, "c"]
    cells = [MatrixCell("c", "a", -0.5, "−0.50", "a and c", sure=False)]
    (drawing,) = read_picture(half_matrix("name", "A title", "Words.", names, cells))
    short = "b" * 23 + "…"
    texts = [text.text for text in drawing.iter("text")]
    assert texts == [short, "c", "a", short, "−0.50"]
    (cell,) = drawing.iter("rect")
    assert cell.get("class") == "shade less"
    assert cell.get("fill-opacity") == "0.47"


def test_the_picture_decodes_to_its_pixels() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 4)).astype(np.uint8)
    raw = png(pixels)
    assert raw.startswith(b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, {}
    while at < len(raw):
        size, name = struct.unpack(">I4s", raw[at : at + 8])
        body = raw[at + 8 : at + 8 + size]
        (check,) = struct.unpack(">I", raw[at + 8 + size : at + 12 + size])
        assert check == zlib.crc32(name + body)
        chunks[name] = body
        at += 12 + size
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (7, 5, 8, 6, 0, 0, 0)
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(5, 29)
    assert (lines[:, 0] == 0).all()
    assert (lines[:, 1:].reshape(5, 7, 4) == pixels).all()


def test_shares_become_opacity() -> None:
    head, data = shares_uri([[0.0, 0.5], [1.0, 0.2]]).split(",")
    assert head == "data:image/png;base64"
    body = base64.b64decode(data)
    start = body.index(b"IDAT") + 4
    lines = np.frombuffer(zlib.decompress(body[start:-16]), np.uint8).reshape(2, 9)
    assert lines[:, 4::4].tolist() == [[0, 128], [255, 51]]
