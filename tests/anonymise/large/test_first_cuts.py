"""The first cuts are those that Mondrian makes first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.anonymise.conftest import Coded, _coded

from sparsam.anonymise import Mondrian
from sparsam.anonymise._classes import Division
from sparsam.anonymise._privacy_models import KAnonymity
from sparsam.anonymise.kernels._packed_rows import scales_of
from sparsam.anonymise.large._first_cuts import first_cuts


@dataclass
class Streamed:
    """Codes that come in batches of seven."""

    coded: Coded

    @property
    def n_rows(self) -> int:
        return len(self.coded[0])

    def batches(self) -> Iterator[list[Any]]:
        for start in range(0, self.n_rows, 7):
            yield [column.astype(np.uint16) for column in self.coded[0][start : start + 7].T]


@pytest.mark.parametrize("seed", range(20))
def test_every_class_of_mondrian_lies_in_one_part(seed: int) -> None:
    codes, attributes = _coded(seed, 300)
    rows: Any = Streamed((codes, attributes))
    parts = first_cuts(rows, scales_of(attributes), 5, 60)
    node = parts.route(list(codes.T))
    assert sum(parts.rows) == len(codes)
    for place, n_rows in zip(parts.places, parts.rows, strict=True):
        assert (node == place).sum() == n_rows
        home = [np.concatenate(c) for c in zip(*parts.batches(rows, place), strict=True)]
        assert np.array_equal(np.column_stack(home), codes[node == place])
    classes = Mondrian().part(Division(codes, attributes, KAnonymity(5))).classes.of_row
    together = {(int(c), int(n)) for c, n in zip(classes, node, strict=True)}
    assert len(together) == len(np.unique(classes))


def test_a_part_that_cannot_be_cut_stays() -> None:
    codes, attributes = _coded(3, 200)
    same: Any = Streamed((np.zeros_like(codes), attributes))
    parts = first_cuts(same, scales_of(attributes), 5, 10)
    assert parts.rows == [200]
