"""One point is better than another only beyond the noise of validation data."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.assess._point import beats


def shares(n_wrong, n=200):
    return [number < n_wrong for number in range(n)]


def test_identical_points_do_not_beat_each_other(make_assessment):
    assessment = make_assessment(shares(40), [0.3] * 200)
    other = make_assessment(shares(40), [0.3] * 200)
    assert not beats(assessment, assessment)
    assert not beats(assessment, other)
    assert not beats(other, assessment)


@pytest.mark.parametrize("fewer", [1, 2, 3])
def test_a_tiny_gain_is_noise(make_assessment, fewer):
    better = make_assessment(shares(40 - fewer), [0.3] * 200)
    worse = make_assessment(shares(40), [0.3] * 200)
    assert not beats(better, worse)


def test_a_clear_gain_in_accuracy_counts(make_assessment):
    better, worse = (
        make_assessment(shares(20), [0.3] * 200),
        make_assessment(shares(60), [0.3] * 200),
    )
    assert beats(better, worse)
    assert not beats(worse, better)


def test_a_clear_gain_in_safety_counts(make_assessment):
    rng = np.random.default_rng(0)
    base = rng.random(200) / 2
    safer, riskier = (make_assessment(shares(20), base + more) for more in (0.2, 0.0))
    assert beats(safer, riskier)
    assert not beats(riskier, safer)


def test_a_gain_on_one_axis_does_not_pay_for_a_loss_on_the_other(make_assessment):
    accurate = make_assessment(shares(10), [0.2] * 200)
    safe = make_assessment(shares(90), [0.4] * 200)
    assert not beats(accurate, safe)
    assert not beats(safe, accurate)


def test_one_person_decides_nothing(make_assessment):
    assert not beats(make_assessment([False], [1.0]), make_assessment([True], [0.0]))
