"""The file of a mask: what is not what it says is refused, and nothing large is unpacked."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsam._errors import DataError, DocumentError, ParameterError
from sparsam.individual import Mask


def test_damaged_files(tmp_path: Path) -> None:
    mask = Mask([[True, False]])
    with pytest.raises(ParameterError, match=r"\.npz"):
        mask.save(tmp_path / "mask.json")
    with pytest.raises(DataError, match="no file"):
        Mask.load(tmp_path / "absent.npz")
    path = tmp_path / "m.npz"
    path.write_bytes(b"not a mask")
    with pytest.raises(DocumentError, match="cannot be read"):
        Mask.load(path)
    good = mask.header()
    bad = [
        ({"format": "x"}, "format"),
        ({"version": 9}, "version"),
        ({"shape": [1, 200]}, "bits"),
        ({"shape": [1]}, "shape"),
        ({"shape": [0, 2]}, "shape"),
        ({"kept": 2}, "kept"),
        ({"attributes": ["a"]}, "attributes"),
        ({"algorithm": 3}, "algorithm"),
        ({"random_state": "x"}, "random_state"),
    ]
    for change, word in bad:
        text = json.dumps({**good, **change}).encode()
        np.savez(path, header=np.frombuffer(text, np.uint8), bits=np.packbits(mask.kept))
        with pytest.raises(DocumentError, match=word):
            Mask.load(path)
    np.savez(path, header=np.array([{"a": 1}], object), bits=np.packbits(mask.kept))
    with pytest.raises(DocumentError, match="cannot be read"):
        Mask.load(path)


def members(mask: Mask, path: Path) -> dict[str, bytes]:
    mask.save(path)
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def repack(path: Path, parts: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", method) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)


def npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def forged(shape: str, dtype: str = "|u1", body: bytes = b"\x80") -> bytes:
    text = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + (len(text) + 1).to_bytes(2, "little") + text + b"\n" + body


@pytest.mark.parametrize(
    "bits",
    [
        forged("(1000000000000,)"),
        forged("(-1,)"),
        forged("()"),
        forged("(1, 1)"),
        forged("(1,)", "|O"),
        forged("(1,)", "|i1"),
        forged("(1,)", "<f8", bytes(8)),
        forged("(1,)", "no type"),
        forged("(1,", "|u1"),
        forged("(2,)"),
        forged("(1,)", body=b"\x80\x80"),
        b"",
        b"\x93NUMPY\x09\x00",
        b"PK",
    ],
)
def test_bits_that_are_not_what_they_say_are_refused(tmp_path: Path, bits: bytes) -> None:
    parts = members(Mask([[True, False]]), tmp_path / "m.npz")
    repack(tmp_path / "m.npz", {**parts, "bits.npy": forged("(1,)")})
    assert Mask.load(tmp_path / "m.npz").n_kept == 1
    repack(tmp_path / "m.npz", {**parts, "bits.npy": bits})
    with pytest.raises(DocumentError):
        Mask.load(tmp_path / "m.npz")


@pytest.mark.parametrize("name", ["../x.npy", "other.npy", "header", "rows.npy/x"])
def test_other_members_are_refused(tmp_path: Path, name: str) -> None:
    parts = members(Mask([[True, False]]), tmp_path / "m.npz")
    repack(tmp_path / "m.npz", {**parts, name: npy(np.zeros(1))})
    with pytest.raises(DocumentError, match="cannot be read"):
        Mask.load(tmp_path / "m.npz")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_any_way_of_packing_is_read(tmp_path: Path, method: int) -> None:
    mask = Mask([[True, False]])
    repack(tmp_path / "m.npz", members(mask, tmp_path / "m.npz"), method)
    assert Mask.load(tmp_path / "m.npz") == mask


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"facts": {"a": [1]}}, "$.facts[...]"),
        ({"facts": {"a": None}}, "$.facts[...]"),
        ({"attributes": [{}, []]}, "$.attributes[0]"),
        ({"attributes": ["a", "a"]}, "$"),
        ({"attributes": ["a", ""]}, "$.attributes[1]"),
        ({"table_rows": 10**12}, "$"),
        ({"table_rows": 10**30}, "$.table_rows"),
        ({"table_rows": -1}, "$.table_rows"),
        ({"shape": [10**9, 10**9]}, "$.shape"),
        ({"version": True}, "$.version"),
        ({"kept": True}, "$.kept"),
    ],
)
def test_bad_facts_point_at_the_field(tmp_path: Path, change: dict[str, Any], path: str) -> None:
    mask = Mask([[True, False]], rows=[0], table_rows=5)
    parts = members(mask, tmp_path / "m.npz")
    text = json.dumps({**mask.header(), **change}).encode()
    repack(tmp_path / "m.npz", {**parts, "header.npy": npy(np.frombuffer(text, np.uint8))})
    with pytest.raises(DocumentError) as caught:
        Mask.load(tmp_path / "m.npz")
    assert caught.value.path == path


def test_the_hash_of_an_earlier_file_is_forgotten(tmp_path):
    Mask([[True]], ["age"], facts={"sha256": "ab" * 32, "target": "y"}).save(tmp_path / "m.npz")
    assert Mask.load(tmp_path / "m.npz").facts == {"target": "y"}


SOME = [[True, False], [False, True]]


def test_masks_of_the_first_version_are_still_read(tmp_path: Path) -> None:
    whole = Mask(SOME)
    header = {**whole.header(), "version": 1}
    del header["table_rows"]
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(tmp_path / "m.npz", header=text, bits=np.packbits(whole.kept))
    assert Mask.load(tmp_path / "m.npz") == whole
