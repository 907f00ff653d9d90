"""Numbers and sentences."""

from __future__ import annotations

import math

import pytest

from sparsam.report import _words as words
from sparsam.report._prose import beats_guessing, verdict
from sparsam.report._words import THIN


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


def _verdict(data, **changes):
    point = next(point for point in data["points"] if point["id"] == data["chosen"])
    point["n_collected"] = changes.get("needed", point["n_collected"])
    point["risk"]["recovered"] = changes.get("recovered", point["risk"]["recovered"])
    point["utility"]["error"] = changes.get("error", point["utility"]["error"])
    return str(verdict(data, point)).replace(THIN, " ")


def test_verdict_in_one_breath(make_data):
    assert _verdict(make_data(), needed=5, recovered=0.238, error=0.181) == (
        "This model needs 5 of 16 attributes. Accuracy 81.9 % instead of 82.7 % with everything "
        "collected; an attacker who sees the collected records recovers 24 % of what the majority "
        "guess gets wrong."
    )


@pytest.mark.parametrize(
    ("needed", "said"),
    [(0, "none of the 16 attributes."), (16, "all 16 attributes."), (1, "1 of 16 attributes.")],
)
def test_verdict_counts_attributes(make_data, needed, said):
    assert said in _verdict(make_data(), needed=needed)


def test_verdict_without_gain_or_without_a_figure(make_data):
    assert "no better than the majority guess" in _verdict(make_data(), recovered=-0.01)
    assert _verdict(make_data(), recovered=None).endswith("with everything collected.")
    assert "the same as with everything" in _verdict(make_data(), error=0.1731)
    assert "Accuracy – instead" in _verdict(make_data(), error=None)


def test_an_attacker_inside_the_noise_does_not_beat_guessing():
    assert beats_guessing(0.3, (0.25, 0.29)) is True
    assert beats_guessing(0.3, (0.25, 0.3)) is False
    assert beats_guessing(None, (0.25, 0.3)) is None
