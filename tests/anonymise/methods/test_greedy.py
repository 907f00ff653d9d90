"""Greedy cuts beside all cuts that there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import ParameterError
from sparsam.anonymise._classes import Classes, Division
from sparsam.anonymise._privacy_models import KAnonymity
from sparsam.anonymise._tight_loss import tight_loss
from sparsam.anonymise.methods._greedy import Greedy
from sparsam.anonymise.methods._mondrian import Mondrian
from sparsam.data import Roles, read


def loss(left: Any, codes: Any, attributes: Any) -> float:
    return tight_loss(Classes(left.astype(np.int64), 2), codes, attributes).overall


class AtLeastOne:
    """Everybody may stand alone."""

    plain_k = 1

    def holds(self, rows: Any) -> bool:
        return len(rows) >= 1


def first_cut(tree: Any, codes: Any) -> Any:
    """Which rows the root of a tree on one category sends left."""
    bits = np.unpackbits(tree.nodes.masks[tree.nodes.mask_at[0] :], bitorder="little")
    return bits[codes[:, 0]].astype(bool)


def every_cut(column: Any, attribute: Any) -> list[Any]:
    """All cuts: runs of categories by how common they are, or thresholds, missing either way."""
    present = sorted(set(column.tolist()))
    if not attribute.ordered:
        counts = Counter(column.tolist())
        order = sorted(present, key=lambda code: (-counts[code], code))
        ends = range(len(order) + 1)
        runs = [order[i:j] for i in ends for j in ends if 0 < j - i < len(order)]
        return [np.isin(column, run) for run in runs]
    cuts = [column <= code for code in present[:-1]]
    missing = column == attribute.n_values
    return cuts + [cut | missing for cut in cuts if missing.any()]


@settings(max_examples=150)
@given(seed=st.integers(0, 100_000), n_rows=st.integers(4, 30))
def test_one_cut_of_one_attribute_is_the_best_there_is(
    random_codes: Callable[..., Any], seed: int, n_rows: int
) -> None:
    codes, attributes = random_codes(seed, n_rows, 1)
    k = max(2, n_rows // 3 + 1)  # so many that no part can be cut again
    if n_rows < 2 * k:
        k = n_rows // 2
    tree = Greedy().part(Division(codes, attributes, KAnonymity(k)))
    allowed = [
        cut for cut in every_cut(codes[:, 0], attributes[0]) if min(cut.sum(), (~cut).sum()) >= k
    ]
    if not allowed:
        assert tree.n_classes == 1
        return
    best = min(loss(cut, codes, attributes) for cut in allowed)
    found = tight_loss(tree.classes, codes, attributes).overall
    assert found <= best + 1e-9
    if tree.n_classes == 2:
        assert found == pytest.approx(best, abs=1e-9)


@settings(max_examples=100)
@given(seed=st.integers(0, 100_000), n_rows=st.integers(6, 40))
def test_the_cut_is_the_best_of_the_best_of_each_attribute(
    random_codes: Callable[..., Any], seed: int, n_rows: int
) -> None:
    codes, attributes = random_codes(seed, n_rows, 3)
    k = n_rows // 3 + 1
    tree = Greedy().part(Division(codes, attributes, KAnonymity(k)))
    lowest = []
    for j, attribute in enumerate(attributes):
        own = {}
        for cut in every_cut(codes[:, j], attribute):
            if min(cut.sum(), (~cut).sum()) >= k:
                saved = round(loss(cut, codes[:, [j]], (attribute,)), 9)
                own.setdefault(saved, []).append(loss(cut, codes, attributes))
        if own:
            lowest.append(own[min(own)])
    if not lowest:
        assert tree.n_classes == 1
        return
    found = tight_loss(tree.classes, codes, attributes).overall
    # Cuts of one attribute that save alike may differ in the others; one of them is compared.
    assert min(map(min, lowest)) - 1e-9 <= found <= min(map(max, lowest)) + 1e-9


@given(
    seed=st.integers(0, 100_000),
    n_rows=st.integers(2, 90),
    k=st.integers(2, 9),
    tries=st.sampled_from([None, 1, 2]),
)
def test_k_holds_and_no_class_can_be_cut(
    random_codes: Callable[..., Any], seed: int, n_rows: int, k: int, tries: int | None
) -> None:
    codes, attributes = random_codes(seed, max(n_rows, k))
    tree = Greedy(tries=tries).part(Division(codes, attributes, KAnonymity(k)))
    assert tree.classes.sizes().min() >= k
    assert (tree.classes.of_row >= 0).all()
    for rows in tree.classes.rows():
        for j, attribute in enumerate(attributes):
            assert (
                not any(
                    min(cut.sum(), (~cut).sum()) >= k
                    for cut in every_cut(codes[rows, j], attribute)
                )
                or not attribute.ordered
            )


def test_outliers_are_cut_off_where_mondrian_halves() -> None:
    table = read({"income": [1, 2, 3, 4, 5, 6, 7, 1000, 1001, 1002]})
    by_loss = Greedy().part(Division(table.codes, table.attributes, KAnonymity(3)))
    halved = Mondrian().part(Division(table.codes, table.attributes, KAnonymity(3)))
    assert len(set(by_loss.classes.of_row[7:])) == 1
    assert by_loss.classes.of_row[6] != by_loss.classes.of_row[7]
    losses = [
        tight_loss(tree.classes, table.codes, table.attributes).overall
        for tree in (by_loss, halved)
    ]
    assert losses[0] < losses[1] / 5


@given(counts=st.lists(st.integers(1, 9), min_size=2, max_size=7))
def test_no_grouping_of_categories_saves_more_where_any_size_is_allowed(counts: list[int]) -> None:
    attributes = read({"town": list("abcdefg"[: len(counts)])}).attributes
    codes = np.repeat(np.arange(len(counts)), counts).astype(np.uint16)[:, None]
    tree = Greedy().part(Division(codes, attributes, AtLeastOne()))
    assert tree.n_classes == len(counts)
    groups = product([False, True], repeat=len(counts))
    best = min(loss(np.array(group)[codes[:, 0]], codes, attributes) for group in groups)
    assert loss(first_cut(tree, codes), codes, attributes) == pytest.approx(best)


def test_missing_may_go_with_low_numbers() -> None:
    table = read({"age": [None, 1.0, 1.0, 50.0, 50.0, 51.0]})
    tree = Greedy().part(Division(table.codes, table.attributes, KAnonymity(3)))
    assert tree.classes.of_row[0] == tree.classes.of_row[1] != tree.classes.of_row[3]
    assert tree.route(table.codes).tolist() == tree.classes.of_row.tolist()


@pytest.mark.parametrize("tries", [0, -1])
def test_bad_tries_are_refused(tries: int) -> None:
    table = read({"age": [20, 21, 40]})
    with pytest.raises(ParameterError, match="'tries' parameter of Greedy"):
        Greedy(tries=tries).part(Division(table.codes, table.attributes, KAnonymity(2)))


ADULT_8 = "workclass marital-status occupation relationship race sex native-country education-num"
ADULT_10 = f"age hours-per-week {ADULT_8}"


@pytest.mark.parametrize(
    ("names", "k", "most"), [(ADULT_10, 10, 0.090), (ADULT_10, 100, 0.26), (ADULT_8, 10, 0.043)]
)
def test_adult_loses_no_more_than_the_best_peers(
    shared_data: Path, names: str, k: int, most: float
) -> None:
    source = f"select * from '{shared_data}/adult.csv.gz' where split = 'train'"
    table = read(duckdb.sql(source), roles=Roles("income", missing_values=("?",)))
    train = np.sort(np.random.default_rng(0).permutation(table.n_rows)[:22_793])
    people = table.select(names.split()).take(train)
    tree = Greedy().part(Division(people.codes, people.attributes, KAnonymity(k)))
    assert tree.classes.sizes().min() >= k
    assert tight_loss(tree.classes, people.codes, people.attributes).overall <= most
