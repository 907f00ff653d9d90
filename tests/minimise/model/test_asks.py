from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.minimise.model._asks import needless


def _differs(model, fed):
    """Whether a record gets another answer than the person it is for."""

    def differs(records, people):
        return model(records) != model(fed[people])

    return differs


def _with(constants, fed, members):
    made = fed.copy()
    for leaf, values in constants.items():
        for a, value in values.items():
            made[members[leaf], a] = value
    return made


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.booleans())
@settings(max_examples=150)
def test_no_answer_changes_by_what_is_not_asked(seed, n_leaves, spare):
    rng = np.random.default_rng(seed)
    fed = rng.integers(0, 3, (60, 4)).astype(np.uint16)
    parts = [rng.integers(0, 4, 3) // 3 for _ in range(4)]

    def model(records):
        return sum(part[records[:, a]] for a, part in enumerate(parts)) > 0

    leaf = rng.integers(0, n_leaves, 60)
    members = {n: np.flatnonzero(leaf == n) for n in range(n_leaves + 1)}  # the last has nobody
    spared = [1] if spare else []
    constants = needless(fed, members, _differs(model, fed), spared)
    assert set(constants) == set(members)
    assert constants[n_leaves] == {}
    for n, values in constants.items():
        assert not set(values) & set(spared)
        for a, value in values.items():
            assert value == np.bincount(fed[members[n], a]).argmax()
    assert (model(_with(constants, fed, members)) == model(fed)).all()


def test_what_the_model_does_not_look_at_in_a_leaf_is_not_asked_there():
    rng = np.random.default_rng(0)
    fed = rng.integers(0, 3, (90, 3)).astype(np.uint16)
    leaf = (fed[:, 0] > 0).astype(int)
    members = {n: np.flatnonzero(leaf == n) for n in (0, 1)}

    def model(records):  # the second attribute counts in one leaf, the third in the other
        return np.where(records[:, 0] > 0, records[:, 1], records[:, 2])

    constants = needless(fed, members, _differs(model, fed))
    assert set(constants[0]) == {0, 1}
    assert set(constants[1]) == {0, 2}


def test_two_that_stand_in_for_each_other_are_not_both_left_out():
    # either says the same, so either alone changes nothing, but both together do
    half = np.repeat([0, 1], [30, 20])
    fed = np.column_stack([half, half]).astype(np.uint16)

    def model(records):
        return records[:, 0] | records[:, 1]

    constants = needless(fed, {0: np.arange(50)}, _differs(model, fed))
    assert len(constants[0]) == 1


def _one_after_the_other(fed, members, model, spared):
    """Fix attributes in one leaf at a time, each asked about alone."""
    constants = {}
    alone = {}
    for a in (a for a in range(fed.shape[1]) if a not in spared):
        alone[a] = {}
        for leaf, people in members.items():
            if len(people):
                made = fed[people].copy()
                made[:, a] = np.bincount(fed[people, a]).argmax()
                alone[a][leaf] = (model(made) != model(fed[people])).sum()
    order = sorted(alone, key=lambda a: sum(alone[a].values()))
    for leaf, people in members.items():
        constants[leaf], made = {}, fed[people].copy()
        for a in (a for a in order if len(people) and not alone[a][leaf]):
            value = np.bincount(fed[people, a]).argmax()
            tried = made.copy()
            tried[:, a] = value
            if (model(tried) == model(fed[people])).all():
                made, constants[leaf][a] = tried, value
    return constants


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.booleans())
@settings(max_examples=150)
def test_asking_at_once_finds_what_asking_one_after_the_other_does(seed, n_leaves, spare):
    rng = np.random.default_rng(seed)
    fed = (rng.random((40, 5)) < rng.random(5)).astype(np.uint16)
    of_record = rng.integers(0, 8, 32) // 7 if seed % 2 else rng.integers(0, 3, 32) // 2

    def model(records):  # any function of five bits
        return of_record[records.astype(int) @ (1 << np.arange(5))]

    leaf = rng.integers(0, n_leaves, 40)
    members = {n: np.flatnonzero(leaf == n) for n in range(n_leaves + 1)}
    spared = [1] if spare else []
    found = needless(fed, members, _differs(model, fed), spared)
    assert found == _one_after_the_other(fed, members, model, spared)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_settled_leaves_need_no_values_and_change_none_of_the_others(seed):
    rng = np.random.default_rng(seed)
    fed = (rng.random((40, 5)) < rng.random(5)).astype(np.uint16)
    of_record = rng.integers(0, 8, 32) // 7
    asked = []

    def model(records):
        asked.append(len(records))
        return of_record[records.astype(int) @ (1 << np.arange(5))]

    leaf = rng.integers(0, 3, 40)
    members = {n: np.flatnonzero(leaf == n) for n in range(3)}
    every = needless(fed, members, _differs(model, fed))
    before = sum(asked)
    some = needless(fed, members, _differs(model, fed), settled=[1])
    assert some == {**every, 1: {}}
    assert sum(asked) - before <= before
