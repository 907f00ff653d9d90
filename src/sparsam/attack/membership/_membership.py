"""Who was in the training data of a model? By reference models, or by the loss alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from sparsam._errors import DataError, ParameterError
from sparsam.attack._risk import Risk
from sparsam.attack.membership._answers import ClassProbabilities, log_odds
from sparsam.attack.membership._references import (
    References,
    Rows,
    draw_references,
    likelihood_ratio,
    lira_scores,
    rmia_scores,
    train_references,
)
from sparsam.attack.membership._scores import MembershipScores
from sparsam.data.source import take_rows

Train = Callable[[Rows], Any]
FEWEST = 20
FOLDS = 3


@dataclass(frozen=True, eq=False, repr=False)
class MembershipGame:
    """People of whom some were in the training data of a model, and what the adversary has.

    Parameters
    ----------
    records : frame or array
        Everyone, as the model takes them.
    labels : array
        The true label of everyone.
    members, others : array of int
        Rows of the people the model was trained on, and of people it was not.
    population : array of int, optional
        Rows of further people, whom the adversary knows and who are not attacked. The references
        are trained on them only. Without it the adversary knows half of everyone, members or not,
        for each reference: a strong adversary.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> people, labels = rng.normal(size=(120, 4)), rng.integers(0, 2, 120)
    >>> game = MembershipGame(people, labels, np.arange(60), np.arange(60, 120))
    >>> model = RandomForestClassifier(20, random_state=0).fit(people[:60], labels[:60])
    >>> game.confidence(model).shape
    (120,)
    """

    records: Any
    labels: NDArray[Any]
    members: Rows
    others: Rows
    population: Rows | None = None

    def __post_init__(self) -> None:
        groups = {"members": self.members, "others": self.others, "population": self.population}
        seen = np.zeros(len(np.asarray(self.labels)), dtype=bool)
        for name, rows in groups.items():
            if rows is None:
                continue
            numbers = np.asarray(rows)
            if numbers.ndim != 1 or not len(numbers) or numbers.dtype.kind not in "iu":
                raise ParameterError(
                    f"The '{name}' parameter must be the numbers of rows, at least one. "
                    f"Got {type(rows).__name__} of the shape {numbers.shape} instead."
                )
            if numbers.min() < 0 or numbers.max() >= len(seen):
                raise ParameterError(f"The '{name}' parameter must be rows below {len(seen):,}.")
            if seen[numbers].any() or len(np.unique(numbers)) < len(numbers):
                raise DataError(f"A row must be in one group, and once. '{name}' has others.")
            seen[numbers] = True
            object.__setattr__(self, name, numbers.astype(np.int64))
        object.__setattr__(self, "labels", np.asarray(self.labels))

    def confidence(self, model: Any) -> NDArray[np.float64]:
        """Return the probability that a model gives to the true label of everyone."""
        every = _joined(self.labels, model)
        return ClassProbabilities.of(model, self.records, self.labels, every).confidence()

    def answers(self, model: Any, rows: Rows) -> ClassProbabilities:
        """Return all that a model says of some people."""
        every = _joined(self.labels, model)
        chosen = take_rows(self.records, rows)
        return ClassProbabilities.of(model, chosen, self.labels[rows], every)

    def references(
        self, train: Train, n_references: int = 8, *, online: bool = False, random_state: int = 0
    ) -> References:
        """Train reference models, in pairs that part the people into halves.

        Parameters
        ----------
        train : callable or estimator
            Trains a model on the given rows, as the attacked model was trained; its answer must
            have `predict_proba` and `classes_`. An estimator of scikit-learn is cloned, and gets
            another seed for each reference.
        n_references : int, default=8
            Even.
        online : bool, default=False
            Train every reference on half of the people attacked, however many there are. Else a
            reference gets as many people as the model had, at most.
        random_state : int, default=0
        """
        if self.population is None:
            pool = np.concatenate([self.members, self.others])
        elif online:
            raise ParameterError(
                "The online attack trains its references on the people it attacks. "
                "The 'population' parameter must not be given."
            )
        else:
            pool = self.population
        rows = draw_references(
            pool, n_references, random_state, None if online else len(self.members)
        )
        fit = train if not hasattr(train, "fit") else _cloner(self, train, random_state)
        return train_references(lambda chosen: self.confidence(fit(chosen)), rows, len(self.labels))

    def parted(self, scores: NDArray[np.float64]) -> MembershipScores:
        """Return the scores of the members and of the others."""
        return MembershipScores(scores[self.members], scores[self.others])


def loss_attack(game: MembershipGame, model: Any) -> Risk:
    """Take those for members to whose label the model gives a high probability.

    The cheapest attack: no reference models. It takes easy people for members.

    Parameters
    ----------
    game : MembershipGame
    model : object
        With `predict_proba` and `classes_`.
    """
    return game.parted(game.confidence(model)).risk("loss")


def rmia(
    game: MembershipGame,
    model: Any,
    references: References,
    *,
    online: bool = False,
    a: float = 0.3,
    gamma: float = 1.0,
    random_state: int = 0,
) -> Risk:
    """Robust membership inference: is the model surer of someone than models of others are?

    Each person's likelihood ratio (see `likelihood_ratio`) is compared with those of a population;
    the score is the share that it dominates (Zarifzadeh et al. 2024). The strongest of the attacks
    here for a few references.

    Parameters
    ----------
    game : MembershipGame
    model : object
        With `predict_proba` and `classes_`.
    references : References
        See `MembershipGame.references`.
    online : bool, default=False
        Use the references that were trained with a person too.
    a : float, default=0.3
        For the offline attack, see `likelihood_ratio`.
    gamma : float, default=1.0
    random_state : int, default=0
        Halves the people for the choice of the threshold.

    Returns
    -------
    Risk

    Examples
    --------
    >>> import numpy as np
    >>> from sparsam.attack import MembershipGame
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> people, labels = rng.normal(size=(120, 4)), rng.integers(0, 2, 120)
    >>> forest = RandomForestClassifier(20, random_state=0)
    >>> game = MembershipGame(people, labels, np.arange(60), np.arange(60, 120))
    >>> model = forest.fit(people[:60], labels[:60])
    >>> risk = rmia(game, model, game.references(forest, 4))
    >>> bool(risk.value > 0.9)
    True
    """
    scores = rmia_game_scores(
        game, game.confidence(model), references, online=online, a=a, gamma=gamma
    )
    return game.parted(scores).risk(
        "RMIA",
        random_state,
        "online" if online else "offline",
        n_references=len(references.inside),
        a=None if online else a,
        gamma=gamma,
    )


def rmia_game_scores(
    game: MembershipGame,
    confidence: NDArray[np.float64],
    references: References,
    *,
    online: bool = False,
    a: float = 0.3,
    gamma: float = 1.0,
) -> NDArray[np.float64]:
    """Return the score of everyone, with 0 for people who are in no group.

    Parameters
    ----------
    game : MembershipGame
    confidence : ndarray of float
        The attacked model's probability of everyone's true label.
    references, online, a, gamma
        See `rmia`.
    """
    known = game.others if game.population is None else game.population
    used = np.unique(np.concatenate([game.members, game.others, known]))
    some = References(references.confidence[:, used], references.inside[:, used])
    ratio = np.zeros(len(confidence))
    ratio[used] = likelihood_ratio(confidence[used], some, online=online, a=a)
    return np.where(
        np.isin(np.arange(len(ratio)), used), rmia_scores(ratio, ratio[known], gamma), 0.0
    )


def lira(game: MembershipGame, model: Any, references: References, *, online: bool = False) -> Risk:
    """Likelihood-ratio attack with normal laws; weaker than `rmia` for a few references.

    Parameters
    ----------
    game, model, references, online
        See `rmia`.
    """
    scores = lira_game_scores(game, game.confidence(model), references, online=online)
    variant = "online" if online else "offline"
    return game.parted(scores).risk("LiRA", 0, variant, n_references=len(references.inside))


def lira_game_scores(
    game: MembershipGame,
    confidence: NDArray[np.float64],
    references: References,
    *,
    online: bool = False,
) -> NDArray[np.float64]:
    """Return the score of everyone, with 0 for people who are in no group.

    Parameters
    ----------
    game, references, online
        See `rmia`.
    confidence : ndarray of float
        The attacked model's probability of everyone's true label.
    """
    attacked = np.concatenate([game.members, game.others])
    some = References(references.confidence[:, attacked], references.inside[:, attacked])
    scores = np.zeros(len(confidence))
    scores[attacked] = lira_scores(confidence[attacked], some, online=online)
    return scores


def reseeded(estimator: Any, seed: int) -> Any:
    """Clone an estimator of scikit-learn with another seed, parts of a pipeline included.

    Parameters
    ----------
    estimator : estimator
    seed : int
    """
    from sklearn.base import clone

    other = clone(estimator)
    seeds = [name for name in other.get_params() if name.split("__")[-1] == "random_state"]
    return other.set_params(**dict.fromkeys(seeds, seed))


def _cloner(game: MembershipGame, estimator: Any, random_state: int) -> Train:
    rng = np.random.default_rng(random_state)

    def train(rows: Rows) -> Any:
        other = reseeded(estimator, int(rng.integers(2**31)))
        return other.fit(take_rows(game.records, rows), game.labels[rows])

    return train


def _joined(classes: ArrayLike, model: Any) -> NDArray[Any]:
    known = np.asarray(getattr(model, "classes_", classes))
    return np.unique(np.concatenate([np.asarray(classes), known]))


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
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sparsam.attack import MembershipGame
    >>> rng = np.random.default_rng(0)
    >>> people, labels = rng.normal(size=(200, 4)), rng.integers(0, 2, 200)
    >>> game = MembershipGame(people, labels, np.arange(100), np.arange(100, 200))
    >>> model = RandomForestClassifier(20, random_state=0).fit(people[:100], labels[:100])
    >>> said = (game.answers(model, rows) for rows in (game.members, game.others))
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
    known, attacked = zip(*(_halves(group, rng) for group in (members, others)), strict=True)
    inputs = np.vstack([_features(group) for group in known])
    truth = np.repeat([1, 0], [len(group) for group in known])
    # threads cost more than they gain on so few records, above all where cores are busy
    with threadpool_limits(limits=1):
        chosen = _strongest(inputs, truth, random_state)
        classifier = _classifiers(random_state)[chosen].fit(inputs, truth)
        scores = [classifier.predict_proba(_features(group))[:, 1] for group in attacked]
    return MembershipScores(scores[0], scores[1]), chosen


def _strongest(inputs: NDArray[np.float64], truth: NDArray[Any], random_state: int) -> str:
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=random_state)
    areas = {
        name: cross_val_score(classifier, inputs, truth, scoring="roc_auc", cv=folds).mean()
        for name, classifier in _classifiers(random_state).items()
    }
    return max(areas, key=lambda name: float(areas[name]))


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


def _features(answers: ClassProbabilities) -> NDArray[np.float64]:
    """All that the adversary sees: the probabilities, the true label, and what follows of both."""
    label = np.eye(answers.probabilities.shape[1])[answers.labels]
    right = answers.probabilities.argmax(axis=1) == answers.labels
    rest = np.where(label > 0, -np.inf, answers.probabilities).max(axis=1)
    margin = answers.confidence() - np.where(np.isfinite(rest), rest, 0.0)
    shares = answers.probabilities
    return np.column_stack([shares, log_odds(shares), label, answers.loss(), right, margin])


def _halves(
    answers: ClassProbabilities, rng: np.random.Generator
) -> tuple[ClassProbabilities, ClassProbabilities]:
    order = rng.permutation(len(answers))
    return answers.take(order[: len(answers) // 2]), answers.take(order[len(answers) // 2 :])


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
