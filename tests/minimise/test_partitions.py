"""Partitions that say what the buckets say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsam._errors import DataError, ParameterError
from sparsam.data import Attribute, CategoricalDomain, NumericDomain, Roles, Task
from sparsam.generalization import CategoricalPartition, Generalization, NumericPartition
from sparsam.minimise import (
    Constraints,
    FeatureSelection,
    Iterative,
    Merging,
    Minimiser,
    PrivacyTree,
    Uniform,
)
from sparsam.minimise._partitions import (
    code_counts,
    full_resolution,
    partition_of,
    rare_codes,
    rare_together,
)
from sparsam.minimise._splits import LEFT, RIGHT


def _numbers(*, missing: bool = False) -> Attribute:
    values = np.array([1.0, 17.0, 23.0, 61.5])
    return Attribute("n", NumericDomain(0, 99), values, values, missing)


def _colours(*, missing: bool = False) -> Attribute:
    return Attribute("colour", CategoricalDomain(("red", "green", "blue")), missing=missing)


def _partition(attribute: Attribute, buckets: list[int], unseen: str = "error") -> object:
    return partition_of(attribute, np.array(buckets), np.arange(attribute.size) + 1, unseen)


def test_numbers_are_cut_between_the_codes() -> None:
    partition = _partition(_numbers(), [0, 0, 1, 2])
    assert isinstance(partition, NumericPartition)
    assert partition.cuts == (20, 50)
    with pytest.raises(DataError, match="'n'"):
        partition.bucket(None)


@pytest.mark.parametrize(("buckets", "missing"), [([0, 0, 1, 1, 2], 2), ([0, 0, 1, 1, 0], 0)])
def test_missing_number_has_its_own_bucket_or_shares_one(buckets: list[int], missing: int) -> None:
    partition = _partition(_numbers(missing=True), buckets)
    assert isinstance(partition, NumericPartition)
    assert partition.cuts == (20,)
    assert partition.bucket(None) == missing
    assert partition.n_buckets == max(buckets) + 1


def test_missing_category_has_its_own_bucket_or_shares_one() -> None:
    own = _partition(_colours(missing=True), [0, 1, 0, 2])
    assert isinstance(own, CategoricalPartition)
    assert own.groups == (("red", "blue"), ("green",))
    assert (own.missing, own.n_buckets) == (2, 3)
    shared = _partition(_colours(missing=True), [0, 1, 0, 1])
    assert isinstance(shared, CategoricalPartition)
    assert (shared.missing, shared.n_buckets) == (1, 2)


def test_only_missing_is_told_apart() -> None:
    for attribute in (_numbers(missing=True), _colours(missing=True)):
        partition = _partition(attribute, [0] * attribute.n_values + [1])
        assert isinstance(partition, CategoricalPartition | NumericPartition)
        assert partition.collected
        assert partition.bucket(None) == 1


def test_unseen_categories_are_refused_or_join_the_most_common_bucket() -> None:
    refusing = _partition(_colours(), [0, 1, 0])
    assert isinstance(refusing, CategoricalPartition)
    with pytest.raises(DataError, match="'colour'") as caught:
        refusing.bucket("secret")
    assert "secret" not in str(caught.value)
    common = _partition(_colours(), [0, 1, 0], unseen="common")  # counts 1, 2, 3
    assert isinstance(common, CategoricalPartition)
    assert common.bucket("mauve") == 0
    mostly_missing = _partition(_colours(missing=True), [0, 1, 0, 2], unseen="common")
    assert isinstance(mostly_missing, CategoricalPartition)
    assert mostly_missing.bucket("mauve") == 0
    alone = partition_of(
        _colours(missing=True), np.array([0, 1, 0, 2]), np.array([1, 1, 1, 9]), "common"
    )
    assert alone.bucket("mauve") == alone.bucket(None) == 2


def test_full_resolution_tells_every_code_apart() -> None:
    for attribute in (_numbers(missing=True), _colours(missing=True)):
        partition = _partition(attribute, full_resolution(attribute).tolist())
        assert isinstance(partition, CategoricalPartition | NumericPartition)
        assert partition.lookup(attribute).tolist() == list(range(attribute.size))


def test_bins_are_cut_between_them_and_never_across() -> None:
    attribute = Attribute("n", NumericDomain(0, 99), np.array([1.0, 20]), np.array([18.0, 90]))
    partition = _partition(attribute, [0, 1])
    assert isinstance(partition, NumericPartition)
    assert partition.cuts == (20,)
    assert partition.lookup(attribute).tolist() == [0, 1]


def test_code_counts() -> None:
    codes = np.array([[0, 1], [0, 2], [1, 1]], dtype=np.uint16)
    assert [c.tolist() for c in code_counts(codes, (2, 4))] == [[2, 1], [0, 2, 1, 0]]


MINIMISERS = [
    PrivacyTree(max_leaves=12, privacy=0.1, min_leaf=1),
    Uniform(buckets=3),
    FeatureSelection(keep=9),
    Merging(start_leaves=4),
    Iterative(),
]


def _people(n: int = 400) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    town = rng.choice(["north", "south", "west"], n).astype(object)
    town[:3] = "Zyxquartz"
    town[3:7] = ["Qonzo-1", "Qonzo-2", "Qonzo-3", "Qonzo-4"]
    return {
        "town": town,
        "phone": [f"+49-{i // 2:06d}" for i in range(n)],
        "age": rng.integers(18, 80, n),
        "target": np.where(rng.random(n) < 0.8, town == "north", rng.random(n) < 0.5),
    }


CANARIES = ("Zyxquartz", "Qonzo", "+49-")


@pytest.mark.parametrize("minimiser", MINIMISERS, ids=lambda one: type(one).__name__)
def test_no_minimiser_names_a_rare_category(minimiser: Minimiser) -> None:
    people = _people()
    minimiser.set_params(roles=Roles("target", personal="all")).fit(people)
    saved = minimiser.generalization_.to_json()
    assert not any(canary in saved for canary in CANARIES)
    codes = minimiser.generalization_.apply(people, output="codes")
    if "town" in codes:
        town = np.asarray(people["town"], dtype=object)
        rare = ~np.isin(town, ["north", "south", "west"])
        assert len(set(np.asarray(codes["town"])[rare].tolist())) == 1
        unseen = minimiser.generalization_["town"].bucket("a town that nobody had")
        assert unseen == codes["town"][0]


def test_near_identifiers_need_no_list_and_are_not_collected() -> None:
    tree = PrivacyTree(Roles("target"), max_leaves=20, privacy=0.0).fit(_people())
    phone = tree.generalization_["phone"]
    assert not phone.collected
    assert phone.domain == CategoricalDomain(())
    assert phone.words() == "phone: categories → not collected"
    assert Generalization.from_json(tree.generalization_.to_json()) == tree.generalization_


def test_declared_categories_are_named_however_rare() -> None:
    people = _people()
    towns = CategoricalDomain(tuple(sorted(set(people["town"]))))
    roles = Roles("target", domains={"town": towns}, identifiers=["phone"])
    kept = PrivacyTree(roles, constraints=Constraints(must_keep=["town"])).fit(people)
    assert kept.generalization_["town"].domain == towns
    assert kept.generalization_.about["declared"] == ["town"]


def test_what_must_be_kept_but_cannot_be_named_is_refused() -> None:
    constraints = Constraints(must_keep=["phone"])
    with pytest.raises(ParameterError, match="'phone' must be kept, but none") as caught:
        PrivacyTree(Roles("target"), constraints=constraints).fit(_people())
    assert "+49" not in str(caught.value)


def test_what_must_be_kept_keeps_its_common_categories_apart() -> None:
    constraints = Constraints(must_keep=["town"])
    kept = PrivacyTree(Roles("target"), constraints=constraints).fit(_people())
    assert kept.generalization_["town"].labels == ("north", "south", "west", "other")


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_a_tree_decides_alike_on_what_it_may_see(any_task: Any, data: st.DataObject) -> None:
    task: Task = data.draw(any_task(max_rows=60, most_values=7, declared=False))
    tree = PrivacyTree(max_leaves=12, privacy=0.1, min_leaf=1).fit_task(task)
    seen = rare_together(task, Constraints())
    codes = tree.generalization_.apply_codes(task.table)
    assert (codes == tree.generalization_.apply_codes(seen.table)).all()
    for cut in tree.splits_:
        before, after = cut.sides[seen.codes[:, cut.attribute]], codes[:, cut.attribute]
        for bucket in np.unique(after):
            assert not {LEFT, RIGHT} <= set(before[after == bucket].tolist())


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_only_common_categories_are_listed(any_task: Any, data: st.DataObject) -> None:
    task: Task = data.draw(any_task(max_rows=60, most_values=7, declared=False))
    minimiser = data.draw(st.sampled_from(MINIMISERS[:3])).set_params(roles=None).fit_task(task)
    for attribute, rare in zip(task.table.attributes, rare_codes(task, Constraints()), strict=True):
        partition = minimiser.generalization_[attribute.name]
        if isinstance(attribute.domain, CategoricalDomain):
            hidden = {attribute.domain.categories[code] for code in np.flatnonzero(rare)}
            assert not hidden & set(partition.domain.categories)
            assert partition.collected or not partition.domain.categories
    assert Generalization.from_json(minimiser.generalization_.to_json())
