from __future__ import annotations

import datetime

import numpy as np
import pytest

from sparsam._errors import DataError
from sparsam.data.source._loaded import Loaded, check_single, text_remarks, typed_values


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        ([1, 2], "i", [1, 2]),
        ([1, 2.5], "f", [1.0, 2.5]),
        ([1, "NA"], "f", [1.0, np.nan]),
        ([True, False], "b", [True, False]),
        ([True, None], "O", [True, None]),
        (["a", None], "O", ["a", None]),
        ([1, "a"], "O", [1, "a"]),
        ([None, "NA"], "O", [None, None]),
        ([2**53 + 1, 1], "O", [str(2**53 + 1), "1"]),
        ([datetime.date(2020, 1, 2), None], "M", None),
    ],
)
def test_types_of_cells(cells: list[object], kind: str, expected: list[object] | None) -> None:
    values = typed_values(cells, ["NA"])
    assert values.dtype.kind == kind
    if expected is not None:
        np.testing.assert_array_equal(values, np.array(expected, dtype=values.dtype))


def test_cells_that_hold_several_values() -> None:
    check_single("a", [1, None, "x"])
    with pytest.raises(DataError, match=r"'a' must hold one value.*1 of 2 rows"):
        check_single("a", [[1], 2])


def test_remarks_and_no_cell_in_the_repr() -> None:
    columns = {"a": ["1", None], "b": ["1", "x"], "c": ["007"], "d": [1], "e": [None]}
    assert list(text_remarks(columns)) == ["a"]
    assert "--missing" in text_remarks({"f": ["", "x"]})["f"]
    assert repr(Loaded({"a": ["secret"]}, 1)) == "<Loaded: 1 rows, 1 columns>"
