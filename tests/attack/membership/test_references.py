"""Reference models, and the scores from them."""

from __future__ import annotations

import numpy as np
import pytest

from sparsam.attack.membership._answers import log_odds
from sparsam.attack.membership._references import (
    References,
    draw_references,
    likelihood_ratio,
    lira_scores,
    rmia_scores,
)


@pytest.mark.parametrize("online", [False, True])
@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0])
def test_rmia_is_that_of_all_pairs(online: bool, gamma: float) -> None:
    rng = np.random.default_rng(4)
    confidence, references = rng.integers(0, 5, 40) / 4, rng.integers(0, 5, (6, 40)) / 4
    inside = rng.permuted(np.tile([True, False], (40, 3)), axis=1).T
    models = References(references, inside)
    scores = rmia_scores(
        (ratio := likelihood_ratio(confidence, models, online=online, a=0.3)), ratio[20:], gamma
    )
    for person in range(40):
        outside = [references[r, person] for r in range(6) if not inside[r, person]]
        within = [references[r, person] for r in range(6) if inside[r, person]]
        mean = (np.mean(outside) + np.mean(within)) / 2
        if not online:
            mean = (1.3 * np.mean(outside) + 0.7) / 2
        own = confidence[person] / max(mean, 1e-12)
        assert ratio[person] == pytest.approx(own)
        beaten = [
            1.0 if ratio[person] > gamma * z else 0.5 if ratio[person] == gamma * z else 0.0
            for z in ratio[20:]
        ]
        assert scores[person] == pytest.approx(np.mean(beaten))


def test_lira_is_the_ratio_of_two_normal_laws() -> None:
    rng = np.random.default_rng(6)
    inside = rng.permuted(np.tile([True, False], (30, 4)), axis=1).T
    references = np.clip(rng.normal(0.5, 0.1, (8, 30)) + 0.3 * inside, 0.05, 0.95)
    confidence = rng.uniform(0.2, 0.9, 30)
    models = References(references, inside)
    odds = log_odds(references)
    laws = []
    for group in (inside, ~inside):
        values = [odds[group[:, person], person] for person in range(30)]
        means = np.array([v.mean() for v in values])
        spread = np.sqrt(sum(((v - v.mean()) ** 2).sum() for v in values) / (30 * 3))
        laws.append((means, spread))
    own = log_odds(confidence)
    slow = [-0.5 * ((own - mean) / spread) ** 2 - np.log(spread) for mean, spread in laws]
    assert lira_scores(confidence, models, online=True) == pytest.approx(slow[0] - slow[1])
    mean, spread = laws[1]
    assert lira_scores(confidence, models) == pytest.approx((own - mean) / spread)


def test_each_pair_of_references_parts_everyone() -> None:
    drawn = draw_references(np.arange(11), 4, random_state=0)
    assert [len(rows) for rows in drawn] == [5, 6, 5, 6]
    for first, second in (drawn[:2], drawn[2:]):
        assert sorted([*first, *second]) == list(range(11))
    assert [len(rows) for rows in draw_references(np.arange(11), 2, 0, size=3)] == [3, 3]
