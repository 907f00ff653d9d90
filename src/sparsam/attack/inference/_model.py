"""Guess an attribute with a classifier that has learned what a model says of known people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.attack._risk import Risk
from sparsam.attack.inference._attribute_inference import AttributeGame, Rows
from sparsam.attack.inference._risk import AttributeGuesses

FEWEST = 20
FOLDS = 3
COMMON = "most common value"


def attribute_attack_model(game: AttributeGame, model: Any, *, random_state: int = 0) -> Risk:
    """Attack with a classifier that knows the value of half of the members.

    The adversary knows the other attributes, the true label and the model's answer of everyone,
    and of half of the members the value too. The classifier is the best of a random forest,
    gradient boosting and the most common value, by cross-validation on the known half. The baseline
    is the same without the model's answer.

    Parameters
    ----------
    game : AttributeGame
    model : object
        With `predict_proba` and `classes_`.
    random_state : int, default=0

    Returns
    -------
    Risk

    Notes
    -----
    What a model says of someone's whole record tells of that record, whether or not the person was
    in the training data. Only an accuracy above that of the control is a leak of training data: a
    model that errs more may well tell more of its inputs.
    """
    if len(game.members) < 2 * FEWEST:
        raise DataError(
            f"An attack model needs at least {2 * FEWEST} members. Got {len(game.members)}."
        )
    order = np.random.default_rng(random_state).permutation(game.members)
    known, attacked = np.split(order, [len(order) // 2])
    with_model = {rows: _inputs(game, r, model) for rows, r in _groups(game, known, attacked)}
    without = {rows: _inputs(game, r) for rows, r in _groups(game, known, attacked)}
    truth = game.values(known)
    chosen, strong = _learned(with_model["known"], truth, random_state)
    _, weak = _learned(without["known"], truth, random_state)
    beside = with_model["others"]
    guesses = AttributeGuesses(
        truth=game.values(attacked),
        guess=strong.predict(with_model["attacked"]),
        naive=weak.predict(without["attacked"]),
        control_truth=game.values(game.others),
        control_guess=strong.predict(beside) if len(beside) else np.empty(0, dtype=np.int64),
    )
    return guesses.risk(
        "attack model", game.attribute, game.n_values, random_state, classifier=chosen
    )


def _groups(game: AttributeGame, known: Rows, attacked: Rows) -> list[tuple[str, Rows]]:
    return [("known", known), ("attacked", attacked), ("others", game.others)]


def _inputs(game: AttributeGame, rows: Rows, model: Any = None) -> NDArray[np.float64]:
    """Other attributes, the true label and, where a model is given, all that it says."""
    others = np.delete(game.own.table.codes[rows], game.place, axis=1).astype(float)
    label = np.unique(game.labels, return_inverse=True)[1][rows]
    if model is None or not len(rows):
        return np.column_stack([others, label])
    return np.column_stack([others, label, game.said(model, rows).probabilities])


def _learned(
    inputs: NDArray[np.float64], truth: NDArray[np.int64], random_state: int
) -> tuple[str, Any]:
    from sklearn.model_selection import KFold, cross_val_score

    candidates = _classifiers(random_state)
    if len(np.unique(truth)) < 2:
        return COMMON, candidates[COMMON].fit(inputs, truth)
    folds = KFold(FOLDS, shuffle=True, random_state=random_state)
    found = {
        name: float(cross_val_score(one, inputs, truth, cv=folds).mean())
        for name, one in candidates.items()
    }
    chosen = max(found, key=lambda name: found[name])
    return chosen, candidates[chosen].fit(inputs, truth)


def _classifiers(random_state: int) -> Mapping[str, Any]:
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

    return {
        COMMON: DummyClassifier(strategy="most_frequent"),
        "forest": RandomForestClassifier(50, min_samples_leaf=3, random_state=random_state),
        "gradient boosting": HistGradientBoostingClassifier(
            max_iter=50, max_leaf_nodes=15, early_stopping=False, random_state=random_state
        ),
    }
