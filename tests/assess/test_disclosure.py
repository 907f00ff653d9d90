"""Disclosure risk against slow counting, and against the figures of the paper."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.assess._disclosure import VARIANTS, disclosure
from sparsam.data import Roles, read

ROWS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=60)


def slow(rows):
    """Both readings, record by record."""
    seen = Counter(rows)
    printed = sum(1 / seen[row] for row in rows) / len(rows)
    reported = sum(1 / count for count in seen.values()) / len(rows)
    return printed, reported, len(seen)


@given(ROWS)
def test_both_readings_agree_with_counting_one_by_one(rows):
    found = disclosure(np.array(rows, np.uint16), (4, 4, 4))
    printed, reported, distinct = slow(rows)
    assert found.as_printed == pytest.approx(printed)
    assert found.as_reported == pytest.approx(reported)
    assert (found.distinct, found.n_records) == (distinct, len(rows))
    assert 0 < found.as_reported <= found.as_printed <= 1


@given(ROWS)
def test_coarser_records_are_never_riskier(rows):
    codes = np.array(rows, np.uint16)
    fine, coarse = disclosure(codes, (4, 4, 4)), disclosure(codes // 2, (2, 2, 2))
    assert coarse.as_printed <= fine.as_printed
    assert coarse.as_reported <= fine.as_reported


def test_the_two_ends():
    everyone_alone = disclosure(np.arange(50, dtype=np.uint16)[:, None], (50,))
    assert (everyone_alone.as_printed, everyone_alone.as_reported) == (1.0, 1.0)
    all_alike = disclosure(np.zeros((50, 2), np.uint16), (1, 1))
    assert (all_alike.as_printed, all_alike.as_reported) == (1 / 50, 1 / 50**2)


def test_nobody_is_an_error():
    with pytest.raises(DataError, match="mean over records"):
        disclosure(np.zeros((0, 2), np.uint16), (1, 1))


def test_the_variants_are_named():
    assert set(VARIANTS) == {"as_printed", "as_reported"}
    assert set(VARIANTS) < set(disclosure(np.zeros((1, 1), np.uint16), (1,)).to_dict())


def test_gss_as_in_the_paper(shared_data):
    """2085 distinct of 2446 and .788 (section 4.2); eq. 4 as printed is about .85 then."""
    target = "Happiness of marriage"
    table = read(shared_data / "gss_happiness.csv.gz", roles=Roles(identifiers=["year", "id"]))
    attribute = table.attribute(target)
    labelled = np.flatnonzero(table.column(target) < attribute.n_values)
    assert len(labelled) == 24_455
    table = table.take(labelled).drop([target])
    assert len(table.names) == 8
    sizes = [one.size for one in table.attributes]
    found = []
    for seed in range(10):
        rows = np.random.default_rng(seed).permutation(table.n_rows)[:2446]
        found.append(disclosure(table.codes[rows], sizes))
    assert np.mean([one.as_reported for one in found]) == pytest.approx(0.788, abs=0.01)
    assert np.mean([one.as_printed for one in found]) == pytest.approx(0.85, abs=0.01)
    assert np.mean([one.distinct for one in found]) == pytest.approx(2085, abs=15)
