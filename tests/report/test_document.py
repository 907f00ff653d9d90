"""What all reports have in common: plain data, and files by their ending."""

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
