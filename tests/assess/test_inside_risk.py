"""Inside a risk: shown on test people, in each of the ways to divide them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import pytest

from sparsam.assess import Front, NothingFitsError


def shares(n_wrong, n=200):
    return [number < n_wrong for number in range(n)]


def test_chosen_by_risk_is_inside_it_and_accurate(small_front):
    choice = small_front.choose(max_risk=0.5)
    assert choice.assessment.risk.recovered < choice.proof.bound <= 0.5
    assert choice.met
    # another sequence of people who are as many cannot show much more
    safer = small_front.choose(max_risk=0.2)
    assert safer.assessment.risk.recovered < choice.assessment.risk.recovered
    better = choice.assessment.validation_utility.error
    assert better <= safer.assessment.validation_utility.error


def test_no_point_is_safe_enough(make_assessment, make_limits, make_point, people_split):
    point = make_point("leaky", make_assessment(shares(10), [0.3] * 200))
    front = Front([point], make_limits(shares(0)), people_split)
    with pytest.raises(NothingFitsError, match=r"risk at 10 % or below.*the safest lets 40\.0 %"):
        front.choose(max_risk=0.1)


@dataclass
class _OtherWay:
    """Another way to divide the people, of which the front is known."""

    known: Front

    def front(self) -> Front:
        return self.known


def test_inside_a_risk_the_way_in_the_middle_is_taken(
    make_assessment, make_limits, make_point, people_split
):
    def way(name, lost, recovered=0.2):
        point = make_point(name, make_assessment(shares(lost), [0.5 - recovered / 2] * 200))
        return Front([point], make_limits(shares(2)), people_split)

    def choice(first, *others):
        ways = [_OtherWay(other) for other in others]
        return Front(first.points, first.limits, first.data, ways).choose(max_risk=0.5)

    best, middle, worst = way("best", 10), way("middle", 20), way("worst", 40)
    for order in permutations([best, middle, worst]):
        chosen = choice(*order)
        assert chosen.candidate.minimiser == "middle"
        assert chosen.front.points == middle.points
        assert len(chosen.proof.counts) == 3
        # all ways hold together, so that it does not matter which one it is
        assert chosen.proof.p_value <= 0.05 / 3
        assert "the one that loses neither most nor least was taken" in chosen.proof.words
    leaky = way("leaky", 0, recovered=0.9)
    assert choice(leaky, middle, worst).candidate.minimiser == "worst"
    assert choice(leaky, middle, worst).proof.counts[0] is None
    with pytest.raises(NothingFitsError, match="the safest lets 90"):
        choice(leaky, leaky, worst)


def test_a_risk_of_a_sweep_is_shown_in_several_ways(small_front):
    choice = small_front.choose(max_risk=0.5)
    assert len(choice.proof.counts) > 1
    assert set(choice.proof.needed) == set(small_front.data.train.names)
    once = Front(small_front.points, small_front.limits, small_front.data).choose(max_risk=0.5)
    assert len(once.proof.counts) == 1
    assert once.front.data is small_front.data
