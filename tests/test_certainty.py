"""Tests and bounds that hold for any number of people."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import norm

from sparsam import _certainty
from sparsam._certainty import (
    mean_p_value,
    mean_upper,
    normal_p_value,
    normal_upper,
    paired_p_value,
    paired_upper,
    share_p_value,
    share_upper,
)


def _differences(more: int, fewer: int, n: int) -> np.ndarray:
    return np.repeat([1, -1, 0], [more, fewer, n - more - fewer])


def test_a_share_is_tested_exactly():
    by_hand = sum(comb(20, k) * 0.3**k * 0.7 ** (20 - k) for k in range(4))
    assert share_p_value(3, 20, 0.3) == pytest.approx(by_hand)
    assert share_p_value(0, 0, 0.3) == 1.0


@pytest.mark.parametrize("n_hits", [0, 1, 7, 50])
def test_the_bound_of_a_share_is_where_its_test_turns(n_hits):
    bound = share_upper(n_hits, 50)
    assert bound == 1.0 if n_hits == 50 else share_p_value(n_hits, 50, bound) == pytest.approx(0.05)


def _tail_by_hand(n: int, surplus: int, rate: float, limit: float) -> float:
    """All outcomes of all people, one by one."""
    more, fewer = (rate + limit) / 2, (rate - limit) / 2
    chances = {1: more, -1: fewer, 0: 1 - rate}
    return sum(
        float(np.prod([chances[d] for d in people]))
        for people in product((1, -1, 0), repeat=n)
        if sum(people) <= surplus
    )


@pytest.mark.parametrize(("surplus", "rate", "limit"), [(-2, 0.5, 0.1), (0, 0.3, 0.3), (1, 0.6, 0)])
def test_how_likely_a_surplus_is_agrees_with_counting_all_outcomes(surplus, rate, limit):
    fast = _certainty._tail(7, surplus, rate, limit)
    assert fast == pytest.approx(_tail_by_hand(7, surplus, rate, limit))


def test_a_paired_test_asks_for_more_people_than_noise_can_explain():
    many, few = _differences(180, 160, 6000), _differences(9, 8, 300)
    assert paired_p_value(many, 0.01) < 0.05 < paired_p_value(few, 0.01)


def test_models_that_never_differ_are_shown_by_enough_people_only():
    assert paired_p_value(np.zeros(1000), 0.01) < 0.01
    assert paired_p_value(np.zeros(100), 0.01) > 0.05
    assert paired_p_value(np.zeros(0), 0.01) == 1.0


@pytest.mark.parametrize(("n", "rate", "limit"), [(100, 0.1, 0.05), (400, 0.02, 0.02)])
def test_a_paired_promise_is_broken_no_more_often_than_it_says(n, rate, limit):
    rng = np.random.default_rng(7)
    chances = [(rate + limit) / 2, (rate - limit) / 2, 1 - rate]
    draws = rng.multinomial(n, chances, size=400)
    broken = sum(paired_p_value(_differences(m, f, n), limit) <= 0.05 for m, f, _ in draws)
    assert broken <= 0.05 * 400
    # the test that takes the mean to be normal breaks it here
    if rate == limit:
        shown = [normal_p_value(_differences(m, f, n), limit) <= 0.05 for m, f, _ in draws]
        assert sum(shown) > 0.05 * 400


def test_the_paired_bound_is_where_its_test_turns():
    differences = _differences(30, 10, 1000)
    bound = paired_upper(differences)
    assert paired_p_value(differences, bound) <= 0.05 < paired_p_value(differences, bound - 1e-4)
    assert 0.02 < bound < 0.04
    assert paired_upper(differences, 0.99) > bound


@pytest.mark.parametrize("sign", [1, -1])
def test_bets_are_won_against_limits_that_hold_alone(sign):
    rng = np.random.default_rng(3)
    broken = 0
    for _ in range(300):
        values = sign * rng.beta(0.5, 4.5, size=150)
        broken += mean_p_value(values, sign * 0.1, -1, 1) <= 0.05
    assert broken <= 0.05 * 300
    clear = mean_p_value(np.full(200, -0.2), 0.1, -1, 1)
    assert clear < 0.01


def test_the_order_of_the_people_tells_a_bet_nothing():
    values = np.sort(np.random.default_rng(0).uniform(size=500))
    assert mean_p_value(values, 0.4, 0, 1) > 0.05


def test_bounds_of_means():
    values = np.random.default_rng(1).beta(1, 9, size=3000)
    bound = mean_upper(values, 0, 1)
    assert values.mean() < normal_upper(values) < bound < values.mean() + 0.01
    assert mean_p_value(values, 1.5, 0, 1) == 0.0
    assert mean_p_value(values, 0.0, 0, 1) == mean_p_value(values[:0], 0.5, 0, 1) == 1.0
    assert mean_upper(values[:1], 0, 1) <= 1


def test_the_normal_test_needs_two_people_who_differ():
    assert normal_p_value(np.array([0.0]), 0.5) == 1.0
    assert normal_upper(np.array([0.0])) == np.inf
    assert normal_p_value(np.zeros(5), 0.5) == 0.0
    assert normal_p_value(np.full(5, 0.5), 0.5) == 1.0


@pytest.mark.parametrize("confidence", [0.95, 0.999, 0.9999])
def test_a_bound_at_a_level_of_many_tests(confidence):
    differences = _differences(30, 20, 500)
    lower, upper = -paired_upper(-differences, confidence), paired_upper(differences, confidence)
    # wider than the normal one, but not by much, at any level
    half = norm.ppf(confidence) * differences.std() / np.sqrt(500)
    assert half < upper - 0.02 < 1.4 * half
    assert half < 0.02 - lower < 1.4 * half
