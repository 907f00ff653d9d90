"""A mask that is about some rows of a table only."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError, DocumentError, ParameterError
from sparsam.individual import Mask

KEPT = [[True, False], [False, True]]


@pytest.fixture
def mask() -> Mask:
    return Mask(KEPT, ["age", "job"], rows=[1, 3], table_rows=4)


@given(st.sets(st.integers(0, 30), min_size=1), st.integers(31, 40))
def test_nothing_stays_of_other_rows(rows: set[int], table_rows: int) -> None:
    rng = np.random.default_rng(len(rows))
    kept = rng.random((len(rows), 3)) < 0.5
    made = Mask(kept, rows=sorted(rows), table_rows=table_rows)
    table = rng.random((table_rows, 3))
    found = made.apply(table)
    for i in range(table_rows):
        for j in range(3):
            stays = i in rows and kept[sorted(rows).index(i), j]
            assert found[i, j] == table[i, j] if stays else np.isnan(found[i, j])


def test_frames_keep_all_their_rows(mask: Mask) -> None:
    found = mask.apply({"age": np.array([1, 2, 3, 4]), "job": list("abcd"), "y": [0, 1, 0, 1]})
    assert np.isnan(found["age"]).tolist() == [True, False, True, True]
    assert list(found["job"]) == [None, None, None, "d"]
    assert found["y"] == [0, 1, 0, 1]
    with pytest.raises(DataError, match="4 rows"):
        mask.apply({"age": [1, 2], "job": ["a", "b"]})


def test_what_is_saved_is_loaded(mask: Mask, tmp_path: Path) -> None:
    mask.save(tmp_path / "m.npz")
    back = Mask.load(tmp_path / "m.npz")
    assert back == mask
    assert back.rows is not None
    assert back.rows.tolist() == [1, 3]
    assert back.table_rows == 4
    assert back != Mask(KEPT, ["age", "job"], rows=[0, 3], table_rows=4)
    assert back != Mask(KEPT, ["age", "job"])


def test_masks_of_the_first_version_are_still_read(tmp_path: Path) -> None:
    whole = Mask(KEPT)
    header = {**whole.header(), "version": 1}
    del header["table_rows"]
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(tmp_path / "m.npz", header=text, bits=np.packbits(whole.kept))
    assert Mask.load(tmp_path / "m.npz") == whole


@pytest.mark.parametrize(
    ("rows", "table_rows"),
    [
        ([1], 4),
        ([3, 1], 4),
        ([1, 1], 4),
        ([1, 4], 4),
        ([-1, 2], 4),
        ([1, 2], None),
        (None, 4),
        ([0.0, 1.0], 4),
        (np.array([3, 1], np.uint8), 4),
    ],
)
def test_bad_rows(rows, table_rows, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="row numbers"):
        Mask(KEPT, rows=rows, table_rows=table_rows)
    good = Mask(KEPT, rows=[1, 2], table_rows=4)
    text = json.dumps({**good.header(), "table_rows": table_rows}).encode()
    arrays = {"header": np.frombuffer(text, np.uint8), "bits": np.packbits(good.kept)}
    if rows is not None:
        arrays["rows"] = np.asarray(rows)
    np.savez(tmp_path / "m.npz", **arrays)
    with pytest.raises(DocumentError, match="row numbers"):
        Mask.load(tmp_path / "m.npz")
