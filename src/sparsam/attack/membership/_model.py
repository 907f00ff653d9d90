"""The black-box attack model: learn from known members what a model says of its own people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sparsam._errors import DataError, ParameterError
from sparsam.attack._risk import Risk
from sparsam.attack.membership._answers import ClassProbabilities, log_odds
from sparsam.attack.membership._risk import MembershipScores

FEWEST = 20
FOLDS = 3


def membership_attack_model(
    members: ClassProbabilities, others: ClassProbabilities, *, random_state: int = 0
) -> Risk:
    """Attack with a classifier that has seen half of the members and half of the others.

    This is the strong attack of Goldsteen et al. 2021 (§4.2): the adversary knows of half of the
    people whether they are members, learns from what the model says of them, and is measured on
    the other half. The classifier is the best of logistic regression, a random forest and gradient
    boosting, by cross-validation on the half that it learns from.

    Parameters
    ----------
    members, others : ClassProbabilities
        What the model says of the people it was trained on, and of others.
    random_state : int, default=0

    Returns
    -------
    Risk

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sure, unsure = (rng.uniform(low, 1, 200) for low in (0.8, 0.4))
    >>> said = [
    ...     ClassProbabilities.check(np.column_stack([p, 1 - p]), np.zeros(200, int))
    ...     for p in (sure, unsure)
    ... ]
    >>> bool(membership_attack_model(*said).value > 0.7)
    True
    """
    scores, chosen = attack_model_scores(members, others, random_state=random_state)
    return scores.risk("attack model", random_state, classifier=chosen)


def attack_model_scores(
    members: ClassProbabilities, others: ClassProbabilities, *, random_state: int = 0
) -> tuple[MembershipScores, str]:
    """Return the scores of the half that is attacked, and the name of the classifier.

    Parameters
    ----------
    members, others : ClassProbabilities
    random_state : int, default=0
    """
    _check(members, others)
    rng = np.random.default_rng(random_state)
    known, attacked = zip(*(_halves(one, rng) for one in (members, others)), strict=True)
    inputs = np.vstack([_features(one) for one in known])
    truth = np.repeat([1, 0], [len(one) for one in known])
    # threads cost more than they gain on so few records, above all where cores are busy
    with threadpool_limits(limits=1):
        chosen = _strongest(inputs, truth, random_state)
        classifier = _classifiers(random_state)[chosen].fit(inputs, truth)
        scores = [classifier.predict_proba(_features(one))[:, 1] for one in attacked]
    return MembershipScores(scores[0], scores[1]), chosen


def _strongest(inputs: NDArray[np.float64], truth: NDArray[Any], random_state: int) -> str:
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=random_state)
    found = {
        name: cross_val_score(classifier, inputs, truth, scoring="roc_auc", cv=folds).mean()
        for name, classifier in _classifiers(random_state).items()
    }
    return max(found, key=lambda name: float(found[name]))


def _classifiers(random_state: int) -> Mapping[str, Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    weight = "balanced"
    return {
        "logistic regression": make_pipeline(
            StandardScaler(), LogisticRegression(class_weight=weight, max_iter=1000)
        ),
        "forest": RandomForestClassifier(
            50, min_samples_leaf=10, class_weight=weight, random_state=random_state
        ),
        "gradient boosting": HistGradientBoostingClassifier(
            max_iter=50, max_leaf_nodes=15, class_weight=weight, random_state=random_state
        ),
    }


def _features(said: ClassProbabilities) -> NDArray[np.float64]:
    """All that the adversary sees: the probabilities, the true label, and what follows of both."""
    label = np.eye(said.probabilities.shape[1])[said.labels]
    right = said.probabilities.argmax(axis=1) == said.labels
    rest = np.where(label > 0, -np.inf, said.probabilities).max(axis=1)
    margin = said.confidence() - np.where(np.isfinite(rest), rest, 0.0)
    return np.column_stack(
        [said.probabilities, log_odds(said.probabilities), label, said.loss(), right, margin]
    )


def _halves(
    said: ClassProbabilities, rng: np.random.Generator
) -> tuple[ClassProbabilities, ClassProbabilities]:
    order = rng.permutation(len(said))
    return said.take(order[: len(said) // 2]), said.take(order[len(said) // 2 :])


def _check(members: ClassProbabilities, others: ClassProbabilities) -> None:
    fewer = min(len(members), len(others))
    if fewer < FEWEST:
        raise DataError(
            f"An attack model needs at least {FEWEST} members and {FEWEST} others. Got {fewer}."
        )
    if members.probabilities.shape[1] != others.probabilities.shape[1]:
        raise ParameterError(
            "The 'members' and 'others' parameters must have the same classes. "
            f"Got {members.probabilities.shape[1]} and {others.probabilities.shape[1]}."
        )
