"""Membership in the data behind a mask (MIR), against slow versions and the attacks on models."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from sparsam._errors import DataError, ParameterError
from sparsam.attack import MembershipGame, References, rmia
from sparsam.attack.masks._masked_membership import MaskedMembership
from sparsam.attack.membership._membership import lira, loss_attack

SEEDS = st.integers(0, 2**32 - 1)
N_PEOPLE = 240
MEMBERS, OTHERS, POPULATION = np.split(np.arange(N_PEOPLE), [60, 120])

rng = np.random.default_rng(5)
X = rng.random((N_PEOPLE, 6))
LABELS = rng.integers(0, 2, N_PEOPLE)


def _neighbours(records: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Probability of everyone's label, from the labels of those near them: it learns by heart."""
    distance = ((X[:, None, :] - records[None, :, :]) ** 2).sum(axis=2)
    near = np.exp(-distance / 0.02) + 0.01
    return (near * (LABELS[:, None] == LABELS[rows])).sum(axis=1) / near.sum(axis=1)


def _train(rows: np.ndarray) -> np.ndarray:
    return _neighbours(X[rows], rows)


def _logistic(rows: np.ndarray) -> LogisticRegression:
    return LogisticRegression().fit(X[rows], LABELS[rows])


@pytest.fixture(scope="module")
def game() -> MaskedMembership:
    return MaskedMembership.trained(_train, N_PEOPLE, MEMBERS, OTHERS, POPULATION)


def _minimised(share: float, seed: int = 0) -> np.ndarray:
    """Train on members of whom only a share of the values is kept; the mean for the rest."""
    kept = np.random.default_rng(seed).random((len(MEMBERS), X.shape[1])) < share
    return _neighbours(np.where(kept, X[MEMBERS], X[POPULATION].mean(axis=0)), MEMBERS)


def _slow_rmia(confidence: np.ndarray, references: References, a: float, gamma: float) -> list:
    ratios = []
    for i in range(len(confidence)):
        confidences = [
            references.confidence[m, i]
            for m in range(len(references.inside))
            if not references.inside[m, i]
        ]
        outside = sum(confidences) / len(confidences)
        ratios.append(confidence[i] / (0.5 * ((1 + a) * outside + (1 - a))))
    scores = []
    for i in range(len(confidence)):
        wins = [
            1.0 if ratios[i] > gamma * ratios[z] else 0.5 if ratios[i] == gamma * ratios[z] else 0.0
            for z in POPULATION
        ]
        scores.append(sum(wins) / len(wins))
    return scores


def _slow_auc(members: list, others: list) -> float:
    pairs = [1.0 if m > o else 0.5 if m == o else 0.0 for m in members for o in others]
    return sum(pairs) / len(pairs)


@settings(max_examples=15)
@given(SEEDS, st.sampled_from([(0.3, 1.0), (0.0, 1.0), (1.0, 1.5)]))
def test_rmia_equals_the_loop_over_pairs(seed: int, setting: tuple[float, float]) -> None:
    a, gamma = setting
    rng = np.random.default_rng(seed)
    inside = rng.random((4, N_PEOPLE)) < 0.5
    inside[0] = False
    references = References(rng.random((4, N_PEOPLE)), inside)
    confidence = rng.random(N_PEOPLE)
    game = MaskedMembership(N_PEOPLE, MEMBERS, OTHERS, POPULATION, references)
    scores = _slow_rmia(confidence, references, a, gamma)
    risk = game.risk(confidence, a=a, gamma=gamma)
    slow = _slow_auc([scores[i] for i in MEMBERS], [scores[i] for i in OTHERS])
    assert risk.value == pytest.approx(slow, abs=1e-12)
    low, high = risk.interval
    assert low <= risk.value <= high


@pytest.mark.parametrize("population", [POPULATION, None])
def test_says_what_the_attacks_on_models_say(population: np.ndarray | None) -> None:
    on_model = MembershipGame(X, LABELS, MEMBERS, OTHERS, population)
    model = _logistic(MEMBERS)
    references = on_model.references(_logistic, 8, random_state=3)
    masked = MaskedMembership.trained(
        lambda rows: on_model.confidence(_logistic(rows)),
        N_PEOPLE,
        MEMBERS,
        OTHERS,
        population,
        random_state=3,
    )
    assert masked.references is not None
    assert np.array_equal(masked.references.confidence, references.confidence)
    assert np.array_equal(masked.references.inside, references.inside)
    confidence = on_model.confidence(model)
    expected = {
        "rmia": rmia(on_model, model, references),
        "lira": lira(on_model, model, references),
        "loss": loss_attack(on_model, model),
    }
    for method, risk in expected.items():
        masked_risk = masked.risk(confidence, method)
        assert (masked_risk.value, masked_risk.interval, masked_risk.details["tpr_at"]) == (
            risk.value,
            risk.interval,
            risk.details["tpr_at"],
        )
        assert masked_risk.adversary == risk.adversary


def test_references_are_eight_halves_of_the_population(game: MaskedMembership) -> None:
    assert game.references is not None
    inside = game.references.inside
    assert len(inside) == 8
    assert not inside[:, np.concatenate([MEMBERS, OTHERS])].any()
    assert (inside[:, POPULATION].sum(axis=1) == len(POPULATION) // 2).all()
    assert (inside[:, POPULATION].sum(axis=0) == 4).all()
    assert "60 members, 60 others, 8 references" in repr(game)


def test_finds_the_members_of_a_model_that_learnt_them_by_heart(game: MaskedMembership) -> None:
    whole = game.risk(_train(MEMBERS))
    assert whole.value > 0.9
    assert whole.details["tpr_at"]["0.1"] > 0.5
    for method in ("lira", "loss"):
        assert game.risk(_train(MEMBERS), method).value > 0.75


def test_minimised_members_are_harder_to_find(game: MaskedMembership) -> None:
    risks = [game.risk(_minimised(share)) for share in (1.0, 0.6, 0.0)]
    assert risks[0].value > risks[1].value + 0.05
    assert risks[1].value > risks[2].value + 0.05
    low, high = risks[2].interval
    assert low < 0.5 < high


def test_same_seed_same_answer_and_plain_data(game: MaskedMembership) -> None:
    again = MaskedMembership.trained(_train, N_PEOPLE, MEMBERS, OTHERS, POPULATION)
    first, second = (each.risk(_minimised(0.5), kept_share=0.5) for each in (game, again))
    assert first == second
    plain = json.loads(json.dumps(first.to_dict()))
    assert plain["details"]["kept_share"] == 0.5
    assert plain["details"]["n_references"] == 8
    assert (plain["details"]["a"], plain["details"]["gamma"]) == (0.3, 1.0)
    assert plain["details"]["tpr_at"]["0.01"] == first.details["tpr_at"]["0.01"]
    assert "RMIA, offline: AUC" in str(first)


def test_the_loss_needs_no_references() -> None:
    bare = MaskedMembership(N_PEOPLE, MEMBERS, OTHERS)
    assert bare.risk(_train(MEMBERS), "loss").value > 0.75
    with pytest.raises(ParameterError, match="need reference models"):
        bare.risk(_train(MEMBERS))


def _short(rows: np.ndarray) -> np.ndarray:
    return np.full(N_PEOPLE - 1, 0.5)


def _beyond(rows: np.ndarray) -> np.ndarray:
    return np.full(N_PEOPLE, 1.5)


@pytest.mark.parametrize("train", [_short, _beyond])
def test_what_a_reference_says_is_checked(train: Callable[[np.ndarray], np.ndarray]) -> None:
    with pytest.raises(DataError, match="probability"):
        MaskedMembership.trained(train, N_PEOPLE, MEMBERS, OTHERS, POPULATION)


def test_round_off_beyond_1_is_forgiven(game: MaskedMembership) -> None:
    sure = np.where(_train(MEMBERS) > 0.6, 1.0, 0.5)
    beyond = np.where(sure == 1.0, 1 + 1e-15, sure)
    assert game.risk(beyond) == game.risk(sure)


def test_bad_input(game: MaskedMembership) -> None:
    with pytest.raises(DataError, match="A row must be in one group"):
        MaskedMembership(N_PEOPLE, MEMBERS, MEMBERS)
    with pytest.raises(ParameterError, match="rows below 100"):
        MaskedMembership(100, MEMBERS, OTHERS)
    with pytest.raises(DataError, match="speak of all 300 people"):
        MaskedMembership(300, MEMBERS, OTHERS, POPULATION, game.references)
    with pytest.raises(ParameterError, match="'method' parameter"):
        game.risk(_train(MEMBERS), "shadow")
    with pytest.raises(DataError, match="from 0 to 1"):
        game.risk(np.full(N_PEOPLE, 1.25))
    with pytest.raises(DataError, match="from 0 to 1"):
        game.risk(np.full(N_PEOPLE, np.nan))
    with pytest.raises(ParameterError, match="even number"):
        MaskedMembership.trained(_train, N_PEOPLE, MEMBERS, OTHERS, n_references=3)
