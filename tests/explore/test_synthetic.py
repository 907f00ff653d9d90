from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.explore import Ledger, declared, explore_table
from sparsam.explore._synthetic import _spanning, row_answers

pytest.importorskip("opendp", reason="the extra 'dp' is not installed")

DOMAINS = declared(
    {"age": (0, 120, "integer"), "pay": (0.0, 100.0), "sex": ["f", "m"], "work": ["a", "b", "c"]}
)


def people(n: int = 5_000, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], n, p=[0.7, 0.3])
    age = rng.integers(20, 60, n).astype(float) + 20 * (sex == "m")
    pay = np.clip(age / 2 + rng.normal(0, 5, n), 0, 100)
    work = np.where(rng.random(n) < 0.8, np.where(sex == "f", "a", "b"), "c").astype(object)
    work[rng.random(n) < 0.1] = None
    return {"age": age, "pay": pay, "sex": sex, "work": work}


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    with Ledger.create(tmp_path / "people.ledger", epsilon=400) as opened:
        yield opened


def test_synthetic_rows_look_like_the_table(ledger: Ledger) -> None:
    data = people()
    eda = explore_table(data, ledger, domains=DOMAINS, mixed_pairs=True)
    rows = eda.synthetic(random_state=1)
    assert set(rows) == set(DOMAINS.names)
    assert len(rows["age"]) == pytest.approx(5_000, abs=50)
    assert np.mean(rows["sex"] == "f") == pytest.approx(np.mean(data["sex"] == "f"), abs=0.03)
    missing = np.mean([value is None for value in rows["work"]])
    assert missing == pytest.approx(0.1, abs=0.03)
    together = np.mean((rows["sex"] == "f") & (rows["work"] == "a"))
    assert together == pytest.approx(
        np.mean((data["sex"] == "f") & (data["work"] == "a")), abs=0.03
    )
    assert np.corrcoef(rows["age"], rows["pay"])[0, 1] > 0.6
    # numeric and categorical attributes hang together where mixed pairs were counted
    men = rows["sex"] == "m"
    assert rows["age"][men].mean() > rows["age"][~men].mean() + 10
    assert (rows["age"] == np.floor(rows["age"])).all()


def test_synthetic_rows_are_free_and_repeatable(ledger: Ledger) -> None:
    eda = explore_table(people(), ledger, domains=DOMAINS, epsilon=10)
    spent = ledger.spent
    rows, same, other = (eda.synthetic(200, random_state=seed) for seed in (3, 3, 4))
    assert ledger.spent == spent
    for name in DOMAINS.names:
        np.testing.assert_array_equal(rows[name], same[name])
    assert any((rows[name] != other[name]).any() for name in DOMAINS.names)
    with pytest.raises(ParameterError, match="must be an int"):
        eda.synthetic(0)


def test_the_synthetic_way_answers_from_its_rows(ledger: Ledger) -> None:
    eda = explore_table(people(), ledger, "synthetic", domains=DOMAINS)
    assert eda.how == "synthetic"
    assert eda.answer("value_counts", "sex").values["f"] == pytest.approx(3_500, abs=200)
    assert eda.answer("spearman", "age", "pay").value > 0.6
    assert not eda.answer("spearman", "age", "pay").intervals
    assert {item.kind for item in eda.plan.items} >= {"mixed pair"}


def test_interactive_answers_have_no_tables_to_draw_from(ledger: Ledger) -> None:
    eda = explore_table(people(500), ledger, "interactive", domains=DOMAINS, per_query=1)
    with pytest.raises(ParameterError, match="planned"):
        eda.synthetic()


def test_the_strongest_pairs_make_a_tree() -> None:
    parents = _spanning(list("abcd"), [("a", "b"), ("b", "c"), ("a", "c")])
    assert parents == {"a": None, "b": "a", "c": "b", "d": None}


def test_rows_are_answered_by_the_textbook() -> None:
    data = people()
    answers = {(a.function, *a.attributes): a for a in row_answers(data, DOMAINS)}
    assert answers["quantiles", "age"].values["Q2"] == np.median(data["age"])
    assert answers["value_counts", "work"].values["(missing)"] == sum(
        value is None for value in data["work"]
    )
    from scipy.stats import spearmanr

    true = spearmanr(data["age"], data["pay"]).statistic
    assert answers["spearman", "age", "pay"].value == pytest.approx(true)
