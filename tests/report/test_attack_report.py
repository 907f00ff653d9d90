"""From real attacks to both kinds of report."""

from __future__ import annotations

import json
import math

import pytest

from sparsam._errors import ParameterError
from sparsam.assess import attack_along, sweep
from sparsam.attack import Attacks, Reconstruction, Risk, run_attacks
from sparsam.data import Roles
from sparsam.minimise import PrivacyTree
from sparsam.report import attack_report, report_on
from sparsam.report._provenance import NO_HASH


def numbers(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from numbers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner)
    elif isinstance(value, int | float):
        yield value


LAZY = Reconstruction(models=("look-up",))


@pytest.fixture(scope="module")
def choice(make_people):
    lazy = Reconstruction(models=("look-up",))
    tree = PrivacyTree(max_leaves=6, min_leaf=20)
    front = sweep(
        make_people(300), Roles("works"), minimisers=["uniform", tree], adversary=lazy, n_jobs=1
    )
    return front.choose(max_utility_loss=0.2)


@pytest.fixture(scope="module")
def found(choice):
    return run_attacks(choice.generalization, choice.front.data, reconstruction=LAZY)


def test_real_attacks_in_the_large_report(choice, found, tmp_path):
    along = attack_along(choice.front, reconstruction=LAZY, n_jobs=1)
    report = report_on(choice, attacks=found, along_front=along)
    data = report.to_dict()
    assert len(data["attacks"]["risks"]) == len(found.risks)
    assert len(data["attacks"]["bounds"]) == len(found.bounds)
    assert set(data["attacks"]["along_front"][0]["errors"]) == {"A1", "A3", "A4", "A5"}
    ids = {point["id"] for point in data["points"] if point["on_front"]}
    assert {point["id"] for point in data["attacks"]["along_front"]} == ids
    assert len(data["meaning"]) > len(report_on(choice).to_dict()["meaning"])
    assert report.to_html().count("<script>") == 1
    for name in ("r.html", "r.md", "r.json"):
        report.save(tmp_path / name)
    assert all(math.isfinite(number) for number in numbers(data))


def test_real_attacks_alone(choice, found, tmp_path):
    report = attack_report(
        found,
        choice.generalization,
        choice.front.data,
        source="people.csv",
        command="sparsam attack people.json people.csv",
    )
    data = report.to_dict()
    assert json.loads(report.to_json()) == data
    assert data["title"] == "Attack report: works"
    assert data["reproduce"]["input"] == {"name": "people.csv", "hash": NO_HASH, "rows": 300}
    assert data["reproduce"]["settings"]["adversaries"][0] == "A1"
    assert data["collected"]["n_collected"] == len(choice.generalization.collected)
    assert data["collected"]["information_loss"] == choice.assessment.information_loss
    for name in ("a.html", "a.htm", "a.md", "a.json"):
        report.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    with pytest.raises(ParameterError, match="must end in"):
        report.save(tmp_path / "a.pdf")
    assert repr(report).startswith("<AttackReport 'Attack report: works'")
    for text in (report.to_html(), report.to_markdown()):
        assert "sparsam attack people.json people.csv" in text
        assert "accuracy is for this task" not in text


def test_nothing_but_an_interrupted_start(choice):
    started = Attacks((), complete=False)
    report = attack_report(started, choice.generalization, choice.front.data)
    assert report.to_html().count("<script>") == 1
    assert "interrupted" in report.to_markdown()


def test_an_adversary_of_your_own(choice):
    class Mine:
        def attack(self, generalization, data):
            return Risk(
                adversary="mine & yours",
                measure="error",
                value=0.3,
                baseline=0.4,
                interval=(0.2, 0.4),
                n=data.test.n_rows,
                split="test",
                random_state=0,
                details={"record": "Mrs Jones"},
            )

    mine = run_attacks(choice.generalization, choice.front.data, [Mine()])
    report = attack_report(mine, choice.generalization, choice.front.data)
    assert "mine &amp; yours" in report.to_html()
    assert "28.6\u202f%" in report.to_markdown()  # of 90 people: 0.12 of 0.42, in steps of 0.06
    assert "Jones" not in report.to_json()
