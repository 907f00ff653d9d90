"""The report as an object: plain data, saving, small counts."""

from __future__ import annotations

import copy
import json
import math

import numpy as np
import pytest

from sparsam._errors import ParameterError
from sparsam.report import Report


def test_data_comes_back_as_plain_json(make_data):
    data = make_data()
    report = Report(data)
    assert json.loads(report.to_json()) == report.to_dict()
    assert Report(report.to_dict()).to_json() == report.to_json()


def test_data_given_is_not_changed_and_data_returned_is_a_copy(make_data):
    data = make_data()
    before = copy.deepcopy(data)
    report = Report(data)
    report.to_dict()["title"] = "changed"
    assert data == before
    assert report.to_dict()["title"] == before["title"]


def test_gaps_and_numpy_numbers_become_plain(make_data):
    data = make_data()
    data["limits"]["everything"]["error"] = math.nan
    data["points"][0]["utility"]["interval"] = np.array([0.1, 0.2])
    data["points"][0]["information_loss"] = np.float64(0.5)
    plain = Report(data).to_dict()
    assert plain["limits"]["everything"]["error"] is None
    assert plain["points"][0]["utility"]["interval"] == [0.1, 0.2]
    assert type(plain["points"][0]["information_loss"]) is float


@pytest.mark.parametrize(
    ("count", "said"), [(0, 0), (1, "fewer than 5"), (4, "fewer than 5"), (5, 5)]
)
def test_small_counts_of_people_never_leave(make_data, count, said):
    data = make_data()
    for point in data["points"]:
        point["classes"] |= {"alone": count, "smallest": count, "under": {"5": count, "10": 77}}
    classes = Report(data).to_dict()["points"][0]["classes"]
    assert classes["alone"] == classes["smallest"] == classes["under"]["5"] == said
    assert classes["under"]["10"] == 77


def test_small_counts_are_words_in_every_rendering(make_data):
    data = make_data()
    for point in data["points"]:
        point["classes"] |= {"alone": 3, "smallest": 3, "under": {"5": 3}}
    report = Report(data)
    assert "| alone, nobody else has it | fewer than 5 |" in report.to_markdown()
    assert '<dd class="value wordy">fewer than 5</dd>' in report.to_html()
    assert '"alone": 3' not in report.to_json()


@pytest.mark.parametrize("name", ["r.html", "r.HTM", "r.md", "r.json"])
def test_saved_by_ending(make_data, tmp_path, name):
    report = Report(make_data())
    report.save(tmp_path / name)
    report.save(str(tmp_path / name))
    start = (tmp_path / name).read_text(encoding="utf-8")[:15]
    assert start.startswith({"h": "<!doctype html>", "m": "# Data", "j": "{"}[name[2].lower()])


def test_another_ending_is_an_error(make_data, tmp_path):
    with pytest.raises(ParameterError, match=r"must end in .*\.json.*Got 'report\.pdf'"):
        Report(make_data()).save(tmp_path / "report.pdf")
    assert not list(tmp_path.iterdir())


def test_a_chosen_point_that_is_not_there_is_an_error(make_data):
    with pytest.raises(ParameterError, match="'chosen'"):
        Report(make_data() | {"chosen": 4711})


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
