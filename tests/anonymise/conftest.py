"""Random tables of every kind of attribute, for tests of partitions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from sparsam.data import Attribute, CategoricalDomain, NumericDomain

Coded = tuple[NDArray[np.uint16], tuple[Attribute, ...]]


def _attribute(rng: np.random.Generator, name: str, kind: str) -> Attribute:
    size, missing = int(rng.integers(1, 9)), bool(rng.integers(0, 2))
    if kind == "numeric":
        lows = np.cumsum(rng.integers(1, 50, size)).astype(float)
        return Attribute(name, NumericDomain(lows[0], lows[-1]), lows, lows, missing)
    if kind == "binned":
        ends = np.cumsum(rng.integers(1, 50, 2 * size)).astype(float)
        return Attribute(name, NumericDomain(ends[0], ends[-1]), ends[::2], ends[1::2], missing)
    words = tuple(f"v{i}" for i in range(size))
    domain = CategoricalDomain(words, ordered=kind == "ordered" and size > 1)
    return Attribute(name, domain, missing=missing)


def _coded(seed: int, n_rows: int, n_attributes: int = 3, kinds: str = "") -> Coded:
    rng = np.random.default_rng(seed)
    listed = kinds.split() or ["numeric", "binned", "ordered", "categorical"]
    attributes = tuple(
        _attribute(rng, f"a{j}", str(rng.choice(listed))) for j in range(n_attributes)
    )
    columns = [
        np.minimum(rng.geometric(rng.uniform(0.15, 0.6), n_rows) - 1, attribute.size - 1)
        if rng.random() < 0.5
        else rng.integers(0, attribute.size, n_rows)
        for attribute in attributes
    ]
    return np.column_stack(columns).astype(np.uint16, order="F"), attributes


@pytest.fixture(scope="session")
def random_codes() -> Callable[..., Coded]:
    """Make a table with missing values, duplicates and constants from a seed."""
    return _coded
