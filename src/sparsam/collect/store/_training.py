"""What is stored, as a model is trained on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam.collect._target import Target
from sparsam.generalization import Generalization


@dataclass(frozen=True, repr=False)
class Training:
    """Every combination of buckets that was collected, once, and how many records it has.

    Learning from these rows with their weights is learning from the people: scikit-learn takes the
    weights as `sample_weight`. It unpacks into `records`, `target`, `weights`.

    Attributes
    ----------
    generalization : Generalization
    codes : ndarray of int64, shape (n_rows, n_attributes)
        The bucket of each collected attribute.
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
    codes: NDArray[np.int64]
    target: NDArray[np.object_] | None
    weights: NDArray[np.float64]
    predicts: Target | None = None

    @classmethod
    def of(
        cls, generalization: Generalization, target: Target | None, rows: list[tuple[Any, ...]]
    ) -> Training:
        """Make it from rows of codes, the class where there is a target, and the count."""
        n_columns = len(generalization.collected) + (target is not None) + 1
        table = np.array(rows, dtype=np.int64).reshape(len(rows), n_columns)
        classes = None
        if target is not None:
            classes = np.array(target.classes, dtype=object)[table[:, -2]]
        n_attributes = len(generalization.collected)
        weights = table[:, -1].astype(np.float64)
        return cls(generalization, table[:, :n_attributes], classes, weights, target)

    @property
    def records(self) -> dict[str, NDArray[np.object_]]:
        """The label of each bucket, attribute by attribute, as `GeneralizationStep` takes them."""
        return {
            name: np.array(self.generalization[name].labels, dtype=object)[self.codes[:, place]]
            for place, name in enumerate(self.generalization.collected)
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
            table = dict(zip(self.generalization.collected, self.codes.T, strict=True))
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
        return f"<Training: {len(self.generalization.collected)} attributes>"
