"""A table with one column of every type that pandas users have."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sparsam.data import Roles

N_ROWS = 60


def people() -> pd.DataFrame:
    """A table with one column of every type that pandas users have."""
    rng = np.random.default_rng(3)
    gone = rng.random(N_ROWS) < 0.2
    letters = rng.choice(["a", "b", "c"], N_ROWS)
    frame = pd.DataFrame(
        {
            "age": rng.integers(15, 80, N_ROWS),
            "small": rng.integers(-5, 5, N_ROWS).astype(np.int8),
            "income": np.where(gone, np.nan, rng.normal(size=N_ROWS)),
            "single": rng.normal(size=N_ROWS).astype(np.float32),
            "level": pd.Categorical(np.where(gone, None, letters), ["d", "c", "b", "a"]),
            "grade": pd.Categorical.from_codes(rng.integers(0, 2, N_ROWS), [3, 1, 7], ordered=True),
            "whole": pd.array(np.where(gone, 0, rng.integers(1, 9, N_ROWS)), "Int64"),
            "text": pd.array(letters, "string"),
            "word": np.where(gone, None, letters),
            "thing": pd.Series(np.where(gone, None, letters), dtype=object),
            "truth": rng.random(N_ROWS) < 0.5,
            "maybe": pd.array(rng.random(N_ROWS) < 0.5, "boolean"),
            "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 5, N_ROWS), "D"),
            "empty": np.full(N_ROWS, np.nan),
            "name": [f"person {i}" for i in range(N_ROWS)],
            "works": rng.choice(["yes", "no"], N_ROWS),
        }
    )
    frame.loc[gone, ["whole", "text", "maybe"]] = pd.NA
    frame.index = pd.Index(rng.permutation(N_ROWS) + 100, name="row")
    return frame


ROLES = Roles("works", identifiers=["name"], categorical=["day"])


ATTRIBUTES = [name for name in people().columns if name not in ("name", "works")]
