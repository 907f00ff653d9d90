"""What is promised of a model's answers, against people of whom the truth is known."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from sparsam._certainty import share_p_value
from sparsam.minimise.model._promise import Outlook, Promise, prove


def answers(n_people, n_changed):
    before = np.zeros(n_people, np.int64)
    after = before.copy()
    after[:n_changed] = 1
    return before, after


@pytest.mark.parametrize("target", [0.5, 0.9, 0.95, 0.98, 0.995])
@pytest.mark.parametrize("n_people", [10, 149, 600, 5_000])
def test_most_changed_is_the_last_that_is_shown(target, n_people):
    promise = Promise(target, 0.95)
    fewest = promise.fewest
    assert target**fewest <= 0.05 < target ** (fewest - 1)
    assert promise.can_tell(n_people) == (n_people >= fewest)
    most = promise.most_changed(n_people)
    if promise.can_tell(n_people):
        assert share_p_value(most, n_people, 1 - target) <= 0.05
        assert share_p_value(most + 1, n_people, 1 - target) > 0.05
        assert promise.shown(*answers(n_people, most))
        assert not promise.shown(*answers(n_people, most + 1))
    else:
        assert most == 0
        assert promise.at_least(n_people) == pytest.approx(0.05 ** (1 / n_people))


@pytest.mark.parametrize("target", [0.95, 0.98, 0.995])
def test_in_a_sequence_too_little_is_kept_at_most_once_in_twenty(target):
    """The testing itself: recodings that lose ever more, of which the last shown is chosen."""
    rng = np.random.default_rng(0)
    promise, n_runs, n_people = Promise(target, 0.95), 400, 2_000
    lost = (1 - target) * np.array([0.3, 0.6, 0.9, 1.0, 1.1, 1.5])
    everyone = np.arange(n_people)

    @cache  # it is the number of changed answers that counts
    def shown(changed: int) -> bool:
        return prove(*answers(n_people, changed), [(promise, everyone)]).shown

    wrong = 0
    for _ in range(n_runs):
        luck = rng.random(n_people)  # the same people, so that neighbours go together
        chosen = 0.0
        for share in lost:
            if not shown(int((luck < share).sum())):
                break
            chosen = share
        wrong += chosen >= 1 - target
    assert wrong <= 0.05 * n_runs + 3 * math.sqrt(n_runs * 0.05 * 0.95)
    assert wrong > 0  # no test is this exact that cannot err


def test_every_part_must_be_shown():
    before, after = answers(2_000, 10)
    few, everyone = np.arange(200), np.arange(2_000)
    promise, of_each = Promise(0.98, 0.95), Promise(0.9, 0.95)
    assert prove(before, after, [(promise, everyone)]).shown
    both = prove(before, after, [(promise, few), (promise, everyone)])
    assert (both.shown, both.at_least, both.too_few) == (False, None, False)
    assert both.p_value == pytest.approx(share_p_value(10, 200, 0.02))
    looser = prove(before, after, [(of_each, few), (promise, everyone)])
    assert (looser.shown, looser.target, looser.each_target) == (True, 0.98, 0.9)


def test_how_many_would_do():
    before, after = answers(400, 6)  # 98.5 % kept
    proof = prove(before, after, [(Promise(0.98, 0.95), np.arange(400))], share_tested=0.5)
    assert (proof.shown, proof.too_few, proof.at_least) == (False, True, None)
    tested = proof.n_enough // 2
    assert share_p_value(math.ceil(0.015 * tested), tested, 0.02) <= 0.05
    assert 1_000 < tested < 5_000
    never = prove(*answers(400, 0), [(Promise(1.0, 0.95), np.arange(400))])
    assert (never.shown, never.too_few, never.n_enough) == (False, True, None)
    missed = prove(*answers(400, 1), [(Promise(1.0, 0.95), np.arange(400))])
    assert (missed.shown, missed.too_few) == (False, False)


def test_numbers_and_scores_of_ones_own():
    rng = np.random.default_rng(0)
    before = rng.normal(size=(1_000, 2))
    after = before + rng.normal(scale=0.3, size=before.shape)  # R² of about 0.91
    assert Promise(0.88, 0.95, "r2").shown(before, after)
    assert not Promise(0.91, 0.95, "r2").shown(before, after)
    constant = np.full((300, 1), 2.0)
    assert Promise(0.9, 0.95, "r2").shown(constant, constant)
    assert not Promise(0.9, 0.95, "r2").shown(constant, constant + 1)

    def kept(old, new):
        return float((old == new).mean())

    own = Promise(0.98, 0.95, "own")
    assert own.shown(*answers(2_000, 20), kept)
    assert not own.shown(*answers(2_000, 38), kept)
    assert not own.can_tell(100)


def test_the_outlook_is_good_where_much_is_to_spare():
    promise = Promise(0.98, 0.95)
    outlook = Outlook([(promise, 500, 1_000)])
    needed = 1 - promise.most_changed(1_000) / 1_000
    assert outlook.spare([(needed, 0.0)], 0.0) == pytest.approx(0.0)
    assert outlook.spare([(needed, 0.0)], 1.0) < 0 < outlook.spare([(needed, 0.0)], -1.0)
    assert outlook.spare([(1.0, 0.0)], 9.0) == pytest.approx(0.0)  # no more than all can be kept
    each = Outlook([(Promise(0.9, 0.95), 100, 0), (promise, 500, 1_000)])
    assert each.spare([(0.9, 0.0), (1.0, 0.0)], 0.0) == pytest.approx(0.0)
