"""All purposes must be shown, each at the full level, and the test part decides nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sparsam.assess import Assessment, Limits
from sparsam.assess._assessment import PersonErrors
from sparsam.assess._candidates import Candidate
from sparsam.assess.purposes._judging import JudgedCandidate
from sparsam.assess.purposes._showing import show_for_all
from sparsam.data import Split
from sparsam.generalization import Generalization
from sparsam.minimise._uniform import Uniform

PEOPLE = 2000
Judged = Callable[..., JudgedCandidate]


@pytest.fixture(scope="module")
def limits(make_limits: Callable[[Sequence[bool]], Limits]) -> dict[str, Limits]:
    """With everything collected, nobody is told wrongly."""
    return {name: make_limits([False] * PEOPLE) for name in ("a", "b")}


@pytest.fixture
def judged(make_assessment: Callable[..., Assessment], people_split: Split) -> Judged:
    """A candidate with some attributes, and so many people whom each purpose loses."""
    table = people_split.train
    full = Uniform(buckets=2).fit_task(table).generalization_

    def make(n_collected: int, lost: dict[str, int], test: dict[str, int] | None = None) -> Any:
        nothing = Generalization.nothing(table.table)
        kept = full.collected[:n_collected]
        parts = [full[n] if n in kept else nothing[n] for n in full.names]
        generalization = Generalization(parts)
        assessments = {}
        for name, n_lost in lost.items():
            plain = make_assessment([False] * PEOPLE, [0.5] * PEOPLE, generalization=generalization)
            shown = n_lost if test is None else test[name]
            errors = {
                part: PersonErrors(np.arange(PEOPLE) < n, plain.person_errors[part].risk)
                for part, n in (("validation", n_lost), ("test", shown))
            }
            assessments[name] = replace(plain, person_errors=errors)
        return JudgedCandidate(Candidate("made up", {}, generalization), assessments)

    return make


def with_risk(judged: JudgedCandidate, error: float) -> JudgedCandidate:
    """The same, of which an adversary gets so much wrong."""
    assessments = {
        name: replace(
            assessment,
            risk=replace(assessment.risk, value=error),
            validation_risk=replace(assessment.validation_risk, value=error),
        )
        for name, assessment in judged.assessments.items()
    }
    return JudgedCandidate(judged.candidate, assessments)


def test_one_purpose_that_loses_too_much_is_enough(
    judged: Judged, limits: dict[str, Limits]
) -> None:
    good = judged(2, {"a": 0, "b": 2})
    bad = judged(1, {"a": 0, "b": 100})
    showing = show_for_all([bad, good], limits, {"a": 0.02, "b": 0.02}, 0.95)
    assert showing.chosen is good
    assert showing.n_tested == 2
    assert showing.shown["b"].p_value <= 0.05


def test_each_purpose_has_its_own_limit(judged: Judged, limits: dict[str, Limits]) -> None:
    both = [judged(2, {"a": 0, "b": 2}), judged(1, {"a": 0, "b": 100})]
    showing = show_for_all(both, limits, {"a": 0.02, "b": 0.08}, 0.95)
    assert showing.chosen is both[1]
    assert showing.shown["a"].limit == 0.02
    assert showing.shown["b"].limit == 0.08


def test_nothing_shown_says_what_was_tested_first(
    judged: Judged, limits: dict[str, Limits]
) -> None:
    showing = show_for_all([judged(2, {"a": 0, "b": 60})], limits, {"a": 0.02, "b": 0.02}, 0.95)
    assert showing.chosen is None
    assert showing.n_tested == 1
    assert showing.shown["b"].bound > 0.02 >= showing.shown["a"].bound


def test_what_protects_more_is_taken_if_it_is_shown_too(
    judged: Judged, limits: dict[str, Limits]
) -> None:
    fewest = judged(1, {"a": 1, "b": 2})
    safer = with_risk(judged(2, {"a": 8, "b": 8}), 0.8)
    needless = with_risk(judged(2, {"a": 9, "b": 9}), 0.5)
    losing = with_risk(judged(2, {"a": 200, "b": 200}), 0.9)
    wide = {"a": 0.08, "b": 0.08}
    showing = show_for_all([fewest, safer, needless, losing], limits, wide, 0.95)
    assert showing.chosen is safer
    assert showing.n_tested == 1
    assert showing.n_others == 2  # the safer one, and the one that could not be shown
    assert show_for_all([fewest, losing], limits, wide, 0.95).chosen is fewest


def test_the_order_is_settled_before_the_test(judged: Judged, limits: dict[str, Limits]) -> None:
    # on validation data the first looks better, on test data the second: no second look
    first = judged(2, {"a": 0, "b": 0}, {"a": 0, "b": 200})
    second = judged(2, {"a": 30, "b": 30}, {"a": 0, "b": 0})
    showing = show_for_all([first, second], limits, {"a": 0.02, "b": 0.02}, 0.95)
    assert showing.chosen is None
