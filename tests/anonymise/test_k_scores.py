"""Every k, scored by a model that learned from the release and is tested on raw rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sparsam.anonymise import Anonymiser, Mondrian, k_scores
from sparsam.anonymise._k_scores import BoostedScore


@pytest.fixture(scope="module")
def people() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 400)
    return {"age": age, "sex": rng.choice(["f", "m"], 400), "old": np.where(age > 50, "y", "n")}


def test_the_score_learns_numbers_and_categories() -> None:
    rng = np.random.default_rng(0)
    raw = {"n": rng.random(400), "c": rng.choice(["a", "b", None], 400)}
    truth = (raw["n"] > 0.5) ^ (raw["c"] == "a")
    score = BoostedScore(raw, truth, ["n", "c"], random_state=0)
    assert score(raw, truth) > 0.95
    turned = {name: values[::-1] for name, values in raw.items()}
    assert score(turned, truth) < 0.7
    assert score.chance(truth) == max(truth.mean(), 1 - truth.mean())
    assert score(raw, np.ones(400, dtype=bool)) == truth.mean()


@pytest.mark.parametrize("library", [dict, pd.DataFrame, pl.DataFrame])
def test_the_own_method_stands_beside_the_usual_ones(library: Any, people: Any) -> None:
    anonymiser = Anonymiser(Mondrian(), quasi_identifiers=["age", "sex"], publish="ranges")
    scored = k_scores(library(people), people["old"], ks=(5, 100), anonymiser=anonymiser)
    assert [sweep.method for sweep in scored.sweeps] == ["Mondrian", "Hybrid", "Greedy"]
    assert scored.scores["measure"] == "share"
    assert scored.scores["raw"] > 0.95 > scored.scores["chance"]
    for sweep in scored.sweeps:
        assert [row.k for row in sweep.rows] == [5, 100]
        assert sweep.n_rows == 280
        assert sweep.rows[0].score > 0.8
    assert "raw rows of 120 others" in scored.scores["words"]


def test_numbers_are_scored_by_what_they_explain_and_missing_ones_left_out(people: Any) -> None:
    truth = people["age"] * 1.5
    truth[:100] = np.nan
    anonymiser = Anonymiser(quasi_identifiers=["age"])
    scored = k_scores(people, truth, ks=(5,), anonymiser=anonymiser, learned="the wage")
    assert scored.scores["measure"] == "r2"
    assert scored.sweeps[0].n_rows == 210
    assert scored.sweeps[0].rows[0].score > 0.9
    assert "learned the wage" in scored.scores["words"]


def test_the_truth_itself_is_not_learned_from(people: Any) -> None:
    noise = np.random.default_rng(1).choice(["y", "n"], 400)
    table = {"sex": people["sex"], "noise": noise}
    anonymiser = Anonymiser(quasi_identifiers=["sex"], keep=["noise"])
    scored = k_scores(table, noise, ks=(5,), anonymiser=anonymiser)
    assert scored.scores["raw"] < 0.8
