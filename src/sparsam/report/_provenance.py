"""Where a report comes from: the task, the split, and the versions that made it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sparsam.data import Split
from sparsam.report._words import counted, whole
from sparsam.report.page._blocks import Words, name

NO_HASH = "left out: with all other rows at hand, it would give away any one of them"

_LIBRARIES = ("sparsam", "numpy", "scipy", "scikit-learn", "numba", "duckdb")
# Those that draw and count noise.
_NOISE = ("opendp", "dp-accounting")


def task_data(data: Split) -> dict[str, Any]:
    """Write down what the model is for, and the table it learns from."""
    train = data.train
    return {
        "target": train.target_name,
        "classes": list(train.classes),
        "rows": n_rows(data),
        "attributes": len(train.names),
        "personal": [train.names[p] for p in train.personal],
        "split": {
            "train": train.n_rows,
            "validation": data.validation.n_rows,
            "test": data.test.n_rows,
        },
    }


def task_facts(task: Mapping[str, Any]) -> tuple[tuple[Words, Words], ...]:
    """Return what `task_data` wrote down, in words."""
    classes, split = " / ".join(task["classes"]), task["split"]
    words = (
        "predict ",
        name(task["target"]),
        f" ({classes}) from {counted(task['attributes'], 'attribute')}, "
        f"{len(task['personal'])} of them personal",
    )
    parts = (
        f"{whole(split['train'])} records to learn, {whole(split['validation'])} to choose, "
        f"{whole(split['test'])} to test"
    )
    return (("Task", words), ("Split", parts))


def reproduce_data(
    data: Split,
    source: str,
    command: str | None,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Write down what it takes to get the same report again."""
    split = " / ".join(f"{share:.0%}" for share in data.fractions)
    return {
        "versions": versions(),
        "seed": data.random_state,
        "input": input_data(source, n_rows(data)),
        "command": command,
        "settings": {"split": split, **settings},
    }


def input_data(name: str, rows: int | None) -> dict[str, Any]:
    """Write down what the input is called, and that its hash is left out.

    A hash of personal data is personal data: with all rows but one at hand, that one is found by
    trying, in as many tries as there are people like that.
    """
    return {"name": name, "hash": NO_HASH, "rows": rows}


def versions() -> dict[str, str]:
    """Name the versions that made a report."""
    return {
        "python": platform.python_version(),
        **{library: version(library) for library in _LIBRARIES},
    }


def n_rows(data: Split) -> int:
    """Count the records of all three parts."""
    return data.train.n_rows + data.validation.n_rows + data.test.n_rows


def noisy_versions() -> dict[str, str]:
    """Name the versions that made a report, with those that drew and counted noise."""
    return {**versions(), **{name: _version(name) for name in _NOISE}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
