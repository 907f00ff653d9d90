"""Several adversaries along a front."""

from __future__ import annotations

import pytest

from sparsam._errors import ParameterError
from sparsam.assess import attack_along, sweep
from sparsam.data import Roles
from sparsam.minimise import PrivacyTree

TREES = [PrivacyTree(max_leaves=leaves, min_leaf=20, privacy=0.3) for leaves in (2, 6)]


@pytest.fixture(scope="module")
def front(make_people):
    return sweep(make_people(400), Roles("works"), minimisers=TREES, n_jobs=1)


def test_every_unbeaten_point_is_attacked(front):
    seen = []
    attacked = attack_along(
        front, n_jobs=1, progress=lambda done, total: seen.append((done, total))
    )
    assert [front.points[result.number] for result in attacked] == list(front.best)
    assert seen == [(n, len(attacked)) for n in range(1, len(attacked) + 1)]
    for result, point in zip(attacked, front.best, strict=True):
        assert result.errors["A1"] == point.assessment.risk.value
        assert result.to_dict()["utility_error"] == point.assessment.utility.error
        assert set(result.errors) == {"A1", "A3", "A4", "A5"}


def test_same_on_one_core_or_two(front):
    assert attack_along(front, ["A1", "A3"], n_jobs=1) == attack_along(
        front, ["A1", "A3"], n_jobs=2
    )


def test_a_share_of_the_sample(make_people):
    people = make_people(400)
    part = sweep(people, Roles("works"), minimisers=TREES, sample=0.5, n_jobs=1)
    rows = {p.candidate.generalization.about["learned_from_rows"] for p in part.points}
    assert rows == {120}
    for share in (0, 1.5):
        with pytest.raises(ParameterError, match=r"a float in \(0, 1\]"):
            sweep(people, Roles("works"), minimisers=TREES, sample=share, n_jobs=1)
