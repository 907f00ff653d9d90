"""Gates pass, fail, or are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparsam._errors import ParameterError
from sparsam.assess import check_gates
from sparsam.assess._evidence import Evidence

PEOPLE = [number < 20 for number in range(100)]


@pytest.fixture
def measured(make_assessment, make_limits):
    # error 0.2 against 0.15 with everything; mean risk 0.3 of naive 0.5 is 40 % recovered
    assessment = make_assessment(PEOPLE, [0.3] * 100, recovered=(0.1, 0.7), smallest=7)
    return assessment, make_limits([number < 15 for number in range(100)])


@pytest.mark.parametrize(
    ("gate", "limit", "value", "passed"),
    [
        ("max_risk", 0.41, 0.4, True),
        ("max_risk", 0.39, 0.4, False),
        ("max_attribute_risk", 0.71, 0.7, True),
        ("max_attribute_risk", 0.5, 0.7, False),
        ("max_utility_loss", 0.06, 0.05, True),
        ("max_utility_loss", 0.04, 0.05, False),
        ("min_class_size", 7, 7, True),
        ("min_class_size", 8, 7, False),
    ],
)
def test_one_gate(measured, gate, limit, value, passed):
    (result,) = check_gates(*measured, **{gate: limit})
    assert result.passed is passed
    assert result.limit == limit
    assert result.value == pytest.approx(value, abs=1e-6)
    assert result.to_dict() == {
        "gate": result.gate,
        "limit": limit,
        "value": pytest.approx(value, abs=1e-6),
        "passed": passed,
        "verdict": "passed" if passed else "failed",
    }
    assert result.counts_people == (gate == "min_class_size")


@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_too_few_people_pass_no_gate_and_fail_none(measured, limit):
    assessment, limits = measured
    few = replace(limits, evidence=Evidence(150, 60, 500))
    shares = {"max_risk": limit, "max_attribute_risk": limit, "max_utility_loss": limit}
    for gate in check_gates(assessment, few, **shares):
        assert (gate.passed, gate.verdict) == (None, "too few people to tell")
        assert gate.to_dict()["passed"] is None
    # the people behind a record are counted, not estimated
    assert [gate.passed for gate in check_gates(assessment, few, min_class_size=8)] == [False]


def test_only_gates_that_are_given_are_checked(measured):
    assert check_gates(*measured) == []
    assert len(check_gates(*measured, max_risk=1, min_class_size=1)) == 2


def test_a_gate_that_nothing_can_pass(measured):
    assert not check_gates(*measured, max_risk=0)[0].passed


@pytest.mark.parametrize(
    "gate", ["max_risk", "max_attribute_risk", "max_utility_loss", "min_class_size"]
)
def test_a_negative_gate_is_refused(measured, gate):
    with pytest.raises(
        ParameterError, match=f"'{gate}' parameter of check_gates must be a float >= 0"
    ):
        check_gates(*measured, **{gate: -1})


def test_a_gate_that_is_no_number_fails(measured):
    assert not check_gates(*measured, max_risk=float("nan"))[0].passed


def test_without_parts_the_mean_stands_for_them(make_assessment, make_limits):
    assessment = make_assessment(PEOPLE, [0.3] * 100)
    (result,) = check_gates(assessment, make_limits(PEOPLE), max_attribute_risk=0.5)
    assert result.value == pytest.approx(0.4, abs=1e-6)
