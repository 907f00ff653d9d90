"""A model that already runs, behind one small protocol."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from sparsam._errors import ParameterError

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
        from sparsam.data.model._torch import TorchBox

        return TorchBox(model, bool(regression), encoder)
    if onnx is not None and isinstance(model, onnx.InferenceSession):
        from sparsam.data.model._onnx import OnnxBox

        return OnnxBox(model, regression, encoder)
    if callable(getattr(model, "predict", None)):
        from sparsam.data.model._estimator import EstimatorBox

        return EstimatorBox(model, regression, encoder)
    if callable(model):
        from sparsam.data.model._estimator import FunctionBox

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
