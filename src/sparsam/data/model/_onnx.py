"""An ONNX model as a black box."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError, ParameterError
from sparsam.data.model._answers import answer, checked, classes_of
from sparsam.data.model._records import as_matrix, numbers_of, select, texts_of
from sparsam.data.source._source import columns_of, count_rows

_TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
}
_FLOATS = ("tensor(float)", "tensor(double)", "tensor(float16)")
_LABELS = ("tensor(int64)", "tensor(int32)", "tensor(string)", "tensor(bool)")


class OnnxBox:
    """An ONNX model in an onnxruntime session.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        Its inputs are one matrix of all columns, or one column each, named as the column.
    regression : bool or None
        Where it is None: a model with a label, or with several scores, is a classifier; one
        number per record is a regression.
    encoder : callable or None
        Turns a frame of the user's own columns into the matrix, or into a mapping of inputs.
    """

    def __init__(
        self,
        session: Any,
        regression: bool | None = None,
        encoder: Callable[[Any], Any] | None = None,
    ) -> None:
        self._session = session
        self._encoder = encoder
        self._inputs = list(session.get_inputs())
        if not self._inputs:
            raise ParameterError("An ONNX model must take records. It has no input.")
        for entry in self._inputs:
            _check_input(entry)
        self.regression = _is_regression(session) if regression is None else bool(regression)
        self._output, self._scores = _output(session, regression=self.regression)
        by_name = encoder is None and not self._one_matrix()
        self.columns = tuple(entry.name for entry in self._inputs) if by_name else None

    def predict(self, records: Any) -> NDArray[Any]:
        """Answer for every record."""
        n_rows = count_rows(records)
        answers = answer(lambda: self._session.run([self._output], self._feed(records)), n_rows)[0]
        if self._scores:
            return classes_of(np.asarray(answers), n_rows)
        return checked(answers, n_rows, regression=self.regression)

    def _one_matrix(self) -> bool:
        shape = self._inputs[0].shape
        return len(self._inputs) == 1 and len(shape) == 2 and shape[1] != 1

    def _feed(self, records: Any) -> dict[str, NDArray[Any]]:
        encoded = records if self._encoder is None else self._encoder(records)
        if self._encoder is not None and not isinstance(encoded, Mapping):
            encoded = np.asarray(encoded)
        if self._one_matrix() or (self._encoder is not None and not isinstance(encoded, Mapping)):
            entry = self._inputs[0]
            return {entry.name: self._matrix(entry, encoded)}
        chosen = select(encoded, [entry.name for entry in self._inputs])
        if isinstance(chosen, np.ndarray):
            if chosen.shape[1] != len(self._inputs):
                raise DataError(
                    f"The model takes {len(self._inputs)} columns. Got {chosen.shape[1]} instead."
                )
            raw = {entry.name: chosen[:, i] for i, entry in enumerate(self._inputs)}
        else:
            raw = columns_of(chosen, [entry.name for entry in self._inputs])
        return {entry.name: _column(entry, raw[entry.name]) for entry in self._inputs}

    def _matrix(self, entry: Any, records: Any) -> NDArray[Any]:
        if entry.type == "tensor(string)":
            return np.asarray(records, dtype=object)
        matrix = as_matrix(records, _TYPES[entry.type])
        wanted = entry.shape[1] if len(entry.shape) == 2 else None
        if isinstance(wanted, int) and matrix.shape[1] != wanted:
            raise DataError(
                f"The model takes {wanted} columns. Got {matrix.shape[1]} instead."
                "\n\nHint: give only the columns that it was trained on, in their order."
            )
        return matrix


def _check_input(entry: Any) -> None:
    if entry.type not in _TYPES and entry.type != "tensor(string)":
        raise ParameterError(
            "An ONNX model must take numbers, truth values or texts. "
            f"Its input '{entry.name}' is a {entry.type}."
        )
    if len(entry.shape) not in (1, 2):
        raise ParameterError(
            "An ONNX model must take a matrix of all columns, or a column each. "
            f"Its input '{entry.name}' has {len(entry.shape)} dimensions."
        )
    if isinstance(entry.shape[0], int):
        raise ParameterError(
            "An ONNX model must take any number of records at once. Its input "
            f"'{entry.name}' takes {entry.shape[0]}."
            "\n\nHint: export it again with a dynamic first axis."
        )


def _column(entry: Any, values: NDArray[Any]) -> NDArray[Any]:
    if entry.type == "tensor(string)":
        column: NDArray[Any] = texts_of(entry.name, values)
    else:
        column = numbers_of(entry.name, values, _TYPES[entry.type])
    return column.reshape(-1, 1) if len(entry.shape) == 2 else column


def _label(session: Any) -> Any:
    """The output that is a class, and not a score of it."""
    return next((out for out in session.get_outputs() if out.type in _LABELS), None)


def _numbers(session: Any) -> Any:
    return next((out for out in session.get_outputs() if out.type in _FLOATS), None)


def _is_regression(session: Any) -> bool:
    if _label(session) is not None:
        return False
    out = _numbers(session)
    if out is None or len(out.shape) == 1:
        return True
    if not isinstance(out.shape[-1], int):
        raise ParameterError(
            "The 'regression' parameter must be given for this ONNX model: the number of its "
            "outputs is not fixed."
        )
    return bool(out.shape[-1] == 1)


def _output(session: Any, *, regression: bool) -> tuple[str, bool]:
    """The name of the output that answers, and whether it is scores."""
    label, numbers = _label(session), _numbers(session)
    chosen = numbers if regression or label is None else label
    if chosen is None:
        kinds = ", ".join(out.type for out in session.get_outputs())
        raise ParameterError(
            f"An ONNX model must answer with {'numbers' if regression else 'a class or scores'}. "
            f"Its outputs are {kinds}."
        )
    return str(chosen.name), not regression and chosen is numbers
