"""A sweep: the same on one core or two, whatever the minimisers, on small and odd tables."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import DataError, ParameterError, RoleError
from sparsam.assess import NothingFitsError, sweep
from sparsam.attack import Reconstruction
from sparsam.data import Roles, read, resolve, split
from sparsam.minimise import Constraints, FeatureSelection, PrivacyTree, Uniform

WORKS = Roles("works")
TREE = PrivacyTree(max_leaves=4, min_leaf=20)


def assert_same(first, second):
    """Bit for bit: figures, intervals, models, and person by person."""
    assert [p.candidate for p in first.points] == [p.candidate for p in second.points]
    for one, other in zip(first.points, second.points, strict=True):
        assert one.assessment == other.assessment
        for part in ("validation", "test"):
            here, there = (p.assessment.person_errors[part] for p in (one, other))
            assert here.utility.tobytes() == there.utility.tobytes()
            assert here.risk.tobytes() == there.risk.tobytes()
    assert first.limits.to_dict() == second.limits.to_dict()


def test_same_on_one_core_or_two(make_people):
    minimisers = ("uniform", TREE)
    fronts = [
        sweep(make_people(), WORKS, minimisers=minimisers, n_jobs=n_jobs) for n_jobs in (1, 2)
    ]
    assert_same(*fronts)
    choices = [front.choose(max_utility_loss=0.5) for front in fronts]
    assert choices[0].candidate == choices[1].candidate


def test_same_seed_same_result_another_seed_another_split(make_people):
    people = make_people(150)
    first, again, other = (
        sweep(people, WORKS, minimisers="uniform", n_jobs=1, random_state=seed)
        for seed in (3, 3, 4)
    )
    assert_same(first, again)
    for mine, same in zip(first.data.rows, again.data.rows, strict=True):
        np.testing.assert_array_equal(mine, same)
    assert not np.array_equal(first.data.rows[0], other.data.rows[0])
    assert first.points[0].assessment.risk.random_state == 3


@pytest.mark.parametrize("kind", ["frame", "table", "task", "split", "file"])
def test_takes_data_at_any_stage(make_people, tmp_path, kind):
    people = make_people(120)
    task = resolve(people, WORKS)
    people.to_csv(tmp_path / "people.csv", index=False)
    data = {
        "frame": (people, WORKS),
        "table": (read(people), WORKS),
        "task": (task, None),
        "split": (split(task), None),
        "file": (str(tmp_path / "people.csv"), WORKS),
    }[kind]
    front = sweep(*data, minimisers=TREE, n_jobs=1)
    whole = sweep(people, WORKS, minimisers=TREE, n_jobs=1)
    assert [p.assessment.risk for p in front.points] == [p.assessment.risk for p in whole.points]


def test_a_minimiser_of_ones_own_stands_for_itself_and_stays_as_it_was(make_people):
    mine = FeatureSelection(keep=2)
    front = sweep(make_people(), WORKS, minimisers=[mine, TREE], n_jobs=1)
    assert [p.candidate.minimiser for p in front.points] == ["FeatureSelection", "PrivacyTree"]
    assert front.points[0].candidate.parameters == {"keep": 2}
    assert "max leaves 4" in front.points[1].candidate.label
    assert len(front.points[0].candidate.generalization.collected) == 2
    assert not hasattr(mine, "generalization_")


@pytest.mark.parametrize("minimisers", [("privacy tree", "uniform", "feature selection"), TREE])
def test_constraints_hold_in_every_point(make_people, minimisers):
    demands = Constraints(must_keep=["sex"], must_drop=["age"], max_buckets={"education": 2})
    task = resolve(make_people(), WORKS)
    front = sweep(
        task, minimisers=minimisers, constraints=demands, min_leaf=20, n_jobs=1,
        adversary=Reconstruction(models=("look-up",)),
    )  # fmt: skip
    assert len(front.points) >= 1
    for point in front.points:
        generalization = point.candidate.generalization
        assert generalization["sex"].n_buckets == 2
        assert not generalization["age"].collected
        assert generalization["education"].n_buckets <= 2


def test_constraints_of_ones_own_minimiser_win(make_people):
    mine = Uniform(buckets=2, constraints=Constraints(must_drop=["sex"]))
    demands = Constraints(must_drop=["age"])
    front = sweep(make_people(), WORKS, minimisers=mine, constraints=demands, n_jobs=1)
    assert "age" in front.points[0].candidate.generalization.collected
    assert "sex" not in front.points[0].candidate.generalization.collected


def test_progress_is_told_after_each(make_people):
    calls = []
    sweep(
        make_people(100), WORKS, minimisers="uniform", n_jobs=1,
        progress=lambda done, total: calls.append((done, total)),
    )  # fmt: skip
    assert calls == [(done, len(calls)) for done in range(1, len(calls) + 1)]
    assert len(calls) > 1


@pytest.mark.parametrize("n_rows", [30, 4])
def test_tiny_tables_have_a_front_and_a_choice(make_people, n_rows):
    people = make_people(n_rows, seed=2)
    front = sweep(people, WORKS, minimisers=("uniform", PrivacyTree(min_leaf=1)), n_jobs=1)
    assert len(front) >= 1
    assert front.choose(max_utility_loss=1.0).generalization.collected == ()
    assert front.choose(max_risk=1.0).assessment.risk.recovered <= 1.0


def test_three_rows_are_measured_but_no_loss_is_certain():
    people = {"a": ["x", "y", "x"], "b": [1, 2, 3], "works": ["no", "yes", "no"]}
    front = sweep(people, WORKS, minimisers="uniform", n_jobs=1)
    assert front.choose(max_risk=1.0).met is None
    with pytest.raises(NothingFitsError, match="Hint: give more records"):
        front.choose(max_utility_loss=0.5)


def test_two_rows_are_too_few():
    with pytest.raises(DataError, match="at least 3 rows"):
        sweep({"a": ["x", "y"], "works": ["no", "yes"]}, WORKS)


def test_missing_values_and_a_numeric_personal_attribute(make_people):
    people = make_people(200).astype({"age": float})
    people.loc[::7, "age"] = np.nan
    people.loc[::5, "education"] = None
    roles = Roles("works", personal=["age", "education"])
    front = sweep(people, roles, minimisers=("uniform", TREE), n_jobs=1)
    for point in front.points:
        age, education = point.assessment.risk.parts
        assert (age.attribute, education.attribute) == ("age", "education")
        assert age.details["tolerance"] > 0
        assert age.details["absolute_error"] >= 0
        assert "tolerance" not in education.details
        assert 0 <= age.value <= 1


def test_one_personal_attribute(make_people):
    front = sweep(make_people(150), Roles("works", personal="sex"), minimisers="uniform", n_jobs=1)
    for point in front.points:
        (only,) = point.assessment.risk.parts
        assert only.attribute == "sex"
        assert point.assessment.risk.value == pytest.approx(only.value)


def test_no_personal_attribute_is_an_error(make_people):
    with pytest.raises(DataError, match="at least one personal attribute"):
        sweep(make_people(50), Roles("works", personal=[]), minimisers="uniform", n_jobs=1)


def test_several_classes(make_people):
    front = sweep(make_people(200), Roles("education"), minimisers="uniform", n_jobs=1)
    assert len(front.data.train.classes) == 3
    assert front.limits.nothing.error > 0.4


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"minimisers": ()}, ParameterError, "at least one minimiser"),
        ({"minimisers": ["forest"]}, ParameterError, "one of .*Got 'forest'"),
        ({"min_leaf": 0, "minimisers": "privacy tree"}, ParameterError, "min_leaf"),
        ({"random_state": -1}, ParameterError, "random_state"),
        ({"roles": None}, ParameterError, r"Roles\(target="),
        ({"roles": Roles("wroks")}, RoleError, "Did you mean 'works'"),
        ({"constraints": Constraints(must_drop=["agee"])}, ParameterError, "Did you mean 'age'"),
    ],
)
def test_wrong_arguments(make_people, arguments, error, message):
    call = {"roles": WORKS, "minimisers": "uniform", "n_jobs": 1, **arguments}
    with pytest.raises(error, match=message):
        sweep(make_people(60), **call)


def test_another_adversary_is_used(make_people):
    lazy = Reconstruction(models=("look-up",), random_state=7)
    front = sweep(make_people(100), WORKS, minimisers="uniform", adversary=lazy, n_jobs=1)
    models = {part.model for p in front.points for part in p.assessment.risk.parts}
    assert "look-up" in models
    assert "network" not in models
    assert front.points[0].assessment.risk.random_state == 7
