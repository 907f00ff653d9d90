"""Trees of classes: every class satisfies the demand, and rows find theirs again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.anonymise._classes import Division
from sparsam.anonymise._privacy_models import KAnonymity
from sparsam.anonymise.kernels._packed_rows import IMPURITY, LOSS
from sparsam.anonymise.methods._class_tree import grow_tree
from sparsam.anonymise.methods._greedy import Greedy
from sparsam.anonymise.methods._guided import Guided, Hybrid
from sparsam.anonymise.methods._mondrian import Mondrian
from sparsam.data import read


def slow_route(tree: Any, row: list[int]) -> int:
    nodes, node = tree.nodes, 0
    while nodes.attribute[node] >= 0:
        attribute = nodes.attribute[node]
        code = row[attribute]
        if nodes.mask_at[node] >= 0:
            bits = np.unpackbits(nodes.masks[nodes.mask_at[node] :], bitorder="little")
            left = bool(bits[code])
        elif code == tree.missing[attribute]:
            left = bool(nodes.missing_left[node])
        else:
            left = code <= nodes.threshold[node]
        node = nodes.children[node][0 if left else 1]
    return int(nodes.leaf[node])


def grown(name: str, codes: Any, attributes: Any, k: int) -> Any:
    answers = (codes.sum(axis=1) % 3).astype(np.int64)
    if name in ("guided", "hybrid"):
        learner: Any = Guided() if name == "guided" else Hybrid(least_gain=1.0)
        return learner.part(Division(codes, attributes, KAnonymity(k), answers))
    return (Mondrian() if name == "mondrian" else Greedy()).part(
        Division(codes, attributes, KAnonymity(k))
    )


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    n_rows=st.integers(6, 80),
    name=st.sampled_from(["mondrian", "greedy", "guided", "hybrid"]),
)
def test_rows_are_routed_to_their_own_class(
    random_codes: Callable[..., Any], seed: int, n_rows: int, name: str
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    tree = grown(name, codes, attributes, 3)
    assert tree.route(codes).tolist() == tree.classes.of_row.tolist()
    sizes = np.array([attribute.size for attribute in attributes])
    new = np.random.default_rng(seed).integers(0, sizes, (30, len(sizes)))
    assert tree.route(new).tolist() == [slow_route(tree, row) for row in new.tolist()]


def test_new_rows_may_fall_short_of_k() -> None:
    table = read({"age": [20, 21, 40, 41]})
    tree = Mondrian().part(Division(table.codes, table.attributes, KAnonymity(2)))
    assert np.bincount(tree.route(table.codes[:3])).min() == 1


def test_an_unseen_category_goes_with_the_larger_part() -> None:
    attributes = read({"town": list("abcdefg")}).attributes
    codes = np.array([[0]] * 6 + [[1]] * 3, np.uint16)
    tree = Greedy().part(Division(codes, attributes, KAnonymity(3)))
    assert len(set(tree.route(np.array([[0], [5], [6]], np.uint16)).tolist())) == 1


def test_a_tree_of_one_class() -> None:
    table = read({"age": [20, 21, 40]})
    tree = Mondrian().part(Division(table.codes, table.attributes, KAnonymity(2)))
    assert (repr(tree), tree.depth) == ("ClassTree(1 classes, depth 0)", 0)
    assert tree.route(table.codes).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (np.zeros((2, 2), np.uint16), "one column per quasi-identifier"),
        (np.zeros(2, np.uint16), "one column per quasi-identifier"),
        (np.zeros((2, 1)), "whole numbers"),
        (np.full((2, 1), 4, np.uint16), "Got 2 that do not"),
        (np.full((2, 1), -1), "Got 2 that do not"),
    ],
)
def test_bad_codes_are_refused(codes: Any, message: str) -> None:
    table = read({"age": [20, 21, 40, 41]})
    tree = Mondrian().part(Division(table.codes, table.attributes, KAnonymity(2)))
    with pytest.raises(DataError, match=message):
        tree.route(codes)


LEARNERS = (
    Mondrian(),
    Mondrian(strict=False),
    Greedy(),
    Greedy(tries=1),
    Guided(),
    Hybrid(least_gain=3.0),
)


@dataclass
class Counted:
    """At least so many rows, without saying that nothing else matters."""

    least_rows: int

    def holds(self, rows: Any) -> bool:
        return len(rows) >= self.least_rows


@dataclass
class Diverse:
    """At least two different values of a hidden column, and k rows; remembers what it was asked."""

    hidden: Any
    k: int

    def holds(self, rows: Any) -> bool:
        assert rows.dtype == np.int64
        assert (np.diff(rows) > 0).all()
        return len(rows) >= self.k and len(np.unique(self.hidden[rows])) >= 2


def fitted(learner: Any, codes: Any, attributes: Any, demand: Any, seed: int) -> Any:
    more = ()
    if isinstance(learner, Guided | Hybrid):
        more = (np.random.default_rng(seed).integers(0, 3, len(codes)),)
    return learner.part(Division(codes, attributes, demand, *more))


def as_sets(tree: Any) -> set[frozenset[int]]:
    return {frozenset(rows.tolist()) for rows in tree.classes.rows()}


@settings(max_examples=100)
@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(2, 80),
    k=st.integers(2, 9),
    learner=st.sampled_from(LEARNERS),
)
def test_step_by_step_is_the_same_as_compiled(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int, learner: Any
) -> None:
    codes, attributes = random_codes(seed, max(n_rows, k))
    fast = fitted(learner, codes, attributes, KAnonymity(k), seed)
    slow = fitted(learner, codes, attributes, Counted(k), seed)
    assert as_sets(fast) == as_sets(slow)
    assert sorted(fast.nodes.attribute.tolist()) == sorted(slow.nodes.attribute.tolist())


@settings(max_examples=100)
@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(4, 80),
    k=st.integers(1, 6),
    learner=st.sampled_from(LEARNERS),
)
def test_any_demand_holds_for_every_class(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int, learner: Any
) -> None:
    codes, attributes = random_codes(seed, max(n_rows, k))
    hidden = np.random.default_rng(seed + 1).integers(0, 3, len(codes))
    hidden[:2] = 0, 1
    demand = Diverse(hidden, k)
    tree = fitted(learner, codes, attributes, demand, seed)
    assert all(demand.holds(rows) for rows in tree.classes.rows())
    assert tree.classes.sizes().sum() == len(codes)
    if learner != Mondrian(strict=False):
        assert tree.route(codes).tolist() == tree.classes.of_row.tolist()


def test_a_cut_that_is_turned_down_is_followed_by_one_of_another_attribute() -> None:
    table = read({"age": [1, 2, 98, 99], "sex": ["f", "m", "f", "m"]})
    hidden = np.array([0, 0, 1, 1])  # the young are all alike, and so are the old
    for learner in (Mondrian(), Greedy()):
        tree = fitted(learner, table.codes, table.attributes, Diverse(hidden, 2), 0)
        assert as_sets(tree) == {frozenset({0, 2}), frozenset({1, 3})}


def test_a_cut_by_loss_that_is_turned_down_is_followed_by_the_median() -> None:
    table = read({"income": [1, 2, 3, 4, 1000, 1001]})
    hidden = np.array([0, 1, 0, 1, 1, 1])  # the two rich are alike
    tree = Greedy().part(Division(table.codes, table.attributes, Diverse(hidden, 2)))
    assert as_sets(tree) == {frozenset({0, 1, 2}), frozenset({3, 4, 5})} or tree.n_classes == 1
    hidden = np.array([0, 1, 1, 0, 1, 1])
    tree = Greedy().part(Division(table.codes, table.attributes, Diverse(hidden, 2)))
    assert as_sets(tree) == {frozenset({0, 1, 2}), frozenset({3, 4, 5})}


def test_the_same_answers_as_words_numbers_and_truth_values() -> None:
    rng = np.random.default_rng(0)
    table = read({"age": rng.integers(0, 60, 400), "town": list("abcd") * 100})
    yes = rng.random(400) < 0.2 + 0.01 * table.column("age")
    answers = [yes, yes.astype(int), np.where(yes, "yes", "no"), yes.astype(float)]
    answers.append(np.where(yes, "yes", "no").astype(object))
    grown = [
        as_sets(
            grow_tree(
                Division(table.codes, table.attributes, KAnonymity(20), given_answers), IMPURITY
            )
        )
        for given_answers in answers
    ]
    assert all(one == grown[0] for one in grown)


def test_the_answer_does_not_depend_on_memory_order_or_kind_of_codes() -> None:
    rng = np.random.default_rng(0)
    table = read({"age": rng.integers(0, 60, 400), "town": list("abcd") * 100})
    expected = grow_tree(
        Division(table.codes, table.attributes, KAnonymity(5)), LOSS
    ).classes.of_row
    for codes in (np.ascontiguousarray(table.codes), table.codes.astype(np.int64)):
        of_row = grow_tree(Division(codes, table.attributes, KAnonymity(5)), LOSS).classes.of_row
        assert of_row.tolist() == expected.tolist()


def test_the_input_is_left_as_it_was() -> None:
    table = read({"age": list(range(30))})
    before = table.codes.copy()
    answers = np.arange(30) / 7
    kept = answers.copy()
    Hybrid(least_gain=0).part(Division(table.codes, table.attributes, KAnonymity(3), answers))
    assert (table.codes == before).all()
    assert (answers == kept).all()


def test_a_demand_that_all_rows_fail_is_refused() -> None:
    table = read({"age": [20, 21, 40]})
    with pytest.raises(DataError, match="no way of dividing them does"):
        Greedy().part(Division(table.codes, table.attributes, Diverse(np.zeros(3), 2)))
