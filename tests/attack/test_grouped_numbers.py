"""Numbers that few people share, learned in groups of neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsam as sp
from sparsam.attack import GeneralizedRecords, Reconstruction
from sparsam.attack._grouped_numbers import FEWEST, grouped_numbers, groups_of
from sparsam.generalization import Generalization


@given(st.lists(st.tuples(st.integers(0, 2 * FEWEST), st.integers(0, 3)), min_size=1, max_size=60))
def test_groups_hold_neighbours_of_one_kind_and_many_people(found):
    people = np.array([n for n, _ in found])
    kinds = sorted(kind for _, kind in found)
    group = groups_of(people, kinds)
    assert set(np.diff(group)) <= {0, 1}
    assert group[0] == 0
    for number in range(group[-1] + 1):
        inside = np.flatnonzero(group == number)
        assert len({kinds[place] for place in inside}) == 1
        alone = kinds.count(kinds[inside[0]]) == len(inside)
        assert alone or people[inside].sum() >= FEWEST
        # no border is missing where both sides would have enough
        sums = np.cumsum(people[inside])
        assert not ((sums[:-1] >= FEWEST) & (sums[-1] - sums[:-1] >= FEWEST)).any()


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    size = rng.normal(size=700)
    people = {
        "height": (170 + 8 * size).round(2),
        "weight": (70 + 9 * size + rng.normal(size=700)).round(2),
        "shoe": (40 + 2 * size).round(),
        "tall": np.where(size > 0, "yes", "no"),
    }
    return sp.split(sp.resolve(people, sp.Roles("tall", personal="all")))


def asked(data, generalization):
    records = GeneralizedRecords.of(generalization, data)
    reconstruction = Reconstruction()
    return records, reconstruction.questions(records, data, data.train.personal)


def test_numbers_that_many_share_stay_apart(data):
    _, questions = asked(data, Generalization.nothing(data.train.table))
    told = {question.name: grouped_numbers(question) for question in questions}
    assert told["shoe"] is None
    assert told["height"].question.size < told["height"].group.size / 10


@pytest.mark.parametrize("leaves", [2, 12])
def test_what_is_believed_of_groups_is_spread_over_their_numbers(data, leaves):
    tree = sp.PrivacyTree(max_leaves=leaves, min_leaf=20).fit_task(data.train)
    records, questions = asked(data, tree.generalization_)
    lines = np.arange(len(records))
    for question in questions:
        groups = grouped_numbers(question)
        if groups is None:
            continue
        coarse = groups.question
        assert (coarse.codes["test"] == groups.group[question.codes["test"]]).all()
        possible = coarse.possible(records)
        sure = np.ones((len(records), coarse.size)) if possible is None else possible * 1.0
        shares = (sure / sure.sum(axis=1, keepdims=True)).astype(np.float32)
        believed = groups.apart(shares.__getitem__)(lines)
        np.testing.assert_allclose(believed.sum(axis=1), 1, atol=1e-5)
        finer = question.possible(records)
        assert finer is None or not believed[~finer].any()
        for number in range(coarse.size):
            np.testing.assert_allclose(
                believed[:, groups.group == number].sum(axis=1), shares[:, number], atol=1e-5
            )


def test_an_attacker_loses_nothing_by_it(data, monkeypatch):
    """One number tells the other, up to what a tolerance forgives."""
    tree = sp.PrivacyTree(max_leaves=12, min_leaf=20, privacy=0).fit_task(data.train)
    attack = Reconstruction(models=("network",))
    found = attack.attack(tree.generalization_, data)
    monkeypatch.setattr("sparsam.attack._reconstruction.grouped_numbers", lambda question: None)
    apart = attack.attack(tree.generalization_, data)
    assert found.value < apart.value + 0.01
    assert found.value < found.baseline - 0.02
