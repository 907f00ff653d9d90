from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.data import Attribute, CategoricalDomain
from sparsam.minimise.model import _search as _model_search
from sparsam.minimise.model._ladder import ladders, responses
from sparsam.minimise.model._limits import with_constants
from sparsam.minimise.model._oracle import Agreement, Oracle
from sparsam.minimise.model._search import Search, State, answers_for


def _random_oracle(sizes, rng, regression=False):
    weights = [rng.integers(0, 3, size) for size in sizes]

    def predict(codes):
        found = sum(w[codes[:, a]] for a, w in enumerate(weights))
        return found * 1.5 if regression else found % 3

    return Oracle(predict, sizes, regression)


def _search(task, oracle, weights=None, cells=None):
    rng = np.random.default_rng(0)
    partitions = ladders(
        task.table.attributes, responses(task.table.attributes, task.codes, oracle), "response", rng
    )
    shares = (
        np.full(len(partitions), 1 / len(partitions)) if weights is None else np.asarray(weights)
    )
    agreement = Agreement(oracle, oracle(task.codes), cells=cells)
    return Search(partitions, shares, oracle, task.codes, agreement), partitions


def _slow_score(found, oracle, codes, levels):
    """Ask about every person afresh."""
    fed = codes.copy()
    for a, (ladder, level) in enumerate(zip(found, levels, strict=True)):
        one = ladder[level]
        fed[:, a] = [one.representatives[one.buckets[code]] for code in codes[:, a]]
    return Agreement(oracle, oracle(codes)).score(oracle(fed))


@given(data=st.data(), regression=st.booleans(), at_once=st.sampled_from([7, 200_000]))
@settings(max_examples=50)
def test_the_path_leads_from_everything_to_nothing(any_task, data, regression, at_once):
    task = data.draw(any_task(most_values=6))
    oracle = _random_oracle(task.sizes, np.random.default_rng(task.n_rows), regression)
    search, found = _search(task, oracle)
    before = _model_search._MOST_AT_ONCE
    _model_search._MOST_AT_ONCE = at_once
    try:
        path = search.path()
    finally:
        _model_search._MOST_AT_ONCE = before
    assert path[0] == State((0,) * len(found), 1.0)
    assert all(level.n_buckets == 1 for level in search.ranges(path[-1].levels))
    losses = [search.loss(state.levels) for state in path]
    assert losses[-1] == pytest.approx(1.0)
    for (finer, coarser), (low, high) in zip(pairwise(path), pairwise(losses), strict=True):
        collected = [
            sum(level.n_buckets > 1 for level in search.ranges(state.levels))
            for state in (finer, coarser)
        ]
        # only a value that nobody learned from has may be given up at no loss
        assert high > low or (high == low and collected[1] < collected[0])
        moved = [a for a, b in zip(finer.levels, coarser.levels, strict=True) if a != b]
        assert len(moved) == 1 or coarser is path[-1]
    for state in path:
        slow = _slow_score(found, oracle, task.codes, state.levels)
        assert state.score == pytest.approx(slow, abs=1e-12)


@given(data=st.data())
@settings(max_examples=50)
def test_scores_near_a_state_are_those_of_asking_afresh(any_task, data):
    task = data.draw(any_task(most_values=6))
    oracle = _random_oracle(task.sizes, np.random.default_rng(task.n_rows))
    search, found = _search(task, oracle)
    levels = st.tuples(*(st.integers(0, len(ladder) - 1) for ladder in found))
    near = data.draw(levels)
    options = data.draw(st.lists(levels, max_size=6))
    scores = search._scores(options, near)
    assert scores == [_slow_score(found, oracle, task.codes, one) for one in options]
    again = search._scores(options, data.draw(levels))  # another place to start from
    assert again == scores


@given(data=st.data())
@settings(max_examples=50)
def test_an_exchange_keeps_its_target_and_loses_no_information_loss(any_task, data):
    task = data.draw(any_task(most_values=6))
    oracle = _random_oracle(task.sizes, np.random.default_rng(task.n_rows))
    search, found = _search(task, oracle)
    start = data.draw(st.sampled_from(search.path()))
    target = start.score - data.draw(st.sampled_from([0.0, 0.05, 0.3]))
    better = search.exchange(start, target)
    assert better.score >= target
    assert search.loss(better.levels) >= search.loss(start.levels)
    assert better.score == pytest.approx(_slow_score(found, oracle, task.codes, better.levels))


def _slow_better(search, state, target):
    """Ask about every exchange in full."""
    now = search.loss(state.levels) + _model_search._LEAST_GAIN
    coarser = [search.state(levels) for levels in search._coarser(state.levels)]
    below = sorted((one for one in coarser if one.score < target), key=lambda one: -one.score)
    mixed = [
        search.state(levels)
        for one in below[: len(state.levels)]
        for levels in search._finer(one.levels, state.levels)
    ]
    found = [one for one in coarser + mixed if one.score >= target]
    return max((search.loss(one.levels) for one in found), default=0.0), now


@given(data=st.data(), regression=st.booleans(), at_once=st.integers(1, 4))
@settings(max_examples=60)
def test_an_exchange_is_the_best_of_all(any_task, data, regression, at_once):
    task = data.draw(any_task(most_values=6))
    oracle = _random_oracle(task.sizes, np.random.default_rng(task.n_rows), regression)
    search, _ = _search(task, oracle)
    state = data.draw(st.sampled_from(search.path()))
    target = state.score - data.draw(st.sampled_from([0.0, 0.05, 0.3]))
    before = _model_search._MIXED_AT_ONCE
    _model_search._MIXED_AT_ONCE = at_once
    try:
        better = search._better(state, target)
    finally:
        _model_search._MIXED_AT_ONCE = before
    most, now = _slow_better(search, state, target)
    if most > now:
        assert better.score >= target
        assert search.loss(better.levels) == most
    else:
        assert better is None


@given(data=st.data())
@settings(max_examples=30)
def test_a_search_from_coarser_levels_never_refines_them(any_task, data):
    task = data.draw(any_task(most_values=6))
    oracle = _random_oracle(task.sizes, np.random.default_rng(task.n_rows))
    search, found = _search(task, oracle)
    several = [sum(level.n_buckets > 1 for level in ladder) for ladder in found]
    start = tuple(data.draw(st.integers(0, max(n - 1, 0))) for n in several)
    path = search.started(start).path()
    assert path[0].levels == (0,) * len(found)
    assert start in [state.levels for state in path[:2]]
    for state in path[1:-1]:
        assert all(a >= b for a, b in zip(state.levels, start, strict=True))
    better = search.started(start).exchange(path[min(1, len(path) - 1)], 0.0)
    assert all(a >= b for a, b in zip(better.levels, start, strict=True))
    refined = search.refinements(start)
    assert (refined[0], refined[-1]) == (start, (0,) * len(found))
    assert all(sum(a) == sum(b) + 1 for a, b in pairwise(refined))


def _two_alike(n_rows=400):
    """Two attributes either of which is enough, since one is always equal to the other."""
    attributes = tuple(Attribute(name, CategoricalDomain(("f", "t"))) for name in "ab")
    rng = np.random.default_rng(0)
    codes = np.repeat(rng.integers(0, 2, (n_rows, 1)), 2, axis=1).astype(np.uint16)
    # the model wants both, and errs towards the first: either can be given up, at a cost
    oracle = Oracle(lambda codes: codes[:, 0] & codes[:, 1], (2, 2))
    return attributes, np.asfortranarray(codes), oracle


@pytest.mark.parametrize("heavy", [0, 1])
def test_weights_decide_what_is_given_up_first(heavy):
    attributes, codes, oracle = _two_alike()
    rng = np.random.default_rng(0)
    partitions = ladders(attributes, responses(attributes, codes, oracle), "response", rng)
    weights = np.array([0.2, 0.2])
    weights[heavy] = 0.8
    search = Search(partitions, weights, oracle, codes, Agreement(oracle, oracle(codes)))
    path = search.path()
    given_up = [a for a in (0, 1) if partitions[a][path[1].levels[a]].n_buckets == 1]
    assert given_up == [heavy]
    assert path[1].score == 1.0


def test_an_attribute_that_the_model_does_not_look_at_goes_first():
    rng = np.random.default_rng(0)
    attributes = [Attribute(name, CategoricalDomain(tuple("wxyz"))) for name in "abc"]
    codes = np.asfortranarray(rng.integers(0, 4, (300, 3)).astype(np.uint16))
    oracle = Oracle(lambda codes: codes[:, 1], (4, 4, 4))
    partitions = ladders(attributes, responses(attributes, codes, oracle), "response", rng)
    search = Search(partitions, np.full(3, 1 / 3), oracle, codes, Agreement(oracle, oracle(codes)))
    path = search.path()
    ranges = search.ranges(path[2].levels)
    assert [part.n_buckets for part in ranges] == [1, 4, 1]
    assert path[2].score == 1.0


def test_nothing_collected_is_fed_as_one_record_where_that_keeps_more():
    # the most usual value of each attribute alone is 1, but 1 and 1 together are rare
    attributes = [Attribute(name, CategoricalDomain(("0", "1"))) for name in "ab"]
    records = np.repeat([[0, 1], [1, 0], [1, 1], [0, 0]], [45, 45, 6, 4], axis=0)
    codes = np.asfortranarray(records.astype(np.uint16))
    oracle = Oracle(lambda codes: codes[:, 0] ^ codes[:, 1], (2, 2))
    rng = np.random.default_rng(0)
    partitions = ladders(attributes, responses(attributes, codes, oracle), "median", rng)
    partitions = [
        [ladder[0], next(o for o in ladder[1:] if o.n_buckets == 1)] for ladder in partitions
    ]
    agreement = Agreement(oracle, oracle(codes))
    plain = Search(partitions, np.full(2, 0.5), oracle, codes, agreement)
    assert plain.path()[-1].score == pytest.approx(0.1)
    usual = with_constants(partitions, np.array([1, 0], np.uint16))
    search = Search(usual, np.full(2, 0.5), oracle, codes, agreement)
    assert search.path()[-1].score == pytest.approx(0.9)


def test_the_worst_cell_steers_where_each_one_counts():
    rng = np.random.default_rng(0)
    attributes = [Attribute(name, CategoricalDomain(("0", "1"))) for name in "ab"]
    codes = np.asfortranarray(rng.integers(0, 2, (600, 2)).astype(np.uint16))
    codes[:, 0] = rng.random(600) < 0.1
    oracle = Oracle(lambda codes: codes[:, 0] & codes[:, 1], (2, 2))
    cells = codes[:, 0].astype(np.int64)
    partitions = ladders(attributes, responses(attributes, codes, oracle), "response", rng)
    answers = oracle(codes)
    search = Search(
        partitions, np.full(2, 0.5), oracle, codes, Agreement(oracle, answers, cells=cells)
    )
    without_b = search.state((0, len(partitions[1]) - 1))
    fed = np.column_stack([codes[:, 0], np.full(600, partitions[1][-1].representatives[0])])
    kept = oracle(fed.astype(np.uint16)) == answers
    assert without_b.score == pytest.approx(min(kept[cells == c].mean() for c in (0, 1)))


@given(data=st.data())
@settings(max_examples=20)
def test_answers_for_several_generalizations_at_once(any_task, data):
    task = data.draw(any_task(most_values=6))
    oracle = _random_oracle(task.sizes, np.random.default_rng(0))
    search, _ = _search(task, oracle)
    path = search.path()
    several = answers_for(oracle, task.codes, [search.ranges(state.levels) for state in path])
    agreement = Agreement(oracle, oracle(task.codes))
    assert [agreement.score(one) for one in several] == [state.score for state in path]


@given(data=st.data())
@settings(max_examples=30)
def test_states_between_two_neighbours_of_the_path(any_task, data):
    task = data.draw(any_task(most_values=8))
    oracle = _random_oracle(task.sizes, np.random.default_rng(0))
    search, found = _search(task, oracle)
    for finer, coarser in pairwise(search.path()):
        for state in search.between(finer, coarser, 3):
            (moved,) = [a for a, to in enumerate(state.levels) if to != finer.levels[a]]
            assert finer.levels[moved] < state.levels[moved] < coarser.levels[moved]
            assert search.loss(finer.levels) < search.loss(state.levels)
            assert found[moved][state.levels[moved]].n_buckets > 1
            slow = _slow_score(found, oracle, task.codes, state.levels)
            assert state.score == pytest.approx(slow)
