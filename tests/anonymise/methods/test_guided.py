"""Guided and Hybrid: classes follow what a model says of people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sparsam._errors import DataError, ParameterError
from sparsam.anonymise._classes import Division
from sparsam.anonymise._privacy_models import KAnonymity
from sparsam.anonymise._tight_loss import tight_loss
from sparsam.anonymise.methods._greedy import Greedy
from sparsam.anonymise.methods._guided import Guided, Hybrid
from sparsam.data import read


def unexplained(of_row: Any, answers: Any) -> float:
    """Sum of squared distances from the mean of the class; labels as one column each."""
    columns = np.column_stack([answers == label for label in np.unique(answers)]).astype(float)
    if answers.dtype.kind == "f":
        columns = answers[:, None]
    total = 0.0
    for number in np.unique(of_row):
        inside = columns[of_row == number]
        total += float(((inside - inside.mean(axis=0)) ** 2).sum())
    return total


def asked(rng: np.random.Generator, n_rows: int, kind: str) -> Any:
    if kind == "numbers":
        return np.round(rng.normal(3, 2, n_rows), 2)
    return rng.integers(0, 2 if kind == "two" else 4, n_rows)


def by_answer(column: Any, answers: Any) -> Any:
    """Categories by their mean answer, or their share of the most common label, falling."""
    codes = np.unique(column)
    if answers.dtype.kind != "f":
        answers = answers == np.bincount(answers).argmax()
    shares = np.array([answers[column == code].mean() for code in codes])
    return codes[np.argsort(-shares, kind="stable")]


@settings(max_examples=120)
@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(6, 40),
    kind=st.sampled_from(["two", "numbers"]),
)
def test_one_cut_of_one_attribute_is_the_best_in_the_order_of_answers(
    random_codes: Callable[..., Any], seed: int, n_rows: int, kind: str
) -> None:
    codes, attributes = random_codes(seed, n_rows, 1)
    answers = asked(np.random.default_rng(seed), n_rows, kind)
    k = n_rows // 3 + 1  # so many that no part can be cut again
    tree = Guided().part(Division(codes, attributes, KAnonymity(k), answers))
    column, attribute = codes[:, 0], attributes[0]
    ranked = by_answer(column, answers)
    sides = [np.isin(column, ranked[:size]) for size in range(len(ranked))]
    if attribute.ordered:
        sides = [column <= t for t in range(attribute.size)]
        sides += [side | (column == attribute.n_values) for side in sides]
    allowed = [side for side in sides if min(side.sum(), (~side).sum()) >= k]
    best = min([unexplained(side, answers) for side in allowed], default=np.inf)
    best = min(best, unexplained(np.zeros(n_rows), answers))
    assert unexplained(tree.classes.of_row, answers) == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("kind", ["two", "four", "numbers"])
@pytest.mark.parametrize("k", [3, 20])
def test_numbers_are_cut_as_by_the_library_tree(
    random_codes: Callable[..., Any], kind: str, k: int
) -> None:
    rng = np.random.default_rng(3)
    table = read({f"x{j}": rng.normal(size=300) for j in range(3)}, max_codes=400)
    answers = asked(rng, 300, kind)
    learner = DecisionTreeRegressor if kind == "numbers" else DecisionTreeClassifier
    library = learner(min_samples_leaf=k, random_state=0).fit(table.codes, answers)
    tree = Guided().part(Division(table.codes, table.attributes, KAnonymity(k), answers))
    theirs = unexplained(library.apply(table.codes), answers)
    assert unexplained(tree.classes.of_row, answers) == pytest.approx(theirs, rel=0.02)
    assert tree.n_classes == pytest.approx(library.get_n_leaves(), rel=0.05)


@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(2, 90),
    k=st.integers(2, 9),
    kind=st.sampled_from(["two", "four", "numbers"]),
)
def test_k_holds_and_nobody_is_lost(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int, kind: str
) -> None:
    codes, attributes = random_codes(seed, max(n_rows, k))
    answers = asked(np.random.default_rng(seed), len(codes), kind)
    tree = Guided().part(Division(codes, attributes, KAnonymity(k), answers))
    assert tree.classes.sizes().min() >= k
    assert tree.classes.sizes().sum() == len(codes)
    whole = unexplained(np.zeros(len(codes)), answers)
    assert unexplained(tree.classes.of_row, answers) <= whole + 1e-9


def test_one_answer_is_one_class() -> None:
    table = read({"age": list(range(50))})
    for answers in (np.array(["yes"] * 50), np.full(50, 3.3), np.full(50, 1e300)):
        tree = Guided().part(Division(table.codes, table.attributes, KAnonymity(2), answers))
        assert tree.n_classes == 1


def test_categories_are_grouped_by_their_answers() -> None:
    table = read({"town": list("abcdefgh") * 5})
    answers = np.isin(table.codes[:, 0], [0, 3, 6])
    tree = Guided().part(Division(table.codes, table.attributes, KAnonymity(2), answers))
    assert tree.n_classes == 2
    assert (tree.classes.of_row == tree.classes.of_row[0]).tolist() == answers.tolist()


def test_missing_numbers_go_where_their_answers_are() -> None:
    table = read({"age": [1.0, 2.0, None, None, 8.0, 9.0]})
    answers = np.array(["no", "no", "no", "no", "yes", "yes"])
    tree = Guided().part(Division(table.codes, table.attributes, KAnonymity(2), answers))
    assert len(set(tree.classes.of_row[:4])) == 1
    assert tree.n_classes == 2


class AtLeastOne:
    """Everybody may stand alone."""

    plain_k = 1

    def holds(self, rows: Any) -> bool:
        return len(rows) >= 1


def test_a_tree_as_deep_as_there_are_values() -> None:
    # Answers that alternate: each cut takes off the person at one end.
    table = read({"age": list(range(1000))}, max_codes=1000)
    tree = Guided().part(Division(table.codes, table.attributes, AtLeastOne(), np.arange(1000) % 2))
    assert tree.n_classes == 1000
    assert tree.depth > 400
    assert tree.route(table.codes).tolist() == tree.classes.of_row.tolist()


def test_many_labels_do_not_fit_a_byte() -> None:
    table = read({"age": list(range(600))}, max_codes=600)
    answers = np.repeat(np.arange(300), 2)
    tree = Guided().part(Division(table.codes, table.attributes, KAnonymity(2), answers))
    assert tree.n_classes == 300
    assert unexplained(tree.classes.of_row, answers) == pytest.approx(0)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (np.array([1, 2]), "one answer for each of the 4 rows"),
        (np.array([[1], [2], [1], [2]]), "one answer for each of the 4 rows"),
        (np.array([1.0, np.nan, np.inf, 2.0]), "Got 2 that are not"),
        (np.array(["secret", None, "b", float("nan")], dtype=object), "Got 2 without one"),
    ],
)
def test_bad_answers_are_refused_without_naming_them(answers: Any, message: str) -> None:
    table = read({"age": [20, 21, 40, 41]})
    with pytest.raises(DataError, match=message) as caught:
        Guided().part(Division(table.codes, table.attributes, KAnonymity(2), answers))
    assert "secret" not in str(caught.value)


def as_sets(tree: Any) -> set[frozenset[int]]:
    return {frozenset(rows.tolist()) for rows in tree.classes.rows()}


@settings(max_examples=60)
@given(seed=st.integers(0, 100_000), n_rows=st.integers(2, 90), k=st.integers(2, 9))
def test_without_worthwhile_answers_it_is_greedy(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int
) -> None:
    codes, attributes = random_codes(seed, max(n_rows, k))
    answers = np.random.default_rng(seed).integers(0, 2, len(codes))
    greedy = as_sets(Greedy().part(Division(codes, attributes, KAnonymity(k))))
    unmoved = Hybrid(least_gain=np.inf).part(Division(codes, attributes, KAnonymity(k), answers))
    alike = Hybrid(least_gain=0).part(
        Division(codes, attributes, KAnonymity(k), np.zeros(len(codes), int))
    )
    assert as_sets(unmoved) == greedy
    assert as_sets(alike) == greedy


@settings(max_examples=60)
@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(2, 90),
    k=st.integers(2, 9),
    least_gain=st.sampled_from([0.0, 3.0, 20.0]),
)
def test_k_holds_and_nobody_is_lost_by_hybrid(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int, least_gain: float
) -> None:
    codes, attributes = random_codes(seed, max(n_rows, k))
    answers = codes[:, 0] % 2
    tree = Hybrid(least_gain=least_gain).part(Division(codes, attributes, KAnonymity(k), answers))
    assert tree.classes.sizes().min() >= k
    assert tree.classes.sizes().sum() == len(codes)
    assert tree.route(codes).tolist() == tree.classes.of_row.tolist()


@settings(max_examples=60)
@given(seed=st.integers(0, 100_000), n_rows=st.integers(4, 90))
def test_it_goes_on_where_guided_stops(
    random_codes: Callable[..., Any], seed: int, n_rows: int
) -> None:
    codes, attributes = random_codes(seed, n_rows)
    # Two labels that one cut of the first attribute tells apart: guided stops there.
    answers = (codes[:, 0] == codes[0, 0]).astype(int)
    guided = Guided().part(Division(codes, attributes, KAnonymity(2), answers))
    hybrid = Hybrid(least_gain=0).part(Division(codes, attributes, KAnonymity(2), answers))
    losses = [tight_loss(t.classes, codes, attributes).overall for t in (guided, hybrid)]
    assert hybrid.n_classes >= guided.n_classes
    assert losses[1] <= losses[0] + 1e-12


def test_chance_differences_are_not_followed() -> None:
    rng = np.random.default_rng(0)
    table = read({f"x{j}": rng.integers(0, 20, 2000) for j in range(4)})
    answers = rng.integers(0, 2, 2000)
    losses = {}
    for name, learner in (("all", Hybrid(least_gain=0)), ("some", Hybrid())):
        tree = learner.part(Division(table.codes, table.attributes, KAnonymity(5), answers))
        losses[name] = tight_loss(tree.classes, table.codes, table.attributes).overall
    greedy = Greedy().part(Division(table.codes, table.attributes, KAnonymity(5)))
    lowest = tight_loss(greedy.classes, table.codes, table.attributes).overall
    assert losses["some"] < (lowest + losses["all"]) / 2


def test_a_clear_difference_is_followed_first() -> None:
    rng = np.random.default_rng(0)
    table = read({"wide": rng.integers(0, 99, 400), "sex": rng.choice(["f", "m"], 400)})
    answers = table.column("sex")
    tree = Hybrid().part(Division(table.codes, table.attributes, KAnonymity(10), answers))
    assert tree.nodes.attribute[0] == 1


@pytest.mark.parametrize("least_gain", [-1.0, float("nan")])
def test_bad_gains_are_refused(least_gain: float) -> None:
    table = read({"age": [20, 21, 40]})
    with pytest.raises(ParameterError, match="'least_gain' parameter of Hybrid"):
        Hybrid(least_gain=least_gain).part(
            Division(table.codes, table.attributes, KAnonymity(2), np.zeros(3, int))
        )
