"""Models with a predict of their own, and plain functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import ParameterError
from sparsam.data.model._answers import answer, checked, classes_of, unfitted
from sparsam.data.model._records import as_table, select
from sparsam.data.source._source import columns_of, count_rows


class EstimatorBox:
    """A fitted estimator of scikit-learn, or anything else with `predict`.

    Parameters
    ----------
    model : estimator
    regression : bool or None
        Asked of scikit-learn where it is None.
    encoder : callable or None
        Turns a frame of the user's own columns into what the model takes.
    """

    def __init__(
        self,
        model: Any,
        regression: bool | None = None,
        encoder: Callable[[Any], Any] | None = None,
    ) -> None:
        _check_fitted(model)
        self._model = model
        self._encoder = encoder
        self.regression = _is_regressor(model) if regression is None else bool(regression)
        names = None if encoder else getattr(model, "feature_names_in_", None)
        self.columns = None if names is None else tuple(str(name) for name in names)

    def predict(self, records: Any) -> NDArray[Any]:
        """Answer for every record."""
        n_rows = count_rows(records)
        found = answer(lambda: self._model.predict(self._inputs(records)), n_rows)
        return checked(found, n_rows, regression=self.regression)

    def _inputs(self, records: Any) -> Any:
        if self._encoder is not None:
            return self._encoder(records)
        table = as_table(select(records, self.columns), self.columns)
        if self.columns is None and hasattr(self._model, "n_features_in_"):
            return _nameless(table)
        return table


class FunctionBox:
    """A plain function of a frame.

    Parameters
    ----------
    function : callable
        Its answer is labels; several columns of floats are scores of the classes 0, 1, ...
    regression : bool, default=False
        Its answer is numbers instead.
    encoder : callable or None
        Turns a frame of the user's own columns into what the function takes.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        regression: bool = False,
        encoder: Callable[[Any], Any] | None = None,
    ) -> None:
        self._function = function
        self._encoder = encoder
        self.regression = regression
        self.columns: tuple[str, ...] | None = None

    def predict(self, records: Any) -> NDArray[Any]:
        """Answer for every record."""
        n_rows = count_rows(records)
        encoder = self._encoder or (lambda same: same)
        found = np.asarray(answer(lambda: self._function(encoder(records)), n_rows))
        scores = found.ndim == 2 and found.shape[1] > 1 and found.dtype.kind == "f"
        if scores and not self.regression:
            return classes_of(found, n_rows)
        return checked(found, n_rows, regression=self.regression)


def _nameless(table: Any) -> Any:
    """A frame as a bare array, for a model that was fitted on one."""
    if isinstance(table, np.ndarray):
        return table
    labels = getattr(table, "columns", ())
    if any(not isinstance(label, str) for label in labels) and not hasattr(table, "column_names"):
        return table  # numbered columns of pandas: scikit-learn does not look at their names
    to_numpy = getattr(table, "to_numpy", None)
    if callable(to_numpy):
        return to_numpy()
    names = table.column_names
    raw: Mapping[str, NDArray[Any]] = columns_of(table, names)
    return np.column_stack([raw[name] for name in names])


def _check_fitted(model: Any) -> None:
    if isinstance(model, type):
        raise ParameterError(
            "The 'model' parameter must be a model that already runs. Got a class instead."
        )
    if not type(model).__module__.startswith("sklearn."):
        return  # another library's own signs of being fitted are its own
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise unfitted() from error


def _is_regressor(model: Any) -> bool:
    if hasattr(model, "__sklearn_tags__"):
        from sklearn.base import is_regressor

        return bool(is_regressor(model))
    return getattr(model, "_estimator_type", None) == "regressor"
