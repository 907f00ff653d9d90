"""The page of one look at later people."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.assess import monitor
from sparsam.data import Roles, resolve, split
from sparsam.minimise import PrivacyTree
from sparsam.report import monitor_report

TITLES = [
    "What to do",
    "Whether the promise holds",
    "Who the people are now",
    "Whether the records still tell the target",
    "Earlier looks",
    "What these numbers do not mean",
    "How to reproduce",
]


@pytest.fixture(scope="module")
def looks(make_people):
    """A look at people like those then, and one at people who changed."""
    people = make_people(900)
    task = split(resolve(people, Roles("works"))).train
    tree = PrivacyTree(Roles("works"), max_leaves=4, min_leaf=20).fit_task(task).generalization_
    later = make_people(900, 1)
    turned = later.copy()
    turned["works"] = np.where(turned["works"] == "yes", "no", "yes")
    options = {"baseline": people, "max_utility_loss": 0.2}
    return [monitor(tree, table, **options) for table in (later, turned)]


def test_the_page(looks):
    page = monitor_report(looks[0], source="later.csv", date="2026-11-16").page()
    assert [section.title for section in page.sections] == TITLES
    assert str(page.verdict).startswith("The promise holds: 900 later people")


def test_an_alarm_says_what_to_do(looks):
    report = monitor_report(looks[1], date="2026-11-16")
    assert "The promise no longer holds for 900 later people." in report.verdict
    for text in (report.to_html(), report.to_markdown(), report.to_terminal()):
        assert "Refit" in text
        assert "Errors rose, most in" in text
    assert report.to_dict()["verdict"] == "does not hold"


def test_nothing_finer_than_five_people_is_told(looks):
    changes = monitor_report(looks[0]).to_dict()["changes"]
    shares = [change["now"] for change in changes if change["kind"] == "share"]
    assert shares
    assert all(round(share / 0.006) * 0.006 == pytest.approx(share) for share in shares)
