"""A model that already runs, behind one small protocol."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.data.model._answers import answer, checked, classes_of, unfitted
from sparsam.data.model._records import as_matrix, as_table, select
from sparsam.data.source._source import columns_of, count_rows

Encoder = Callable[[Any], Any]


@runtime_checkable
class BlackBox(Protocol):
    """A model that already runs, seen through its answers only.

    Attributes
    ----------
    regression : bool
        Whether it answers with numbers rather than with classes.
    columns : tuple of str or None
        The columns it wants, in order, where it says so.
    """

    regression: bool
    columns: tuple[str, ...] | None

    def predict(self, records: Any) -> NDArray[Any]:
        """Answer for every record: labels or numbers; two-dimensional for several outputs."""


def black_box(
    model: Any, *, regression: bool | None = None, encoder: Encoder | None = None
) -> BlackBox:
    """Look at a model through its answers only.

    The model sees the user's own columns and types: it does its own encoding, or `encoder` does.
    Its answers are checked: one per record, and none of them missing or infinite.

    Parameters
    ----------
    model : estimator, function, path, onnxruntime session, torch module or BlackBox
        - A fitted scikit-learn estimator or pipeline, or anything with `predict`. It gets the
          frame with the columns that it was fitted on. A mapping becomes a pandas frame where
          pandas is installed, and a two-dimensional array of objects elsewhere.
        - A function of a frame. It answers with labels, or with numbers where `regression` is
          true; several columns of floats are scores, the greatest of which is the class.
        - The path of a model's file, see `load_model`, or an onnxruntime session: one matrix of
          all columns, or one input per column with the column's name. It answers with its label
          where it has one, else with the greatest score; one score alone is a number.
        - A torch module of a matrix of all columns as 32-bit floats. It is put into evaluation
          mode. The greatest output is the class; one output alone is class 1 above 0.
    regression : bool, optional
        Whether the model answers with numbers. Found out where nothing is said: by asking
        scikit-learn or from the outputs of an ONNX file; classification otherwise.
    encoder : callable, optional
        Turns a frame of the user's own columns into what the model takes.

    Returns
    -------
    BlackBox

    Examples
    --------
    >>> import numpy as np
    >>> box = black_box(lambda people: np.where(people["age"] < 18, "child", "adult"))
    >>> box.predict({"age": np.array([12, 40])}).tolist()
    ['child', 'adult']
    """
    if isinstance(model, str | os.PathLike):
        return load_model(model, regression=regression, encoder=encoder)
    if isinstance(model, BlackBox):
        return _as_is(model, regression, encoder)
    torch, onnx = sys.modules.get("torch"), sys.modules.get("onnxruntime")
    if torch is not None and isinstance(model, torch.nn.Module):
        return TorchBox(model, bool(regression), encoder)
    if onnx is not None and isinstance(model, onnx.InferenceSession):
        from sparsam.data.model._onnx import OnnxBox

        return OnnxBox(model, regression, encoder)
    if callable(getattr(model, "predict", None)):
        return EstimatorBox(model, regression, encoder)
    if callable(model):
        return FunctionBox(model, bool(regression), encoder)
    raise ParameterError(
        "The 'model' parameter of black_box must be a fitted estimator, a function of a frame, "
        "the path of an ONNX file, an onnxruntime session or a torch module. "
        f"Got a {type(model).__name__} instead."
    )


def load_model(
    path: str | os.PathLike[str],
    *,
    trust: bool = False,
    regression: bool | None = None,
    encoder: Encoder | None = None,
) -> BlackBox:
    """Load a model from a file: ONNX, skops, or with the user's word for it, joblib and pickle.

    Parameters
    ----------
    path : str or Path
        A file that ends in .onnx, .skops, .joblib, .pkl or .pickle.
    trust : bool, default=False
        Loading a pickled model runs the code inside the file. Say True only for a file that you
        made yourself. An ONNX file runs no code; a skops file is checked, and needs it only for
        types that are not known to be harmless.
    regression, encoder
        See `black_box`.

    Returns
    -------
    BlackBox

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import skops.io
    >>> from sklearn.linear_model import LogisticRegression
    >>> people, labels = np.array([[10.0], [20.0], [30.0]]), ["child", "adult", "adult"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = f"{folder}/model.skops"
    ...     skops.io.dump(LogisticRegression().fit(people, labels), place)
    ...     model = load_model(place)
    >>> model.predict(np.array([[9.0], [33.0]]))
    array(['child', 'adult'], dtype='<U5')
    """
    from sparsam.data.model._file import open_model

    return black_box(open_model(Path(path), trust=trust), regression=regression, encoder=encoder)


def _as_is(model: BlackBox, regression: bool | None, encoder: Encoder | None) -> BlackBox:
    if encoder is not None or regression not in (None, model.regression):
        raise ParameterError(
            "The 'regression' and 'encoder' parameters of black_box must not be given for a "
            "model that is a BlackBox already."
        )
    return model


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

    @property
    def model(self) -> Any:
        """The estimator itself."""
        return self._model

    def predict(self, records: Any) -> NDArray[Any]:
        """Answer for every record."""
        n_rows = count_rows(records)
        answers = answer(lambda: self._model.predict(self._inputs(records)), n_rows)
        return checked(answers, n_rows, regression=self.regression)

    def _inputs(self, records: Any) -> Any:
        if self._encoder is not None:
            return self._encoder(records)
        chosen = select(records, self.columns)
        if _takes_columns(self._model):
            return chosen
        table = as_table(chosen, self.columns)
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
        answers = np.asarray(answer(lambda: self._function(encoder(records)), n_rows))
        scores = answers.ndim == 2 and answers.shape[1] > 1 and answers.dtype.kind == "f"
        if scores and not self.regression:
            return classes_of(answers, n_rows)
        return checked(answers, n_rows, regression=self.regression)


def _takes_columns(model: Any) -> bool:
    """Whether what comes first in a model takes columns by their names, in a mapping too."""
    while steps := getattr(model, "steps", None):
        model = steps[0][1]
    return getattr(model, "_takes_columns", False) is True


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


# Rows that go through the module at once: enough to be fast, few enough for any memory.
_BATCH = 65_536


class TorchBox:
    """A torch module of one matrix of 32-bit floats, in evaluation mode and without gradients.

    Parameters
    ----------
    module : torch.nn.Module
        Several outputs are scores, the greatest of which is the class; one output alone is a
        logit: class 1 above 0, else class 0. Whole numbers are the classes themselves.
    regression : bool, default=False
        The outputs are the answer.
    encoder : callable or None
        Turns a frame of the user's own columns into the matrix.
    """

    def __init__(
        self,
        module: Any,
        regression: bool = False,
        encoder: Callable[[Any], Any] | None = None,
    ) -> None:
        self._module = module
        self._encoder = encoder
        self.regression = regression
        self.columns: tuple[str, ...] | None = None

    def predict(self, records: Any) -> NDArray[Any]:
        """Answer for every record."""
        n_rows = count_rows(records)
        answers = answer(lambda: self._outputs(self._matrix(records)), n_rows)
        if self.regression or answers.dtype.kind != "f":
            return checked(answers, n_rows, regression=self.regression)
        return classes_of(answers, n_rows)

    def _matrix(self, records: Any) -> NDArray[np.float32]:
        if self._encoder is None:
            return as_matrix(records)
        return np.ascontiguousarray(self._encoder(records), dtype=np.float32)

    def _outputs(self, matrix: NDArray[np.float32]) -> NDArray[Any]:
        import torch

        self._module.eval()
        weights = next(self._module.parameters(), torch.empty(0))
        parts = []
        with torch.no_grad():
            for start in range(0, max(len(matrix), 1), _BATCH):
                batch = torch.from_numpy(matrix[start : start + _BATCH])
                output = self._module(batch.to(weights.device))
                if not isinstance(output, torch.Tensor):
                    raise DataError(
                        "A torch module must answer with one tensor. "
                        f"Got a {type(output).__name__} instead."
                    )
                parts.append(output.cpu().numpy())
        return np.concatenate(parts)
