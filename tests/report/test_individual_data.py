"""A mask without its people."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparsam._small_counts import share_step
from sparsam.report._individual_data import (
    MOST_COLUMNS,
    MOST_ROWS,
    _by_pattern,
    kept_attributes,
    kept_people,
    picture_of,
)
from sparsam.report.plot._matrix import shares_uri

BITS = hnp.arrays(bool, st.tuples(st.integers(10, 60), st.integers(1, 5)))


@given(BITS)
def test_the_picture_is_of_many_people(kept: np.ndarray) -> None:
    picture = picture_of(kept)
    rows = np.array(picture["rows"])
    assert picture["people_per_row"] >= 10
    assert len(rows) == max(1, len(kept) // 10)
    assert rows.shape[1] == kept.shape[1]
    sizes = [len(part) for part in np.array_split(np.arange(len(kept)), len(rows))]
    total = (rows * np.array(sizes)[:, None]).sum(0)
    step = max(0.01, share_step(picture["people_per_row"]))
    assert picture["people_per_row"] * step >= 5
    assert rows / step == pytest.approx(np.round(rows / step), abs=1e-6)
    assert total == pytest.approx(kept.sum(0), abs=(step / 2 + 1e-6) * len(kept))
    # of the first block at least as much is kept as of the last
    assert rows[0].sum() >= rows[-1].sum() - 0.1


@given(BITS)
def test_people_are_sorted_by_how_much_is_kept_and_by_what(kept: np.ndarray) -> None:
    expected = sorted(range(len(kept)), key=lambda i: (-kept[i].sum(), (~kept[i]).tolist(), i))
    assert _by_pattern(kept).tolist() == expected


def test_wide_and_long_masks_stay_small() -> None:
    picture = picture_of(np.ones((5000, 700), bool))
    assert len(picture["rows"]) == MOST_ROWS
    assert len(picture["rows"][0]) == MOST_COLUMNS
    assert picture["attributes_per_column"] == 6
    assert len(shares_uri(picture["rows"])) < 5000


@given(BITS)
def test_no_count_tells_of_few_people(kept: np.ndarray) -> None:
    bins = kept_people(kept)
    assert sum(bin_["people"] for bin_ in bins) == len(kept)
    assert all(bin_["people"] >= 5 for bin_ in bins)
    held = kept.sum(1)
    for bin_ in bins:
        assert bin_["people"] == ((held >= bin_["low"]) & (held <= bin_["high"])).sum()
    names = [f"a{j}" for j in range(kept.shape[1])]
    shown = {kept_["name"]: kept_ for kept_ in kept_attributes(kept, names)}
    for name, count in zip(names, kept.sum(0), strict=True):
        few = 0 < count < 5 or 0 < len(kept) - count < 5
        assert (shown[name]["share"] is None) == few
        if not few:
            assert shown[name]["share"] == pytest.approx(
                count / len(kept), abs=share_step(len(kept)) / 2 + 1e-9
            )
