"""Who was in the data before it was minimised? Asked of a model of the minimised data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._checks import check_choice
from sparsam._errors import DataError, ParameterError
from sparsam.attack._risk import Risk
from sparsam.attack.membership._membership import (
    MembershipGame,
    lira_game_scores,
    rmia_game_scores,
)
from sparsam.attack.membership._references import (
    References,
    Rows,
    draw_references,
    train_references,
)

Confidence = NDArray[np.float64]
TrainConfidence = Callable[[Rows], Confidence]

METHODS = ("rmia", "lira", "loss")
_ROUND_OFF = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class MaskedMembership:
    """People of whom some are behind a mask, and reference models of people who are not.

    The adversary does not know the mask: its reference models are trained on whole records, so
    they are trained once and serve for all masks of the same people (Fioretto et al. 2024,
    appendix C).

    Parameters
    ----------
    n_people : int
    members, others : array of int
        Rows of the people behind the mask, and of people who are not.
    population : array of int, optional
        Rows of further people, whom the adversary knows and who are not attacked. References are
        trained on them only. Without it the adversary knows half of everyone for each reference.
    references : References, optional
        What they say of everyone; see `trained`. The attack by the loss needs none.

    Examples
    --------
    >>> def train(rows):  # surer of those it was trained on
    ...     return np.where(np.isin(np.arange(80), rows), 0.9, 0.5)
    >>> members, others, population = np.split(np.arange(80), [20, 40])
    >>> game = MaskedMembership.trained(train, 80, members, others, population)
    >>> game.risk(train(members)).value
    1.0
    """

    n_people: int
    members: Rows
    others: Rows
    population: Rows | None = None
    references: References | None = None

    def __post_init__(self) -> None:
        game = self._game()
        for name in ("members", "others", "population"):
            object.__setattr__(self, name, getattr(game, name))
        if self.references is not None:
            n_told = self.references.confidence.shape[1]
            if n_told != self.n_people:
                raise DataError(
                    f"The references must speak of all {self.n_people:,} people. Got {n_told:,}."
                )

    @classmethod
    def trained(
        cls,
        train: TrainConfidence,
        n_people: int,
        members: Rows,
        others: Rows,
        population: Rows | None = None,
        *,
        n_references: int = 8,
        random_state: int = 0,
    ) -> MaskedMembership:
        """Train the reference models, in pairs that part the known people into halves.

        Parameters
        ----------
        train : callable
            Trains a model on the whole records of the given rows, and gives its probability of the
            true label of everyone.
        n_people, members, others, population
            See `MaskedMembership`.
        n_references : int, default=8
            Even. Each is trained on half of the known people, and at most on as many as there are
            members.
        random_state : int, default=0
        """
        game = cls(n_people, members, others, population)
        pool = (
            np.concatenate([game.members, game.others])
            if game.population is None
            else game.population
        )
        rows = draw_references(pool, n_references, random_state, len(game.members))
        references = train_references(train, rows, n_people)
        confidences = [_check_confidence(row, n_people) for row in references.confidence]
        checked = References(np.vstack(confidences), references.inside)
        return cls(n_people, game.members, game.others, game.population, checked)

    def risk(
        self,
        confidence: ArrayLike,
        method: str = "rmia",
        *,
        a: float = 0.3,
        gamma: float = 1.0,
        random_state: int = 0,
        **details: Any,
    ) -> Risk:
        """Measure how well the model of the minimised members tells who they are (MIR, eq. 23).

        Parameters
        ----------
        confidence : array of float, shape (n_people,)
            The attacked model's probability of the true label of everyone, asked with whole
            records.
        method : {"rmia", "lira", "loss"}, default="rmia"
            "rmia" is the strongest for a few references. "loss" needs none.
        a, gamma : float
            For RMIA; see `likelihood_ratio` and `rmia_scores`.
        random_state : int, default=0
            Halves the people for the choice of the threshold.
        **details
            More plain facts for the result, such as the kept share.

        Returns
        -------
        Risk
        """
        check_choice("MaskedMembership.risk", "method", method, METHODS)
        probabilities = _check_confidence(confidence, self.n_people)
        game = self._game()
        if method == "loss":
            return game.parted(probabilities).risk("loss", random_state, **details)
        references = self._trained_references()
        facts: dict[str, Any] = {"n_references": len(references.inside)}
        if method == "rmia":
            scores = rmia_game_scores(game, probabilities, references, a=a, gamma=gamma)
            facts |= {"a": a, "gamma": gamma}
        else:
            scores = lira_game_scores(game, probabilities, references)
        name = {"rmia": "RMIA", "lira": "LiRA"}[method]
        return game.parted(scores).risk(name, random_state, "offline", **facts, **details)

    def _game(self) -> MembershipGame:
        # Only the numbers of the people are needed: the models have spoken already.
        nobody = np.zeros(self.n_people)
        return MembershipGame(None, nobody, self.members, self.others, self.population)

    def _trained_references(self) -> References:
        if self.references is None:
            raise ParameterError(
                "RMIA and LiRA need reference models. Got none.\n\n"
                "Hint: make the game by MaskedMembership.trained, or use the method 'loss'."
            )
        return self.references

    def __repr__(self) -> str:
        n_references = 0 if self.references is None else len(self.references.inside)
        return (
            f"MaskedMembership({len(self.members):,} members, {len(self.others):,} others, "
            f"{n_references} references)"
        )


def _check_confidence(confidence: ArrayLike, n_people: int) -> Confidence:
    probabilities = np.asarray(confidence, dtype=np.float64)
    # A sum of probabilities may be above 1 by round-off.
    inside = (probabilities >= -_ROUND_OFF) & (probabilities <= 1 + _ROUND_OFF)
    if probabilities.shape != (n_people,) or not inside.all():
        raise DataError(
            f"A model must give a probability, from 0 to 1, for each of {n_people:,} people. Got "
            f"the shape {probabilities.shape}, or numbers outside."
        )
    return probabilities.clip(0.0, 1.0)
