"""The scores from counts against scikit-learn's from rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import chi2, f_classif
from sklearn.metrics import mutual_info_score

from sparsam import load_example
from sparsam._errors import ParameterError
from sparsam.data import Roles, resolve
from sparsam.minimise import Constraints, FeatureSelection
from sparsam.minimise._partitions import rare_together


def _one_hot(codes: np.ndarray, size: int) -> np.ndarray:
    return (codes[:, None] == np.arange(size)).astype(float)


def _scores(task: Any, criterion: str) -> np.ndarray:
    return FeatureSelection(criterion=criterion).fit_task(task).scores_


@pytest.fixture(scope="module")
def example() -> Any:
    task = resolve(load_example(), Roles("employed", categorical=["age"])).take(np.arange(3000))
    return rare_together(task, Constraints())


def test_mutual_information_is_that_of_scikit_learn(example: Any) -> None:
    expected = [mutual_info_score(column, example.target) for column in example.codes.T]
    np.testing.assert_allclose(_scores(example, "mutual_information"), expected, atol=1e-12)


def test_chi2_is_that_of_scikit_learn_over_all_categories(example: Any) -> None:
    expected = [
        np.nansum(chi2(_one_hot(column, size), example.target)[0])
        for column, size in zip(example.codes.T, example.sizes, strict=True)
    ]
    np.testing.assert_allclose(_scores(example, "chi2"), expected)


def test_anova_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    target = rng.integers(0, 3, 400)
    columns = {
        "number": np.round(rng.normal(target, 2), 1),
        "large": 1e9 + rng.integers(0, 5, 400) + target,
        "gone": np.where(rng.random(400) < 0.2, np.nan, rng.integers(0, 9, 400) + target),
        "kind": np.array(["a", "b", "c", "d"], dtype=object)[
            (target + rng.integers(0, 3, 400)) % 4
        ],
    }
    task = resolve(columns, Roles(), y=target)
    known = ~np.isnan(columns["gone"])
    expected = [
        f_classif(columns["number"][:, None], target)[0][0],
        f_classif(columns["large"][:, None] - 1e9, target)[0][0],  # which loses the digits itself
        f_classif(columns["gone"][known][:, None], target[known])[0][0],
        f_classif(_one_hot(task.codes[:, 3], 4), target)[0].max(),
    ]
    np.testing.assert_allclose(_scores(task, "anova"), expected, rtol=1e-6)


@given(st.data())
@settings(deadline=None)
def test_scores_are_never_negative_nor_nan(any_task: Any, data: st.DataObject) -> None:
    task = data.draw(any_task())
    for criterion in ("anova", "mutual_information", "chi2"):
        scores = _scores(task, criterion)
        assert scores.shape == (len(task.names),)
        assert (scores >= -1e-12).all()


def test_constant_attributes_score_nothing_in_spite_of_round_off() -> None:
    for n_rows in range(3, 120):
        target = np.arange(n_rows) % 2
        task = resolve({"n": np.full(n_rows, 0.1), "c": ["x"] * n_rows}, Roles(), y=target)
        assert _scores(task, "anova").tolist() == [0, 0]


def test_attribute_that_is_the_target_scores_most() -> None:
    target = np.array([0, 1] * 30)
    columns = {"noise": np.arange(60) % 7, "same": target * 0.1, "word": np.where(target, "y", "n")}
    task = resolve(columns, Roles(), y=target)
    assert _scores(task, "anova")[1:].tolist() == [np.inf, np.inf]
    assert FeatureSelection(keep=2).fit_task(task).generalization_.collected == ("same", "word")


@pytest.mark.parametrize("criterion", ["anova", "mutual_information", "chi2"])
def test_the_best_are_collected_at_full_resolution(example: Any, criterion: str) -> None:
    for keep in (0, 3, 99):
        selection = FeatureSelection(keep=keep, criterion=criterion).fit_task(example)
        best = sorted(np.argsort(-selection.scores_, kind="stable")[:keep].tolist())
        collected = selection.generalization_.collected
        assert collected == tuple(example.names[a] for a in best)
        for a, name in enumerate(example.names):
            if name in collected:
                rare = example.rare[a]
                whole = example.sizes[a] - rare.sum() + rare.any()
                assert selection.generalization_[name].n_buckets == whole
    assert selection.generalization_ == selection.fit_task(example).generalization_


def test_demands_count_among_those_kept(example: Any) -> None:
    free = FeatureSelection(keep=3).fit_task(example).generalization_.collected
    constraints = Constraints(
        must_keep=["sex"], must_drop=[free[0]], max_buckets={"nativity": 2, free[1]: 2}
    )
    bound = FeatureSelection(keep=3, constraints=constraints).fit_task(example).generalization_
    assert "sex" not in free
    assert len(bound.collected) == 3
    assert {"sex", free[2]} <= set(bound.collected)
    assert not {free[0], free[1]} & set(bound.collected)
    everything = FeatureSelection(keep=99, constraints=constraints).fit_task(example)
    assert "nativity" in everything.generalization_.collected  # two values are two buckets


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("keep", -1, "an int >= 0"),
        ("keep", 1.0, "an int >= 0"),
        ("criterion", "f", r"one of \('anova', 'mutual_information', 'chi2', 'importance'\)"),
    ],
)
def test_bad_parameters(parameter: str, value: Any, expected: str, people: Any) -> None:
    message = rf"The '{parameter}' parameter of FeatureSelection must be {expected}\. Got"
    with pytest.raises(ParameterError, match=message):
        FeatureSelection(Roles("hired"), **{parameter: value}).fit(people)


@pytest.mark.parametrize("number", [False, True])
def test_importance_is_what_an_attribute_tells_beside_the_others(number: bool) -> None:
    """A copy with noise tells as much alone as another attribute, but nothing beside its origin."""
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=3000), rng.normal(size=3000)
    y = 2 * x + z + rng.normal(0, 0.3, 3000)
    columns = {"x": x, "copy": x + rng.normal(0, 0.2, 3000), "z": z, "noise": rng.random(3000)}
    task = resolve(columns, Roles(), y=y if number else y > 0)
    alone = FeatureSelection(keep=2).fit_task(task)
    beside = FeatureSelection(keep=2, criterion="importance").fit_task(task)
    assert set(alone.generalization_.collected) == {"x", "copy"}
    assert set(beside.generalization_.collected) == {"x", "z"}
    again = FeatureSelection(keep=2, criterion="importance").fit_task(task)
    np.testing.assert_array_equal(again.scores_, beside.scores_)
    assert (
        FeatureSelection(criterion="importance").fit_task(task.take([0, 1, 2])).scores_ == 0
    ).all()


def test_numbers_in_ranges_that_a_person_could_answer() -> None:
    rng = np.random.default_rng(0)
    income = np.where(rng.random(900) < 0.1, np.nan, rng.integers(0, 200, 900) * 100)
    table = {"income": income, "sex": rng.choice(["f", "m"], 900)}
    task = resolve(table, Roles(), y=np.nan_to_num(income) > 5_000)
    whole, ranges = (
        FeatureSelection(keep=1, max_ranges=most).fit_task(task).generalization_["income"]
        for most in (None, 8)
    )
    assert whole.n_buckets > 150
    assert ranges.n_buckets == 9  # eight ranges, and missing
    assert ranges.labels[-1] == "missing"
    people = np.bincount(ranges.lookup(task.table.attribute("income"))[task.codes[:, 0]])
    assert people[:8].max() < 1.5 * people[:8].min()
    kept = FeatureSelection(keep=1, max_ranges=8, constraints=Constraints(must_keep=["income"]))
    assert kept.fit_task(task).generalization_["income"] == whole
    with pytest.raises(ParameterError, match="'max_ranges'"):
        FeatureSelection(max_ranges=1).fit_task(task)
