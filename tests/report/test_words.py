"""Numbers as a reader expects them."""

from __future__ import annotations

import math

import pytest

from sparsam.report import _words as words
from sparsam.report._words import THIN, beats_guessing


def test_percent_rounds_and_keeps_a_real_minus():
    assert words.percent(0.81949) == f"81.9{THIN}%"
    assert words.percent(-0.0123) == f"−1.2{THIN}%"
    assert words.percent(-0.0001) == f"0.0{THIN}%"


@pytest.mark.parametrize("gap", [None, math.nan, math.inf])
def test_what_is_not_known_is_a_dash(gap):
    assert words.percent(gap) == words.points(gap) == words.plain_number(gap) == "–"
    assert words.percent_range((0.1, gap)) is None
    assert words.points_range(None) is None


def test_a_range_below_zero_is_written_with_to():
    assert words.percent_range((-0.01, 0.02)) == f"−1.0 to 2.0{THIN}%"


def test_small_shares_are_not_called_nothing():
    assert words.rough_percent(0.004) == f"less than 1{THIN}%"
    assert words.rough_percent(0.0) == f"0{THIN}%"


def test_who_does_worse_than_guessing_recovers_nothing():
    assert [words.recovered_percent(share) for share in (-0.3, -0.001, 0.0)] == ["nothing"] * 3
    assert words.recovered_percent(0.001) == words.rough_percent(0.001)
    assert words.recovered_percent(None) == words.percent(None)


def test_an_attacker_inside_the_noise_does_not_beat_guessing():
    assert beats_guessing(0.3, (0.25, 0.29)) is True
    assert beats_guessing(0.3, (0.25, 0.3)) is False
    assert beats_guessing(None, (0.25, 0.3)) is None
