"""What a model answers about people as they are, and about what it is fed instead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsam._errors import ParameterError
from sparsam.counting import distinct_records
from sparsam.data import (
    OwnRecords,
    Roles,
    Table,
    Target,
    black_box,
    column_names,
    columns_of,
    target_of,
)
from sparsam.minimise import ModelTree


@dataclass(frozen=True, eq=False, repr=False)
class ModelAnswers:
    """A model's answers on some records.

    Attributes
    ----------
    table : Table
        The records.
    before, after : ndarray
        On the records themselves, and on what the recoding feeds the model.
    fed : ndarray of uint16, shape (n_records, n_attributes)
        What is fed, as numbers that are equal for equal values.
    regression : bool
    n_asked : int
        How many records the model was asked about.
    rows : ndarray of int
        Which rows of all these records are.
    n_given : int
        How many rows there are in all.
    """

    table: Table
    before: NDArray[Any]
    after: NDArray[Any]
    fed: NDArray[np.uint16]
    regression: bool
    n_asked: int
    rows: NDArray[np.int64]
    n_given: int


def model_answers(tree: ModelTree, X: Any, rows: ArrayLike | None) -> ModelAnswers:
    """Ask the model of a fitted tree about some records, before and after.

    Each distinct record is asked about once. What is fed is what the recoding makes of the
    records, and nothing else: the announced ranges are the ranges that are measured.

    Parameters
    ----------
    tree : ModelTree
        Fitted.
    X : frame, mapping, array or path
    rows : array of int, optional
        All of them by default.
    """
    if tree.model is None:
        raise ParameterError(
            "assess_model needs a tree that was fitted for a model that already runs. Got one "
            "that trained its own.\n\nHint: assess_generalization(tree.generalization_, split) "
            "measures that one."
        )
    box = black_box(tree.model, regression=tree.regression, encoder=tree.encoder)
    array = isinstance(X, np.ndarray)
    own = OwnRecords.open(
        X,
        roles=_roles_in(X, tree.roles),
        slices=tree.slices,
        columns=None if array else box.columns,  # an array has no names
    )
    chosen = _chosen(rows, own.table.n_rows)
    table = own.table.take(chosen)
    records = distinct_records(table.codes, [attribute.size for attribute in table.attributes])
    distinct = Table(table.attributes, np.asfortranarray(records.records))
    fed = tree.recoding_.apply(distinct)
    raw = own.frame(distinct.codes)
    before = box.predict(raw)[records.index]
    # the columns of an array are known by their places, so nothing may be left out before
    fed_answers = box.predict(tree.feed(X[chosen] if array else raw))
    after = fed_answers if array else fed_answers[records.index]
    numbers = np.column_stack([_numbered(fed[name]) for name in table.names])
    return ModelAnswers(
        table=table,
        before=before,
        after=after,
        fed=numbers[records.index],
        regression=box.regression,
        n_asked=2 * len(records),
        rows=chosen,
        n_given=own.table.n_rows,
    )


def _roles_in(X: Any, roles: Roles | None) -> Roles | None:
    """The roles without a target that new people have no column for."""
    if roles is None or roles.target is None:
        return roles
    names = column_names(X)
    target = target_of(roles, names)
    known = target is not None and target.column in names
    return roles if known else replace(roles, target=None)


def _chosen(rows: ArrayLike | None, n_rows: int) -> NDArray[np.int64]:
    if rows is None:
        return np.arange(n_rows)
    chosen = np.asarray(rows)
    if chosen.ndim != 1 or not len(chosen) or chosen.dtype.kind not in "iu":
        raise ParameterError(
            "The 'rows' parameter of assess_model must be a list of whole numbers, at least one. "
            f"Got an array of the shape {chosen.shape} instead."
        )
    if chosen.min() < 0 or chosen.max() >= n_rows:
        raise ParameterError(
            f"The 'rows' parameter of assess_model must number rows of X, from 0 to {n_rows - 1:,}."
            " Got others."
        )
    return chosen.astype(np.int64)


def _missing(values: NDArray[np.object_]) -> NDArray[np.bool_]:
    # NaN is the one value that differs from itself
    return np.array([value is None or value != value for value in values], dtype=bool)  # noqa: PLR0124


def _numbered(values: NDArray[Any]) -> NDArray[np.uint16]:
    """A number for each value, equal for equal values."""
    known: dict[Any, int] = {}
    plain = [None if value is None or value != value else value for value in values.tolist()]  # noqa: PLR0124
    return np.array([known.setdefault(value, len(known)) for value in plain], np.uint16)


def labels_in(X: Any, roles: Roles | None, rows: NDArray[np.int64]) -> NDArray[Any] | None:
    """Return the true labels of records, where the target is a column of X; None elsewhere.

    A comparison such as "income>50000" gives truth values, bins give their numbers.

    Parameters
    ----------
    X : frame, mapping, array or path
    roles : Roles, optional
    rows : ndarray of int
    """
    there = _roles_in(X, roles)
    if there is None or (target := target_of(there, column_names(X))) is None:
        return None
    text = [target.column] if target.column in there.categorical else []
    values = columns_of(X, [target.column], text, there.missing_values)[target.column]
    labels = np.asarray(values, dtype=object)[rows]
    labels[[isinstance(value, str) and value in there.missing_values for value in labels]] = None
    return labels if target.kind == "as is" else _cut(target, labels)


def _cut(target: Target, values: NDArray[np.object_]) -> NDArray[np.object_]:
    labels = np.full(len(values), None, dtype=object)
    known = ~_missing(values)
    segments = target.segments(values[known].astype(np.float64))
    labels[known] = segments if target.kind == "bins" else segments == (target.kind[0] == ">")
    return labels


def comparable(
    labels: NDArray[Any], answers: NDArray[Any], regression: bool = False
) -> NDArray[np.int64]:
    """Number the rows whose label is known; none where no label is a word of the model.

    Parameters
    ----------
    labels : ndarray
        None or NaN where a label is missing.
    answers : ndarray
        The model's, on the same records.
    regression : bool, default=False
        Whether they are numbers, which need not be the same.
    """
    flat = labels.reshape(len(labels), -1)
    if flat.shape != answers.reshape(len(answers), -1).shape:
        return np.empty(0, np.int64)
    gone = np.column_stack([_missing(np.asarray(column, object)) for column in flat.T])
    known = np.flatnonzero(~gone.any(axis=1))
    words = set(flat[known].ravel().tolist())
    if regression:
        fits = all(isinstance(word, int | float) for word in words)
    else:
        fits = bool(words & set(answers.ravel().tolist()))
    return known if fits else np.empty(0, np.int64)
