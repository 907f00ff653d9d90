"""Guided cuts beside all cuts that there are, and beside scikit-learn's tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sparsam._errors import DataError
from sparsam.anonymise.methods._guided import Guided
from sparsam.anonymise.privacy._privacy_models import KAnonymity
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
    tree = Guided().part(codes, attributes, KAnonymity(k), answers)
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
    tree = Guided().part(table.codes, table.attributes, KAnonymity(k), answers)
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
    tree = Guided().part(codes, attributes, KAnonymity(k), answers)
    assert tree.classes.sizes().min() >= k
    assert tree.classes.sizes().sum() == len(codes)
    whole = unexplained(np.zeros(len(codes)), answers)
    assert unexplained(tree.classes.of_row, answers) <= whole + 1e-9


def test_one_answer_is_one_class() -> None:
    table = read({"age": list(range(50))})
    for answers in (np.array(["yes"] * 50), np.full(50, 3.3), np.full(50, 1e300)):
        tree = Guided().part(table.codes, table.attributes, KAnonymity(2), answers)
        assert tree.n_classes == 1


def test_categories_are_grouped_by_their_answers() -> None:
    table = read({"town": list("abcdefgh") * 5})
    answers = np.isin(table.codes[:, 0], [0, 3, 6])
    tree = Guided().part(table.codes, table.attributes, KAnonymity(2), answers)
    assert tree.n_classes == 2
    assert (tree.classes.of_row == tree.classes.of_row[0]).tolist() == answers.tolist()


def test_missing_numbers_go_where_their_answers_are() -> None:
    table = read({"age": [1.0, 2.0, None, None, 8.0, 9.0]})
    answers = np.array(["no", "no", "no", "no", "yes", "yes"])
    tree = Guided().part(table.codes, table.attributes, KAnonymity(2), answers)
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
    tree = Guided().part(table.codes, table.attributes, AtLeastOne(), np.arange(1000) % 2)
    assert tree.n_classes == 1000
    assert tree.depth > 400
    assert tree.route(table.codes).tolist() == tree.classes.of_row.tolist()


def test_many_labels_do_not_fit_a_byte() -> None:
    table = read({"age": list(range(600))}, max_codes=600)
    answers = np.repeat(np.arange(300), 2)
    tree = Guided().part(table.codes, table.attributes, KAnonymity(2), answers)
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
        Guided().part(table.codes, table.attributes, KAnonymity(2), answers)
    assert "secret" not in str(caught.value)
