"""Scores in words: shares in per cent, other figures as they are, and better ones first."""

from __future__ import annotations

import pytest

from sparsam.assess import Score
from sparsam.report._score_words import (
    loss_range,
    loss_words,
    score_data,
    score_of,
    tick,
    value_range,
    value_words,
)
from sparsam.report._words import THIN


@pytest.mark.parametrize(
    ("score", "value", "around", "loss", "at_axis"),
    [
        (Score("accuracy"), "80.0 %", "75.0–90.0 %", "1.0 points", "20 %"),
        (Score("balanced accuracy"), "80.0 %", "75.0–90.0 %", "1.0 points", "80 %"),
        (Score("auc"), "0.800", "0.750 to 0.900", "0.01", "0.8"),
        (Score("r2"), "0.800", "0.750 to 0.900", "0.01", "0.8"),
        (Score("log loss"), "0.200", "0.100 to 0.250", "0.01", "0.2"),
        (Score("mae"), "0.2", "0.1 to 0.25", "0.01", "0.2"),
    ],
)
def test_in_words(score, value, around, loss, at_axis):
    assert value_words(score, 0.2).replace(THIN, " ") == value
    assert value_range(score, (0.1, 0.25)).replace(THIN, " ") == around
    assert loss_words(score, 0.01) == loss
    assert tick(score, 0.2).replace(THIN, " ") == at_axis
    assert (value_words(score, None), value_range(score, None)) == ("–", None)
    assert "to" in loss_range(score, (-0.01, 0.02))
    again = score_of({"score": score_data(score)})
    assert again == score


def test_a_bad_r2_has_a_real_minus():
    assert value_words(Score("r2"), 1.25) == "−0.250"
