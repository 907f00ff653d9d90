"""What the black box does to a frame before it predicts; both sides import this file."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

LABEL = "label to predict"


class Encoder:
    """Numbers scaled, categories one-hot: the part of the model that reads the user's columns.

    Parameters
    ----------
    columns : list of str
        In the order of the model's inputs.
    categories : dict of str to list of str
        The categories of each categorical column; one that is not listed is all zeros.
    centres, scales : dict of str to float
        Of each numeric column.
    """

    def __init__(
        self,
        columns: list[str],
        categories: dict[str, list[str]],
        centres: dict[str, float],
        scales: dict[str, float],
    ) -> None:
        self.columns = columns
        self.categories = categories
        self.centres = centres
        self.scales = scales
        self._places = {
            name: {value: place for place, value in enumerate(values)}
            for name, values in categories.items()
        }

    @classmethod
    def learn(cls, frame: pd.DataFrame, numeric: list[str]) -> Encoder:
        """Take categories, centres and scales from the rows that train the model."""
        columns = list(frame.columns)
        categories = {n: sorted(frame[n].unique()) for n in columns if n not in numeric}
        centres = {n: float(frame[n].mean()) for n in numeric}
        scales = {n: float(frame[n].std(ddof=0)) or 1.0 for n in numeric}
        return cls(columns, categories, centres, scales)

    def transform(self, frame: pd.DataFrame) -> np.ndarray:
        """Return the model's inputs for the rows of a frame."""
        widths = [len(self.categories.get(name, "1")) for name in self.columns]
        out = np.zeros((len(frame), sum(widths)), np.float32)
        rows = np.arange(len(frame))
        for name, start in zip(self.columns, np.cumsum([0, *widths[:-1]]), strict=True):
            if name in self.categories:
                place = self._places[name].get
                found = np.array([place(value, -1) for value in frame[name].tolist()], np.int64)
                out[rows[found >= 0], start + found[found >= 0]] = 1.0
            else:
                numbers = np.asarray(frame[name], np.float64)
                out[:, start] = (numbers - self.centres[name]) / self.scales[name]
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        return {key: value for key, value in vars(self).items() if not key.startswith("_")}

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Encoder:
        """Read what `to_dict` gave."""
        return cls(**given)


def read_rows(path: Path, numeric: list[str]) -> pd.DataFrame:
    """Read rows that the other side wrote: text stays text, whole numbers stay whole."""
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name in rows.columns:
        if name in numeric or name == LABEL:
            rows[name] = pd.to_numeric(rows[name]).astype(np.int64)
        else:
            rows[name] = rows[name].astype(object)
    return rows


def cpu_seconds() -> float:
    """Return the CPU time that this process and its children have taken so far."""
    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)
