"""Groups are the values, quarters and ranges that people name, or expect."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam._errors import ParameterError, RoleError
from sparsam.assess._grouping import groupings
from sparsam.data import Roles, Task, resolve

N = 400


@pytest.fixture(scope="module")
def task() -> Task:
    rng = np.random.default_rng(0)
    grades = tuple(f"grade {number:02}" for number in range(24))
    people = {
        "sex": rng.choice(["f", "m"], N),
        "rac1p": [None if number % 9 == 0 else str(number % 4) for number in range(N)],
        "hobby": rng.choice(["chess", "music", "none"], N),
        "town": [f"t{number % 40}" for number in range(N)],
        "grade": rng.choice(grades, N),
        "age": np.arange(N) % 80,
        "children": np.arange(N) % 3,
        "income": np.arange(N) % 130 * 137.5,
        "born": [f"{1940 + number % 60}-0{1 + number % 9}-11" for number in range(N)],
        "shoe": np.arange(N),
        "constant": ["x"] * N,
        "works": rng.choice(["no", "yes"], N),
    }
    roles = Roles("works", ordered={"grade": grades}, identifiers=["shoe"], dates=["born"])
    return resolve(people, roles)


def _sizes(task: Task, text: str) -> dict[str, int]:
    (grouping,) = groupings(task, [text])
    counts = np.bincount(grouping.groups(task), minlength=len(grouping.labels))
    return dict(zip(grouping.labels, counts.tolist(), strict=True))


def test_groups_that_people_expect_are_personal_and_called_so(task):
    assert [grouping.name for grouping in groupings(task)] == ["sex", "rac1p"]


def test_without_such_a_name_all_personal_attributes_with_few_values_are_groups(task):
    plain = resolve(
        {"hobby": task.table.to_dict()["hobby"], "town": task.table.to_dict()["town"],
         "works": task.target.astype(str)}, Roles("works")
    )  # fmt: skip
    assert [grouping.name for grouping in groupings(plain)] == ["hobby"]
    assert groupings(task, []) == ()


def test_a_missing_value_is_a_group_of_its_own(task):
    sizes = _sizes(task, "rac1p")
    assert list(sizes) == ["0", "1", "2", "3", "missing"]
    assert sum(sizes.values()) == N
    assert sizes["missing"] == 45


def test_numbers_are_cut_at_round_quarters(task):
    sizes = _sizes(task, "age")
    assert list(sizes) == ["under 20", "20–39", "40–59", "60 and over"]
    assert set(sizes.values()) == {100}
    assert len(_sizes(task, "income")) == 4
    assert min(_sizes(task, "income").values()) > 0.15 * N
    assert len(_sizes(task, "born")) == 4


def test_few_numbers_are_groups_one_by_one(task):
    assert list(_sizes(task, "children")) == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("days", "labels"),
    [
        (["2020-01-01", "2021-05-05"], ["before 2021", "2021 and after"]),
        (
            ["2020-03-09", "2020-04-30", "2020-07-02"],
            ["before April 2020", "April 2020 – June 2020", "July 2020 and after"],
        ),
        (["08:10", "17:45"], ["before 12:00", "12:00 and after"]),
    ],
)
def test_few_days_and_times_are_groups_too(days, labels):
    people = {"came": days * 60, "works": ["no", "yes", "yes"] * (20 * len(days))}
    task = resolve(people, Roles("works", personal="all"))
    (grouping,) = groupings(task)
    assert list(grouping.labels) == labels
    assert set(np.bincount(grouping.groups(task))) == {60}


def test_many_ordered_categories_are_taken_in_quarters(task):
    sizes = _sizes(task, "grade")
    assert len(sizes) == 4
    assert min(sizes.values()) > 0.15 * N
    assert "grade 00 – " in next(iter(sizes))


def test_declared_cuts(task):
    assert list(_sizes(task, "age=18/65")) == ["under 18", "18–64", "65 and over"]
    assert _sizes(task, "age=18/65")["under 18"] == 18 * 5
    assert len(_sizes(task, "born=1960-01-01")) == 2


def test_a_cut_through_a_bin_moves_to_its_border(task):
    (grouping,) = groupings(resolve({"x": np.arange(3000) + 0.5, "y": ["a", "b"] * 1500},
                                    Roles("y")), ["x=1000"])  # fmt: skip
    assert len(grouping.labels) == 2
    assert float(grouping.labels[0].removeprefix("under ")) == pytest.approx(1000, abs=15)


def test_crossed_attributes(task):
    sizes = _sizes(task, "sex*age=65")
    assert list(sizes) == ["f, under 65", "f, 65 and over", "m, under 65", "m, 65 and over"]
    assert sum(sizes.values()) == N
    assert sizes["f, under 65"] + sizes["f, 65 and over"] == _sizes(task, "sex")["f"]


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("sexx", RoleError, "'sexx' is not a column .role 'groups'.. Did you mean 'sex'"),
        ("works", RoleError, "'works' is the target"),
        ("shoe", RoleError, "'shoe' is not read, so nobody can be grouped by it"),
        ("constant", ParameterError, "one value only"),
        ("town", ParameterError, "at most 20 categories. 'town' has 40"),
        ("sex*sex", ParameterError, "crossed with itself"),
        ("sex=3", ParameterError, "Only numbers can be cut. 'sex' has categories"),
        ("age=old", ParameterError, "must look like 'age=18/65'"),
        ("born=1960", ParameterError, "must look like 'born=1980-01-01/2000-01-01'"),
        ("age*income*rac1p", ParameterError, "At most 60 groups"),
    ],
)
def test_groups_that_cannot_be(task, text, error, words):
    with pytest.raises(error, match=words):
        groupings(task, [text])
