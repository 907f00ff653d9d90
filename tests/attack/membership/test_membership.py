"""Membership inference: a model that memorises is found out, one that does not is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsam._errors import DataError, ParameterError
from sparsam.attack._risk import Risk
from sparsam.attack.membership._answers import ClassProbabilities
from sparsam.attack.membership._membership import (
    MembershipGame,
    lira,
    loss_attack,
    membership_attack_model,
    reseeded,
    rmia,
)
from sparsam.attack.membership._references import (
    References,
    draw_references,
    likelihood_ratio,
    rmia_scores,
    train_references,
)
from sparsam.attack.membership._scores import MembershipScores


def _people(n_people: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    people = rng.normal(size=(n_people, 5))
    labels = (people[:, 0] + rng.normal(0, 2, n_people) > 0).astype(int)
    return people, labels


@pytest.fixture(scope="module")
def game() -> MembershipGame:
    people, labels = _people(600)
    return MembershipGame(people, labels, np.arange(300), np.arange(300, 600))


@pytest.fixture(scope="module")
def forest(game: MembershipGame) -> Any:
    model = RandomForestClassifier(30, random_state=3)
    return model.fit(game.records[game.members], game.labels[game.members])


def _attack_model(game: MembershipGame, model: Any) -> Risk:
    return membership_attack_model(
        game.answers(model, game.members), game.answers(model, game.others)
    )


def _attacks(train: Any) -> dict[str, Callable[[MembershipGame, Any], Risk]]:
    return {
        "loss": loss_attack,
        "attack model": _attack_model,
        "rmia": lambda game, model: rmia(game, model, game.references(train, 4)),
        "rmia online": lambda game, model: rmia(
            game, model, game.references(train, 4, online=True), online=True
        ),
        "lira": lambda game, model: lira(game, model, game.references(train, 4)),
    }


@pytest.mark.parametrize("name", ["rmia", "rmia online", "lira"])
def test_a_forest_is_found_out(game: MembershipGame, forest: Any, name: str) -> None:
    risk = _attacks(forest)[name](game, forest)
    assert risk.value >= 0.9
    assert risk.interval[0] > 0.85
    assert risk.details["accuracy"] > 0.8


@pytest.mark.parametrize("name", ["loss", "attack model", "rmia", "rmia online", "lira"])
def test_one_that_repeats_its_nearest_neighbour_is_found_out(
    game: MembershipGame, name: str
) -> None:
    # Labels are noisy: the neighbour's label is right for all members, and for some others.
    neighbour = KNeighborsClassifier(1).fit(game.records[game.members], game.labels[game.members])
    risk = _attacks(KNeighborsClassifier(1))[name](game, neighbour)
    assert risk.interval[0] > 0.55


@pytest.mark.parametrize("name", ["loss", "attack model", "rmia", "rmia online", "lira"])
def test_a_model_of_other_people_betrays_nobody(game: MembershipGame, name: str) -> None:
    people, labels = _people(300, seed=9)
    stranger = RandomForestClassifier(30, random_state=1).fit(people, labels)
    risk = _attacks(RandomForestClassifier(10, random_state=0))[name](game, stranger)
    low, high = risk.interval
    # Three standard errors: five attacks on the same people may miss two by chance.
    assert abs(risk.value - 0.5) <= 1.5 * (high - low) / 2


@pytest.mark.parametrize("name", ["loss", "rmia", "lira"])
def test_a_model_that_says_the_same_of_all_is_a_coin(game: MembershipGame, name: str) -> None:
    constant = DummyClassifier(strategy="uniform").fit(game.records, game.labels)
    risk = _attacks(constant)[name](game, constant)
    assert risk.value == 0.5
    assert risk.details["accuracy"] == 0.5
    assert risk.details["tpr_at"]["0.01"] == 0.0


def test_rmia_is_stronger_than_the_attack_model_on_digits() -> None:
    records, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    game = MembershipGame(records, labels, order[:400], order[400:800])
    forest = RandomForestClassifier(40, random_state=0)
    forest.fit(records[order[:400]], labels[order[:400]])
    strong = rmia(game, forest, game.references(forest, 8))
    assert strong.value >= _attack_model(game, forest).value + 0.05


def test_references_from_a_population(forest: Any) -> None:
    people, labels = _people(600)
    more, their = _people(600, seed=5)
    game = MembershipGame(
        np.vstack([people, more]),
        np.append(labels, their),
        np.arange(300),
        np.arange(300, 600),
        np.arange(600, 1200),
    )
    references = game.references(forest, 4)
    assert not references.inside[:, :600].any()
    assert (references.inside.sum(axis=1) == 300).all()
    assert rmia(game, forest, references).value >= 0.9
    with pytest.raises(ParameterError, match="'population'"):
        game.references(forest, 4, online=True)


def test_same_seed_same_answer(game: MembershipGame, forest: Any) -> None:
    first, second = (rmia(game, forest, game.references(forest, 4)) for _ in range(2))
    assert first == second
    other = game.references(forest, 4, random_state=1)
    assert rmia(game, forest, other, random_state=1) != first


def test_order_of_people_does_not_matter(game: MembershipGame, forest: Any) -> None:
    order = np.random.default_rng(2).permutation(600)
    place = np.argsort(order)
    references = game.references(forest, 4)
    shuffled = MembershipGame(
        game.records[order], game.labels[order], place[game.members], place[game.others]
    )
    moved = References(references.confidence[:, order], references.inside[:, order])
    assert rmia(shuffled, forest, moved).value == pytest.approx(
        rmia(game, forest, references).value
    )


def test_training_function_gets_the_rows(game: MembershipGame) -> None:
    asked = []

    def train(rows: NDArray[np.int64]) -> Any:
        asked.append(rows)
        return LogisticRegression().fit(game.records[rows], game.labels[rows])

    references = game.references(train, 2)
    assert np.array_equal(np.sort(np.concatenate(asked)), np.arange(600))
    assert np.array_equal(references.inside[0], np.isin(np.arange(600), asked[0]))


def test_every_part_of_a_pipeline_gets_another_seed() -> None:
    pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(random_state=1))
    other = reseeded(pipeline, 7)
    assert other.get_params()["randomforestclassifier__random_state"] == 7
    assert pipeline.get_params()["randomforestclassifier__random_state"] == 1


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"members": [0, 0, 1]}, DataError, "once"),
        ({"members": [3, 4]}, DataError, "one group"),
        ({"others": [9]}, ParameterError, "below 6"),
        ({"others": []}, ParameterError, "at least one"),
        ({"others": [True]}, ParameterError, "numbers of rows"),
    ],
)
def test_groups_that_cannot_be(change: dict[str, Any], error: type, message: str) -> None:
    groups = {"members": [0, 1, 2], "others": [3, 4, 5], **change}
    with pytest.raises(error, match=message):
        MembershipGame(
            np.zeros((6, 1)), np.zeros(6), np.array(groups["members"]), np.array(groups["others"])
        )


def test_bad_requests_get_clear_errors(game: MembershipGame, forest: Any) -> None:
    everyone_inside = References(np.full((2, 3), 0.5), np.ones((2, 3), dtype=bool))
    with pytest.raises(DataError, match=r"trained without them. 3 of 3"):
        likelihood_ratio(np.ones(3), everyone_inside)
    with pytest.raises(ParameterError, match="'a'"):
        likelihood_ratio(np.ones(3), everyone_inside, a=2)
    with pytest.raises(DataError, match="same people"):
        likelihood_ratio(np.ones(4), everyone_inside)
    with pytest.raises(ParameterError, match="'gamma'"):
        rmia_scores(np.ones(3), np.ones(3), 0)
    with pytest.raises(DataError, match="empty"):
        rmia_scores(np.ones(3), np.ones(0))
    with pytest.raises(ParameterError, match="even"):
        draw_references(np.arange(9), 3, 0)
    with pytest.raises(DataError, match="at least 4"):
        draw_references(np.arange(3), 2, 0)
    with pytest.raises(DataError, match="one probability for each of 3"):
        train_references(lambda rows: np.ones(2), [np.array([0])], 3)
    with pytest.raises(DataError, match="at least 20"):
        membership_attack_model(
            game.answers(forest, np.arange(5)), game.answers(forest, game.others)
        )
    with pytest.raises(DataError, match="at least two"):
        MembershipScores(np.ones(1), np.ones(5)).risk("x")
    with pytest.raises(ParameterError, match="predict_proba"):
        loss_attack(game, lambda rows: rows)
    with pytest.raises(DataError, match="0 to 1"):
        ClassProbabilities.check([[1.5, -0.5]], [0])
    with pytest.raises(DataError, match="below 2"):
        ClassProbabilities.check([[0.5, 0.5]], [2])
    with pytest.raises(DataError, match="shapes"):
        ClassProbabilities.check([[0.5, 0.5]], [0.0])
