"""The privacy-aware tree as a user meets it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam import load_example
from sparsam._errors import ParameterError
from sparsam.data import CategoricalDomain, Roles, Task, resolve, split
from sparsam.generalization import CategoricalPartition, Generalization
from sparsam.minimise import PrivacyTree
from sparsam.minimise.tree._splits import LEFT, RIGHT


def test_bucket_counts_of_the_paper(census: Task) -> None:
    train = split(census, random_state=0).train
    path = PrivacyTree(privacy=0.3, min_leaf=100).path(train, (2, 4, 10, 20))
    buckets = [generalization.n_buckets for generalization in path]
    assert buckets == pytest.approx([17, 19, 25, 33], abs=1)


@pytest.mark.parametrize(("privacy", "buckets"), [(0.0, 32), (0.7, 34), (0.8, 32)])
def test_bucket_counts_of_twenty_leaves(census: Task, privacy: float, buckets: int) -> None:
    train = split(census, random_state=0).train
    tree = PrivacyTree(privacy=privacy, max_leaves=20).fit_task(train)
    assert tree.generalization_.n_buckets == pytest.approx(buckets, abs=2)
    assert 16 - len(tree.generalization_.collected) >= 10


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_tree_decides_alike_before_and_after_generalizing(
    any_task: Any, data: st.DataObject
) -> None:
    task = data.draw(any_task(max_rows=60, most_values=7))
    tree = PrivacyTree(max_leaves=data.draw(st.integers(1, 12)), privacy=0.1, min_leaf=1)
    tree.fit_task(task)
    codes = tree.generalization_.apply_codes(task.table)
    for cut in tree.splits_:
        before, after = cut.sides[task.codes[:, cut.attribute]], codes[:, cut.attribute]
        for bucket in np.unique(after):
            assert not {LEFT, RIGHT} <= set(before[after == bucket].tolist())


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_path_equals_separate_fits(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task(max_rows=60))
    settings_: dict[str, Any] = {
        "privacy": data.draw(st.sampled_from([0.0, 0.3, 0.7])),
        "min_leaf": data.draw(st.integers(1, 4)),
        "unseen": data.draw(st.sampled_from(["error", "common"])),
    }
    leaves = data.draw(st.lists(st.integers(1, 15), min_size=1, max_size=5, unique=True))
    path = PrivacyTree(**settings_).path(task, leaves)
    for size, generalization in zip(leaves, path, strict=True):
        alone = PrivacyTree(max_leaves=size, **settings_).fit_task(task)
        assert generalization == alone.generalization_


def test_path_on_real_data_refines_with_every_leaf() -> None:
    task = resolve(load_example(), Roles("employed"))
    path = PrivacyTree(privacy=0.3, min_leaf=20).path(task, (1, 2, 5, 20, 10**6))
    assert path[0].collected == ()
    assert path[0].partitions == Generalization.nothing(task.table).partitions
    buckets = [generalization.n_buckets for generalization in path]
    assert buckets == sorted(buckets)


@pytest.mark.parametrize("leaves", [(0,), (4, 0), (-3, 5), (2.5,)])
def test_path_refuses_sizes_that_no_tree_has(leaves: Any) -> None:
    task = resolve(load_example(), Roles("employed"))
    with pytest.raises(ParameterError, match=r"'max_leaves' .* must be an int >= 1\. Got"):
        PrivacyTree().path(task, leaves)
    assert PrivacyTree().path(task, ()) == []


def test_categories_absent_from_a_node_are_not_torn_apart() -> None:
    # In the north only a and b occur, in the south only c and d: two buckets are enough.
    # Sending absent categories left or right by the parity of their code would make four.
    rows = [("north", "a", 1), ("north", "b", 0), ("south", "c", 0), ("south", "d", 1)] * 30
    rows += [("north", "a", 1), ("south", "d", 1)] * 5
    columns = {"place": [r[0] for r in rows], "kind": [r[1] for r in rows]}
    task = resolve(columns, Roles(), y=[r[2] for r in rows])
    tree = PrivacyTree(privacy=0.0, min_leaf=1, max_leaves=10).fit_task(task)
    partition = tree.generalization_["kind"]
    assert isinstance(partition, CategoricalPartition)
    assert {frozenset(group) for group in partition.groups} == {
        frozenset({"a", "d"}),
        frozenset({"b", "c"}),
    }


def test_absent_categories_in_deeper_nodes_make_no_bucket(census: Task) -> None:
    tree = PrivacyTree(privacy=0.0, max_leaves=200, min_leaf=20).fit_task(census)
    for a, attribute in enumerate(census.table.attributes):
        if not isinstance(attribute.domain, CategoricalDomain):
            continue
        cuts = [cut.sides for cut in tree.splits_ if cut.attribute == a]
        by_parity = {
            tuple(int(c[code]) or (LEFT, RIGHT)[code % 2] for c in cuts)
            for code in range(attribute.size)
        }
        assert tree.generalization_[attribute.name].n_buckets <= max(1, len(by_parity))


def test_numeric_cuts_are_round_and_in_the_users_units() -> None:
    rng = np.random.default_rng(0)
    income = np.round(rng.uniform(0, 100_000, 250), 2)
    income = income[(income < 48_211) | (income > 51_307)]
    task = resolve({"income": income}, Roles(), y=(income > 50_000).astype(int))
    tree = PrivacyTree(max_leaves=2, privacy=0.0, min_leaf=1).fit_task(task)
    assert tree.generalization_["income"].cuts == (50_000,)
    assert tree.generalization_["income"].labels == ("under 50000", "50000 and over")


def test_missing_values_have_their_own_bucket_only_when_they_mean_something() -> None:
    age = np.array([20.0, 30, 40, 50] * 30)
    age[::7] = np.nan
    old = resolve({"age": age}, Roles(), y=(age > 35).astype(int))
    merged = PrivacyTree(privacy=0.0, min_leaf=1, max_leaves=2).fit_task(old).generalization_["age"]
    assert (merged.n_buckets, merged.bucket(None)) == (2, merged.bucket(20))
    gone = np.isnan(age).astype(int)
    known = resolve({"age": age}, Roles(), y=gone + 2 * (age > 35))
    own = PrivacyTree(privacy=0.0, min_leaf=1, max_leaves=9).fit_task(known).generalization_["age"]
    assert (own.n_buckets, own.bucket(None)) == (3, 2)


def test_about_says_how_it_was_made() -> None:
    tree = PrivacyTree(Roles("employed"), max_leaves=np.int64(4)).fit(load_example())
    about = tree.generalization_.about
    assert about["minimiser"] == "PrivacyTree"
    assert about["parameters"]["max_leaves"] == 4
    assert about["parameters"]["privacy"] == 0.7
    assert (about["target"], about["learned_from_rows"]) == ("employed", 20_000)


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("max_leaves", 0, "an int >= 1"),
        ("max_leaves", 2.0, "an int >= 1"),
        ("min_leaf", 0, "an int >= 1"),
        ("min_leaf", True, "an int >= 1"),
        ("privacy", 1.5, r"a float in \[0, 1\]"),
        ("privacy", "much", r"a float in \[0, 1\]"),
        ("category_orders", "random", r"one of \('target', 'personal'\)"),
        ("unseen", "guess", r"one of \('error', 'common'\)"),
    ],
)
def test_bad_parameters(parameter: str, value: Any, expected: str, people: Any) -> None:
    tree = PrivacyTree(Roles("hired"), **{parameter: value})
    message = rf"The '{parameter}' parameter of PrivacyTree must be {expected}\. Got"
    with pytest.raises(ParameterError, match=message):
        tree.fit(people)
