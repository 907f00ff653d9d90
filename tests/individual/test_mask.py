"""The artifact: bits on disk, applied to tables, and nothing of the people in it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparsam._errors import DataError, DocumentError, ParameterError
from sparsam.individual import Mask

KEPT = hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("masks")


@given(kept=KEPT, seed=st.none() | st.integers(0, 99))
def test_what_is_saved_is_loaded(folder: Path, kept: np.ndarray, seed: int | None) -> None:
    mask = Mask(kept, random_state=seed, algorithm="a", learner="b", facts={"accuracy": 0.5})
    mask.save(folder / "mask.npz")
    first = (folder / "mask.npz").read_bytes()
    assert Mask.load(folder / "mask.npz") == mask
    mask.save(folder / "mask.npz")
    assert (folder / "mask.npz").read_bytes() == first


@given(kept=KEPT)
def test_apply_keeps_exactly_what_is_kept(kept: np.ndarray) -> None:
    rows = np.arange(kept.size, dtype=float).reshape(kept.shape)
    found = Mask(kept).apply(rows)
    for i in range(kept.shape[0]):
        for j in range(kept.shape[1]):
            assert found[i, j] == rows[i, j] if kept[i, j] else np.isnan(found[i, j])
    assert not np.isnan(rows).any()


def test_shares_and_overlaps() -> None:
    rng = np.random.default_rng(0)
    one, other = (Mask(rng.random((400, 50)) < 0.25) for _ in range(2))
    assert one.kept_share + one.sparsity == 1
    assert one.n_kept == one.kept.sum()
    assert one.overlap(one) == 1
    assert one.overlap(other) == other.overlap(one)
    assert one.overlap(other) == pytest.approx(one.random_overlap(other), abs=0.02)
    assert Mask(~one.kept).overlap(one) == 0
    with pytest.raises(DataError, match="shape"):
        one.overlap(Mask([[True]]))


def test_the_file_is_small_and_holds_no_value(tmp_path: Path) -> None:
    kept = np.random.default_rng(1).random((1000, 16)) < 1 / 16
    mask = Mask(kept, [f"a{j}" for j in range(16)], algorithm="stationarity", random_state=3)
    mask.save(tmp_path / "m.npz")
    assert (tmp_path / "m.npz").stat().st_size < 1000 * 16 / 8 + 1500
    with np.load(tmp_path / "m.npz", allow_pickle=False) as stored:
        assert set(stored.files) == {"header", "bits"}
        header = json.loads(stored["header"].tobytes())
    assert header["kept"] == kept.sum()
    assert (header["algorithm"], header["random_state"]) == ("stationarity", 3)
    assert "1,000 people x 16 attributes" in str(mask)
    assert "seed 3" in repr(mask)


def test_a_mask_cannot_be_changed() -> None:
    mask = Mask([[True, False]])
    with pytest.raises(ValueError, match="read-only"):
        mask.kept[0, 1] = True


def test_frames_keep_their_library_and_other_columns() -> None:
    mask = Mask([[True, False], [False, True]], ["age", "job"])
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [30, 41], "y": [0, 1], "job": ["a", "b"]}, index=[7, 8])
    found = mask.apply(frame)
    assert list(found.columns) == ["age", "y", "job"]
    assert list(found.index) == [7, 8]
    assert found.isna().to_numpy().tolist() == [[False, False, True], [True, False, False]]
    assert found.loc[7, "age"] == 30
    polars = pytest.importorskip("polars")
    got = mask.apply(polars.DataFrame({"age": [30, 41], "job": ["a", "b"]}))
    assert got.to_dict(as_series=False) == {"age": [30, None], "job": [None, "b"]}


def test_bad_input() -> None:
    mask = Mask([[True, False]], ["age", "job"])
    with pytest.raises(DataError, match="lacks"):
        mask.apply({"age": [1]})
    with pytest.raises(DataError, match="rows"):
        mask.apply({"age": [1, 2], "job": [1, 2]})
    with pytest.raises(DataError, match="shape"):
        mask.apply([[1.0]])
    with pytest.raises(DataError, match="boolean"):
        Mask([[1, 0]])
    with pytest.raises(DataError, match="read the file"):
        mask.apply("people.csv")
    for names in (["age"], ["age", "age"], ["age", ""]):
        with pytest.raises(ParameterError, match="attributes"):
            Mask([[True, False]], names)
    with pytest.raises(ParameterError, match="facts"):
        Mask([[True]], facts={"rows": [1, 2]})  # type: ignore[dict-item]
    assert mask != "mask"
    assert hash(mask) == hash(Mask([[True, False]], ["age", "job"]))


def test_what_cannot_be_read_again_is_not_made() -> None:
    with pytest.raises(ParameterError, match="at most 67,108,864 values"):
        Mask([[True, False]], rows=[0], table_rows=2**26)


SOME = [[True, False], [False, True]]


@pytest.fixture
def partial_mask() -> Mask:
    return Mask(SOME, ["age", "job"], rows=[1, 3], table_rows=4)


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


def test_frames_keep_all_their_rows(partial_mask: Mask) -> None:
    found = partial_mask.apply(
        {"age": np.array([1, 2, 3, 4]), "job": list("abcd"), "y": [0, 1, 0, 1]}
    )
    assert np.isnan(found["age"]).tolist() == [True, False, True, True]
    assert list(found["job"]) == [None, None, None, "d"]
    assert found["y"] == [0, 1, 0, 1]
    with pytest.raises(DataError, match="4 rows"):
        partial_mask.apply({"age": [1, 2], "job": ["a", "b"]})


def test_rows_are_saved_and_loaded(partial_mask: Mask, tmp_path: Path) -> None:
    partial_mask.save(tmp_path / "m.npz")
    back = Mask.load(tmp_path / "m.npz")
    assert back == partial_mask
    assert back.rows is not None
    assert back.rows.tolist() == [1, 3]
    assert back.table_rows == 4
    assert back != Mask(SOME, ["age", "job"], rows=[0, 3], table_rows=4)
    assert back != Mask(SOME, ["age", "job"])


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
        Mask(SOME, rows=rows, table_rows=table_rows)
    good = Mask(SOME, rows=[1, 2], table_rows=4)
    text = json.dumps({**good.header(), "table_rows": table_rows}).encode()
    arrays = {"header": np.frombuffer(text, np.uint8), "bits": np.packbits(good.kept)}
    if rows is not None:
        arrays["rows"] = np.asarray(rows)
    np.savez(tmp_path / "m.npz", **arrays)
    with pytest.raises(DocumentError, match="row numbers"):
        Mask.load(tmp_path / "m.npz")


def test_shares_are_of_the_values_that_are_there(tmp_path: Path) -> None:
    mask = Mask([[True, False, False], [True, False, False]], n_values=4)
    assert (mask.kept_share, mask.sparsity, mask.random_overlap(mask)) == (0.5, 0.5, 0.5)
    assert str(mask) == (
        "2 people x 3 attributes: 50.00 % kept (2 of 4 values that are there, 33.33 % of all 6)"
    )
    mask.save(tmp_path / "m.npz")
    again = Mask.load(tmp_path / "m.npz")
    assert again == mask
    assert again.with_facts({"a": 1}).n_values == 4
    for wrong in (1, 7, 0, 2.5):
        with pytest.raises(ParameterError, match="n_values"):
            Mask(mask.kept, n_values=wrong)  # type: ignore[arg-type]


def test_a_mask_that_does_not_say_how_many_values_there_are_is_about_all(tmp_path: Path) -> None:
    mask = Mask([[True, False], [False, False]])
    header = {name: fact for name, fact in mask.header().items() if name != "values"}
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(tmp_path / "m.npz", header=text, bits=np.packbits(mask.kept))
    again = Mask.load(tmp_path / "m.npz")
    assert again == mask
    assert again.n_values == 4
