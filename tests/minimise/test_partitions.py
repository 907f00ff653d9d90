"""Partitions that say what the buckets say."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import DataError
from sparsam.data import Attribute, CategoricalDomain, NumericDomain
from sparsam.generalization import CategoricalPartition, NumericPartition
from sparsam.minimise._partitions import code_counts, full_resolution, partition_of


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
