"""How a guess is made from a posterior, and how it is judged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparsam.attack import GeneralizedRecords, Question
from sparsam.attack._question import code_values
from sparsam.data import Attribute, NumericDomain


def _parts(truth: list[int]) -> dict[str, Any]:
    return {part: np.array(truth, np.uint16) for part in ("train", "validation", "test")}


def _posterior(*lines: list[float]) -> Any:
    return np.array(lines, np.float32)


def test_category_is_right_or_wrong() -> None:
    question = Question("a", 3, _parts([0, 2, 1]))
    guess, confidence = question.guess(_posterior([0.2, 0.5, 0.3], [0.1, 0.1, 0.8]))
    assert guess.tolist() == [1, 2]
    assert confidence.tolist() == pytest.approx([0.5, 0.8])
    assert question.wrong(np.array([0, 1, 1]), "test").tolist() == [False, True, False]


def test_number_counts_within_the_tolerance() -> None:
    values = np.array([0.0, 10.0, 12.0, 14.0, 50.0])
    question = Question("a", 5, _parts([1, 3, 4]), values=values, tolerance=2.0)
    # 0 is the likeliest single value, but 12 is close to three others.
    guess, confidence = question.guess(_posterior([0.35, 0.2, 0.15, 0.2, 0.1]))
    assert guess.tolist() == [2]
    assert confidence[0] == pytest.approx(0.55)
    assert question.wrong(guess.repeat(3), "test").tolist() == [False, False, True]


def test_number_that_cannot_be_is_never_guessed() -> None:
    question = Question("a", 4, _parts([0]), values=np.arange(4.0), tolerance=2.0)
    # 0 and 1 are impossible, though 1 is as close to 2 and 3 as they are to each other.
    guess, confidence = question.guess(_posterior([0.0, 0.0, 0.5, 0.5]))
    assert guess[0] in (2, 3)
    assert confidence[0] == 1.0


def test_missing_is_close_to_missing_only() -> None:
    values = np.array([1.0, 2.0, np.nan])
    question = Question("a", 3, _parts([0, 1, 2]), values=values, tolerance=100.0)
    assert question.wrong(np.array([1, 1, 1]), "test").tolist() == [False, False, True]
    assert question.wrong(np.array([2, 2, 2]), "test").tolist() == [True, True, False]


def test_median_and_absolute_error() -> None:
    values = np.array([0.0, 10.0, 20.0, np.nan])
    question = Question("a", 4, _parts([0, 2, 3]), values=values)
    median = question.median(_posterior([0.2, 0.4, 0.1, 0.3], [0.0, 0.0, 0.0, 1.0]))
    assert median is not None
    assert median[0] == 10.0
    assert not np.isnan(median).any()
    # Whose value is missing has no distance to it.
    assert question.absolute_error(np.array([10.0, 10.0, 10.0]), "test") == 10.0


def test_absolute_error_where_there_is_none() -> None:
    category = Question("a", 2, _parts([0]))
    assert category.median(_posterior([0.5, 0.5])) is None
    assert category.absolute_error(None, "test") is None
    missing = Question("a", 2, _parts([1, 1]), values=np.array([3.0, np.nan]))
    assert missing.absolute_error(np.array([3.0, 3.0]), "test") is None


def test_equal_errors_are_told_apart_by_surprise() -> None:
    question = Question("a", 2, _parts([0, 1]))
    index = np.array([0, 1])
    sure = question.loss(_posterior([0.9, 0.1], [0.2, 0.8]), index, "validation")
    unsure = question.loss(_posterior([0.6, 0.4], [0.4, 0.6]), index, "validation")
    wrong = question.loss(_posterior([0.0, 1.0], [0.0, 1.0]), index, "validation")
    assert sure < unsure < wrong
    assert np.isfinite(wrong).all()


def test_part_without_rows() -> None:
    codes = {**_parts([0, 1]), "validation": np.empty(0, np.uint16)}
    posterior = _posterior([0.5, 0.5])
    assert Question("a", 2, codes).loss(posterior, np.empty(0, int), "validation") == (0.0, 0.0)


def test_prior_is_the_training_sample() -> None:
    codes = {**_parts([0, 1, 1, 3]), "test": np.array([2, 2], np.uint16)}
    assert Question("a", 4, codes).prior().tolist() == [[0.25, 0.5, 0.0, 0.25]]


def test_possible_follows_the_bucket() -> None:
    buckets = np.array([0, 1, 1], np.uint16)
    lines = np.array([[0, 1], [1, 1], [1, 0]], np.uint16)
    records = GeneralizedRecords(lines, (0, 3), (2, 2), {}, ())
    question = Question("a", 3, _parts([0]), own_column=0, buckets=buckets)
    possible = question.possible(records, np.array([2, 0]))
    assert possible is not None
    assert possible.tolist() == [[False, True, True], [True, False, False]]
    assert Question("b", 3, _parts([0])).possible(records) is None
    assert Question("b", 3, _parts([0])).own_buckets(records).tolist() == [0, 0, 0]


def test_code_values() -> None:
    domain = NumericDomain(0, 20)
    binned = Attribute("a", domain, np.array([0.0, 6.0]), np.array([4.0, 20.0]), True)
    np.testing.assert_array_equal(code_values(binned), [2.0, 13.0, np.nan])
