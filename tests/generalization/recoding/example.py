"""One small recoding, and what it is fed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from sparsam.data import CategoricalDomain, NumericDomain, read
from sparsam.generalization import Generalization, categorical_partition, numeric_partition
from sparsam.generalization.recoding._recoding import Recoding
from sparsam.generalization.recoding._tree import Branch, Leaf, Node

AGES = NumericDomain(0, 99, integer=True)


TOWNS = CategoricalDomain(("Bern", "Chur", "Genf"))


def example() -> Recoding:
    """Ages in three ranges, two groups of towns and a missing one, height not collected."""
    g = Generalization(
        [
            numeric_partition("age", AGES, [17, 62]),
            numeric_partition("height", NumericDomain(0.5, 2.5), []),
            categorical_partition("town", TOWNS, [["Bern"], ["Chur", "Genf"]], missing=2),
        ],
        {"seed": 3},
    )
    nodes: list[Node] = [
        Branch("age", (0,), 1, 2),
        Leaf((), {"age": 9, "height": 1.25, "town": "Chur"}, "no"),
        Branch("town", (0, 2), 3, 4),
        Leaf(("age", "town"), {"height": 1.75}),
        Leaf(("age",), {"height": 1.5, "town": "Genf"}),
    ]
    means = {"age": [9, 40, 70], "height": [1.7], "town": ["Bern", "Chur", None]}
    return Recoding(g, means, nodes)


RAW = {
    "town": ["Bern", "Genf", None, "Chur"],
    "age": [33, 16, 80, 62],
    "height": [1.0, 1.1, 1.2, 1.3],
    "y": [1, 0, 1, 0],
}


FED = {
    "town": ["Bern", "Chur", None, "Genf"],
    "age": [40, 9, 70, 70],
    "height": [1.75, 1.25, 1.75, 1.5],
}


def plain(values: Any) -> list[Any]:
    """Values of any library as a list; NaN and NA are None."""
    found = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    gone = [
        v is None or type(v).__name__ == "NAType" or (isinstance(v, float) and np.isnan(v))
        for v in found
    ]
    return [None if hole else value for value, hole in zip(found, gone, strict=True)]


MAKERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": lambda rows: import_module("pyarrow").table(rows).to_pandas(),
    "polars": lambda rows: import_module("polars").DataFrame(rows),
    "pyarrow": lambda rows: import_module("pyarrow").table(rows),
    "mapping": dict,
    "table": read,
}
