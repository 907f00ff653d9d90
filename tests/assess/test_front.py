"""The front: nothing is called better inside the noise, and choices need no test data."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.assess import Front, NothingFitsError, Point, sweep
from sparsam.assess._candidates import Candidate
from sparsam.assess._front import _deciding, area_under_front
from sparsam.assess._trial import OTHERS, Walk, sequence
from sparsam.generalization import Generalization


def shares(n_wrong, n=200):
    return [number < n_wrong for number in range(n)]


def beats_by_hand(first, second):
    """Better on one axis beyond 1.96 standard errors, and no worse on the other."""
    here, there = first.person_errors["validation"], second.person_errors["validation"]
    gains = (
        there.utility.astype(float) - here.utility,
        here.risk.astype(float) - there.risk.astype(float),
    )
    if any(gain.mean() < 0 for gain in gains):
        return False
    errors = [gain.std(ddof=1) / np.sqrt(len(gain)) for gain in gains]
    return any(
        gain.mean() - 1.959963984540054 * error > 0
        for gain, error in zip(gains, errors, strict=True)
    )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
def test_best_is_what_nobody_beats(make_assessment, make_limits, make_point, people_split, seed, n):
    rng = np.random.default_rng(seed)
    assessments = [
        make_assessment(rng.random(60) < rng.random(), rng.random(60) * rng.random())
        for _ in range(n)
    ]
    points = [make_point(str(number), one) for number, one in enumerate(assessments)]
    front = Front(points, make_limits([False] * 60), people_split)
    expected = {
        number
        for number, one in enumerate(assessments)
        if not any(beats_by_hand(other, one) for other in assessments)
    }
    assert {int(point.candidate.minimiser) for point in front.best} == expected
    errors = [point.assessment.validation_utility.error for point in front]
    assert errors == sorted(errors)
    assert len(front) == len(expected) > 0


def test_chosen_by_loss_is_shown_to_be_inside_it(small_front):
    choice = small_front.choose(max_utility_loss=0.2)
    assert choice.requirement.max_utility_loss == 0.2
    assert choice.met
    assert choice.proof.holds
    assert choice.utility_loss < choice.proof.bound <= 0.2
    assert sorted(choice.proof.counts)[1] <= len(choice.generalization.collected)
    assert choice.proof.people == choice.front.data.test.n_rows
    assert set(choice.generalization.collected) <= set(choice.proof.needed)


def test_chosen_needs_only_what_matters(small_front):
    choice = small_front.choose(max_utility_loss=0.2)
    assert set(choice.generalization.collected) == {"age", "education"}
    assert "of 5 attributes" in repr(choice)


def test_a_larger_loss_never_needs_more_attributes(small_front):
    collected = [
        len(small_front.choose(max_utility_loss=loss).generalization.collected)
        for loss in (0.15, 0.3, 1.0)
    ]
    assert collected == sorted(collected, reverse=True)


def test_everything_may_be_lost_then_nothing_is_collected(small_front):
    assert small_front.choose(max_utility_loss=1.0).generalization.collected == ()


def test_nothing_fits_says_how_close(small_front):
    ageless = [p for p in small_front.points if "age" not in p.candidate.generalization.collected]
    front = Front(ageless, small_front.limits, small_front.data)
    with pytest.raises(
        NothingFitsError, match=r"lose at most 1 point of.*first that was tested may lose \d"
    ) as e:
        front.choose(max_utility_loss=0.01)
    assert "everything would have to be collected" in str(e.value)
    assert re.search(
        r"Hint: so many people can show a loss of \d+.*about \d.*records", str(e.value)
    )
    assert "may lose 100" not in str(e.value)


def test_nothing_fits_when_all_are_hopeless(make_assessment, make_limits, make_point, people_split):
    point = make_point("bad", make_assessment(shares(150), [0.3] * 200))
    front = Front([point], make_limits(shares(0)), people_split)
    with pytest.raises(NothingFitsError, match=r"tested may lose (7[5-9]|8\d)\.\d"):
        front.choose(max_utility_loss=0.01)


def test_what_is_tested_and_in_which_order_is_settled_without_test_data(small_front):
    data = small_front.data
    rng = np.random.default_rng(5)
    target = rng.permutation(data.test.target)
    codes = data.test.table.take(rng.permutation(data.test.n_rows))
    garbled = replace(data, test=replace(data.test, table=codes, target=target))
    other = sweep(garbled, minimisers=("privacy tree", "uniform"), min_leaf=20, n_jobs=1)
    mine, theirs = (
        [step.candidate.label for step in sequence(front._tried, [front._demand(0.15)])]
        for front in (small_front, other)
    )
    assert mine == theirs
    assert len(mine) > 1
    alone = Front(small_front.points, small_front.limits, data)
    assert alone.smallest_loss() == other.smallest_loss()
    assert [p.candidate.label for p in small_front.best] == [p.candidate.label for p in other.best]
    assert (
        other.choose(max_utility_loss=0.3).proof != small_front.choose(max_utility_loss=0.3).proof
    )


def test_words_of_a_front(small_front):
    assert repr(small_front) == (
        f"<Front of {len(small_front.best)} among {len(small_front.points)} generalizations>"
    )
    assert "adversary error" in repr(small_front.points[0])
    assert small_front.n_rows == 700


def test_everything_collected_is_no_choice(make_assessment, make_limits, people_split):
    whole = Generalization.identity(people_split.train.table)
    assessment = make_assessment(shares(0), [0.1] * 200, generalization=whole)
    front = Front(
        [Point(Candidate("all", {}, whole), assessment)], make_limits(shares(0)), people_split
    )
    with pytest.raises(NothingFitsError, match="everything would have to be collected"):
        front.choose(max_utility_loss=0.1)


def test_without_a_requirement_it_is_the_smallest_loss_that_people_can_show(small_front):
    smallest = small_front.smallest_loss()
    assert smallest > 0.01
    choice = small_front.choose()
    assert choice.requirement.max_utility_loss == smallest
    assert small_front.smallest_loss(0.99) > smallest
    assert small_front.people_needed(0.01) > small_front.people_needed(0.02) > 700


def test_where_this_way_to_divide_cannot_show_it_another_decides(small_front):
    none = Front(
        [p for p in small_front.points if not p.candidate.generalization.collected],
        small_front.limits,
        small_front.data,
        small_front._repeats,
    )
    choice = none.choose(max_utility_loss=0.2)
    assert choice.front is not none
    assert None in choice.proof.counts
    assert choice.met


def test_what_protects_more_is_taken_if_it_is_shown_too(
    make_assessment, make_limits, make_point, people_split
):
    def choice(*points):
        made = [make_point(n, make_assessment(shares(w), [r] * 200)) for n, w, r in points]
        return Front(made, make_limits(shares(2)), people_split).choose(max_utility_loss=0.2)

    least, safer, bad = ("a", 4, 0.1), ("b", 24, 0.6), ("c", 150, 0.9)
    best = choice(least, safer, bad)
    # to find the fewest attributes only what is expected to lose least was tested
    assert best.proof.tested == 1
    assert best.proof.others == 2
    assert best.candidate.minimiser == "b"
    assert best.proof.p_value <= OTHERS * 0.05
    assert choice(least, bad).candidate.minimiser == "a"


@pytest.mark.parametrize(
    ("shown", "fewest", "number"),
    [
        ([[7, 2], [6, 4], [5, 4]], 4, 1),  # the first has shown 2, but before it only 7
        ([[7, 4, 2], [6, 4], [5, 4]], 4, 0),
        ([[7], [6, 4], [5, 3]], 4, 1),  # the first cannot show so few
        ([[], [8, 3], [5, 3]], 3, 1),
    ],
)
def test_what_is_taken_has_as_few_attributes_as_were_shown_to_do(shown, fewest, number):
    walks = [Walk(tuple(SimpleNamespace(n_collected=n) for n in ns), (), None) for ns in shown]
    assert _deciding(walks, fewest) == number


SHARES = st.floats(0, 1, allow_nan=False)


def slow_area(points, low, high, steps=20_000):
    """Walk along the permitted errors and take the best point that is allowed at each."""
    permitted = low + (high - low) * (np.arange(steps) + 0.5) / steps
    best = [max((r for u, r in points if u <= e), default=0.0) for e in permitted]
    return float(np.mean(best))


@given(st.lists(st.tuples(SHARES, SHARES), max_size=6), SHARES, st.floats(0.05, 0.5))
def test_area_is_the_mean_of_the_best(points, low, width):
    area = area_under_front([u for u, _ in points], [r for _, r in points], low, low + width)
    assert area == pytest.approx(slow_area(points, low, low + width, 4000), abs=2e-3)


def test_an_unsafe_point_adds_nothing():
    few = area_under_front([0.1], [0.4], 0.1, 0.2)
    assert area_under_front([0.1, 0.12], [0.4, 0.3], 0.1, 0.2) == few == pytest.approx(0.4)


def test_the_range_must_be_one():
    with pytest.raises(ParameterError, match="low < high"):
        area_under_front([0.1], [0.2], 0.3, 0.3)


def test_area_of_a_front_lies_between_the_errors_of_its_points(small_front):
    errors = [point.assessment.risk.value for point in small_front.points]
    assert 0 <= small_front.area() <= max(errors)
    assert small_front.area(width=0.5) >= small_front.area(width=0.05)
