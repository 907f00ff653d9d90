"""What is stored, as a model is trained on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsam.collect._target import Target
from sparsam.generalization import Generalization


class Answers(NamedTuple):
    """The answers that there are to one attribute.

    Parameters
    ----------
    labels : tuple of str
    sent : tuple of int or str
        What stands for each on the way: the number of a bucket, or of several.
    """

    labels: tuple[str, ...]
    sent: tuple[int | str, ...]


@dataclass(frozen=True, repr=False)
class Training:
    """Every combination of answers that was collected, once, and how many records it has.

    Learning from these rows with their weights is learning from the people: scikit-learn takes the
    weights as `sample_weight`. It unpacks into `records`, `target`, `weights`.

    Attributes
    ----------
    generalization : Generalization
        The buckets that the answers are made of.
    answers : dict of str to Answers
        For each attribute what its codes stand for: one bucket each, or for a questionnaire what
        it offered, and first of all that it did not ask.
    codes : ndarray of int64, shape (n_rows, n_attributes)
        The place of each answer: of whole records the bucket.
    target : ndarray of object or None, shape (n_rows,)
        The class of each row, where the target is collected.
    weights : ndarray of float64, shape (n_rows,)
        How many records each row stands for.
    predicts : Target or None
        What `target` holds.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> import sparsam as sp
    >>> people = sp.load_example()
    >>> tree = sp.PrivacyTree(sp.Roles("employed"), max_leaves=2).fit(people)
    >>> employed = sp.collect.Target("employed", ("no", "yes"))
    >>> place = tempfile.TemporaryDirectory()
    >>> with sp.collect.Store.open(
    ...     f"{place.name}/people.db", tree.generalization_, keep_days=90, target=employed
    ... ) as store:
    ...     receipts = store.add([(0, 0), (1, 1), (1, 1), (1, 0)] * 20)
    ...     training = store.training()
    >>> training.weights
    array([20., 20., 40.])
    >>> door = sp.GeneralizationStep(training.generalization, accept="generalized")
    >>> model = make_pipeline(door, LogisticRegression()).fit(
    ...     training.records, training.target, logisticregression__sample_weight=training.weights
    ... )
    >>> [str(answer) for answer in model.predict(training.records)]
    ['no', 'yes', 'yes']
    >>> place.cleanup()
    """

    generalization: Generalization
    answers: dict[str, Answers]
    codes: NDArray[np.int64]
    target: NDArray[np.object_] | None
    weights: NDArray[np.float64]
    predicts: Target | None = None

    @property
    def records(self) -> dict[str, NDArray[np.object_]]:
        """The label of each answer, attribute by attribute; `GeneralizationStep` takes buckets."""
        return {
            name: np.array(known.labels, dtype=object)[self.codes[:, place]]
            for place, (name, known) in enumerate(self.answers.items())
        }

    def columns(self, *, codes: bool = False) -> dict[str, NDArray[Any]]:
        """Return all of it as the columns of a table; the last one is how many records.

        Parameters
        ----------
        codes : bool, default=False
            Numbers of buckets and classes instead of their labels.
        """
        table: dict[str, NDArray[Any]] = dict(self.records)
        if codes:
            columns = zip(self.answers.items(), self.codes.T, strict=True)
            table = {name: np.array(known.sent)[column] for (name, known), column in columns}
        if self.predicts is not None and self.target is not None:
            number = {label: code for code, label in enumerate(self.predicts.classes)}
            classes = np.array([number[label] for label in self.target], dtype=np.int64)
            table[self.predicts.name] = classes if codes else self.target
        count = "n"
        while count in table:
            count += "_"
        return table | {count: self.weights.astype(np.int64)}

    def __iter__(self) -> Iterator[Any]:
        yield from (self.records, self.target, self.weights)

    def __repr__(self) -> str:
        return f"<Training: {len(self.answers)} attributes>"
