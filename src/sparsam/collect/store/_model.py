"""A model that is learned from what is stored, and a file for it that runs no code."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures

from sparsam._checks import check_choice
from sparsam._errors import DataError, MissingExtraError, ParameterError, hint
from sparsam._small_counts import SMALLEST_COUNT, publish_share, suppress
from sparsam._writing import write_bytes
from sparsam.collect.store._training import Training

Learner = Literal["pairs", "linear"]
LEARNERS: Final = ("pairs", "linear")
_MOST_BUCKETS: Final = 600
_HELD_OUT: Final = 0.2


def train_model(training: Training, learner: Learner = "pairs") -> Any:
    """Learn to predict the target from the answers of a record.

    A logistic regression over answers, for "pairs" also over each pair of them: on the few
    combinations that a generalization leaves, as good as boosted trees, and it can be saved in a
    file that runs no code. That a question was not asked is an answer, too.

    Parameters
    ----------
    training : Training
        With a target of which at least two classes came.
    learner : {"pairs", "linear"}, default="pairs"

    Returns
    -------
    Pipeline of scikit-learn
        Takes the labels of answers, one column for each attribute, in their order.
    """
    check_choice("train_model", "learner", learner, LEARNERS)
    target = _checked(training)
    labels = [np.array(known.labels, dtype=object) for known in training.answers.values()]
    n_buckets = sum(map(len, labels))
    steps: list[tuple[str, Any]] = [("buckets", OneHotEncoder(categories=labels))]
    if learner == "pairs":
        if n_buckets > _MOST_BUCKETS:
            raise ParameterError(
                f"Pairs of buckets can be learned from for {_MOST_BUCKETS} buckets at most. Got "
                f"{n_buckets:,} instead." + hint("give learner='linear'", "give --learner linear")
            )
        pairs = PolynomialFeatures(2, interaction_only=True, include_bias=False)
        steps.append(("pairs", pairs))
    steps.append(("classes", LogisticRegression(max_iter=5_000)))
    return Pipeline(steps).fit(_matrix(training), target, classes__sample_weight=training.weights)


def _matrix(training: Training) -> NDArray[np.object_]:
    return np.column_stack(list(training.records.values()))


def _checked(training: Training) -> NDArray[np.object_]:
    if training.target is None:
        raise DataError(
            "A model needs a target, and this store holds none."
            + hint(
                "open a store with target=Target.of(generalization), and collect into that",
                "collect with --with-target",
            )
        )
    if not training.answers:
        raise DataError("A model needs attributes, and this store holds the target alone.")
    if len(set(training.target.tolist())) < 2:
        raise DataError(
            "A model needs records of at least two classes of the target. There are none, or all "
            "are of one class."
        )
    return training.target


@dataclass(frozen=True)
class HeldOut:
    """How well a model of this kind does on records that it has not learned from.

    Parameters
    ----------
    accuracy : float
        Share of the held out records whose class it tells.
    baseline : float
        Share of the commonest class among them: what a constant guess tells.
    records : int
        How many were held out.
    random_state : int
    """

    accuracy: float
    baseline: float
    records: int
    random_state: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data, fit to be published."""
        return {
            "split": "one fifth of the records, held out",
            "records": suppress(self.records),
            "accuracy": publish_share(self.accuracy, self.records),
            "baseline": publish_share(self.baseline, self.records),
            "random_state": self.random_state,
        }


def hold_out(
    training: Training, learner: Learner = "pairs", random_state: int = 0
) -> HeldOut | None:
    """Learn from four fifths of the records, drawn by chance, and ask about the others.

    Parameters
    ----------
    training : Training
    learner : {"pairs", "linear"}, default="pairs"
    random_state : int, default=0

    Returns
    -------
    HeldOut or None
        None where there are too few records to tell.
    """
    _checked(training)
    draw = np.random.default_rng(random_state)
    held = draw.binomial(training.weights.astype(np.int64), _HELD_OUT).astype(np.float64)
    rest = _with_weights(training, training.weights - held)
    assert rest.target is not None
    if held.sum() < SMALLEST_COUNT or len(set(rest.target.tolist())) < 2:
        return None
    model = train_model(rest, learner)
    right = (model.predict(_matrix(training)) == training.target).astype(np.float64)
    _, codes = np.unique(np.asarray(training.target, dtype=str), return_inverse=True)
    commonest = np.bincount(codes, held).max()
    return HeldOut(
        accuracy=float(right @ held / held.sum()),
        baseline=float(commonest / held.sum()),
        records=int(held.sum()),
        random_state=random_state,
    )


def _with_weights(training: Training, weights: NDArray[np.float64]) -> Training:
    kept = weights > 0
    assert training.target is not None
    return replace(
        training, codes=training.codes[kept], target=training.target[kept], weights=weights[kept]
    )


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a model as a .skops file, which runs no code when it is opened.

    Parameters
    ----------
    model : estimator
    path : str or Path
        Written whole or not at all.
    """
    try:
        import skops.io
    except ImportError as error:
        raise MissingExtraError(
            "skops is not installed.\n\nHint: pip install 'sparsam[models]'"
        ) from error
    write_bytes(path, skops.io.dumps(model))
