"""Guess an attribute of someone by asking a model about all values it could have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.attack._risk import Risk
from sparsam.attack.inference._risk import AttributeGuesses
from sparsam.attack.membership._answers import ClassProbabilities
from sparsam.data import OwnRecords, Roles

Rows = NDArray[np.int64]

MOST_VALUES = 100


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
        if attribute not in own.table.names:
            raise ParameterError(
                f"The 'attribute' parameter must be one of {', '.join(own.table.names)}. "
                f"Got {attribute!r} instead."
            )
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
        found: NDArray[np.int64] = self.own.table.codes[rows, self.place].astype(np.int64)
        return found

    def prior(self) -> NDArray[np.float64]:
        """Return the share of each value among everyone, which the adversary knows."""
        counts = np.bincount(self.own.table.codes[:, self.place], minlength=self.n_values)
        shares: NDArray[np.float64] = counts / counts.sum()
        return shares

    def said(self, model: Any, rows: Rows, value: int | None = None) -> ClassProbabilities:
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
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> people = rng.integers(0, 2, (200, 3))
    >>> labels = people[:, 0] ^ people[:, 2]
    >>> tree = DecisionTreeClassifier().fit(people, labels)
    >>> name = OwnRecords.open(people).columns[2]
    >>> game = AttributeGame.open(people, labels, name, members=np.arange(200))
    >>> fredrikson(game, tree).value
    1.0
    """
    if answer not in ("probability", "label"):
        raise ParameterError(
            "The 'answer' parameter of fredrikson must be 'probability' or 'label'. "
            f"Got {answer!r} instead."
        )
    if game.n_values > MOST_VALUES:
        raise ParameterError(
            f"The 'attribute' must have at most {MOST_VALUES} values, as the model is asked about "
            f"each. '{game.attribute}' has {game.n_values:,}.\n\nHint: group its values."
        )
    prior = game.prior()
    weights = None
    if answer == "label":
        weights = _confusion(game.said(model, game.others if len(game.others) else game.members))
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
        said = game.said(model, rows, int(value))
        if weights is None:
            likelihood = said.confidence()
        else:
            likelihood = weights[said.labels, said.probabilities.argmax(axis=1)]
        belief[:, value] = prior[value] * likelihood
    best = belief.max(axis=1, keepdims=True)
    tied = belief >= best * (1 - 1e-9)
    found: NDArray[np.int64] = np.where(tied, prior, -1.0).argmax(axis=1)
    return found


def _confusion(said: ClassProbabilities) -> NDArray[np.float64]:
    """Share of the people of each true class (row) whom the model puts into each class."""
    n_classes = said.probabilities.shape[1]
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (said.labels, said.probabilities.argmax(axis=1)), 1)
    shares: NDArray[np.float64] = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares
