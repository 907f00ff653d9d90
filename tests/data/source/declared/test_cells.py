"""One cell as a number or as a text."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import DataError
from sparsam.data.source.declared._cells import member_texts, read_number


def test_categories_that_are_one_text_are_refused() -> None:
    with pytest.raises(DataError, match="differ as text"):
        member_texts("x", [1, "1"])


def test_read_number_takes_no_complex_number() -> None:
    assert np.isnan(read_number(1j))
