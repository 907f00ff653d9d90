from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Table
from sparsam.generalization import Generalization
from sparsam.generalization.recoding import Leaf
from sparsam.minimise._partitions import code_counts, partition_of
from sparsam.minimise.model import _recoding
from sparsam.minimise.model._ladder import identity, ladders, responses
from sparsam.minimise.model._oracle import Agreement, Oracle
from sparsam.minimise.model._recoding import SettledTree, label_of, needless
from sparsam.minimise.model._search import Search


def _oracle(sizes, seed, n_classes=2):
    rng = np.random.default_rng(seed)
    weights = [rng.integers(0, 3, size) for size in sizes]
    words = np.array(["no", "yes", "perhaps"])[:n_classes]
    return Oracle(
        lambda codes: words[sum(w[codes[:, a]] for a, w in enumerate(weights)) % n_classes], sizes
    )


def _case(task, data):
    """A state of the search somewhere on its path, and its generalization."""
    oracle = _oracle(task.sizes, task.n_rows)
    rng = np.random.default_rng(0)
    partitions = ladders(
        task.table.attributes, responses(task.table.attributes, task.codes, oracle), "response", rng
    )
    shares = np.full(len(partitions), 1 / len(partitions))
    search = Search(partitions, shares, oracle, task.codes, Agreement(oracle, oracle(task.codes)))
    state = data.draw(st.sampled_from(search.path()))
    ranges = search.ranges(state.levels)
    counts = code_counts(task.codes, task.sizes)
    generalization = Generalization(
        partition_of(attribute, one.buckets, count, "common")
        for attribute, one, count in zip(task.table.attributes, ranges, counts, strict=True)
    )
    return oracle, ranges, generalization


def _fed(recoding, table):
    made = recoding.apply(table)
    return np.column_stack(
        [
            attribute.encode(np.asarray(made[attribute.name], dtype=object))
            for attribute in table.attributes
        ]
    )


@given(data=st.data(), fewest=st.sampled_from([1, 2, 5]))
@settings(max_examples=60)
def test_settled_leaves_keep_the_answers_of_those_learned_from(any_task, data, fewest):
    task = data.draw(any_task(most_values=6))
    oracle, ranges, generalization = _case(task, data)
    tree = SettledTree(task.table.attributes, ranges, task.codes, oracle)
    recoding = tree.recoding(generalization, fewest)
    plain = np.column_stack([one.stand_ins[task.codes[:, a]] for a, one in enumerate(ranges)])
    answers = oracle.labels(oracle(plain))
    fed = _fed(recoding, task.table)
    assert (oracle.labels(oracle(fed)) == answers).all()
    leaves = recoding.leaf_of(generalization.apply_codes(task.table))
    for number, leaf in recoding.leaves.items():
        inside = leaves == number
        asked = [task.names.index(name) for name in leaf.asks]
        others = [a for a in range(len(task.names)) if a not in asked]
        assert (fed[np.ix_(inside, asked)] == plain[np.ix_(inside, asked)]).all()
        assert len(np.unique(fed[np.ix_(inside, others)], axis=0)) <= 1
        if leaf.prediction is None:  # open: own buckets still count
            assert leaf.asks
        else:
            assert leaf.asks == ()
            assert set(answers[inside].tolist()) <= {leaf.prediction}
            assert len(np.unique(fed[inside], axis=0)) <= 1


@given(data=st.data())
@settings(max_examples=40)
def test_everyone_is_asked_everything_where_nothing_is_settled(any_task, data):
    task = data.draw(any_task(most_values=6))
    oracle, ranges, generalization = _case(task, data)
    tree = SettledTree(task.table.attributes, ranges, task.codes, oracle)
    recoding = tree.recoding(generalization, None)
    assert len(recoding.nodes) == 1
    assert recoding.nodes[0].asks == generalization.collected
    plain = np.column_stack([one.stand_ins[task.codes[:, a]] for a, one in enumerate(ranges)])
    assert (_fed(recoding, task.table) == plain).all()
    if not generalization.collected:
        (answer,) = set(oracle.labels(oracle(plain)).tolist())
        assert recoding.nodes[0].prediction == answer


@given(data=st.data())
@settings(max_examples=40)
def test_what_is_fixed_is_fed_as_it_is(any_task, data):
    task = data.draw(any_task(most_values=6))
    oracle, ranges, generalization = _case(task, data)
    names = [name for name in task.names if data.draw(st.booleans())]
    tree = SettledTree(task.table.attributes, ranges, task.codes, oracle, names)
    recoding = tree.recoding(generalization, 1)
    fed = _fed(recoding, task.table)
    plain = np.column_stack([one.stand_ins[task.codes[:, a]] for a, one in enumerate(ranges)])
    for a, name in enumerate(task.names):
        if name in names:
            assert (fed[:, a] == plain[:, a]).all()
    assert (oracle(fed) == oracle(plain)).all()


def test_people_whose_answer_is_certain_are_asked_less():
    ages = np.arange(60)
    attributes = (
        Attribute("age", NumericDomain(0, 59, True), ages, ages),
        Attribute("work", CategoricalDomain(("a", "b", "c"))),
    )
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, 60, 500), rng.integers(0, 3, 500)])
    table = Table(attributes, np.asfortranarray(codes.astype(np.uint16)))
    oracle = Oracle(lambda c: (c[:, 0] >= 18) & (c[:, 1] == 1), (60, 3))
    partitions = ladders(attributes, responses(attributes, table.codes, oracle), "response", rng)
    ranges = [next(one for one in ladder if one.n_buckets == 2) for ladder in partitions]
    counts = code_counts(table.codes, (60, 3))
    generalization = Generalization(
        partition_of(*each)
        for each in zip(attributes, [r.buckets for r in ranges], counts, strict=True)
    )
    recoding = SettledTree(attributes, ranges, table.codes, oracle).recoding(generalization, 10)
    assert all(leaf.prediction is not None for leaf in recoding.leaves.values())
    assert {leaf.prediction for leaf in recoding.leaves.values()} == {True, False}
    few = SettledTree(attributes, ranges, table.codes, oracle).recoding(generalization, 400)
    assert [leaf.prediction for leaf in few.leaves.values()] == [None]  # no leaf is large enough


def test_numbers_are_settled_by_the_class_they_fall_into():
    values = np.arange(40)
    attribute = Attribute("n", NumericDomain(0, 39, True), values, values)
    codes = np.asfortranarray(np.tile(values, 10)[:, None].astype(np.uint16))
    oracle = Oracle(lambda c: np.where(c[:, 0] < 20, 1.0, 5.0), (40,), regression=True)
    rng = np.random.default_rng(0)
    (ladder,) = ladders([attribute], responses([attribute], codes, oracle), "response", rng)
    two = next(ranges for ranges in ladder if ranges.n_buckets == 2)
    counts = np.bincount(codes[:, 0])
    generalization = Generalization([partition_of(attribute, two.buckets, counts)])
    recoding = SettledTree([attribute], [two], codes, oracle).recoding(generalization, 10)
    assert sorted(leaf.prediction for leaf in recoding.leaves.values()) == [1.0, 5.0]


@pytest.mark.parametrize("words", [["no", "yes"], [3, 7], [True, False], [0.5, 1.5]])
def test_a_label_is_a_plain_value(words):
    oracle = Oracle(lambda c: np.array(words)[c[:, 0]], (2,))
    found = [label_of(oracle, oracle(np.array([[place]], np.uint16))) for place in (0, 1)]
    assert found == words
    assert [type(one) for one in found] == [type(one) for one in words]


def test_several_outputs_are_one_line_of_words():
    plain = np.array([["a", "x"], ["b", "y"]])
    oracle = Oracle(lambda c: plain[c[:, 0]], (2,))
    assert label_of(oracle, oracle(np.array([[1]], np.uint16))) == "b, y"


@given(data=st.data(), fewest=st.sampled_from([1, 2, 5]))
@settings(max_examples=60)
def test_people_of_settled_leaves_get_the_answer_of_the_recoding(any_task, data, fewest):
    task = data.draw(any_task(most_values=5))
    oracle, ranges, generalization = _case(task, data)
    learned = task.codes[: max(1, task.n_rows // 2)]
    tree = SettledTree(task.table.attributes, ranges, learned, oracle)
    settled, answers = tree.settled(task.codes, fewest)
    recoding = tree.recoding(generalization, fewest)
    assert answers.tolist() == oracle(_fed(recoding, task.table))[settled].tolist()
    # they are just those in a leaf that asks nothing, but for leaves that could be fixed whole
    leaf = recoding.leaf_of(generalization.apply_codes(task.table))
    silent = [n for n, node in enumerate(recoding.nodes) if getattr(node, "asks", "asks") == ()]
    assert np.isin(leaf[settled], silent).all()
    assert tree.fits(fewest)


def test_settled_leaves_answer_otherwise_for_some():
    sizes = (2, 3)
    attributes = (
        Attribute("a", CategoricalDomain(("x", "y"))),
        Attribute("b", CategoricalDomain(("p", "q", "r"))),
    )
    oracle = Oracle(lambda codes: (codes[:, 0] == 1) & (codes[:, 1] != 2), sizes)
    learned = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=np.uint16)
    ranges = [identity(attribute, np.ones(attribute.size, np.int64)) for attribute in attributes]
    tree = SettledTree(attributes, ranges, learned, oracle)
    others = np.array([[0, 2], [1, 2], [1, 2], [1, 0]], dtype=np.uint16)
    settled, answers = tree.settled(others, 10)
    assert settled.tolist() == [0, 1, 2, 3]
    assert (answers != oracle(others)).tolist() == [False, True, True, False]
    assert not len(tree.settled(others, 11)[0])  # no leaf is large enough
    fixed = SettledTree(attributes, ranges, learned, oracle, ["a"])
    assert not len(fixed.settled(others, 10)[0])  # what is fixed may keep the answer


def test_what_is_too_dear_to_find_out_is_asked_about(monkeypatch):
    rng = np.random.default_rng(0)
    attributes = [Attribute(name, CategoricalDomain(tuple("wxyz"))) for name in "abcd"]
    codes = np.asfortranarray(rng.integers(0, 4, (400, 4)).astype(np.uint16))
    oracle = Oracle(lambda codes: np.where(codes[:, 0] > 1, codes[:, 1], codes[:, 2]), (4,) * 4)
    ranges = [identity(attribute, np.ones(4, np.int64)) for attribute in attributes]
    counts = code_counts(codes, (4,) * 4)
    generalization = Generalization(
        partition_of(attribute, of.buckets, count, "common")
        for attribute, of, count in zip(attributes, ranges, counts, strict=True)
    )
    tree = SettledTree(attributes, ranges, codes, oracle)
    full = tree.recoding(generalization, 30)
    monkeypatch.setattr(_recoding, "_MOST_ASKED", 0)
    few = tree.recoding(generalization, 30)
    table = Table(tuple(attributes), codes)
    asked = [
        sum(len(node.asks) for node in of.nodes if isinstance(node, Leaf)) for of in (full, few)
    ]
    assert asked[0] <= asked[1]
    assert (oracle(_fed(few, table)) == oracle(codes)).all()
    assert sum(n.split is None for n in tree._shape(30)[0]) == len(full.leaves) == len(few.leaves)


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
