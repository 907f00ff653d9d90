"""Buckets in words."""

from __future__ import annotations

import pytest

from sparsam.data import CategoricalDomain, NumericDomain
from sparsam.generalization import categorical_partition, numeric_partition
from sparsam.generalization._labels import unique_labels
from sparsam.generalization._partition_base import listed


@pytest.mark.parametrize(
    ("domain", "cuts", "labels"),
    [
        (NumericDomain(0, 99, integer=True), [17, 62], ["under 17", "17–61", "62 and over"]),
        (NumericDomain(0, 99, integer=True), [17, 18], ["under 17", "17", "18 and over"]),
        (NumericDomain(1, 2, integer=True), [2], ["1", "2"]),
        (NumericDomain(0, 3, integer=True), [1, 3], ["0", "1–2", "3"]),
        (NumericDomain(-9, 9, integer=True), [-5, 0], ["under -5", "-5 to -1", "0 and over"]),
        (NumericDomain(0, 99), [17.5, 62], ["under 17.5", "17.5 to under 62", "62 and over"]),
        (NumericDomain(0, 1), [1e-9, 1], ["under 1e-09", "1e-09 to under 1", "1 and over"]),
        (NumericDomain(0, 9e6, integer=True), [20000], ["under 20000", "20000 and over"]),
    ],
)
def test_intervals_in_words(domain: NumericDomain, cuts: list[float], labels: list[str]) -> None:
    assert list(numeric_partition("x", domain, cuts).labels) == labels


def test_groups_in_words() -> None:
    domain = CategoricalDomain(tuple("abcdefghij"))
    groups = [["a"], ["c", "b"], ["d", "e", "f"], ["g", "h", "i", "j"]]
    assert categorical_partition("v", domain, groups).labels == (
        "a",
        "b, c",
        "d, e, f",
        "g, h and 2 more",
    )


def test_runs_of_an_order_are_named_by_their_ends() -> None:
    domain = CategoricalDomain(("grade 8", "grade 9", "grade 10", "GED", "BA"), ordered=True)
    groups = [["grade 8", "BA"], ["GED", "grade 9", "grade 10"]]
    assert categorical_partition("v", domain, groups).labels == ("grade 8, BA", "grade 9 – GED")


def test_labels_are_unique_whatever_the_categories_are_called() -> None:
    domain = CategoricalDomain(("missing", "a, b", "a", "b", "", " ", "1", 1, "missing (2)"))
    groups = [["missing"], ["a, b"], ["a", "b"], [""], [" "], ["1"], [1], ["missing (2)"]]
    labels = categorical_partition("v", domain, groups, missing=8, unseen=9).labels
    assert len(set(labels)) == 10
    assert labels[-2:] == ("missing (3)", "other")
    assert labels[3:7] == ("(empty)", "(empty) (2)", "1", "1 (2)")


def test_missing_and_unseen_can_share_a_bucket() -> None:
    domain = CategoricalDomain(("a", "b"))
    partition = categorical_partition("v", domain, [["a", "b"]], missing=1, unseen=1)
    assert partition.labels == ("a, b", "missing or other")
    assert numeric_partition("x", NumericDomain(0, 1), [], missing=1).labels == (
        "all values",
        "missing",
    )


def test_many_equal_labels_are_numbered_in_linear_time() -> None:
    labels = unique_labels(["a", "a (2)", *["a"] * 50_000])
    assert len(set(labels)) == 50_002
    assert labels[:4] == ("a", "a (2)", "a (3)", "a (4)")


def test_a_bucket_that_holds_missing_values_too_says_so() -> None:
    ages = NumericDomain(0, 99, integer=True)
    assert numeric_partition("age", ages, [6, 7, 10], missing=1).labels == (
        "under 6",
        "6, or missing",
        "7–9",
        "10 and over",
    )
    assert numeric_partition("age", ages, [10], missing=1).labels[1] == "10 and over, or missing"
    letters = CategoricalDomain(tuple("abcdef"))
    groups = [["a"], ["b", "c", "d", "e"], ["f"]]
    assert categorical_partition("v", letters, groups, missing=1).labels == (
        "a",
        "b, c and 2 more, or missing",
        "f",
    )
    order = CategoricalDomain(("low", "mid", "high"), ordered=True)
    parted = categorical_partition("v", order, [["low", "mid"], ["high"]], missing=0)
    assert parted.labels == ("low – mid, or missing", "high")


def test_labels_of_the_user_and_of_what_is_not_collected_stay() -> None:
    ages = NumericDomain(0, 99, integer=True)
    own = numeric_partition("age", ages, [10], missing=1, labels=["young", "old"])
    assert own.labels == ("young", "old")
    assert numeric_partition("age", ages, [], missing=0).labels == ("not collected",)
    letters = CategoricalDomain(("a", "b"))
    assert categorical_partition("v", letters, [["a", "b"]], missing=0).labels == ("not collected",)


def test_labels_with_missing_values_stay_unique() -> None:
    domain = CategoricalDomain(("a", "a, or missing"))
    parted = categorical_partition("v", domain, [["a"], ["a, or missing"]], missing=0)
    assert parted.labels == ("a, or missing", "a, or missing (2)")


def test_numbers_are_written_without_the_noise_of_their_arithmetic() -> None:
    low, cut = -4.600000000000001, -4.6000000000000005
    parted = numeric_partition("rate", NumericDomain(low, 0.1 + 0.2), [cut])
    assert parted.labels == ("under -4.6", "-4.6 and over")
    assert parted.words() == "rate: numbers -4.6 to 0.3 → under -4.6 | -4.6 and over"
    assert parted.cuts == (cut,)


def test_how_many_labels_are_left_out_is_no_label() -> None:
    labels = ["under 17", "17–61", "62 and over, or missing"]
    assert listed(labels, 3) == "under 17 | 17–61 | 62 and over, or missing"
    assert listed(labels, 2) == "under 17 | 17–61 … and 1 more bucket"
    assert listed(labels, 1) == "under 17 … and 2 more buckets"
