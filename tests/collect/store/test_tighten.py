"""From a generalization to a coarser one: every value must keep its meaning."""

from __future__ import annotations

import pytest

from sparsam._errors import ParameterError
from sparsam.collect.store._tighten import sources

from .examples import AGE, COARSE, COARSEST, FINE, JOBS, TARGET

VALUES = [
    {"age": age, "income": 5, "Job title": job}
    for age in range(int(AGE.low), int(AGE.high) + 30, 3)
    for job in (*JOBS.categories, None)
]


def codes(generalization, value):
    return tuple(generalization.apply_record(value, output="codes").values())


@pytest.mark.parametrize(
    ("finer", "coarser"), [(FINE, COARSE), (FINE, COARSEST), (COARSE, COARSEST), (FINE, FINE)]
)
def test_a_record_becomes_what_it_would_have_been(finer, coarser):
    columns = sources(finer, coarser, None)
    for value in VALUES:
        record = codes(finer, value)
        assert tuple(column.code(record) for column in columns) == codes(coarser, value)


def test_the_target_stays():
    columns = sources(FINE, COARSEST, TARGET)
    assert [columns[-1].code((0, 0, target)) for target in (0, 1)] == [0, 1]


def test_what_is_not_coarser_is_named():
    with pytest.raises(ParameterError, match="not in: age, Job title"):
        sources(COARSEST, FINE, None)
