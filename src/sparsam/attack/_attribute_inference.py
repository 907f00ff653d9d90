"""Guess an attribute of someone from what a model says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._checks import check_choice
from sparsam._errors import DataError, ParameterError
from sparsam.attack._risk import Risk
from sparsam.attack._statistics import paired_difference, unpaired_difference, wilson_interval
from sparsam.attack.membership._answers import ClassProbabilities
from sparsam.data import OwnRecords, Roles

Rows = NDArray[np.int64]
MOST_VALUES = 100
FEWEST = 20
FOLDS = 3
COMMON = "most common value"


@dataclass(frozen=True, eq=False, repr=False)
class AttributeGuesses:
    """The values guessed and the true ones, as codes.

    Attributes
    ----------
    truth, guess, naive : ndarray of int
        Of the attacked people: the value, the adversary's guess, and the guess without the model.
    control_truth, control_guess : ndarray of int
        Of people whom the model was not trained on; empty where there are none.
    """

    truth: NDArray[Any]
    guess: NDArray[Any]
    naive: NDArray[Any]
    control_truth: NDArray[Any]
    control_guess: NDArray[Any]

    def risk(
        self, id: str, attribute: str, n_values: int, random_state: int = 0, **details: Any
    ) -> Risk:
        """Measure the guesses.

        Parameters
        ----------
        id, attribute : str
            The name of the attack, and what is guessed.
        n_values : int
        random_state : int, default=0
        **details
            More plain facts for the result.

        Returns
        -------
        Risk
            `value` is the share of the attacked people whose value is guessed, `baseline` the same
            for an adversary who knows all but the model. `details` hold the interval of what
            the model adds; the accuracy on people whom the model was not trained on (`control`);
            and the interval of how far it is below `value`: above 0 the model betrays its own
            people.
        """
        right, naive = self.guess == self.truth, self.naive == self.truth
        return Risk(
            adversary=id,
            id=id,
            measure="accuracy",
            value=float(right.mean()),
            interval=wilson_interval(float(right.sum()), len(right)),
            baseline=float(naive.mean()),
            n=len(right),
            split="members",
            random_state=random_state,
            attribute=attribute,
            details={
                "advantage_interval": list(paired_difference(right, naive)[1]),
                "n_values": n_values,
                **self._control(right),
                **self._by_value(n_values),
                **details,
            },
        )

    def _control(self, right: NDArray[np.bool_]) -> dict[str, Any]:
        beside = self.control_guess == self.control_truth
        if not len(beside):
            return {"control": None, "control_advantage_interval": None}
        difference = unpaired_difference(right, beside)[1]
        return {
            "control": float(beside.mean()),
            "control_advantage_interval": list(difference),
        }

    def _by_value(self, n_values: int) -> dict[str, float]:
        """Mean precision and recall over the values; a value never guessed has precision 0."""
        pairs = np.zeros((n_values, n_values))
        np.add.at(pairs, (self.truth, self.guess), 1)
        hits = np.diag(pairs)
        present = pairs.sum(axis=1) > 0
        precision = hits / np.maximum(pairs.sum(axis=0), 1)
        recall = hits / np.maximum(pairs.sum(axis=1), 1)
        return {
            "precision": float(precision[present].mean()),
            "recall": float(recall[present].mean()),
        }


@dataclass(frozen=True, eq=False, repr=False)
class AttributeGame:
    """People of whom the adversary knows all but one attribute, and the true label.

    Parameters
    ----------
    own : OwnRecords
        Everyone, as the model takes them.
    labels : ndarray
        The true label of everyone.
    attribute : str
        What is guessed.
    members, others : ndarray of int
        Rows of the people the model was trained on, who are attacked, and of people it was not,
        who are the control; none of the latter if empty.

    Examples
    --------
    >>> import numpy as np
    >>> people = np.random.default_rng(0).integers(0, 2, (200, 3))
    >>> labels = people[:, 0] ^ people[:, 2]
    >>> columns = {"a": people[:, 0], "b": people[:, 1], "c": people[:, 2]}
    >>> game = AttributeGame.open(columns, labels, "c", members=np.arange(200))
    >>> game.n_values
    2
    """

    own: OwnRecords
    labels: NDArray[Any]
    attribute: str
    members: Rows
    others: Rows

    @classmethod
    def open(
        cls,
        records: Any,
        labels: ArrayLike,
        attribute: str,
        *,
        members: ArrayLike,
        others: ArrayLike = (),
        roles: Roles | None = None,
    ) -> AttributeGame:
        """Read the records.

        Parameters
        ----------
        records : frame, mapping or array
            What the model takes, everyone in it.
        labels : array
        attribute : str
        members : array of int
        others : array of int, default=()
        roles : Roles, optional
            Declared kinds of the columns.
        """
        own, truth = OwnRecords.open(records, roles=roles), np.asarray(labels)
        check_choice("AttributeGame", "attribute", attribute, own.table.names)
        if len(truth) != own.table.n_rows:
            raise DataError(
                f"There must be one label for each of the {own.table.n_rows:,} people. "
                f"Got {len(truth):,} instead."
            )
        groups = [np.asarray(rows, dtype=np.int64) for rows in (members, others)]
        if not len(groups[0]):
            raise DataError("An attack needs people to attack. There are no members.")
        return cls(own, truth, attribute, groups[0], groups[1])

    @property
    def place(self) -> int:
        """The column of the attribute among the codes."""
        return self.own.table.names.index(self.attribute)

    @property
    def n_values(self) -> int:
        """How many values the attribute takes, missing included."""
        return self.own.table.attributes[self.place].size

    def values(self, rows: Rows) -> NDArray[np.int64]:
        """Return the true values of some people, as codes."""
        codes: NDArray[np.int64] = self.own.table.codes[rows, self.place].astype(np.int64)
        return codes

    def prior(self) -> NDArray[np.float64]:
        """Return the share of each value among everyone, which the adversary knows."""
        counts = np.bincount(self.own.table.codes[:, self.place], minlength=self.n_values)
        shares: NDArray[np.float64] = counts / counts.sum()
        return shares

    def answers(self, model: Any, rows: Rows, value: int | None = None) -> ClassProbabilities:
        """Ask the model about some people, as they are or with one value put into all of them.

        Parameters
        ----------
        model : object
            With `predict_proba` and `classes_`.
        rows : ndarray of int
        value : int, optional
            A code of the attribute.
        """
        codes = self.own.table.codes[rows]
        if value is not None:
            codes = codes.copy()
            codes[:, self.place] = value
        every = np.unique(np.concatenate([self.labels, np.asarray(model.classes_)]))
        return ClassProbabilities.of(model, self.own.frame(codes), self.labels[rows], every)


def fredrikson(
    game: AttributeGame, model: Any, *, answer: Literal["probability", "label"] = "probability"
) -> Risk:
    """Guess the value that makes the true label likeliest, weighed by how common it is.

    The adversary knows the other attributes and the true label of each person, and the shares of
    the values among everyone, and asks the model about each value in turn: the guess is that with
    the greatest prior(v) · P(label | model's answer for v) (Fredrikson et al. 2014, 2015). Ties go
    to the more common value. Without the model the guess is the most common value.

    Parameters
    ----------
    game : AttributeGame
    model : object
        With `predict_proba` and `classes_`.
    answer : {"probability", "label"}, default="probability"
        What the model answers: the probability of each class, or its class alone. Of the latter
        the adversary knows how often it stands for each true label (the confusion matrix, on the
        people of the control, or on the members where there are none).

    Returns
    -------
    Risk

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sparsam.attack import AttributeGame
    >>> rng = np.random.default_rng(0)
    >>> people = pd.DataFrame(rng.integers(0, 2, (200, 3)), columns=["a", "b", "c"])
    >>> labels = people["a"] ^ people["c"]
    >>> tree = DecisionTreeClassifier().fit(people, labels)
    >>> game = AttributeGame.open(people, labels, "c", members=np.arange(200))
    >>> fredrikson(game, tree).value
    1.0
    """
    check_choice("fredrikson", "answer", answer, ("probability", "label"))
    if game.n_values > MOST_VALUES:
        raise ParameterError(
            f"The 'attribute' must have at most {MOST_VALUES} values, as the model is asked about "
            f"each. '{game.attribute}' has {game.n_values:,}.\n\nHint: group its values."
        )
    prior = game.prior()
    weights = None
    if answer == "label":
        weights = _confusion(game.answers(model, game.others if len(game.others) else game.members))
    guesses = AttributeGuesses(
        truth=game.values(game.members),
        guess=_likeliest(game, model, game.members, prior, weights),
        naive=np.full(len(game.members), int(prior.argmax())),
        control_truth=game.values(game.others),
        control_guess=_likeliest(game, model, game.others, prior, weights),
    )
    return guesses.risk("Fredrikson", game.attribute, game.n_values, answer=answer)


def _likeliest(
    game: AttributeGame,
    model: Any,
    rows: Rows,
    prior: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
) -> NDArray[np.int64]:
    if not len(rows):
        return np.empty(0, dtype=np.int64)
    belief = np.zeros((len(rows), len(prior)))
    for value in np.flatnonzero(prior):
        answers = game.answers(model, rows, int(value))
        if weights is None:
            likelihood = answers.confidence()
        else:
            likelihood = weights[answers.labels, answers.probabilities.argmax(axis=1)]
        belief[:, value] = prior[value] * likelihood
    best = belief.max(axis=1, keepdims=True)
    tied = belief >= best * (1 - 1e-9)
    guesses: NDArray[np.int64] = np.where(tied, prior, -1.0).argmax(axis=1)
    return guesses


def _confusion(answers: ClassProbabilities) -> NDArray[np.float64]:
    """Share of the people of each true class (row) whom the model puts into each class."""
    n_classes = answers.probabilities.shape[1]
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (answers.labels, answers.probabilities.argmax(axis=1)), 1)
    shares: NDArray[np.float64] = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares


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
    return np.column_stack([others, label, game.answers(model, rows).probabilities])


def _learned(
    inputs: NDArray[np.float64], truth: NDArray[np.int64], random_state: int
) -> tuple[str, Any]:
    from sklearn.model_selection import KFold, cross_val_score

    candidates = _classifiers(random_state)
    if len(np.unique(truth)) < 2:
        return COMMON, candidates[COMMON].fit(inputs, truth)
    folds = KFold(FOLDS, shuffle=True, random_state=random_state)
    accuracies = {
        name: float(cross_val_score(classifier, inputs, truth, cv=folds).mean())
        for name, classifier in candidates.items()
    }
    chosen = max(accuracies, key=lambda name: accuracies[name])
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
