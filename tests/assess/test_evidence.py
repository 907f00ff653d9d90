"""Enough people to judge by, or too few, and how many would do."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.assess._evidence import Evidence
from sparsam.data import Roles, resolve, split


@pytest.mark.parametrize(
    ("people", "outside", "enough"),
    [
        (200, 30, True),
        (199, 90, False),
        (6000, 29, False),
        (200, None, True),
        (199, None, False),
    ],
)
def test_enough(people, outside, enough):
    evidence = Evidence(people, outside, 4 * people)
    assert evidence.enough is enough
    verdicts = [evidence.verdict(met) for met in (True, False)]
    assert verdicts == (["met", "not met"] if enough else ["too few people to tell"] * 2)
    assert (evidence.to_dict()["needed"] is None) is enough


@pytest.mark.parametrize(
    ("evidence", "needed"),
    [
        (Evidence(180, 60, 600), 670),
        (Evidence(180, None, 600), 670),
        (Evidence(600, 10, 2000), 6000),
        (Evidence(1, 0, 5), 1000),
    ],
)
def test_how_many_would_do(evidence, needed):
    assert evidence.needed == needed
    assert f"{needed:,} people in all" in evidence.words


def test_so_many_would_really_do():
    for people, outside, in_all in [(180, 60, 600), (61, 25, 201), (900, 7, 3000)]:
        times = Evidence(people, outside, in_all).needed / in_all
        assert Evidence(int(people * times), int(outside * times + 1e-9), 1).enough


def test_few_people_are_not_told_apart():
    """Nothing that is said tells whether one person or three are of the rarer class."""
    said = {
        (Evidence(300, few, 1000).words, str(Evidence(300, few, 1000).to_dict()))
        for few in (1, 2, 3, 4)
    }
    assert len(said) == 1


def test_counts_the_test_part():
    target = np.array(["no"] * 900 + ["yes"] * 100)
    parts = split(resolve({"a": np.arange(1000) % 7}, Roles(), y=target))
    evidence = Evidence.of(parts)
    assert (evidence.people, evidence.in_all) == (300, 1000)
    assert evidence.outside == (parts.test.target == 1).sum()
