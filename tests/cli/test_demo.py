"""`sparsam demo`, on a small table in place of the bundled one."""

from __future__ import annotations

import pytest

import sparsam.cli._demo as module
from sparsam.data import read
from sparsam.generalization import Generalization


@pytest.fixture
def small_example(make_people, monkeypatch):
    people = read(make_people(700).rename(columns={"works": "employed"}))
    monkeypatch.setattr("sparsam.data.load_example", lambda: people)


def test_it_leaves_an_artifact_a_report_and_a_form(run, small_example, tmp_path):
    result = run("demo", "--folder", tmp_path / "new", "--jobs", 1, "--no-open")
    assert result.exit_code == 0, result.output
    assert len(Generalization.load(tmp_path / "new" / "people.json")) == 5
    page = (tmp_path / "new" / "report.html").read_text(encoding="utf-8")
    assert "bundled example" in page
    assert str(tmp_path) not in page
    assert "of 5 attributes" in result.stdout
    assert "is the smallest loss that so many people can be expected to show" in page
    assert "Wrote the report" in result.stderr
    collected = Generalization.load(tmp_path / "new" / "people.json").collected
    form = (tmp_path / "new" / "form.html").read_text(encoding="utf-8")
    assert collected
    assert all(f"name={name} " in form for name in collected)
    assert "name=employed" not in form
    assert "sparsam collect" in result.stderr


def test_it_opens_the_report_when_asked(run, small_example, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(module.click, "launch", opened.append)
    assert run("demo", "--folder", tmp_path, "--jobs", 1, "--open", "-q").exit_code == 0
    assert opened == [str((tmp_path / "report.html").resolve())]
