"""From a real sweep to the plain data of a report, and every rendering of it."""

from __future__ import annotations

import json
import math
import re
from typing import get_type_hints

import numpy as np
import pytest

from sparsam._small_counts import share_step
from sparsam.assess import sweep
from sparsam.attack import Reconstruction
from sparsam.data import CategoricalDomain, Roles
from sparsam.generalization import categorical_partition
from sparsam.minimise import PrivacyTree
from sparsam.report import report_on
from sparsam.report._collected import members
from sparsam.report._data import PointData, ReportData
from sparsam.report._provenance import NO_HASH

SCRIPT = "<script>alert(1)</script>"
PIPED = "a|b `c` *d* [e](f)"
TREES = [PrivacyTree(max_leaves=leaves, min_leaf=20) for leaves in (2, 6)]


@pytest.fixture(scope="module")
def choice(make_people):
    people = make_people(300)
    people.loc[::9, "education"] = None
    front = sweep(people, Roles("works"), minimisers=["uniform", *TREES], n_jobs=1)
    return front.choose(max_utility_loss=0.2)


@pytest.fixture(scope="module")
def report(choice):
    return report_on(choice, source="people.csv", command="sparsam minimise people.csv")


@pytest.fixture(scope="module")
def hostile(make_people):
    people = make_people(200).rename(columns={"sex": SCRIPT, "region": PIPED})
    people["education"] = people["education"].replace("low", '"><img src=x onerror=alert(2)>')
    people["zip"] = people["zip"].replace("01", "{{ 7*7 }}\n# heading")
    lazy = Reconstruction(models=("look-up",))
    front = sweep(people, Roles("works"), minimisers="uniform", adversary=lazy, n_jobs=1)
    return report_on(front.choose(max_risk=1.0), title=f"Report {SCRIPT}", source=f"{SCRIPT}.csv")


def leaves(value):
    if isinstance(value, dict):
        assert all(type(key) is str for key in value)
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


def lists(value):
    if isinstance(value, list):
        yield value
    children = value.values() if isinstance(value, dict) else value
    for inner in children if isinstance(value, dict | list) else ():
        yield from lists(inner)


def test_plain_json(report):
    data = report.to_dict()
    assert {type(leaf) for leaf in leaves(data)} <= {str, int, float, bool, type(None)}
    assert all(math.isfinite(leaf) for leaf in leaves(data) if isinstance(leaf, float))
    assert json.loads(report.to_json()) == data


def test_all_that_a_report_needs_is_there(report, choice):
    data = report.to_dict()
    assert set(get_type_hints(ReportData)) - {"attacks"} == set(data)
    assert len(data["points"]) == len(choice.front.points)
    for point in data["points"]:
        assert set(get_type_hints(PointData)) - {"attributes"} <= set(point)
    chosen = data["points"][data["chosen"]]
    assert chosen["label"] == choice.candidate.label
    step = share_step(choice.assessment.utility.n_records)
    near = {"abs": step / 2 + 1e-9}
    assert chosen["utility"]["error"] == pytest.approx(choice.assessment.utility.error, **near)
    assert chosen["utility"]["loss"] == pytest.approx(choice.utility_loss, **near)
    assert chosen["risk"]["value"] == pytest.approx(choice.assessment.risk.value, **near)
    assert chosen["risk"]["recovered"] == choice.published["risk"]["recovered"]
    assert chosen["classes"] == choice.published["class_sizes"]
    assert data["requirement"] == {"words": choice.requirement.words, "met": choice.met}


def test_points_on_the_front_and_the_chosen_one_have_details(report, choice):
    data = report.to_dict()
    best = {id(point) for point in choice.front.best}
    for number, point in enumerate(data["points"]):
        on_front = id(choice.front.points[number]) in best
        assert point["on_front"] == on_front
        assert ("attributes" in point) == (on_front or number == data["chosen"])
        assert ("attributes" in point["risk"]) == ("attributes" in point)


def test_attributes_in_words(report, choice):
    data = report.to_dict()
    chosen = data["points"][data["chosen"]]
    by_name = {attribute["name"]: attribute for attribute in chosen["attributes"]}
    assert by_name["education"]["before_words"] == "3 values or missing"
    assert by_name["sex"]["before_words"] == "2 values"
    assert by_name["age"]["personal"] is False
    for name, attribute in by_name.items():
        partition = choice.generalization[name]
        assert attribute["collected"] == partition.collected
        assert attribute["buckets"] == (list(partition.labels) if partition.collected else [])
        assert attribute["words"].startswith(f"{name}: {attribute['before_words']} → ")


def test_no_person_is_in_it(report, choice):
    data = report.to_dict()
    n_people = {part.n_rows for part in (choice.front.data.validation, choice.front.data.test)}
    longest = max(len(found) for found in lists(data))
    assert longest < min(n_people)
    assert "person_errors" not in report.to_json()
    assert '"wrong"' not in report.to_json()


def test_figures_on_a_handful_of_people_are_left_out(report):
    data = report.to_dict()
    confident = data["points"][data["chosen"]]["risk"]["confident"]
    # one in a hundred of 90 people is one person, one in twenty are four or five
    assert [one["share"] for one in confident] == [0.1, 0.25, 0.5] or (
        [one["share"] for one in confident] == [0.05, 0.1, 0.25, 0.5]
        and round(0.05 * data["task"]["split"]["test"]) >= 5
    )
    for point in data["points"]:
        for count in (point["classes"]["smallest"], *point["classes"]["under"].values()):
            assert str(count).startswith("fewer than ") or count == 0 or count >= 5


def test_how_to_reproduce(report, choice):
    reproduce = report.to_dict()["reproduce"]
    assert reproduce["input"] == {
        "name": "people.csv",
        "hash": NO_HASH,
        "rows": 300,
    }
    assert reproduce["seed"] == 0
    assert reproduce["command"] == "sparsam minimise people.csv"
    assert {"sparsam", "python", "numpy", "scikit-learn"} <= set(reproduce["versions"])


def test_no_hash_by_which_a_row_can_be_guessed(choice):
    report = report_on(choice)
    data = report.to_dict()
    assert data["title"] == "Data minimisation report: works"
    assert NO_HASH in report.to_markdown()
    assert NO_HASH in report.to_html()
    assert not re.search(r"\b[0-9a-f]{32,}\b", report.to_json() + report.to_markdown())


def test_every_rendering_of_a_real_sweep(report, tmp_path):
    markdown, page = report.to_markdown(), report.to_html()
    for text in (markdown, page):
        assert "works" in text
        assert "nan" not in text.lower().split()
    for name in ("r.html", "r.md", "r.json"):
        report.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    assert repr(report).startswith("<Report 'Data minimisation report: works'")


def test_hostile_names_survive_escaped(hostile):
    page, markdown = hostile.to_html(), hostile.to_markdown()
    assert SCRIPT not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<img src=x" not in page
    assert "{{ 7*7 }}" in page
    assert "49" not in hostile.to_dict()["title"]
    assert SCRIPT not in markdown
    assert "\n# heading" not in markdown
    assert SCRIPT in hostile.to_dict()["task"]["personal"]


def test_same_choice_same_bytes(choice):
    assert report_on(choice).to_html() == report_on(choice).to_html()


def test_a_choice_that_is_not_on_the_front_is_shown_in_full(choice):
    numbers = [p for p in choice.front.points if p.assessment is choice.assessment]
    assert len(numbers) == 1
    data = report_on(choice).to_dict()
    assert "attributes" in data["points"][data["chosen"]]


def test_numbers_cut_into_bins_are_called_exact(make_people):
    rng = np.random.default_rng(0)
    people = make_people(400).assign(income=rng.normal(3e4, 1e4, 400))
    lazy = Reconstruction(models=("look-up",))
    front = sweep(people, Roles("works"), minimisers=TREES[1], adversary=lazy, n_jobs=1)
    data = report_on(front.choose(max_risk=1.0)).to_dict()
    attributes = {one["name"]: one for one in data["points"][0]["attributes"]}
    assert attributes["income"]["before_words"] == "exact numbers"


def test_a_bucket_whose_label_is_cut_short_lists_its_members():
    colours = categorical_partition(
        "colour",
        CategoricalDomain(("red", "green", "blue", "black", "white")),
        [["red", "green", "blue", "black"], ["white"]],
    )
    assert members(colours) == {colours.labels[0]: ["red", "green", "blue", "black"]}
