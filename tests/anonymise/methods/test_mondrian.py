"""Mondrian beside a few plain lines, strict and relaxed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.anonymise._classes import Division
from sparsam.anonymise._privacy_models import KAnonymity
from sparsam.anonymise._tight_loss import tight_loss
from sparsam.anonymise.methods._mondrian import Mondrian
from sparsam.data import Attribute, read


def slow_width(column: Any, attribute: Attribute) -> float:
    low, high = int(column.min()), int(column.max())
    if low == high:
        return -1.0
    if not attribute.ordered:
        return (high - low) / (attribute.size - 1)
    if high == attribute.n_values:
        return 1.0
    # the same steps as the kernel's, so that equal widths stay equal or unequal alike
    lows = highs = np.linspace(0.0, 1.0, attribute.n_values)
    if attribute.numeric:
        start, width = attribute.lows[0] / 2, attribute.highs[-1] / 2 - attribute.lows[0] / 2
        lows, highs = (attribute.lows / 2 - start) / width, (attribute.highs / 2 - start) / width
    return float(highs[high] - lows[low])


def slow_cut(column: Any, attribute: Attribute, k: int) -> int | None:
    """Codes up to which go left: missing off first, else the most even cut, the lower of two."""
    if attribute.ordered and attribute.missing:
        missing = int((column == attribute.n_values).sum())
        if min(missing, len(column) - missing) >= k:
            return attribute.n_values - 1
    evenness = [
        min(int((column <= t).sum()), int((column > t).sum())) for t in range(attribute.size - 1)
    ]
    best = int(np.argmax(evenness)) if evenness else 0
    return best if evenness and evenness[best] >= k else None


def slow_mondrian(codes: Any, attributes: Any, k: int) -> set[frozenset[int]]:
    def parted(rows: Any) -> list[Any]:
        widths = [slow_width(codes[rows, j], a) for j, a in enumerate(attributes)]
        for j in sorted(range(len(widths)), key=lambda j: -widths[j]):
            if widths[j] < 0 or len(rows) < 2 * k:
                break
            at = slow_cut(codes[rows, j], attributes[j], k)
            if at is not None:
                left = codes[rows, j] <= at
                return parted(rows[left]) + parted(rows[~left])
        return [rows]

    return {frozenset(rows.tolist()) for rows in parted(np.arange(len(codes)))}


def as_sets(tree: Any) -> set[frozenset[int]]:
    return {frozenset(rows.tolist()) for rows in tree.classes.rows()}


@settings(max_examples=150)
@given(seed=st.integers(0, 100_000), n_rows=st.integers(2, 80), k=st.integers(2, 9))
def test_strict_agrees_with_plain_lines(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int
) -> None:
    codes, attributes = random_codes(seed, max(n_rows, k))
    tree = Mondrian().part(Division(codes, attributes, KAnonymity(k)))
    assert as_sets(tree) == slow_mondrian(codes, attributes, k)
    assert tree.classes.sizes().min() >= k


@settings(max_examples=60)
@given(seed=st.integers(0, 100_000), n_rows=st.integers(10, 80), k=st.integers(2, 5))
def test_relaxed_leaves_no_class_that_could_be_halved(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    strict = Mondrian().part(Division(codes, attributes, KAnonymity(k)))
    relaxed = Mondrian(strict=False).part(Division(codes, attributes, KAnonymity(k)))
    assert relaxed.classes.sizes().min() >= k
    for rows in relaxed.classes.rows():
        assert len(rows) < 2 * k or len(np.unique(codes[rows], axis=0)) == 1
    losses = [tight_loss(tree.classes, codes, attributes).overall for tree in (strict, relaxed)]
    assert losses[1] <= losses[0] + 1e-12


def test_relaxed_parts_people_with_the_same_value() -> None:
    table = read({"age": [20, 30, 30, 30, 30, 40]})
    assert Mondrian().part(Division(table.codes, table.attributes, KAnonymity(3))).n_classes == 1
    tree = Mondrian(strict=False).part(Division(table.codes, table.attributes, KAnonymity(3)))
    assert tree.classes.of_row.tolist() == [0, 0, 0, 1, 1, 1]
    assert tree.route(table.codes).tolist() == [0, 0, 0, 0, 0, 1]


def test_missing_values_are_parted_from_numbers_first() -> None:
    table = read({"age": [20.0, 21.0, 90.0, 91.0, None, None]})
    tree = Mondrian().part(Division(table.codes, table.attributes, KAnonymity(2)))
    assert as_sets(tree) == {frozenset({0, 1}), frozenset({2, 3}), frozenset({4, 5})}


def test_identical_people_are_one_class() -> None:
    table = read({"age": [20] * 9, "sex": ["f"] * 9})
    for strict in (True, False):
        tree = Mondrian(strict=strict).part(Division(table.codes, table.attributes, KAnonymity(2)))
        assert tree.n_classes == 1


def test_many_codes_and_many_attributes() -> None:
    rng = np.random.default_rng(0)
    columns = {f"x{j}": [str(v) for v in rng.integers(0, 400, 900)] for j in range(14)}
    table = read(columns)
    tree = Mondrian().part(Division(table.codes, table.attributes, KAnonymity(50)))
    assert as_sets(tree) == slow_mondrian(table.codes, table.attributes, 50)


def test_fitting_twice_keeps_nothing_between_calls() -> None:
    table = read({"age": list(range(40))})
    learner = Mondrian()
    first = learner.part(Division(table.codes, table.attributes, KAnonymity(4))).classes.of_row
    learner.part(Division(table.codes[:9], table.attributes, KAnonymity(2)))
    again = learner.part(Division(table.codes, table.attributes, KAnonymity(4))).classes.of_row
    assert first.tolist() == again.tolist()


def test_impossible_requests_say_so() -> None:
    table = read({"age": [20, 21, 40]})
    with pytest.raises(DataError, match="All 3 rows together"):
        Mondrian().part(Division(table.codes, table.attributes, KAnonymity(4)))
    with pytest.raises(DataError, match="has none"):
        Mondrian().part(Division(table.codes[:0], table.attributes, KAnonymity(2)))
    with pytest.raises(DataError, match="one column per quasi-identifier"):
        Mondrian().part(Division(table.codes[:, :0], (), KAnonymity(2)))


def test_answers_are_not_looked_at() -> None:
    table = read({"age": [20, 21, 40, 41]})
    answers = np.array([np.nan, 1.0, 2.0, 3.0])
    tree = Mondrian().part(Division(table.codes, table.attributes, KAnonymity(2), answers))
    assert tree.n_classes == 2
