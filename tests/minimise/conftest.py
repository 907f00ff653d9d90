"""Small tables of every kind, and the census table that the paper's numbers are about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import strategies as st

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
def _tasks(draw: st.DrawFn, max_rows: int = 30, most_values: int = 5, most: int = 4) -> Task:
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
    return Task(table, target.astype(np.uint16), classes, "target", personal, weights, Roles())


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
