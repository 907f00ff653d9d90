from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.minimise.model._oracle import Oracle
from sparsam.minimise.model._profiles import AnyTwo, Neighbours, _as_points, profiles


def _slow(oracle, people, groups):
    """Ask about everyone with every value."""
    answers = []
    for a, values in enumerate(groups):
        for value in values:
            records = people.copy()
            records[:, a] = value
            answers.append(oracle(records))
    points = _as_points(oracle, np.concatenate(answers)) / np.sqrt(len(people))
    lines = points.reshape(len(answers), -1)
    return np.split(lines, np.cumsum([len(values) for values in groups])[:-1])


def _apart(lines):
    """Squared distances; which column a label has does not count."""
    return ((lines[:, None] - lines[None]) ** 2).sum(axis=2)


def _people(seed, sizes, n_people=7):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.integers(0, n, n_people) for n in sizes]).astype(np.uint16)


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.booleans())
@settings(max_examples=60)
def test_one_step_along_an_order_is_found_exactly(seed, n_values, regression):
    sizes = (n_values, 5)
    people = _people(seed, sizes)
    steps = np.random.default_rng(seed).integers(0, n_values + 1, 5)

    def predict(codes):  # where the step is depends on the other attribute
        return (codes[:, 0] >= steps[codes[:, 1]]) * (2.5 if regression else 1) + codes[:, 1]

    groups = [np.arange(n) for n in sizes]
    answers = profiles(Oracle(predict, sizes, regression), people, groups, (n_values, 0))
    expected = _slow(Oracle(predict, sizes, regression), people, groups)
    for one, slow in zip(answers, expected, strict=True):
        np.testing.assert_allclose(_apart(one), _apart(slow), atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(17, 60), st.integers(0, 2))
@settings(max_examples=40)
def test_values_out_of_order_are_all_asked_about(seed, n_values, n_missing):
    sizes = (n_values + n_missing,)
    people, noise = _people(seed, sizes), np.random.default_rng(seed).integers(0, 9, sizes[0])
    noise[:n_values] = 0
    noise[n_values // 2] = seed % 2  # between two that are asked about it may be passed over
    oracle = Oracle(lambda codes: noise[codes[:, 0]], sizes)
    (found,) = profiles(oracle, people, [np.arange(sizes[0])], (n_values,))
    (expected,) = _slow(oracle, people, [np.arange(sizes[0])])
    other = np.arange(sizes[0]) != n_values // 2
    np.testing.assert_allclose(_apart(found[other]), _apart(expected[other]), atol=1e-12)
    (everything,) = profiles(oracle, people, [np.arange(sizes[0])], (0,))
    np.testing.assert_allclose(_apart(everything), _apart(expected), atol=1e-12)


def test_few_values_of_a_long_order_are_asked_about():
    def predict(codes):
        return codes[:, 0] >= 50

    people = _people(0, (200, 30), 40)
    oracle = Oracle(predict, (200, 30))
    profiles(oracle, people, [np.arange(200), np.arange(2)], (200, 0))
    n_distinct = len(np.unique(people[:, 1]))
    assert oracle.n_asked < 0.4 * 200 * n_distinct


@pytest.mark.parametrize("regression", [False, True])
def test_points_are_one_apart_where_answers_differ(regression):
    oracle = Oracle(lambda codes: codes[:, 0] * 1.0, (2,), regression)
    points = _as_points(oracle, oracle(np.array([[0], [1], [0]], np.uint16)))
    between = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    if not regression:
        assert between[0].tolist() == pytest.approx([0, 1, 0])
    else:  # twice the variance, on average over pairs
        assert between.mean() == pytest.approx(2.0)


def _slow_pairs(alive, lone, ordered):
    """All pairs that may become one now, in the order in which equals are taken."""
    if not ordered:
        return list(combinations(alive, 2))
    runs = [one for one in alive if one != lone]
    with_missing = [(run, lone) for run in runs] if lone in alive else []
    return [*pairwise(runs), *with_missing]


@given(st.integers(1, 9), st.sampled_from(["any", "order", "missing"]), st.integers(0, 2**32 - 1))
@settings(max_examples=200)
def test_the_best_pair_is_that_of_all_pairs_after_every_merge(n, kind, seed):
    rng = np.random.default_rng(seed)
    lone = n - 1 if kind == "missing" else None
    pairs = AnyTwo(n) if kind == "any" else Neighbours(n, np.arange(n) == lone)
    ratios: dict[tuple[int, int], float] = {}

    def put(x, z):
        made = rng.integers(0, 4, len(x)) / 4  # with many equals
        pairs.put(x, z, made)
        ratios.update(zip(zip(x.tolist(), z.tolist(), strict=True), made.tolist(), strict=True))

    put(*pairs.all())
    alive = list(range(n))
    while len(alive) > 1:
        possible = _slow_pairs(alive, lone, kind != "any")
        first, second = pairs.best()
        assert (first, second) == min(possible, key=lambda pair: ratios[pair])
        x, z = pairs.merge(first, second)
        alive.remove(second)
        changed = [one for one in _slow_pairs(alive, lone, kind != "any") if first in one]
        assert sorted(zip(x.tolist(), z.tolist(), strict=True)) == sorted(changed)
        put(x, z)


@pytest.mark.parametrize("pairs", [AnyTwo(1), Neighbours(1, np.ones(1, bool))])
def test_one_bucket_has_no_pair(pairs):
    x, z = pairs.all()
    assert len(x) == len(z) == 0
    pairs.put(x, z, np.empty(0))
