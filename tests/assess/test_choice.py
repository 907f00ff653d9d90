"""A requirement and what was chosen because of it."""

from __future__ import annotations

import pytest

from sparsam._errors import ParameterError, SparsamError
from sparsam.assess import NothingFitsError


@pytest.mark.parametrize(
    ("demands", "message"),
    [
        ({}, "Got 0 of them"),
        ({"max_utility_loss": 0.1, "max_risk": 0.1}, "Got 2 of them"),
        ({"max_utility_loss": -0.1}, r"\[0, 1\]"),
        ({"max_risk": 1.5}, r"\[0, 1\]"),
        ({"max_risk": float("nan")}, r"\[0, 1\]"),
    ],
)
def test_wrong_requirements(small_front, demands, message):
    with pytest.raises(ParameterError, match=message):
        small_front.choose(**demands)


def test_no_requirement_is_a_usage_error_not_a_failed_one(small_front):
    with pytest.raises(SparsamError) as caught:
        small_front.choose()
    assert not isinstance(caught.value, NothingFitsError)


def test_report_comes_from_the_choice(small_front):
    report = small_front.choose(max_utility_loss=1.0).report(title="T")
    assert report.to_dict()["title"] == "T"
