"""Changes that matter, and how sure they are."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.assess.over_time._changes import appeared, compare, holm, level_of, matters, show


def test_the_doubt_of_all_looks_together_is_what_was_allowed():
    levels = [level_of(look, 0.95) for look in range(1, 20_000)]
    assert sum(levels) == pytest.approx(0.05, rel=1e-3)
    assert sum(levels) <= 0.05


def test_a_small_share_matters_from_half_of_itself():
    assert matters(0.5) == 0.05
    assert matters(0.04) == 0.02
    assert matters(0.001) == pytest.approx(0.01)


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_false_alarms_are_as_rare_as_they_may_be(share):
    """Shares that have changed by just as much as does not yet matter."""
    rng, level, n = np.random.default_rng(0), 0.05, 2000
    then, now = rng.binomial(n, share, 2000) / n, share + matters(share)
    alarms = [
        show(compare("share", "a", ["b"], [old], [n], [hits], [n]), level)[0].shown
        for old, hits in zip(then, rng.binomial(n, now, 2000), strict=True)
    ]
    assert np.mean(alarms) <= level + 3 * np.sqrt(level / 2000)


def test_errors_that_fall_are_no_alarm():
    (fallen,) = compare("error", "a", ["b"], [0.5], [2000], [200], [2000])
    assert fallen.p_value > 0.99
    (moved,) = compare("share", "a", ["b"], [0.5], [2000], [200], [2000])
    assert moved.p_value < 1e-6


def test_few_people_are_not_compared():
    assert not compare("share", "a", ["b", "c"], [0.5, None], [20, 2000], [5, 5], [2000, 2000])


def test_what_nobody_had_is_compared_exactly():
    assert appeared("unseen", "a", 0, 500).p_value == 1.0
    assert appeared("unseen", "a", 25, 500).p_value < 1e-6


def test_what_is_published_hides_few_people():
    (change,) = compare("share", "a", ["b"], [0.5], [2000], [1002], [2000])
    assert change.to_dict()["now"] == 0.5


def test_holm_stops_at_the_first_that_is_not_shown():
    assert holm([], 0.05) == []
    assert holm([0.5, 0.01], 0.05) == [False, True]
