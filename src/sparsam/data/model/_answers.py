"""The answers of a model that already runs: asked for without quoting anyone, and checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError, hint
from sparsam.data.source._engine import worded


def answer(ask: Callable[[], Any], n_rows: int) -> Any:
    """Ask the model; an error of its own is told without the values that it may quote.

    Parameters
    ----------
    ask : callable
    n_rows : int
        How many records it is asked about.
    """
    return worded(ask, lambda error: _refused(error, n_rows))


def checked(answers: Any, n_rows: int, *, regression: bool) -> NDArray[Any]:
    """Return the answers as an array, once they are one per record, known and finite.

    Parameters
    ----------
    answers : array-like
    n_rows : int
        How many records there were.
    regression : bool
        Whether they must be numbers.

    Examples
    --------
    >>> checked([[1.5], [2.5]], 2, regression=True)
    array([1.5, 2.5])
    """
    array = np.asarray(answers)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (1, 2) or len(array) != n_rows:
        raise DataError(
            f"The model must answer once for each of {n_rows:,} records. "
            f"Got an answer of the shape {np.shape(array)} instead."
        )
    if regression:
        return _numbers(array)
    _check_labels(array)
    return array


def classes_of(scores: NDArray[Any], n_rows: int) -> NDArray[Any]:
    """Turn scores into classes: the greatest of several, or whether the only one is above 0.

    Parameters
    ----------
    scores : ndarray
        One row per record.
    n_rows : int
        How many records there were.
    """
    scores = checked(scores, n_rows, regression=True)
    classes = scores > 0 if scores.ndim == 1 else scores.argmax(axis=1)
    return classes.astype(np.int64)


def unfitted() -> ParameterError:
    """Make the error for a model that was never fitted."""
    return ParameterError(
        "The 'model' parameter must be a model that already runs. Got one that is not fitted."
        "\n\nHint: call its fit first."
    )


def _refused(error: Exception, n_rows: int) -> ParameterError:
    kind = type(error).__name__
    if kind == "NotFittedError":
        return unfitted()
    return ParameterError(
        f"The model must take the records as they are. It raised a {kind} on {n_rows:,} of "
        "them.\n\nHint: give it the columns and types that it was fitted on, or an encoder. What "
        "it says may quote a person's value, and is seen by calling it on the records yourself."
    )


def _numbers(answers: NDArray[Any]) -> NDArray[Any]:
    if answers.dtype.kind not in "iufb":
        raise DataError(
            "A model for regression must answer with numbers. "
            f"Got answers of the type {answers.dtype} instead."
            + hint(
                "say regression=False if it answers with classes",
                "save a model that answers with numbers, or with one class each time",
            )
        )
    bad = int((~np.isfinite(answers)).sum())
    if bad:
        raise DataError(f"The model must answer with finite numbers. Got {bad:,} that are not.")
    return answers


def _check_labels(labels: NDArray[Any]) -> None:
    gone = 0
    if labels.dtype.kind == "f":
        gone = int((~np.isfinite(labels)).sum())
    elif labels.dtype == object:
        gone = sum(value is None or value != value for value in labels.ravel())  # noqa: PLR0124
    if gone:
        raise DataError(f"The model must answer with a class each time. Got {gone:,} missing.")
    if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():
        raise DataError(
            "A model for classification must answer with classes. Got numbers with fractions."
            + hint(
                "say regression=True if it answers with numbers, or return the class instead of "
                "its probability",
                "save a model that answers with the class instead of its probability",
            )
        )
