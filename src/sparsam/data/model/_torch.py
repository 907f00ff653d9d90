"""A torch module as a black box."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsam._errors import DataError
from sparsam.data.model._answers import answer, checked, classes_of
from sparsam.data.model._records import as_matrix
from sparsam.data.source._source import count_rows

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
        found = answer(lambda: self._outputs(self._matrix(records)), n_rows)
        if self.regression or found.dtype.kind != "f":
            return checked(found, n_rows, regression=self.regression)
        return classes_of(found, n_rows)

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
                found = self._module(batch.to(weights.device))
                if not isinstance(found, torch.Tensor):
                    raise DataError(
                        "A torch module must answer with one tensor. "
                        f"Got a {type(found).__name__} instead."
                    )
                parts.append(found.cpu().numpy())
        return np.concatenate(parts)
