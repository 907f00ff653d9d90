from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Table
from sparsam.generalization import Generalization
from sparsam.minimise._partitions import code_counts, partition_of
from sparsam.minimise.model._ladder import (
    REPRESENTATIVES,
    _Ladder,
    identity,
    ladders,
    penalties,
    responses,
    stand_in,
)
from sparsam.minimise.model._oracle import Oracle


def _random_model(sizes, rng, n_classes=3):
    """A decision that depends on some codes, and is not simple."""
    weights = [rng.integers(0, 3, size) for size in sizes]

    def predict(codes):
        return sum(w[codes[:, a]] for a, w in enumerate(weights)) % n_classes

    return Oracle(predict, sizes)


def _made(task, seed, how="response"):
    rng = np.random.default_rng(seed)
    oracle = _random_model(task.sizes, rng)
    return ladders(
        task.table.attributes, responses(task.table.attributes, task.codes, oracle), how, rng
    )


def _numbers(n_values, **options):
    lows = np.arange(n_values)
    return Attribute("n", NumericDomain(0, n_values - 1, True), lows, lows, **options)


@given(data=st.data())
@settings(max_examples=60)
def test_levels_are_coarsenings_down_to_one_bucket(any_task, data):
    task = data.draw(any_task(most_values=8))
    how = data.draw(st.sampled_from(REPRESENTATIVES))
    for a, ladder in enumerate(_made(task, data.draw(st.integers(0, 99)), how)):
        attribute = task.table.attributes[a]
        seen = np.unique(task.codes[:, a])
        assert ladder[0].buckets.tolist() == list(range(attribute.size))
        sizes = [level.n_buckets for level in ladder[1:]]
        assert sorted(set(sizes), reverse=True) == list(range(attribute.size, 0, -1))
        for finer, coarser in pairwise(ladder):
            assert coarser.loss >= finer.loss - 1e-12
            for bucket in range(finer.n_buckets) if finer is not ladder[0] else ():
                assert len(set(coarser.buckets[finer.buckets == bucket].tolist())) == 1
        for level in ladder:
            assert level.buckets[level.representatives].tolist() == list(range(level.n_buckets))
            assert level.stand_ins.tolist() == level.representatives[level.buckets].tolist()
            for bucket, code in enumerate(level.representatives):
                # a value that somebody has stands for others, where there is one
                members = np.flatnonzero(level.buckets == bucket)
                assert code in seen or not np.isin(members, seen).any() or level is ladder[0]
            if attribute.ordered:  # runs; a missing value may be with any of them
                assert (np.diff(level.buckets[: attribute.n_values]) >= 0).all()


@given(data=st.data())
@settings(max_examples=60)
def test_losses_are_those_of_the_generalization(any_task, data):
    task = data.draw(any_task(most_values=8))
    counts = code_counts(task.codes, task.sizes)
    for a, ladder in enumerate(_made(task, 0)):
        attribute = task.table.attributes[a]
        table = Table((attribute,), np.asfortranarray(task.codes[:, a : a + 1]))
        for level in ladder:
            partition = partition_of(attribute, level.buckets, counts[a])
            true = Generalization([partition]).information_loss(table).overall
            slack = 0.0
            if attribute.numeric:  # a cut is a round number in the gap between two values
                gaps = attribute.lows[1:] - attribute.highs[:-1]
                extent = attribute.domain.high - attribute.domain.low
                slack = 2 * gaps.max(initial=0.0) / extent
            assert 0.0 <= level.loss <= 1.0
            assert level.loss == pytest.approx(true, abs=1e-9 + slack)


@pytest.mark.parametrize("domain", [(0, 9), (0, 99), (-40, 9)])
def test_losses_are_exact_where_every_number_of_the_domain_occurs(domain):
    low, high = domain
    numbers = np.arange(low, high + 1)
    attribute = Attribute("n", NumericDomain(low, high, True), numbers, numbers, missing=True)
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(rng.integers(0, attribute.size, (300, 1)).astype(np.uint16))
    oracle = _random_model((attribute.size,), rng)
    (ladder,) = ladders([attribute], responses([attribute], codes, oracle), "response", rng)
    counts = np.bincount(codes[:, 0], minlength=attribute.size)
    for level in ladder:
        generalization = Generalization([partition_of(attribute, level.buckets, counts)])
        cuts = generalization["n"].cuts
        true = generalization.information_loss(Table((attribute,), codes)).overall
        # all numbers are values, so a cut cannot be rounded away from the next one
        assert len(cuts) == len(set(level.buckets[: attribute.n_values].tolist())) - 1
        assert level.loss == pytest.approx(true, abs=1e-12)


def test_a_domain_that_is_wider_than_the_values_counts_whole():
    attribute = Attribute("n", NumericDomain(0, 100, True), [40, 60], [40, 60])
    found = penalties(attribute, np.array([0, 1]), 2)
    assert found.tolist() == [0.4, 0.4]


def test_one_value_is_lost_whole_and_needs_no_step():
    counts = np.array([30])
    for domain, values in ((CategoricalDomain(("x",)), ()), (NumericDomain(3, 3, True), [3])):
        attribute = Attribute("one", domain, values, values)
        assert identity(attribute, counts).loss == 1.0
        codes = np.zeros((30, 1), np.uint16, order="F")
        rng = np.random.default_rng(0)
        oracle = Oracle(lambda codes: codes[:, 0], (1,))
        (ladder,) = ladders([attribute], responses([attribute], codes, oracle), "response", rng)
        assert {level.n_buckets for level in ladder} == {1}
        assert {level.loss for level in ladder} == {1.0}


def test_the_values_that_the_model_tells_apart_least_are_merged_first():
    # answers of 40 people: 0 and 2 always alike, 1 differs for a tenth, 3 for everyone
    attribute = Attribute("c", CategoricalDomain(("a", "b", "c", "d")))
    codes = np.asfortranarray(np.repeat(np.arange(4), 100)[:, None].astype(np.uint16))
    person = np.asfortranarray(np.arange(400)[:, None].astype(np.uint16))
    codes = np.asfortranarray(np.hstack([codes, person]))
    lows = np.arange(400)
    who = Attribute("who", NumericDomain(0, 399, True), lows, lows)

    def predict(codes):
        tenth = (codes[:, 0] == 1) & (codes[:, 1] % 10 == 0)
        return (codes[:, 0] == 3) | tenth

    oracle = Oracle(predict, (4, 400))
    rng = np.random.default_rng(0)
    ladder = ladders([attribute, who], responses([attribute, who], codes, oracle), "response", rng)[
        0
    ]
    by_size = {level.n_buckets: level.buckets.tolist() for level in ladder[1:]}
    assert by_size[3] == [0, 1, 0, 2]
    assert by_size[2] == [0, 0, 0, 1]


def _slow_cost(ladder, first, second):
    """Ward's: how much further from their mean the answers of all people in both are."""
    members = [np.flatnonzero(ladder._bucket == b) for b in (first, second)]

    def spread(places):
        weights = ladder._weights[places]
        mean = weights @ ladder._profiles[places] / weights.sum()
        return weights @ ((ladder._profiles[places] - mean) ** 2).sum(axis=1)

    together = spread(np.concatenate(members))
    return (together - spread(members[0]) - spread(members[1])) / ladder._total


def _slow_gain(ladder, first, second):
    """What the information loss of the two buckets rises by when they are one."""
    attribute, bucket = ladder._attribute, ladder._bucket[ladder._owner]
    codes = np.arange(attribute.size)

    def lost(inside):
        numbers = codes[inside & (codes < attribute.n_values)]
        if attribute.numeric:
            width = attribute.highs[numbers].max() - attribute.lows[numbers].min()
            penalty = width / (attribute.highs[-1] - attribute.lows[0])
        else:
            penalty = inside.sum() / attribute.size if inside.sum() > 1 else 0.0
        return penalty * ladder._counts[inside].sum() / ladder._counts.sum()

    one, other = bucket == first, bucket == second
    return lost(one | other) - lost(one) - lost(other)


@pytest.mark.parametrize("kind", ["numeric", "ordered", "categorical"])
@pytest.mark.parametrize("seed", range(4))
def test_merges_cost_and_gain_what_a_slow_oracle_says(kind, seed):
    rng = np.random.default_rng(seed)
    if kind == "numeric":
        lows = np.cumsum(rng.integers(1, 5, 6))
        attribute = Attribute("n", NumericDomain(lows[0], lows[-1], True), lows, lows)
    else:
        attribute = Attribute("c", CategoricalDomain(tuple("abcdef"), kind == "ordered"))
    counts = rng.integers(1, 30, 6)
    profiles = rng.integers(0, 2, (6, 20)) / np.sqrt(20)
    ladder = _Ladder(attribute, counts, np.arange(6), profiles, "response", rng)
    costs, pairs = ladder._first_costs(), ladder._pairs()
    while ladder._alive.sum() > 1:
        alive = np.flatnonzero(ladder._alive)
        any_two = list(combinations(alive, 2))
        x, z = np.array(list(pairwise(alive)) if attribute.ordered else any_two).T
        slow = [_slow_cost(ladder, *pair) for pair in zip(x, z, strict=True)]
        if len(alive) == 6:
            assert costs[x, z] == pytest.approx(slow, abs=1e-12)
        assert ladder._costs(x, z) == pytest.approx(slow, abs=1e-12)
        gains = ladder._gains(x, z)
        assert gains == pytest.approx(
            [_slow_gain(ladder, *pair) for pair in zip(x, z, strict=True)], abs=1e-12
        )
        best = ((np.array(slow) + 1e-5) / np.maximum(gains, 1e-9)).round(9).argmin()
        assert pairs.best() == (x[best], z[best])
        ladder._merge_best(pairs)


def test_many_numbers_are_asked_about_in_runs():
    attribute = _numbers(3_000, missing=True)
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(rng.integers(0, 3_001, (4_000, 1)).astype(np.uint16))
    codes[:50] = 3_000
    oracle = Oracle(lambda codes: codes[:, 0] >= 1_700, (3_001,))
    (ladder,) = ladders([attribute], responses([attribute], codes, oracle), "response", rng)
    asked = next(level for level in ladder if level.n_buckets <= 257)
    assert asked.loss < 0.01
    fine = [level.n_buckets for level in ladder[1:] if level.n_buckets > 257]
    assert [round(n, -1) for n in fine] == [1020, 510]  # finer ones with as many people in each
    two = next(level for level in ladder[1:] if level.n_buckets == 2)
    border = int(np.flatnonzero(np.diff(two.buckets[:3_000]))[0])
    assert abs(border - 1_700) <= 3_000 / 256
    assert (np.diff(two.buckets[:3_000]) >= 0).all()


def test_down_to_few_ranges_the_answers_alone_decide():
    # the model looks at the lower half of many amounts, where a range gains next to nothing
    lows = np.round(np.exp(np.linspace(0, 12, 400)), 3)
    attribute = Attribute("n", NumericDomain(lows[0], lows[-1], False), lows, lows)
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(rng.integers(0, 400, (4_000, 1)).astype(np.uint16))
    oracle = Oracle(lambda codes: np.minimum(codes[:, 0], 200) // 10, (400,))
    asked = responses([attribute], codes, oracle)

    def kept(max_ranges):
        (ladder,) = ladders([attribute], asked, "response", rng, max_ranges=max_ranges)
        level = next(level for level in ladder if level.n_buckets <= 32)
        assert level.n_buckets == 32 or max_ranges is None
        fed = level.stand_ins[codes]
        return (oracle(fed) == oracle(codes)).mean()

    assert kept(32) > 0.95 > 0.9 > kept(None)


@pytest.mark.parametrize("how", REPRESENTATIVES)
def test_a_value_that_nobody_learned_from_has_goes_where_the_model_treats_it_alike(how):
    attribute = _numbers(10)
    rng = np.random.default_rng(0)
    codes = np.array([[0], [1], [8], [9]] * 20, np.uint16, order="F")
    oracle = Oracle(lambda codes: codes[:, 0] > 2, (10,))
    (ladder,) = ladders([attribute], responses([attribute], codes, oracle), how, rng)
    two = next(level for level in ladder if level.n_buckets == 2)
    assert two.buckets.tolist() == [0] * 3 + [1] * 7
    assert two.representatives[0] in (0, 1)
    assert two.representatives[1] in (8, 9)
    categories = Attribute("c", CategoricalDomain(("a", "b", "never")))
    codes = np.array([[0], [0], [1]] * 20, np.uint16, order="F")
    oracle = Oracle(lambda codes: codes[:, 0] > 0, (3,))
    (ladder,) = ladders([categories], responses([categories], codes, oracle), how, rng)
    two = next(level for level in ladder if level.n_buckets == 2)
    assert two.buckets.tolist() == [0, 1, 1]


def test_of_many_values_those_that_nobody_has_go_with_their_neighbours():
    attribute = _numbers(1_000)
    rng = np.random.default_rng(0)
    codes = np.array([[10], [100], [800], [900]] * 20, np.uint16, order="F")
    oracle = Oracle(lambda codes: codes[:, 0] > 500, (1_000,))
    (ladder,) = ladders([attribute], responses([attribute], codes, oracle), "response", rng)
    two = next(level for level in ladder if level.n_buckets == 2)
    assert two.buckets.tolist() == [0] * 451 + [1] * 549
    many = Attribute("c", CategoricalDomain(tuple(map(str, range(400)))))
    codes = np.array([[0], [0], [1]] * 20, np.uint16, order="F")
    oracle = Oracle(lambda codes: codes[:, 0], (400,))
    (ladder,) = ladders([many], responses([many], codes, oracle), "response", rng)
    two = next(level for level in ladder if level.n_buckets == 2)
    assert two.buckets.tolist() == [0, 1, *[0] * 398]  # with the commonest


def test_people_without_any_value_are_one_bucket():
    attribute = _numbers(400, missing=True)
    codes = np.full((40, 1), 400, np.uint16, order="F")
    oracle = Oracle(lambda codes: codes[:, 0], (401,))
    (ladder,) = ladders(
        [attribute], responses([attribute], codes, oracle), "response", np.random.default_rng(0)
    )
    assert [level.n_buckets for level in ladder] == [401, 1]
    assert ladder[1].representatives.tolist() == [400]


def test_a_missing_value_may_share_a_bucket_in_the_middle():
    attribute = _numbers(30, missing=True)
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(rng.integers(0, 31, (500, 1)).astype(np.uint16))

    def predict(codes):  # missing is treated as the middle
        value = np.where(codes[:, 0] == 30, 15, codes[:, 0].astype(int))
        return np.digitize(value, [10, 20])

    (ladder,) = ladders(
        [attribute], responses([attribute], codes, Oracle(predict, (31,))), "response", rng
    )
    three = next(level for level in ladder if level.n_buckets == 3)
    assert three.buckets.tolist() == [0] * 10 + [1] * 10 + [2] * 10 + [1]


def test_numbers_as_answers():
    attribute = _numbers(20)
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(rng.integers(0, 20, (300, 1)).astype(np.uint16))
    oracle = Oracle(lambda codes: np.where(codes[:, 0] < 7, 1.5, 90.0), (20,), regression=True)
    (ladder,) = ladders([attribute], responses([attribute], codes, oracle), "response", rng)
    two = next(level for level in ladder if level.n_buckets == 2)
    assert two.buckets.tolist() == [0] * 7 + [1] * 13


def test_what_stands_for_several_values():
    rng = np.random.default_rng(0)
    attribute = Attribute("n", NumericDomain(0, 100, True), [0, 1, 2, 100], [0, 1, 2, 100])
    codes, counts = np.arange(4), np.array([2, 1, 1, 1])
    assert stand_in(attribute, codes, counts, "median", rng) == 1
    assert stand_in(attribute, codes, counts, "mean", rng) == 2  # the mean is 20.6
    words = Attribute("c", CategoricalDomain(("a", "b", "c")))
    for how in ("median", "mean"):
        assert stand_in(words, np.array([0, 2]), np.array([1, 9, 4]), how, rng) == 2
    drawn = {
        stand_in(words, np.array([0, 2]), np.array([1, 9, 4]), "random", rng) for _ in range(99)
    }
    assert drawn == {0, 2}
    gone = _numbers(3, missing=True)  # a missing value has no place in an order
    assert stand_in(gone, np.array([1, 3]), np.array([0, 1, 0, 9]), "median", rng) == 1
    assert stand_in(gone, np.array([3]), np.array([0, 0, 0, 9]), "mean", rng) == 3
