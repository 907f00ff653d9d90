"""Learn, then test: what is shown is shown, and no more often wrong than it says."""

from __future__ import annotations

import math
from functools import cache
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsam.assess._candidates import Candidate
from sparsam.assess._score import Score
from sparsam.assess._trial import (
    OTHERS,
    LossDemand,
    Tried,
    carried_limit,
    is_settled,
    median_vote,
    others,
    people_for,
    risk_p_value,
    risk_upper,
    sequence,
    tell_apart,
    undominated,
    walk,
)
from sparsam.data import read
from sparsam.generalization import Generalization

ACCURACY = Score("accuracy")


@cache
def candidate(n_collected, n_attributes):
    names = [f"a{number}" for number in range(n_attributes)]
    table = read({name: ["x", "y"] for name in names})
    identity, nothing = Generalization.identity(table), Generalization.nothing(table)
    parts = [(identity if place < n_collected else nothing)[n] for place, n in enumerate(names)]
    return Candidate("made up", {}, Generalization(parts))


def tried(n_collected, losses, protection=0.0, n_attributes=9):
    """A generalization of nine attributes, with what is lost on each person."""
    return Tried(
        candidate(n_collected, n_attributes), {"validation": losses, "test": losses}, protection
    )


def wrong(share, n=4000):
    return np.arange(n) < round(share * n)


def nobody(n):
    return {"validation": np.zeros(n, bool), "test": np.zeros(n, bool)}


NOBODY = nobody(4000)


def test_a_sequence_goes_from_many_attributes_to_few_and_loses_ever_more():
    points = [tried(k, wrong(loss)) for k, loss in [(8, 0.01), (5, 0.002), (3, 0.02), (0, 0.4)]]
    steps = sequence(points, [LossDemand(0.01, ACCURACY, NOBODY)])
    # eight attributes lose more than five, so that nobody asks for them
    assert [step.n_collected for step in steps] == [5, 3, 0]


def test_of_points_that_lose_about_as_little_the_safest_is_tested():
    alike = [tried(4, wrong(0.001), 0.1), tried(4, wrong(0.002), 0.9), tried(4, wrong(0.02), 1.0)]
    [step] = sequence(alike, [LossDemand(0.01, ACCURACY, NOBODY)])
    assert step is alike[1]


def test_a_walk_ends_at_the_first_that_is_not_shown():
    steps = [tried(k, wrong(loss)) for k, loss in [(5, 0.0), (4, 0.02), (3, 0.001)]]
    demand = LossDemand(0.01, ACCURACY, NOBODY)
    path = walk(steps, [demand], 0.05)
    assert path.shown == (steps[0],)
    assert path.stopped_at is steps[1]
    assert len(path.p_values) == 2
    assert path.fewest == 5
    assert path.at(2) is steps[0]
    assert math.isinf(walk(steps[1:], [demand], 0.05).fewest)


def test_every_demand_must_be_shown():
    mild, strict = (LossDemand(limit, ACCURACY, NOBODY) for limit in (0.05, 0.001))
    step = tried(2, wrong(0.01))
    assert walk([step], [mild], 0.05).shown
    assert not walk([step], [mild, strict], 0.05).shown


def test_everything_collected_is_left_out():
    same, less = tried(9, wrong(0)), tried(9, wrong(0.1))
    nothing = tried(0, wrong(0), n_attributes=1)
    n_values = same.candidate.generalization.n_buckets
    assert tell_apart([same, less, nothing], NOBODY, n_values) == [less, nothing]
    # buckets that are as good as all values are less than all values
    assert tell_apart([same], NOBODY, n_values + 1) == [same]


def test_a_promise_along_a_path_is_broken_no_more_often_than_it_says():
    """Losses of 0, .5, 1, 1.5 ... points with a limit of 1: how often is too much chosen?"""
    rng = np.random.default_rng(11)
    losses = [0.0, 0.005, 0.0099, 0.0101, 0.015, 0.02]
    broken = 0
    for _ in range(200):
        steps = []
        for place, loss in enumerate(losses):
            drawn = rng.random(1500)
            difference = np.where(drawn < 0.02 + loss, 1, np.where(drawn < 0.04 + loss, -1, 0))
            steps.append(tried(9 - place, difference))
        chosen = walk(steps, [LossDemand(0.01, ACCURACY, nobody(1500))], 0.05).fewest
        broken += not math.isinf(chosen) and losses[9 - int(chosen)] > 0.01
    assert broken <= 0.05 * 200


def made(label, losses, protection=0.0):
    """A generalization told apart from others by its name."""
    return Tried(Candidate(label, {}, candidate(4, 9).generalization), losses, protection)


def both(losses):
    return {"validation": losses, "test": losses}


def test_others_are_those_beside_a_sequence_and_the_surest_come_first():
    demand = LossDemand(0.01, ACCURACY, NOBODY)
    points = [made(str(k), both(wrong(k / 1000)), k / 100) for k in (4, 1, 30, 2, 3)]
    needless = made("risky", both(wrong(2.5 / 1000)), 0.015)
    steps = [points[0], points[2], points[3]]
    for tested in (steps, steps[:1]):  # whatever of it was shown
        found = others([*points, needless], steps, [demand])
        assert walk(tested, [demand], 0.05).shown == (points[0],)
        assert [t.candidate.label for t in found] == ["1", "3"]


def test_with_others_too_a_promise_is_broken_no_more_often_than_it_says():
    """The fewest attributes at nine tenths of the level, then all others at a tenth."""
    rng = np.random.default_rng(12)
    truth = [0.0, 0.005, 0.0099, 0.0101, 0.0102, 0.0103, 0.0104, 0.0105]
    demand, broken, runs = LossDemand(0.01, ACCURACY, nobody(1500)), 0, 300
    for _ in range(runs):
        points = []
        for place, loss in enumerate(truth):
            drawn = rng.random((2, 1500))
            lost = np.where(drawn < 0.02 + loss, 1, np.where(drawn < 0.04 + loss, -1, 0))
            losses = {"validation": lost[0], "test": lost[1]}
            points.append(made(str(place), losses, float(rng.random())))
        first = walk(points[:5], [demand], (1 - OTHERS) * 0.05)
        second = walk(others(points, points[:5], [demand]), [demand], OTHERS * 0.05)
        shown = [*first.shown, *second.shown]
        broken += any(truth[int(t.candidate.minimiser)] > 0.01 for t in shown)
    assert broken <= 0.05 * runs


def test_a_risk_is_shown_by_people_who_are_guessed_wrongly():
    rng = np.random.default_rng(2)
    naive, errors = rng.binomial(4, 0.5, 3000) / 4, rng.binomial(4, 0.45, 3000) / 4
    bound = risk_upper(errors, naive, 0.95)
    assert 0.1 < bound < 0.15
    assert risk_p_value(errors, naive, bound) <= 0.05 < risk_p_value(errors, naive, 0.1)
    assert risk_p_value(errors, naive, 1.0) == 0.0


@pytest.mark.parametrize("level", [0.05, 0.025])
def test_the_limit_that_people_carry_is_shown_four_times_out_of_five(level):
    limit = carried_limit(0.2, 4000, level)
    assert people_for(0.2, limit, level) == pytest.approx(4000, abs=1)
    rng = np.random.default_rng(4)
    shown = 0
    for _ in range(150):
        drawn = rng.random(4000)
        half = limit / 2
        difference = np.where(drawn < 0.02 + half / 2, 1, np.where(drawn > 0.98 + half / 2, -1, 0))
        demand = LossDemand(limit, ACCURACY, nobody(4000))
        shown += demand.p_value(tried(1, difference)) <= level
    assert 0.65 <= shown / 150 <= 0.95


@given(st.lists(st.one_of(st.integers(0, 4), st.just(float("inf"))), min_size=1, max_size=7))
def test_who_need_not_vote_could_not_have_changed_the_median(votes):
    heard = next(n for n in range(1, len(votes) + 1) if is_settled(votes[:n], len(votes)))
    assert median_vote(votes[:heard], len(votes), 0) == sorted(votes)[len(votes) // 2]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8
    )
)
def test_what_another_one_makes_needless_is_left_out(facts):
    class Lost:
        limit = 0.0

        def estimate(self, each):
            return each.lost

    tried = [
        SimpleNamespace(lost=float(lost), protection=float(safe), n_collected=n)
        for lost, safe, n in facts
    ]
    kept = undominated(tried, [Lost()])

    def no_worse(one, other):
        return (
            one.lost <= other.lost
            and one.protection >= other.protection
            and one.n_collected <= other.n_collected
        )

    for each in tried:
        assert any(no_worse(other, each) for other in kept)
    for one, other in permutations(kept, 2):
        assert not no_worse(one, other)
