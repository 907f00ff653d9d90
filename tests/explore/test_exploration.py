from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.explore import Ledger, declared, explore_table

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")


DOMAINS = declared(
    {"age": (0, 99, "integer"), "pay": (0.0, 1_000.0), "sex": ["f", "m"], "work": ["a", "b", "c"]}
)


def people(n: int = 2_000, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n)
    return {
        "age": age,
        "pay": age * rng.uniform(1, 3, n),
        "sex": rng.choice(["f", "m"], n),
        "work": rng.choice(["a", "b", "c"], n),
    }


def create(folder: Path, epsilon: Any = 1, delta: float | None = None) -> Ledger:
    return Ledger.create(folder / "people.ledger", epsilon=epsilon, delta=delta)


def test_everything_a_report_needs_is_plain_data(tmp_path: Path) -> None:
    with create(tmp_path, 5) as ledger:
        eda = explore_table(people(), ledger, domains=DOMAINS)
    plain = json.loads(json.dumps(eda.to_dict()))
    assert plain["rows"]["value"] == pytest.approx(2_000, abs=100)
    age, _, sex, _ = plain["attributes"]
    assert list(age["box"]) == ["P1", "Q1", "Q2", "Q3", "P99"]
    assert all(len(end["interval"]) == 2 for end in age["box"].values())
    assert age["missing"]["interval"][0] < 30  # nobody is missing
    lows = [cell["low"] for cell in age["cells"][:-1]]
    assert lows == sorted(lows)
    assert [cell["label"] for cell in sex["cells"]] == ["f", "m", "(other)", "(missing)"]
    assert plain["spearman"]["attributes"] == ["age", "pay"]
    assert plain["spearman"]["values"][0][1] == plain["spearman"]["values"][1][0]
    assert plain["paper"]["costs"]["total"] == 0.18
    assert set(eda.tables) == set(eda.bins)
    for names, table in eda.tables.items():
        assert table.shape == tuple(bins.size for bins in eda.bins[names])
        assert table.sum() == pytest.approx(eda.n_rows)


def test_it_prints_readable_tables(tmp_path: Path) -> None:
    with create(tmp_path, 5) as ledger:
        text = str(explore_table(people(), ledger, domains=DOMAINS))
        other = str(explore_table(people(), ledger, domains=DOMAINS))
    assert "planned exploration: 2 numeric and 2 categorical attributes" in text
    assert "epsilon 0.18" in text  # what the paper's way would have cost
    for word in ("age", "sex", "Spearman", "Cramér", "outliers", "±"):
        assert word in text
    assert "paid before" in other
    assert max(map(len, text.splitlines())) < 200


def test_answers_are_found_by_name(tmp_path: Path) -> None:
    with create(tmp_path, 5) as ledger:
        eda = explore_table(people(), ledger, domains=DOMAINS)
    assert eda.answer("spearman", "pay", "age") == eda.answer("spearman", "age", "pay")
    with pytest.raises(ParameterError, match="functions answered"):
        eda.answer("spearman", "pay", "sex")
