"""What is measured of one generalization, and at the two ends."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.assess import assess_generalization
from sparsam.assess._assessment import class_sizes
from sparsam.attack import GeneralizedRecords
from sparsam.generalization import Generalization


@settings(deadline=None)
@given(st.lists(st.integers(0, 30), max_size=40))
def test_sizes_are_those_of_a_loop(counts):
    sizes = class_sizes(np.array(counts, dtype=np.int64), thresholds=(2, 5, 10))
    seen = [count for count in counts if count]
    assert sizes.distinct == len(seen)
    assert sizes.smallest == min(seen, default=0)
    assert sizes.alone == sum(count == 1 for count in seen)
    assert sizes.under == {k: sum(c for c in seen if c < k) for k in (2, 5, 10)}
    assert sizes.under[2] == sizes.alone


def test_sizes_of_real_records(people_split):
    everything = Generalization.identity(people_split.train.table)
    records = GeneralizedRecords.of(everything, people_split)
    sizes = class_sizes(records.counts("train"))
    groups = Counter(map(tuple, people_split.train.codes.tolist()))
    assert sizes.distinct == len(groups)
    assert sizes.smallest == min(groups.values())
    assert sizes.alone == sum(people == 1 for people in groups.values())
    assert sizes.to_dict()["under"] == {
        "5": sum(people for people in groups.values() if people < 5),
        "10": sum(people for people in groups.values() if people < 10),
    }


def test_nothing_collected_is_one_class(people_split):
    nothing = Generalization.nothing(people_split.train.table)
    sizes = class_sizes(GeneralizedRecords.of(nothing, people_split).counts("train"))
    assert (sizes.distinct, sizes.smallest, sizes.alone) == (1, people_split.train.n_rows, 0)


def test_an_assessment_as_plain_data(small_front):
    point = small_front.points[0]
    alone = assess_generalization(point.candidate.generalization, small_front.data)
    assert alone == point.assessment
    plain = alone.to_dict()
    assert plain["utility"]["split"] == "test"
    assert plain["validation"]["risk"]["split"] == "validation"
    assert "person_errors" not in plain
    assert set(alone.confident_risks) == {0.01, 0.05, 0.1, 0.25, 0.5}
    assert set(plain["confident_risks"]) == {"0.05", "0.1", "0.25", "0.5"}  # 0.01 are few people
    assert alone.risk.value == pytest.approx(alone.person_errors["test"].risk.mean(), abs=1e-6)
    assert alone.utility.error == alone.person_errors["test"].utility.mean()
    assert "person_errors" not in repr(alone)
