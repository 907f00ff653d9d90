"""Train and answer on generalized records only."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sparsam._checks import check_choice
from sparsam._errors import DataError, ParameterError
from sparsam.data import column_names, columns_of, count_rows
from sparsam.generalization import CategoricalPartition, Generalization, Partition

ACCEPT = ("either", "raw", "generalized")
ENCODINGS = ("onehot", "codes", "labels")


class GeneralizationStep(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The door of a model: nothing finer than the generalization gets past it.

    A step of a scikit-learn pipeline, made from a saved generalization. The model behind it is
    trained on generalized records and answers generalized records only (Staab et al., section 4,
    figure 3).

    Parameters
    ----------
    generalization : Generalization or path
        The artifact, or where it was saved.
    accept : {"either", "raw", "generalized"}, default="either"
        What may come to the door. "raw" records are generalized here; of "generalized" ones each
        value must be the label of a bucket, a value at full resolution is refused, and so is an
        attribute that need not be collected; "either" takes both, value by value.
    encoding : {"onehot", "codes", "labels"}, default="onehot"
        How the buckets are handed to the model: a column of zeros and ones for each bucket, the
        number of the bucket, or its label.

    Attributes
    ----------
    generalization_ : Generalization
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        The attributes that are collected.

    Examples
    --------
    >>> import sparsam as sp
    >>> people = sp.load_example()
    >>> tree = sp.PrivacyTree(sp.Roles("employed"), max_leaves=2).fit(people)
    >>> door = GeneralizationStep(tree.generalization_, accept="generalized").fit()
    >>> [str(name) for name in door.feature_names_in_]
    ['education']
    >>> door.transform([{"education": "GED"}])
    Traceback (most recent call last):
    ...
    sparsam._errors.DataError: 'education' must hold labels of buckets. 1 of 1 values are ...
    """

    _takes_columns = True  # by name, so that nobody needs a library of frames to ask a model

    def __init__(
        self,
        generalization: Generalization | str | os.PathLike[str],
        *,
        accept: str = "either",
        encoding: str = "onehot",
    ) -> None:
        self.generalization = generalization
        self.accept = accept
        self.encoding = encoding

    def fit(self, X: Any = None, y: ArrayLike | None = None) -> Self:
        """Open the artifact; there is nothing to learn.

        Parameters
        ----------
        X, y : ignored
            For scikit-learn's sake.

        Returns
        -------
        self
        """
        check_choice("GeneralizationStep", "accept", self.accept, ACCEPT)
        check_choice("GeneralizationStep", "encoding", self.encoding, ENCODINGS)
        generalization = self.generalization
        if not isinstance(generalization, Generalization):
            generalization = Generalization.load(Path(generalization))
        if self.accept == "either":
            for partition in generalization:
                _check_labels_unambiguous(partition)
        self.generalization_ = generalization
        self.feature_names_in_ = np.array(generalization.collected, dtype=object)
        self.n_features_in_ = len(generalization.collected)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Let records through, generalized.

        Parameters
        ----------
        X : frame, mapping of columns, or list of records

        Returns
        -------
        ndarray of shape (n_records, n_columns)
            One column per bucket ("onehot") or per attribute ("codes", "labels"), and as many rows
            as records, even where no attribute is collected.
        """
        check_is_fitted(self)
        if self.accept == "generalized":
            self._refuse_uncollected(X)
        columns = columns_of(X, self.generalization_.collected)
        n_records = count_rows(X)
        blocks = []
        for name, values in columns.items():
            _check_length(name, values, n_records)
            partition = self.generalization_[name]
            blocks.append(self._encoded(partition, self._codes(partition, values)))
        kind = {"onehot": np.float64, "codes": np.int64}.get(self.encoding, object)
        return np.hstack(blocks) if blocks else np.empty((n_records, 0), dtype=kind)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the columns that the model gets."""
        check_is_fitted(self)
        names = self.generalization_.collected
        if self.encoding == "onehot":
            names = tuple(
                f"{name}={label}" for name in names for label in self.generalization_[name].labels
            )
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags

    def _refuse_uncollected(self, X: Any) -> None:
        idle = {p.name for p in self.generalization_ if not p.collected}
        sent = [name for name in column_names(X) if name in idle]
        if sent:
            raise DataError(
                f"These attributes are not to be collected, but were sent: {', '.join(sent)}.\n\n"
                f"Hint: leave them out of the record."
            )

    def _encoded(self, partition: Partition, codes: NDArray[np.int64]) -> NDArray[Any]:
        if self.encoding == "onehot":
            columns = np.zeros((len(codes), partition.n_buckets))
            columns[np.arange(len(codes)), codes] = 1.0
            return columns
        if self.encoding == "labels":
            return np.array(partition.labels, dtype=object)[codes, None]
        return codes[:, None]

    def _codes(self, partition: Partition, values: NDArray[Any]) -> NDArray[np.int64]:
        if self.accept == "raw" or (self.accept == "either" and values.dtype.kind in "biuf"):
            return _bucket_codes(partition, values)
        number = {label: code for code, label in enumerate(partition.labels)}
        codes = np.array([_label_code(value, number) for value in values], dtype=np.int64)
        other = np.flatnonzero(codes < 0)
        if not other.size:
            return codes
        if self.accept == "generalized":
            _refuse_values(partition, values, other)
        codes[other] = _bucket_codes(partition, values[other])
        return codes


def _check_length(name: str, values: NDArray[Any], n_records: int) -> None:
    if len(values) != n_records:
        raise DataError(
            f"'{name}' must have a value for each of the {n_records:,} records. "
            f"Got {len(values):,} instead."
        )


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def _label_code(value: Any, number: dict[str, int]) -> int:
    return number.get(value, -1) if isinstance(value, str) else -1


def _refuse_values(partition: Partition, values: NDArray[Any], other: NDArray[np.intp]) -> None:
    """Of the rows without a label, only those with a missing value may pass."""
    n_raw = sum(not _is_missing(value) for value in values[other])
    if n_raw:
        raise DataError(
            f"'{partition.name}' must hold labels of buckets. {n_raw:,} of {len(values):,} values "
            f"are not: they are at full resolution, or from another generalization.\n\n"
            f"Hint: the labels are in the artifact; with accept='raw' values are generalized here."
        )


def _bucket_codes(partition: Partition, values: NDArray[Any]) -> NDArray[np.int64]:
    codes = Generalization([partition]).apply({partition.name: values}, output="codes")
    return np.asarray(codes[partition.name], dtype=np.int64)


def _check_labels_unambiguous(partition: Partition) -> None:
    if not isinstance(partition, CategoricalPartition):
        return
    group_of = {category: g for g, group in enumerate(partition.groups) for category in group}
    for code, label in enumerate(partition.labels):
        if group_of.get(label, code) != code:
            raise ParameterError(
                f"A label of '{partition.name}' is also a category of another bucket, so a value "
                f"cannot be told from a label.\n\nHint: use accept='raw' or accept='generalized'."
            )
