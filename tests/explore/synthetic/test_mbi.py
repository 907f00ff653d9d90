from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsam._errors import MissingExtraError, ParameterError
from sparsam.explore import Exploration, Ledger, declared, explore, graphical_rows
from sparsam.explore.synthetic._mbi import choose_pairs

DOMAINS = declared({"age": (0, 99, "integer"), "sex": ["f", "m"], "work": ["a", "b", "c"]})


def people(n: int = 3_000) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], n, p=[0.7, 0.3])
    age = rng.integers(20, 60, n) + 20 * (sex == "m")
    work = np.where(rng.random(n) < 0.8, np.where(sex == "f", "a", "b"), "c")
    return {"age": age, "sex": sex, "work": work}


@pytest.fixture
def eda(tmp_path: Path) -> Exploration:
    pytest.importorskip("opendp", reason="the extra 'dp' is not installed")
    with Ledger.create(tmp_path / "people.ledger", epsilon=5) as ledger:
        return explore(people(), ledger, domains=DOMAINS, mixed_pairs=True)


@pytest.mark.filterwarnings("ignore")
def test_rows_of_the_graphical_model_look_like_the_table(eda: Exploration) -> None:
    pytest.importorskip("mbi", reason="the extra 'mbi' is not installed")
    rows = graphical_rows(eda, 2_000)
    data = people()
    assert np.mean(rows["sex"] == "f") == pytest.approx(0.7, abs=0.03)
    together = np.mean((rows["sex"] == "f") & (rows["work"] == "a"))
    assert together == pytest.approx(
        np.mean((data["sex"] == "f") & (data["work"] == "a")), abs=0.03
    )
    men = rows["sex"] == "m"
    assert np.nanmean(rows["age"][men]) > np.nanmean(rows["age"][~men]) + 10
    again = graphical_rows(eda, 2_000)
    np.testing.assert_array_equal(rows["age"], again["age"])


@pytest.mark.skipif(importlib.util.find_spec("mbi") is not None, reason="mbi is installed")
def test_its_absence_names_the_extra(eda: Exploration) -> None:
    with pytest.raises(MissingExtraError, match=r"sparsam\[mbi\]"):
        graphical_rows(eda)


def test_bad_numbers_of_rows_are_refused(eda: Exploration) -> None:
    with pytest.raises(ParameterError, match="number of rows"):
        graphical_rows(eda, 0)


def test_pairs_are_taken_while_the_model_stays_small() -> None:
    sizes = dict.fromkeys("abcd", 10)
    ring = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    assert choose_pairs(sizes, ring, 100) == ring[:3]
    assert choose_pairs(sizes, ring, 1_000) == ring
    assert choose_pairs(sizes, [*ring, ("a", "c"), ("b", "d")], 1_000) == [*ring, ("a", "c")]
