"""The tables of the comparison, split as in Goldsteen et al. 2021, §4.1, and written as jobs.

Of every table 40 % train the model, 40 % are the pool that the generalizer's rows are drawn from
(each side divides these into tree and optimisation rows itself; the toolkit 60 : 40), and 20 % are
held out. Held-out rows with a category that the generalizer never saw are set aside for both sides.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from encoding import LABEL

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
MODELS = ("random forest", "gradient boosting", "neural network")


@dataclass(frozen=True)
class Source:
    """A table to minimise: its attributes with the label, and which of them are numbers."""

    frame: pd.DataFrame
    numeric: tuple[str, ...]
    n_fit: int


@dataclass(frozen=True)
class Job:
    """One model on one table, in a folder that both sides read and write."""

    table: str
    model: str
    target: float
    folder: Path

    @property
    def name(self) -> str:
        """The table, the model and the target, to print."""
        return f"{self.table}, {self.model}, target {self.target}"


def adult(numeric_only: bool = False) -> Source:
    """Adult without fnlwgt and without education in words (education-num says the same)."""
    frame = _text("adult").drop(columns=["fnlwgt", "education", "split"])
    numeric = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")
    frame = _finish(frame, "income", numeric)
    return Source(frame[[*numeric, LABEL]] if numeric_only else frame, numeric, 1000)


def adult_numeric() -> Source:
    """The five numbers of Adult alone, on which the toolkit runs as it is shipped."""
    return adult(numeric_only=True)


def nursery() -> Source:
    """Nursery without its two `recommend` rows; "more" children are 4."""
    frame = _text("nursery")
    frame = frame[frame["class"] != "recommend"].replace({"children": {"more": "4"}})
    return Source(_finish(frame, "class", ("children",)), ("children",), 2000)


def gss() -> Source:
    """GSS: labelled rows, without year and id; a missing number is 0, as in the paper's ranges."""
    frame = _text("gss_happiness").drop(columns=["year", "id"])
    frame = frame[frame["Happiness of marriage"] != ""]
    numbers = {"children": {"EIGHT OR MORE": "8", "": "0"}, "age": {"89 OR OLDER": "89", "": "0"}}
    frame = frame.replace(numbers).replace("", "not stated")
    return Source(_finish(frame, "Happiness of marriage", tuple(numbers)), tuple(numbers), 2000)


TABLES = {"Adult": adult, "Adult numeric": adult_numeric, "Nursery": nursery, "GSS": gss}


def _text(name: str) -> pd.DataFrame:
    return pd.read_csv(DATA / f"{name}.csv.gz", dtype=str, keep_default_na=False)


def _finish(frame: pd.DataFrame, target: str, numeric: tuple[str, ...]) -> pd.DataFrame:
    frame = frame.astype(dict.fromkeys(numeric, np.int64))
    frame[LABEL] = pd.factorize(frame.pop(target), sort=True)[0]
    return frame.reset_index(drop=True)


def write(table: str, model: str, target: float, results: Path, seed: int = 0) -> Job:
    """Write a job, unless its folder has one already."""
    folder = results / f"{table} {model} {target}".replace(" ", "_").lower()
    job = Job(table, model, target, folder)
    if (folder / "job.json").exists():
        return job
    folder.mkdir(parents=True, exist_ok=True)
    source = TABLES[table]()
    frame = source.frame
    order = np.random.default_rng(seed).permutation(len(frame))
    train, pool, held_out = np.split(order, [int(0.4 * len(order)), int(0.8 * len(order))])
    fit = frame.iloc[pool[: source.n_fit]]
    rows = frame.iloc[held_out]
    categorical = [n for n in frame.columns if n not in (*source.numeric, LABEL)]
    seen = np.ones(len(rows), bool)
    for name in categorical:
        seen &= rows[name].isin(fit[name].unique()).to_numpy()
    frame.iloc[train].to_csv(folder / "train.csv", index=False)
    fit.drop(columns=LABEL).to_csv(folder / "fit.csv", index=False)
    rows[seen].to_csv(folder / "held_out.csv", index=False)
    facts = {
        "table": table,
        "model": model,
        "numeric": source.numeric,
        "target_accuracy": target,
        "seed": seed,
        "set_aside": int(np.sum(~seen)),
    }
    (folder / "job.json").write_text(json.dumps(facts, indent=1))
    return job
