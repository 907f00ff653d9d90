"""Small tables of every kind, and the census table that the paper's numbers are about."""

from __future__ import annotations

import warnings
import zlib
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import strategies as st

from sparsam._errors import SparsamWarning
from sparsam.data import (
    Attribute,
    CategoricalDomain,
    NumericDomain,
    Roles,
    Table,
    Task,
    resolve,
)


@st.composite
def _attributes(draw: st.DrawFn, name: str, most_values: int) -> Attribute:
    kind = draw(st.sampled_from(["numeric", "binned", "ordered", "categorical", "categorical"]))
    n_values = draw(st.integers(1, most_values))
    missing = draw(st.booleans())
    if kind in ("numeric", "binned"):
        lows = np.cumsum(draw(st.lists(st.integers(3, 40), min_size=n_values, max_size=n_values)))
        highs = lows + (2 if kind == "binned" else 0)
        domain = NumericDomain(float(lows[0]) - 1, float(highs[-1]) + 1, True)
        return Attribute(name, domain, lows, highs, missing)
    categories = tuple(f"{name}{code}" for code in range(n_values))
    return Attribute(name, CategoricalDomain(categories, kind == "ordered"), missing=missing)


@st.composite
def _tasks(
    draw: st.DrawFn,
    max_rows: int = 30,
    most_values: int = 5,
    most: int = 4,
    declared: bool = True,
) -> Task:
    names = "abcdef"[: draw(st.integers(1, most))]
    attributes = [draw(_attributes(name, most_values)) for name in names]
    # Hypothesis likes small numbers, and a tree likes rows.
    n_rows, n_classes = max_rows - draw(st.integers(0, max_rows - 3)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = np.column_stack([rng.integers(0, a.size, n_rows) for a in attributes])
    # The target follows the codes more or less, so that there is something to find.
    signal = codes @ rng.integers(0, 3, len(names))
    noise = rng.integers(0, n_classes, n_rows)
    target = np.where(rng.random(n_rows) < draw(st.floats(0, 1)), noise, signal) % n_classes
    personal = tuple(a for a in range(len(names)) if draw(st.booleans()))
    weights = tuple(draw(st.sampled_from([0.0, 0.5, 1.0, 2.0])) for _ in personal)
    table = Table(tuple(attributes), codes.astype(np.uint16))
    classes = tuple("xyz"[:n_classes])
    # So few rows have rare categories only; what is declared is never rare.
    lists = {a.name: a.domain for a in attributes if isinstance(a.domain, CategoricalDomain)}
    roles = Roles(domains=lists if declared else {})
    return Task(table, target.astype(np.uint16), classes, "target", personal, weights, roles)


@pytest.fixture(scope="session")
def any_task() -> Any:
    """Make a strategy of small tasks: all kinds of attributes, missing values, weights."""
    return _tasks


@pytest.fixture(scope="session")
def census(shared_data: Path) -> Task:
    """Massachusetts 2018 of ACSEmployment, as the reference trees were grown on."""
    path = shared_data / "acs_employment_MA_2015_2018.parquet"
    query = "select * exclude (year) from read_parquet(?) where year = 2018"
    relation = duckdb.connect().execute(query, [str(path)])
    columns = {name: np.asarray(values) for name, values in relation.fetchnumpy().items()}
    numeric = ("AGEP", "SCHL")
    categorical = [name for name in columns if name not in numeric]
    return resolve(columns, Roles("employed", numeric=numeric, categorical=categorical))


@pytest.fixture(scope="session")
def people() -> dict[str, np.ndarray]:
    """Sixty made-up people: numbers, categories and an order; age and work decide the target."""
    rng = np.random.default_rng(7)
    age = rng.integers(18, 90, 60)
    work = rng.choice(np.array(["farm", "office", "shop"], dtype=object), 60)
    grade = rng.choice(np.array(["low", "middle", "high"], dtype=object), 60)
    income = np.round(rng.normal(30_000, 9_000, 60), 2)
    wanted = (age < 50) & (work != "farm")
    yes = np.array(["no", "yes"], dtype=object)[wanted.astype(int)]
    return {"age": age, "work": work, "grade": grade, "income": income, "hired": yes}


def _quiet(tree, X):
    """Fit; that the target is missed on the people held out is not what the test is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparsamWarning)
        return tree.fit(X)


def _values(frame):
    """The columns of any frame or mapping as plain values; None is missing."""
    names = list(frame) if isinstance(frame, dict) else list(frame.columns)
    columns = {}
    for name in names:
        values = frame[name].tolist() if hasattr(frame[name], "tolist") else list(frame[name])
        columns[name] = [None if value is None or value != value else value for value in values]
    return columns


class _Model:
    """A decision over mixed columns: every column's value counts a little, by chance or in runs."""

    def __init__(self, seed, n_classes=2, regression=False):
        self._seed, self._n_classes, self._regression = seed, n_classes, regression
        self._parts = {}

    def __call__(self, frame):
        columns = _values(frame)
        n_rows = len(next(iter(columns.values())))
        total = np.zeros(n_rows)
        for name in sorted(columns):
            parts = self._parts.setdefault(name, {})
            for value in set(columns[name]) - set(parts):
                parts[value] = self._part(name, value)
            total += [parts[value] for value in columns[name]]
        if self._regression:
            return total * 2.5
        return np.array(["no", "yes", "perhaps"])[total.astype(int) % self._n_classes]

    def _part(self, name, value):
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = float(value) // (1 + self._seed % 7)  # runs of numbers are alike
        return zlib.crc32(f"{self._seed} {name} {value}".encode()) % 3 // 2


def _frame(rng, n_rows, missing):
    import pandas as pd

    made = {
        "age": rng.integers(0, 30, n_rows),
        "pay": rng.normal(100, 30, n_rows).round(int(rng.integers(0, 3))),
        "work": rng.choice(["farm", "office", "shop", "sea"], n_rows).astype(object),
        "zone": rng.integers(1, 6, n_rows),
        "member": rng.random(n_rows) < 0.3,
        "grade": pd.Categorical.from_codes(
            rng.integers(0, 3, n_rows), ["low", "middle", "high"], ordered=True
        ),
    }
    frame = pd.DataFrame(made).sample(frac=1, random_state=int(rng.integers(99)))
    if missing:
        frame["pay"] = frame["pay"].where(rng.random(n_rows) > 0.15)
        frame["work"] = frame["work"].where(rng.random(n_rows) > 0.15, None)
    return frame[rng.permutation(frame.columns)]


@pytest.fixture(scope="session")
def fit_quietly() -> Any:
    return _quiet


@pytest.fixture(scope="session")
def plain_columns() -> Any:
    return _values


@pytest.fixture(scope="session")
def mixed_model() -> Any:
    return _Model


@pytest.fixture(scope="session")
def mixed_people() -> Any:
    return _frame
