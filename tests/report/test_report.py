"""The report of a choice: its data from a real sweep, and every rendering of it."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from sparsam._small_counts import share_step
from sparsam.assess import Score, sweep
from sparsam.attack import Reconstruction
from sparsam.data import Roles
from sparsam.minimise import PrivacyTree
from sparsam.report import Report, report_on
from sparsam.report._report import _verdict
from sparsam.report._score_words import score_data
from sparsam.report._words import THIN
from sparsam.report.page._blocks import plain_words

SCRIPT = "<script>alert(1)</script>"
PIPED = "a|b `c` *d* [e](f)"


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
    assert len(data["points"]) == len(choice.front.points)
    chosen = data["points"][data["chosen"]]
    assert chosen["label"] == choice.candidate.label
    step = share_step(choice.assessment.utility.n_records)
    near = {"abs": step / 2 + 1e-9}
    assert chosen["utility"]["error"] == pytest.approx(choice.assessment.utility.error, **near)
    assert chosen["utility"]["loss"] == pytest.approx(choice.utility_loss, **near)
    assert chosen["risk"]["value"] == pytest.approx(choice.assessment.risk.value, **near)
    assert chosen["risk"]["recovered"] == choice.published["risk"]["recovered"]
    assert chosen["classes"] == choice.published["class_sizes"]
    assert data["requirement"] == choice.answer
    assert data["requirement"]["words"] == choice.requirement.words
    assert data["requirement"]["met"] is choice.met


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
    longest = max(len(values) for values in lists(data))
    assert longest < min(n_people)
    assert "person_errors" not in report.to_json()
    assert '"wrong"' not in report.to_json()


def test_figures_on_a_handful_of_people_are_left_out(report):
    data = report.to_dict()
    confident = data["points"][data["chosen"]]["risk"]["confident"]
    # one in a hundred of 90 people is one person, one in twenty are four or five
    assert [step["share"] for step in confident] == [0.1, 0.25, 0.5] or (
        [step["share"] for step in confident] == [0.05, 0.1, 0.25, 0.5]
        and round(0.05 * data["task"]["split"]["test"]) >= 5
    )
    for point in data["points"]:
        for count in (point["classes"]["smallest"], *point["classes"]["under"].values()):
            assert str(count).startswith("fewer than ") or count == 0 or count >= 5


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
    lazy, tree = Reconstruction(models=("look-up",)), PrivacyTree(max_leaves=6, min_leaf=20)
    front = sweep(people, Roles("works"), minimisers=tree, adversary=lazy, n_jobs=1)
    data = report_on(front.choose(max_risk=1.0)).to_dict()
    attributes = {attribute["name"]: attribute for attribute in data["points"][0]["attributes"]}
    assert attributes["income"]["before_words"] == "exact numbers"


def test_same_data_same_bytes(make_data):
    first, second = Report(make_data()), Report(make_data())
    assert first.to_html() == second.to_html()
    assert first.to_markdown() == second.to_markdown()


def test_repr_names_the_title_and_the_verdict(make_data):
    assert "This model needs" in repr(Report(make_data()))


def test_notebook_fragment_is_escaped_and_short(make_data):
    fragment = Report(make_data())._repr_html_()
    assert "<script" not in fragment
    assert "&lt;script&gt;" in fragment
    assert "and 48 more" in fragment
    assert "<html" not in fragment


def verdict_of(data, **changes):
    point = next(point for point in data["points"] if point["id"] == data["chosen"])
    point["n_collected"] = changes.get("needed", point["n_collected"])
    point["risk"]["recovered"] = changes.get("recovered", point["risk"]["recovered"])
    point["utility"]["error"] = changes.get("error", point["utility"]["error"])
    return str(_verdict(data, point)).replace(THIN, " ")


def test_verdict_in_one_breath(make_data):
    assert verdict_of(make_data(), needed=5, recovered=0.238, error=0.181) == (
        "This model needs 5 of 16 attributes. Accuracy 81.9 % (interval 80.9–82.8 %) instead of "
        "82.7 % with everything collected; it keeps 98 % of what the data add to the majority "
        "guess; the strongest attack that was run (A1: sees a person’s collected record) recovers "
        "24 % of what the majority guess gets wrong."
    )


@pytest.mark.parametrize(
    ("needed", "said"),
    [(0, "none of the 16 attributes."), (16, "all 16 attributes."), (1, "1 of 16 attributes.")],
)
def test_verdict_counts_attributes(make_data, needed, said):
    assert said in verdict_of(make_data(), needed=needed)


def test_verdict_without_gain_or_without_a_figure(make_data):
    assert "no better than the majority guess" in verdict_of(make_data(), recovered=-0.01)
    assert verdict_of(make_data(), recovered=None).endswith("add to the majority guess.")
    same = verdict_of(make_data(), error=0.1731)
    assert "the same as with everything" in same
    assert "keeps all of what the data add" in same
    assert "Accuracy – instead" in verdict_of(make_data(), error=None)
    silent = make_data()
    silent["limits"]["adds"]["tells"] = False
    assert "the data add" not in verdict_of(silent)


def test_hostile_words_everywhere(make_data, read_html):
    data = make_data()
    evil = "</style></script></title><script>alert(9)</script>\"'><b onclick=x>"
    data["title"] = data["task"]["target"] = data["reproduce"]["command"] = evil
    data["requirement"]["words"] = data["reproduce"]["input"]["name"] = evil
    data["meaning"][0] = {"heading": evil, "text": evil}
    data["reproduce"]["settings"] = {evil: [evil]}
    data["task"]["classes"] = [evil, evil]
    for point in data["points"]:
        point["label"] = point["risk"]["adversary"] = point["utility"]["model"] = evil
    page = read_html(Report(data).to_html())
    assert len([tag for tag, _ in page.elements if tag == "script"]) == 3
    assert not any("onclick" in attributes for _, attributes in page.elements)


def test_each_point_of_the_front_is_a_radio_button_and_a_dot(make_data, read_html):
    page = read_html(Report(make_data()).to_html())
    inputs = [attributes for tag, attributes in page.elements if tag == "input"]
    values = [attributes["value"] for attributes in inputs]
    dots = [attributes["data-dot"] for _, attributes in page.elements if "data-dot" in attributes]
    assert sorted(values * 2) == sorted(dots)
    assert sum("checked" in attributes for attributes in inputs) == 1


def test_risk_is_sorted_by_what_is_recovered(make_data):
    html = Report(make_data(front=1, other=0)).to_html()
    table = html[html.index('<table class="risks') : html.index('<p class="legend"')]
    shares = [float(share.replace("−", "-")) for share in re.findall(r"<b>([−\d.]+)", table)]
    assert len(shares) == 15
    assert shares == sorted(shares, reverse=True)


def test_other_points_stand_ready_and_share_their_lines(make_data):
    data = make_data()
    page = Report(data).page()
    assert [variant.id for variant in page.variants] == [
        point["id"] for point in data["points"] if point["on_front"] and point["id"] != 3
    ]
    assert all("would need" in variant.verdict.needs for variant in page.variants)
    assert set(page.variants[0].sections) == {"collect", "risk"}
    assert "Another point than the chosen one" in Report(data).to_html()
    assert len(Report(make_data(front=1)).page().variants) == 0


def test_no_requirement(make_data):
    assert '<p class="requirement' not in Report(make_data() | {"requirement": None}).to_html()


def test_requirement_not_met_says_so(make_data):
    html = Report(make_data() | {"requirement": {"words": "w", "met": False}}).to_html()
    assert "✗ Requirement not met" in html


def test_nothing_collected(make_data):
    html = Report(make_data(chosen=13)).to_html()
    assert "Nothing needs to be collected" in html
    assert "none of the 16 attributes" in html


def test_gaps_everywhere(make_data, read_html):
    data = make_data()
    for limit in data["limits"].values():
        limit |= {"error": None, "interval": None, "model": None}
    for point in data["points"]:
        for part in (point["utility"], point["risk"], *point["risk"]["attributes"]):
            numbers = [key for key in part if "error" in key or "interval" in key]
            numbers += ["value", "loss", "recovered", "baseline", "model"]
            part |= {key: None for key in numbers if key in part}
        point["information_loss"] = None
    data["reproduce"] |= {"command": None, "seed": None}
    report = Report(data)
    for text in (report.to_html(), report.to_markdown()):
        assert "None" not in text
        assert "nan" not in text.lower().replace("finance", "")
    read_html(report.to_html())


def test_points_without_details_can_still_be_shown(make_data, read_html):
    data = make_data(front=2, other=3)
    for point in data["points"]:
        del point["attributes"], point["risk"]["attributes"], point["risk"]["confident"]
    html = Report(data).to_html()
    read_html(html)
    assert data["points"][0]["label"] in html


def test_level_of_intervals_is_named_where_known(make_data):
    assert "95\u202f% interval" in Report(make_data() | {"confidence": 0.95}).to_html()


def _tables(text: str) -> list[list[str]]:
    return [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]


def test_every_row_of_a_table_has_as_many_cells_as_its_head(make_data):
    tables = _tables(Report(make_data()).to_markdown())
    assert len(tables) == 5
    for lines in tables:
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
        assert len(cells) == 1


def test_pipes_tags_and_lines_are_harmless(make_data):
    text = Report(make_data()).to_markdown()
    assert r"a\|b c" in text
    assert "<script" not in text
    assert "<img" not in text


def test_front_table_marks_the_chosen_point(make_data):
    text = Report(make_data()).to_markdown()
    front = _tables(text)[1]
    assert len(front) == 2 + 14
    assert sum("(chosen)" in line for line in front) == 1


def test_a_command_with_backticks_stays_in_its_fence(make_data):
    data = make_data()
    data["reproduce"]["command"] = "echo ```\n# not a heading"
    assert "````\necho ```\n# not a heading\n````" in Report(data).to_markdown()


def test_another_score_is_named_everywhere(make_data, read_html):
    data = make_data()
    data["score"] = score_data(Score("auc", "the commonest class has 86 % of the people"))
    html = Report(data).to_html()
    assert "AUC 0.8" in verdict_of(data)
    assert "ccuracy" not in verdict_of(data)
    for words in ("since the commonest class has 86 % of the people", "→ worse", "a loss of 0.0"):
        assert words in html
    assert "Model error" not in html


def test_a_remark_on_the_score_is_a_notice(make_data):
    data = make_data()
    data["requirement"]["remarks"] = ["accuracy cannot tell here what is needed."]
    assert "accuracy cannot tell here" in Report(data).to_html()
    assert "accuracy cannot tell here" in Report(data).to_markdown()


def test_a_possible_leak_is_said_at_the_top(report):
    data = report.to_dict()
    assert not any("leak" in plain_words(notice.words) for notice in report.head().notices)
    note = "pay: alone tells the target almost as well as all attributes do. If it is so"
    leaking = Report({**data, "task": {**data["task"], "remarks": ["zip: ignored", note]}})
    (said,) = (n for n in leaking.head().notices if "leak" in plain_words(n.words))
    assert note in plain_words(said.words)
    assert note in leaking.to_markdown()
