"""A new table is read the way a saved generalization sees it."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from sparsam._errors import DataError, DocumentError, RoleError
from sparsam.assess import assess_generalization
from sparsam.attack import task_for
from sparsam.data import Roles, read, split
from sparsam.generalization import Generalization
from sparsam.minimise import Uniform

WORKS = Roles("works")


@pytest.fixture(scope="module")
def people(make_people):
    return make_people(300)


@pytest.fixture(scope="module")
def artifact(people):
    learned = Uniform(WORKS, buckets=2).fit(people).generalization_
    return Generalization.from_json(learned.to_json())


def test_target_and_personal_attributes_are_those_it_was_learned_for(artifact, people):
    task = task_for(artifact, people)
    assert task.target_name == "works"
    assert [task.names[p] for p in task.personal] == ["education", "sex", "region", "zip"]
    assert task.names == artifact.names


def test_extra_columns_are_left_out(artifact, people):
    more = people.assign(name=[f"person {i}" for i in range(300)], height=1.5)
    assert task_for(artifact, more).names == artifact.names


def test_a_subset_of_categories_keeps_the_domain(artifact, people):
    few = people[people["education"] != "low"].head(50)
    task = task_for(artifact, few)
    assert task.table.attribute("education").domain == artifact["education"].domain


@pytest.mark.parametrize("unseen", ["error", "common"])
@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz", "people.parquet"])
def test_text_that_looks_like_numbers_stays_text(people, tmp_path, unseen, name):
    plain = people.assign(zip=people["zip"].map({"01": "1", "02": "2", "10": "10"}))
    learned = Uniform(WORKS, buckets=3, unseen=unseen).fit(plain).generalization_
    file = tmp_path / name
    plain.to_parquet(file) if name.endswith("parquet") else plain.to_csv(file, index=False)
    read_back = task_for(learned, file)
    buckets = learned.apply(plain, output="codes")
    np.testing.assert_array_equal(
        learned.apply_codes(read_back.table)[:, read_back.names.index("zip")], buckets["zip"]
    )


def test_categories_never_seen_go_where_the_artifact_says(people):
    learned = Uniform(WORKS, buckets=2, unseen="common").fit(people).generalization_
    odd = people.assign(education=people["education"].replace("low", "odd"))
    task = task_for(learned, odd)
    assert task.table.attribute("education").n_values == 4
    np.testing.assert_array_equal(
        learned.apply_codes(task.table)[:, 1], learned.apply(odd, output="codes")["education"]
    )


def test_numbers_declared_as_categories(people, tmp_path):
    numbered = people.assign(zip=people["zip"].astype(int))
    learned = Uniform(Roles("works", categorical=["zip"]), buckets=2).fit(numbered).generalization_
    numbered.to_csv(tmp_path / "n.csv", index=False)
    for source in (numbered, tmp_path / "n.csv"):
        codes = learned.apply_codes(task_for(learned, source).table)
        np.testing.assert_array_equal(codes[:, 4], learned.apply(numbered, output="codes")["zip"])


def test_many_numbers_are_binned_along_the_cuts(make_people):
    rng = np.random.default_rng(0)
    people = make_people(900).assign(income=rng.normal(30_000, 9_000, 900).round(2))
    learned = Uniform(WORKS, buckets=3).fit(people).generalization_
    other = people.assign(income=rng.normal(31_000, 9_000, 900).round(2))
    task = task_for(learned, other)
    assert task.table.attribute("income").binned
    place = task.names.index("income")
    np.testing.assert_array_equal(
        learned.apply_codes(task.table)[:, place], learned.apply(other, output="codes")["income"]
    )


def test_roles_win_over_what_it_was_learned_for(artifact, people):
    task = task_for(artifact, people, Roles("age>40", personal=["sex"]))
    assert task.target_name == "age>40"
    assert [task.names[p] for p in task.personal] == ["sex"]
    assert "age" not in task.names
    weighted = task_for(artifact, people, Roles(weights={"sex": 2.0}))
    assert 2.0 in weighted.weights


def test_an_attribute_may_become_the_target(artifact, people):
    task = task_for(artifact, people, Roles("education"))
    assert "education" not in task.names
    assert "works" not in task.names
    assessment = assess_generalization(artifact, split(task))
    assert 0 <= assessment.information_loss <= 1
    assert "education" not in [part.attribute for part in assessment.risk.parts]


def test_missing_texts_are_still_missing(people, tmp_path):
    marked = people.assign(education=people["education"].where(people.index % 9 > 0, "?"))
    marked.to_csv(tmp_path / "m.csv", index=False)
    roles = Roles("works", missing_values=["?"])
    learned = Uniform(roles, buckets=2).fit(tmp_path / "m.csv").generalization_
    task = task_for(learned, tmp_path / "m.csv", Roles(missing_values=["?"]))
    assert task.table.attribute("education").missing


def test_no_target_anywhere(artifact, people):
    with pytest.raises(RoleError, match=r"(?s)does not say what it was learned for.*--target"):
        task_for(artifact.with_about({}), people)


def test_a_misspelt_target(artifact, people):
    with pytest.raises(RoleError, match="Did you mean 'works'"):
        task_for(artifact, people, Roles("wroks"))


def test_a_misspelt_personal_attribute(artifact, people):
    with pytest.raises(
        RoleError, match=r"not an attribute of the generalization.*Did you mean 'sex'"
    ):
        task_for(artifact, people, Roles(personal=["sexx"]))
    with pytest.raises(RoleError, match="not an attribute of the generalization"):
        task_for(artifact, people.assign(height=1), Roles(personal=["height"]))


def test_absent_attributes_are_named(artifact, people):
    with pytest.raises(DataError, match=r"every attribute.*\['age', 'sex'\] are absent"):
        task_for(artifact, people.drop(columns=["age", "sex"]))


def test_unknown_categories_are_counted_not_shown(artifact, people):
    odd = people.assign(education=people["education"].replace("low", "secret"))
    with pytest.raises(DataError, match="'education'") as caught:
        task_for(artifact, odd)
    assert "secret" not in str(caught.value)


def test_a_table_read_before(artifact, people):
    assert task_for(artifact, read(people)).n_rows == 300


def test_what_was_said_when_it_was_learned_is_carried(people, tmp_path):
    marked = people.assign(
        education=people["education"].where(people.index % 9 > 0, "?"),
        age=people["age"].where(people.index % 7 > 0, -9),
        works=people["works"].where(people.index % 5 > 0, "unknown"),
        row=range(len(people)),
    )
    marked.to_csv(tmp_path / "m.csv", index=False)
    roles = Roles(
        "works",
        ignore=["row"],
        missing_values=["?"],
        missing_in={"age": ["-9"], "works": ["unknown"]},
        weights={"sex": 2.0},
        drop_missing_target=True,
    )
    learned = Uniform(roles, buckets=2).fit(tmp_path / "m.csv").generalization_
    for source in (tmp_path / "m.csv", marked):
        task = task_for(Generalization.from_json(learned.to_json()), source)
        assert task.classes == ("no", "yes")
        assert task.n_rows == (marked["works"] != "unknown").sum()
        assert "row" not in task.names
        assert task.table.attribute("age").missing
        assert task.table.attribute("age").lows[0] > 0
        assert task.table.attribute("education").missing
        assert 2.0 in task.weights
    with pytest.raises(DocumentError, match=r"\$\.about\.roles"):
        task_for(learned.with_about({"target": "works", "roles": {"rolls": 1}}), marked)


def test_dates_are_read_as_the_artifact_says(people):
    days = [datetime.date(1930 + i % 70, 1 + i % 12, 1 + i % 12) for i in range(len(people))]
    known = [day.strftime("%m/%d/%Y") for day in days]
    known[0] = "01/31/1930"
    learned = Uniform(Roles("works"), buckets=3).fit(people.assign(birth=known)).generalization_
    assert learned["birth"].domain.order == "month/day/year"
    few = people.assign(birth=["02/03/1960"] * len(people))  # which alone could be either
    task = task_for(learned, few)
    assert str(task.table.attribute("birth").domain.low) == "1960-02-03"
    task = task_for(learned, people.assign(birth=days))
    assert learned.apply_codes(task.table).shape == (len(people), len(learned))
