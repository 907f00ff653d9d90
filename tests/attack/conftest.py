"""Simulated people whose joint distribution is known, and their generalized records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from sparsam.attack import GeneralizedRecords
from sparsam.data import (
    Attribute,
    CategoricalDomain,
    NumericDomain,
    Roles,
    Split,
    Table,
    Task,
    split,
)
from sparsam.generalization import Generalization, categorical_partition, numeric_partition


def _attribute(name: str, codes: np.ndarray, numeric: bool, missing: bool) -> Attribute:
    n_values = int(codes.max()) + (0 if missing else 1)
    if numeric:
        values = np.arange(n_values, dtype=float)
        return Attribute(name, NumericDomain(0, n_values - 1, True), values, values, missing)
    categories = tuple(f"{name}{code:03}" for code in range(n_values))
    return Attribute(name, CategoricalDomain(categories), missing=missing)


def _split(
    columns: Mapping[str, ArrayLike],
    personal: Sequence[str],
    *,
    numeric: Sequence[str] = (),
    missing: Sequence[str] = (),
    seed: int = 0,
) -> Split:
    codes = np.column_stack([np.asarray(column, dtype=np.uint16) for column in columns.values()])
    attributes = [
        _attribute(name, codes[:, a], name in numeric, name in missing)
        for a, name in enumerate(columns)
    ]
    target = np.arange(len(codes)) % 2
    places = tuple(list(columns).index(name) for name in personal)
    weights = (1.0,) * len(places)
    table = Table(tuple(attributes), codes)
    task = Task(table, target.astype(np.uint16), ("a", "b"), "y", places, weights, Roles())
    return split(task, random_state=seed)


def _records(data: Split, **buckets: ArrayLike) -> GeneralizedRecords:
    attributes = data.train.table.attributes
    lookups = tuple(
        np.asarray(buckets.get(a.name, np.zeros(a.size)), dtype=np.uint16) for a in attributes
    )
    return GeneralizedRecords.from_lookups(lookups, data)


@pytest.fixture(scope="session")
def make_split() -> Callable[..., Split]:
    """Divide people given by the codes of their columns; the last code may mean missing."""
    return _split


@pytest.fixture(scope="session")
def make_records() -> Callable[..., GeneralizedRecords]:
    """Generalize a split by the bucket of each code; what is not named is not collected."""
    return _records


def _generalization(data: Split, **buckets: ArrayLike) -> Generalization:
    partitions = []
    for a in data.train.table.attributes:
        of = np.asarray(buckets.get(a.name, np.zeros(a.n_values)), dtype=int)
        if isinstance(a.domain, NumericDomain):
            cuts = a.lows[1:][np.diff(of) > 0]
            partitions.append(numeric_partition(a.name, a.domain, cuts, missing=0))
        else:
            categories = np.array(a.domain.categories)
            groups = [categories[of == bucket].tolist() for bucket in range(of.max() + 1)]
            partitions.append(categorical_partition(a.name, a.domain, groups, missing=0))
    return Generalization(partitions)


@pytest.fixture(scope="session")
def make_generalization() -> Callable[..., Generalization]:
    """Say the bucket of each value; what is not named is not collected."""
    return _generalization


@pytest.fixture(scope="session")
def random_case() -> Callable[[int], tuple[Split, GeneralizedRecords]]:
    """Draw a small table and a generalization of it: some columns whole, some in buckets."""

    def draw(seed: int) -> tuple[Split, GeneralizedRecords]:
        rng = np.random.default_rng(seed)
        n_rows, sizes = int(rng.integers(6, 80)), rng.integers(1, 6, 4)
        columns: dict[str, Any] = {
            name: rng.integers(0, size, n_rows) for name, size in zip("abcd", sizes, strict=True)
        }
        # Something to learn: the second column follows the first more or less.
        follows = rng.random(n_rows) < 0.6
        columns["b"] = np.where(follows, columns["a"] % sizes[1], columns["b"])
        data = _split(columns, personal=tuple("abcd"), seed=seed)
        buckets = {
            a.name: np.unique(rng.integers(0, rng.integers(1, 4), a.size), return_inverse=True)[1]
            for a in data.train.table.attributes
        }
        return data, _records(data, **buckets)

    return draw
