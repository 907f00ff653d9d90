"""Train the model of a mask, ask it about everyone, and attack it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.attack import (
    MaskedMembership,
    masked_reconstruction,
    paired_difference,
    reidentification,
    wilson_interval,
)
from sparsam.individual._checks import Matrix
from sparsam.individual._encoding import Encoded, PeopleSplit
from sparsam.individual._imputation import Imputation, PublicStatistics
from sparsam.individual._learners import Learner
from sparsam.individual._mask import Mask
from sparsam.individual._training_set import TrainingSet
from sparsam.individual.curve._figures import CurvePoint, MaskedAccuracy

Truths = NDArray[np.bool_]
EVIDENCE = "records"


class Bench:
    """Everything that stays the same from mask to mask.

    Parameters
    ----------
    people : Encoded
    split : PeopleSplit
        Members are minimised, public rows give statistics and reference models, the accuracy is
        measured on the test rows.
    learner : Learner, optional
    imputation : str
    random_state : int
    """

    def __init__(
        self,
        people: Encoded,
        split: PeopleSplit,
        learner: Learner | None,
        imputation: Imputation,
        random_state: int,
    ) -> None:
        self.people, self.split, self.random_state = people, split, random_state
        self.data = TrainingSet(
            people.X[split.members],
            _labels(people, split),
            PublicStatistics.of(people.X[split.public]),
            learner,
            imputation,
            people.attributes,
        )
        self.most_common = int(np.bincount(self.data.y).argmax())
        self.game: MaskedMembership | None = None
        self.full_right = self._answers(self.data.X, self.data.y)[0]

    def train_references(self, n_references: int) -> None:
        """Train the reference models of the membership attack, once for all masks."""
        people, split = self.people, self.split

        def train(rows: NDArray[np.intp]) -> Matrix:
            return self._answers(people.X[rows], people.y[rows])[1]

        self.game = MaskedMembership.trained(
            train,
            len(people.y),
            split.members,
            split.non_members,
            split.public,
            n_references=n_references,
            random_state=self.random_state,
        )

    def measure(self, mask: Mask, *, membership: bool) -> CurvePoint:
        """Measure one mask of the members."""
        data = self.data
        filled = data.X if mask.kept.all() else data.imputed(mask.kept)
        right, confidence = self._answers(filled, data.y)
        game = self.game if membership else None
        return CurvePoint(
            algorithm=mask.algorithm,
            kept_share=mask.kept_share,
            accuracy=self._accuracy(right),
            reconstruction=masked_reconstruction(
                data.X, filled, mask.kept, mean=data.statistics.mean, adversary=data.imputation
            ),
            reidentification=reidentification(data.X, mask.kept),
            weighed=reidentification(data.X, mask.kept, evidence=EVIDENCE),
            membership=None
            if game is None
            else game.risk(confidence, random_state=self.random_state),
        )

    def _answers(self, X: Matrix, y: NDArray[np.intp]) -> tuple[Truths, Matrix]:
        """Train on some rows: where the model is right, and how sure it is of the truth."""
        people, learner, n_classes = self.people, self.data.learner, self.data.n_classes
        parameters = learner.fit_many(X[None], y, n_classes)
        said = learner.probabilities(parameters, people.X, n_classes)[0]
        return said.argmax(1) == people.y, said[np.arange(len(people.y)), people.y]

    def _accuracy(self, right: Truths) -> MaskedAccuracy:
        test = self.split.test
        here, full = right[test], self.full_right[test]
        drop, interval = paired_difference(full, here)
        return MaskedAccuracy(
            accuracy=float(here.mean()),
            interval=wilson_interval(float(here.sum()), len(test)),
            baseline=float((self.people.y[test] == self.most_common).mean()),
            full=float(full.mean()),
            drop=drop,
            drop_interval=interval,
            n_people=len(test),
        )


def _labels(people: Encoded, split: PeopleSplit) -> NDArray[np.intp]:
    found: NDArray[np.intp] = people.y[split.members]
    absent = _absent(found, range(len(people.classes)))
    if absent:
        raise DataError(
            f"Every class must occur among the {len(found):,} people to be minimised. "
            f"{absent} of {len(people.classes)} classes are too rare.\n\n"
            "Hint: is the target a number? Cut it into classes first, such as 'income>50000'."
        )
    return found


def _absent(labels: NDArray[np.intp], classes: Sequence[int]) -> int:
    return len(set(classes) - set(labels.tolist()))
