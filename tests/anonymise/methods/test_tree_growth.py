"""Growth by any demand: the same as by counting where only counts matter, and it holds always."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError
from sparsam.anonymise.kernels._packed_rows import IMPURITY, LOSS
from sparsam.anonymise.methods._greedy import Greedy
from sparsam.anonymise.methods._guided import Guided
from sparsam.anonymise.methods._hybrid import Hybrid
from sparsam.anonymise.methods._mondrian import Mondrian
from sparsam.anonymise.methods._tree_growth import grow_tree
from sparsam.anonymise.privacy._privacy_models import KAnonymity
from sparsam.data import read

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
    return learner.part(codes, attributes, demand, *more)


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
    tree = Greedy().part(table.codes, table.attributes, Diverse(hidden, 2))
    assert as_sets(tree) == {frozenset({0, 1, 2}), frozenset({3, 4, 5})} or tree.n_classes == 1
    hidden = np.array([0, 1, 1, 0, 1, 1])
    tree = Greedy().part(table.codes, table.attributes, Diverse(hidden, 2))
    assert as_sets(tree) == {frozenset({0, 1, 2}), frozenset({3, 4, 5})}


def test_the_same_answers_as_words_numbers_and_truth_values() -> None:
    rng = np.random.default_rng(0)
    table = read({"age": rng.integers(0, 60, 400), "town": list("abcd") * 100})
    yes = rng.random(400) < 0.2 + 0.01 * table.column("age")
    answers = [yes, yes.astype(int), np.where(yes, "yes", "no"), yes.astype(float)]
    answers.append(np.where(yes, "yes", "no").astype(object))
    grown = [
        as_sets(grow_tree(table.codes, table.attributes, KAnonymity(20), IMPURITY, given_answers))
        for given_answers in answers
    ]
    assert all(one == grown[0] for one in grown)


def test_the_answer_does_not_depend_on_memory_order_or_kind_of_codes() -> None:
    rng = np.random.default_rng(0)
    table = read({"age": rng.integers(0, 60, 400), "town": list("abcd") * 100})
    expected = grow_tree(table.codes, table.attributes, KAnonymity(5), LOSS).classes.of_row
    for codes in (np.ascontiguousarray(table.codes), table.codes.astype(np.int64)):
        found = grow_tree(codes, table.attributes, KAnonymity(5), LOSS).classes.of_row
        assert found.tolist() == expected.tolist()


def test_the_input_is_left_as_it_was() -> None:
    table = read({"age": list(range(30))})
    before = table.codes.copy()
    answers = np.arange(30) / 7
    kept = answers.copy()
    Hybrid(least_gain=0).part(table.codes, table.attributes, KAnonymity(3), answers)
    assert (table.codes == before).all()
    assert (answers == kept).all()


def test_a_demand_that_all_rows_fail_is_refused() -> None:
    table = read({"age": [20, 21, 40]})
    with pytest.raises(DataError, match="no way of dividing them does"):
        Greedy().part(table.codes, table.attributes, Diverse(np.zeros(3), 2))
