"""A model that was trained in another version of scikit-learn, as a function of a frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from encoding import Encoder
from numba import njit
from numpy.typing import NDArray


class NeutralModel:
    """Answers as the exported model does, for rows in the user's own columns.

    Parameters
    ----------
    path : Path
        The file of arrays that the other side wrote.
    encoder : Encoder
    """

    def __init__(self, path: Path, encoder: Encoder) -> None:
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
        self.recorded = {
            name.removeprefix("predictions_"): arrays.pop(name)
            for name in list(arrays)
            if name.startswith("predictions_")
        }
        self.arrays = arrays
        self.encoder = encoder

    def __call__(self, frame: pd.DataFrame) -> NDArray[np.int64]:
        """Predict the class of every row."""
        scores = self._scores(self.encoder.transform(frame))
        if scores.shape[1] == 1:
            return (scores[:, 0] > 0).astype(np.int64)
        return scores.argmax(axis=1)

    def _scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        kept = self.arrays
        if "weights_0" in kept:
            hidden = np.maximum(rows @ kept["weights_0"] + kept["offsets_0"], 0)
            return hidden @ kept["weights_1"] + kept["offsets_1"]
        tree = [kept[name] for name in ("feature", "threshold", "left", "right", "value", "start")]
        if "prior" not in kept:
            return _forest(rows, *tree, np.zeros(kept["value"].shape[1]), 1.0)
        return _forest(rows, *tree, kept["prior"], float(kept["rate"]))


@njit(cache=False)
def _forest(rows, feature, threshold, left, right, value, start, prior, rate):
    """Sum what the trees say; trees of one output take turns over the classes (boosting)."""
    n_scores = len(prior)
    turns = n_scores if value.shape[1] == 1 else 1
    out = np.empty((len(rows), n_scores))
    out[:] = prior
    for tree in range(len(start) - 1):
        first = start[tree]
        for i in range(len(rows)):
            node = first
            while left[node] >= 0:
                goes_left = rows[i, feature[node]] <= threshold[node]
                node = first + (left[node] if goes_left else right[node])
            for score in range(value.shape[1]):
                out[i, tree % turns + score] += rate * value[node, score]
    return out
