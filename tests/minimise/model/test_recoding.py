from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Table
from sparsam.generalization import Generalization
from sparsam.minimise._partitions import code_counts, partition_of
from sparsam.minimise.model._ladder import identity, ladders
from sparsam.minimise.model._oracle import Agreement, Oracle
from sparsam.minimise.model._recoding import SettledTree, label_of
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
    found = ladders(task.table.attributes, task.codes, oracle, "response", rng)
    shares = np.full(len(found), 1 / len(found))
    search = Search(found, shares, oracle, task.codes, Agreement(oracle, oracle(task.codes)))
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
        [one.encode(np.asarray(made[one.name], dtype=object)) for one in table.attributes]
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
    found = ladders(attributes, table.codes, oracle, "response", rng)
    ranges = [next(one for one in ladder if one.n_buckets == 2) for ladder in found]
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
    (ladder,) = ladders([attribute], codes, oracle, "response", rng)
    two = next(one for one in ladder if one.n_buckets == 2)
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
def test_settled_leaves_alone_lose_no_more_than_the_recoding(any_task, data, fewest):
    task = data.draw(any_task(most_values=5))
    oracle, ranges, generalization = _case(task, data)
    learned = task.codes[: max(1, task.n_rows // 2)]
    tree = SettledTree(task.table.attributes, ranges, learned, oracle)
    before = oracle(task.codes)
    lost = tree.n_lost(task.codes, before, fewest)
    recoding = tree.recoding(generalization, fewest)
    changed = oracle(_fed(recoding, task.table)) != before
    assert lost <= changed.sum()
    # it is just those in a leaf that asks nothing, but for leaves that could be fixed whole
    leaf = recoding.leaf_of(generalization.apply_codes(task.table))
    silent = [n for n, node in enumerate(recoding.nodes) if getattr(node, "asks", "asks") == ()]
    assert lost <= changed[np.isin(leaf, silent)].sum()


def test_settled_leaves_lose_those_who_are_answered_otherwise():
    sizes = (2, 3)
    attributes = (
        Attribute("a", CategoricalDomain(("x", "y"))),
        Attribute("b", CategoricalDomain(("p", "q", "r"))),
    )
    oracle = Oracle(lambda codes: (codes[:, 0] == 1) & (codes[:, 1] != 2), sizes)
    learned = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=np.uint16)
    ranges = [identity(one, np.ones(one.size, np.int64)) for one in attributes]
    tree = SettledTree(attributes, ranges, learned, oracle)
    others = np.array([[0, 2], [1, 2], [1, 2], [1, 0]], dtype=np.uint16)
    assert tree.n_lost(others, oracle(others), 10) == 2
    assert tree.n_lost(others, oracle(others), 11) == 0  # no leaf is large enough
    fixed = SettledTree(attributes, ranges, learned, oracle, ["a"])
    assert fixed.n_lost(others, oracle(others), 10) == 0  # what is fixed may keep the answer
